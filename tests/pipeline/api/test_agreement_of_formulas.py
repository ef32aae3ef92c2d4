"""Formulas of real studies as they are copied: Python functions that agree with the predictions."""

from pathlib import Path

import numpy as np
import pytest

import pipeline as pl

SAMPLES = Path(__file__).parents[3] / "sample_profiles"
AGREEMENT = np.log(1.1)
SCALES = 40


@pytest.mark.parametrize(
    "sample",
    [
        "openfoam-cavity",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("hpcg-strong", "openfoam-iterations", "gromacs-water", "lammps-melt")
        ),
    ],
)
def test_copied_formulas_agree_with_predictions_up_to_the_target(sample):
    models = pl.read_study(SAMPLES / sample).fit()
    for level in (models.regions, models.callpaths):
        for kernel in level:
            within = kernel._formula.within
            points = np.exp(np.linspace(np.log(within.first), np.log(within.last), SCALES))
            points = np.clip(points, within.first, within.last)
            names = {}
            exec(kernel.python(), names)
            (function,) = (one for name, one in names.items() if callable(one))
            varying = [d for d in range(points.shape[1]) if d not in kernel._formula.fixed]
            copied = np.broadcast_to(function(*points[:, varying].T), len(points))
            predicted = level._level.models.expected(points)[kernel._number]
            some = predicted > 1e-9 * predicted.max(initial=0.0)
            assert np.abs(np.log(copied[some] / predicted[some])).max(initial=0.0) <= AGREEMENT, kernel
            assert copied[~some] == pytest.approx(0.0, abs=1e-8 * predicted.max(initial=0.0))
