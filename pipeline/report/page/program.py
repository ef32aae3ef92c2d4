"""What ``js/data/program.js`` computes wall time, speed-up and efficiency from at any target."""

from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures, Study, location_rule_of
from pipeline.statistics.student import TWO_SIDED

ANSWERS = {
    "wall": ("wall time", "s"),
    "speedup": ("speed-up", ""),
    "efficiency": ("efficiency", "%"),
    "weak_efficiency": ("weak efficiency", "%"),
    "work_rate": ("work rate", ""),
}


def program_data(analysis: Analysis, figures: Figures) -> dict[str, Any]:
    """Return the figures of the whole program that are known, at a few scales, and what they are made of.

    Args:
        analysis: the modelled experiment.
        figures: predicted at ascending scales.
    """
    study = Study(analysis)
    scale = figures.points[:, study.column]
    known = {name: getattr(figures, name) for name in ANSWERS}
    factor, parameters = location_rule_of(
        analysis.experiment, analysis.decision, analysis.callpaths.kernels.metric
    )
    return {
        "answers": [
            {"name": name, "label": label, "unit": unit, "estimates": estimates(scale, known[name])}
            for name, (label, unit) in ANSWERS.items()
            if np.isfinite(known[name].value).any()
        ],
        "comparison": study.comparison.value,
        "perLocation": study.per_location,
        "commonError": study.common_error,
        "measuredError": TWO_SIDED * analysis.measured_error,
        "locations": {"factor": factor, "parameters": parameters} if np.isfinite(factor) else None,
        "measured": {name: plain(part) for name, part in vars(study.measured_total).items()},
    }


def estimates(scale: FloatArray, figures: Estimate) -> dict[str, list[float] | list[float | None]]:
    """Return figures at scales float64[Q] in the form that ``js/data/estimates.js`` reads."""
    ends = {name: plain(getattr(figures, name)) for name in ("value", "lower", "upper")}
    return {"scale": scale.tolist(), **ends}


def plain(values: FloatArray) -> list[float | None]:
    """Return numbers with six digits, None for what is not known."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values.tolist()]
