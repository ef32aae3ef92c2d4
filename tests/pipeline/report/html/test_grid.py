"""At which scales the page has predictions."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.arrays import FloatArray
from pipeline.models.analysis import default_target
from pipeline.models.scaling_models import ScalingModels
from pipeline.report.html import grid
from pipeline.report.html.folding import knots
from pipeline.report.html.grid import CLOSE_ENOUGH, NARROWEST, halved, refined
from pipeline.report.html.payload import shown_levels
from pipeline.report.html.scales import scales_of
from tests.pipeline.report.html.studies import outlooks, study

START = np.geomspace(1.0, 1024.0, 6)


def of_one(value: Callable[[FloatArray], FloatArray]) -> Callable[[FloatArray], FloatArray]:
    """A kernel with an interval of 10 % around its value."""
    return lambda scales: np.stack([0.9 * value(scales), value(scales), 1.1 * value(scales)])[:, None, :]


def interpolated(needed: FloatArray, value: Callable[[FloatArray], FloatArray], at: FloatArray) -> FloatArray:
    known = np.sort(needed)
    return np.asarray(np.exp(np.interp(np.log(at), np.log(known), np.log(value(known)))))


def test_power_laws_need_nothing_in_between() -> None:
    found = halved(of_one(lambda p: 3 * p**1.5), START, 100)
    assert sorted(found) == pytest.approx(sorted([*START, *np.sqrt(START[1:] * START[:-1])]))  # one look


@given(st.floats(0.1, 100), st.floats(1e-4, 10), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_bends_are_followed_closely(constant: float, coefficient: float, power: float) -> None:
    def value(p: FloatArray) -> FloatArray:
        return np.asarray(constant + coefficient * p**power)

    needed = halved(of_one(value), START, 400)
    at = np.geomspace(1.0, 1024.0, 997)
    np.testing.assert_allclose(interpolated(needed, value, at), value(at), rtol=1.5 * CLOSE_ENOUGH)


def test_jumps_end_and_the_most_needed_scales_come_first() -> None:
    def value(p: FloatArray) -> FloatArray:
        return np.where(p < 100, 1.0, 5.0)

    needed = halved(of_one(value), START, 1000)
    assert len(needed) < 60
    near = np.sort(needed[np.abs(np.log(needed / 100)) < 0.1])
    assert (np.diff(np.log(near)) > NARROWEST / 2.01).all()
    assert needed[:6].tolist() == START.tolist()
    assert abs(np.log(needed[-1] / 100)) < 0.1


@pytest.mark.parametrize("most", [0, 6, 11, 40])
def test_there_are_not_many_more_than_asked_for(most: int) -> None:
    found = halved(of_one(lambda p: 1 + 0.001 * p**2), START, most)
    assert len(START) <= len(found) <= max(most, len(START))
    assert len(set(found)) == len(found)


def test_lower_ends_near_zero_count_relative_to_the_value() -> None:
    def ends(p: FloatArray) -> FloatArray:
        tiny = 1e-6 * (2 + np.sin(9 * np.log(p)))
        return np.stack([tiny, np.ones(len(p)), np.full(len(p), 2.0)])[:, None, :]

    assert len(halved(ends, START, 100)) == 2 * len(START) - 1


def test_small_kernels_do_not_count() -> None:
    def ends(p: FloatArray) -> FloatArray:
        small = 1e-4 * (2 + np.sin(9 * np.log(p)))
        return np.broadcast_to(np.stack([np.ones(len(p)), small]), (3, 2, len(p)))

    assert len(halved(ends, START, 100)) == 2 * len(START) - 1


def test_levels_have_as_many_scales_as_the_page_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = study()
    scales = scales_of(analysis, default_target(analysis))
    needed = refined(analysis, scales)
    assert set(scales.grid[:, 0]) == set(needed[: len(scales.grid)])
    assert len(needed) > len(scales.grid)
    kept = knots(analysis.regions.kernels, needed, scales).grid[:, 0]
    assert kept.tolist() == sorted(needed)
    monkeypatch.setattr("pipeline.report.html.folding.KNOTS", 25 * len(analysis.regions.kernels))
    fewer = knots(analysis.regions.kernels, needed, scales).grid[:, 0]
    assert fewer.tolist() == sorted(needed[:25])
    levels = shown_levels(analysis, *outlooks(analysis), default_target(analysis))
    assert len(levels["callpaths"].grid) == levels["callpaths"].prediction.value.shape[1] == 25


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "WORK", 1)
    scales = scales_of(study(), default_target(study()))
    assert refined(study(), scales).tolist() == scales.grid[:, 0].tolist()


def test_joint_draws_are_made_at_few_scales(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScalingModels, "joint_total", lambda models, points, level: models.predict(points))
    scales = scales_of(study(), default_target(study()))
    assert refined(study(), scales).tolist() == scales.grid[:, 0].tolist()
