"""Where an efficiency is kept over a size and a scale, in programs whose truth is known."""

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.isoefficiency import chosen_size, isoefficiency, sizes_of, surface_of
from pipeline.questions.runtime.figures import RuntimeStudy
from tests.pipeline.questions.runtime.programs import STRONG, experiment

SCALES, SIZES = (1, 2, 4, 8, 16), (2, 4, 8, 16, 32)


def study(noise=0.02, names=("p", "n")):
    """Work that grows with n and scales perfectly, and a reduction of 0.1 s on every location."""
    points = [(p, n) for p in SCALES for n in SIZES]
    found = experiment(points, lambda at: {"work": at[1] / at[0], "sum": 0.1}, names=names, noise=noise)
    return RuntimeStudy(analyse(found, STRONG, "time", ModelOptions()))


STUDY = study()
SURFACE = surface_of(STUDY, np.array([64.0, 32.0]), "n")


def least_size(p, share):
    """(n + 0.1) / (n + 0.1 p) is the efficiency."""
    return (0.1 * p * share - 0.1) / (1 - share)


def test_the_least_size_at_each_scale_is_near_the_truth_and_in_its_interval():
    found = isoefficiency(SURFACE, 0.75).least
    assert (found.given, found.sought) == ("p", "n")
    assert {1, 2, 4, 8, 16, 32, 64} <= set(found.at.tolist())
    for p in (16, 32, 64):
        row = found.at.tolist().index(p)
        assert found.value[row] == pytest.approx(least_size(p, 0.75), rel=0.1)
        assert found.lower[row] <= found.value[row] <= found.upper[row]
        assert p == 16 or found.lower[row] <= least_size(p, 0.75) <= 1.01 * found.upper[row]
        assert found.wall[row] == pytest.approx(found.value[row] / p + 0.1, rel=0.1)
    assert found.value[0] == found.ends[0] == 2


def test_the_largest_scale_for_each_size_is_that_curve_read_the_other_way():
    found = isoefficiency(SURFACE, 0.75).largest
    held = []
    for n in (4, 8, 16):
        row = found.at.tolist().index(n)
        truth = (0.25 * n + 0.1) / 0.075
        assert found.value[row] == pytest.approx(truth, rel=0.1)
        held.append(found.lower[row] <= truth <= found.upper[row])
    assert sum(held) >= 2  # of intervals that are to hold nine times in ten
    assert found.value[-1] == found.ends[1] == 64


def test_the_efficiency_there_is_the_one_asked_for():
    found = isoefficiency(SURFACE, 0.6).least
    inside = np.flatnonzero(found.value > found.ends[0])
    points = np.column_stack([found.at, found.value])[inside]
    figures = STUDY.figures(points, np.zeros(len(points), dtype=np.bool_))
    assert len(inside) > 2
    assert figures.efficiency.value == pytest.approx(0.6, abs=0.01)


def test_the_size_grows_as_the_scale_does():
    assert isoefficiency(SURFACE, 0.75).growth == pytest.approx(1.0, abs=0.15)


def test_more_efficiency_takes_larger_sizes():
    less, more = (isoefficiency(SURFACE, share).least.value for share in (0.5, 0.9))
    assert (np.nan_to_num(more, nan=np.inf) >= less).all()


def test_an_efficiency_that_nothing_looked_at_keeps_has_no_size():
    found = isoefficiency(SURFACE, 0.999).least
    assert np.isnan(found.value[-1]) and np.isnan(found.upper[-1]) and np.isnan(found.wall[-1])


def test_only_what_varies_and_counts_no_cores_is_a_size():
    assert sizes_of(STUDY.analysis) == ["n"]
    with pytest.raises(UsageError, match="'p' is no size here"):
        chosen_size(STUDY.analysis, "p")
    threads = experiment(
        [(p, t) for p in SCALES[:3] for t in (1, 2, 4)],
        lambda at: {"work": 64 / at[0] / at[1]},
        names=("p", "threads"),
        locations=lambda at: int(at[0] * at[1]),
    )
    with pytest.raises(UsageError, match="no size varies beside p"):
        chosen_size(analyse(threads, STRONG, "time", ModelOptions()))


def test_large_studies_are_looked_at_at_main_scales_and_sizes_only(monkeypatch):
    monkeypatch.setattr("pipeline.questions.isoefficiency.MOST_VALUES", 1000)
    found = surface_of(STUDY, np.array([64.0, 32.0]), "n")
    assert found.scales.tolist() == found.main_scales.tolist() == [1, 2, 4, 8, 16, 32, 64]
    assert found.sizes.tolist() == found.main_sizes.tolist() == [2, 4, 8, 16, 32, 64, 128]
    coarse, fine = (isoefficiency(one, 0.75).least.value for one in (found, SURFACE))
    assert coarse[-1] == pytest.approx(fine[-1], rel=0.15)
