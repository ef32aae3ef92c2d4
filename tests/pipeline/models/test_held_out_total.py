"""The study without its largest scale."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pipeline.models import back_test
from pipeline.models.back_test import BackTest, back_test_total
from pipeline.models.fit import fit
from pipeline.models.kernels import callpath_kernels
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import analyse
from tests.pipeline.questions.runtime.programs import STRONG, experiment, strong

SCALES = (1, 2, 4, 8, 16)


def test_it_is_what_a_fit_without_the_largest_scale_predicts():
    analysis = strong(noise=0.05)
    found, values = analysis.back_test, analysis.callpaths.kernels.values
    models = fit(("p",), analysis.experiment.points[:4], values[:, :4], parts=True)
    total = predict_total(models, np.array([[16.0]]))
    assert (found.value, found.lower, found.upper) == (total.value, total.lower, total.upper)
    assert (found.point, found.extrapolation) == ((16.0,), 2.0)
    assert found.measured == pytest.approx(values[:, 4].sum(axis=0).mean())
    assert found.relative_error == pytest.approx(found.value / found.measured - 1)
    assert found.inside == (found.lower <= found.measured <= found.upper)


def test_a_jump_at_the_largest_scale_lies_outside():
    runs = experiment([(p,) for p in SCALES], lambda at: {"work": (900 if at[0] == 16 else 8) / at[0]})
    found = analyse(runs, STRONG, "time", ModelOptions()).back_test
    assert not found.inside and found.relative_error < -0.9


def test_too_few_scales_are_not_tested():
    assert strong(scales=(1, 2, 4)).back_test is None
    assert strong(scales=(1, 2, 4, 8)).back_test is not None


def test_several_parameters_lose_all_points_of_the_largest_scale():
    points = [(p, n) for p in (2, 4, 8, 16) for n in (8, 16, 32)]
    runs = experiment(points, lambda at: {"work": at[1] / at[0], "rest": 0.1}, names=["p", "n"])
    found = analyse(runs, STRONG, "time", ModelOptions()).back_test
    assert found.point == (16.0, 32.0)
    assert found.value == pytest.approx(32 + 1.6, rel=0.05)


def test_small_kernels_count_as_one(monkeypatch):
    times = {f"r{i}": 0.01 * (i + 1) for i in range(6)}
    runs = experiment([(p,) for p in SCALES], lambda at: {name: t / at[0] for name, t in times.items()})
    fitted = []

    def spied(parameters, points, values, *rest, **more):
        fitted.append(values)
        return fit(parameters, points, values, *rest, **more)

    monkeypatch.setattr(back_test, "_ONE_BY_ONE", 2)
    kernels = callpath_kernels(runs, "time", STRONG.scaling)
    found = back_test_total(partial(spied, runs.parameters, parts=True), runs, kernels, 0, 4)
    (values,) = fitted
    assert values.shape[:2] == (3, 4)
    assert values[:2, 0, 0] == pytest.approx([0.06, 0.05])
    assert values.sum(axis=0) == pytest.approx(kernels.values[:, :4].sum(axis=0))
    assert found.value == pytest.approx(0.21, rel=1e-3)


def test_the_ends_are_inside():
    one = BackTest(point=(8.0,), extrapolation=2.0, value=2.0, lower=1.0, upper=4.0, measured=4.0)
    assert one.inside and not replace(one, measured=4.1).inside and not replace(one, measured=0.9).inside
