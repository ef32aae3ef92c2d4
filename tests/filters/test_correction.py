"""True times: what a series says once the overhead of measuring is taken out of it."""

from dataclasses import replace

import numpy as np
import pytest

from filters.correction import (
    correct_overhead,
    correction_sentence,
    has_noticeable_overhead,
    with_overhead_left,
)
from filters.event_cost import EventCost
from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from tests.filters.test_plain_time import COST, PROGRAM, instrumented, known_of
from tests.profiles import profile_from_rows

SCALES = (1.0, 2.0, 4.0)
HEAVY = ("main", "heavy")


def series(rows=PROGRAM, cost=COST, scales=SCALES):
    profiles = [profile_from_rows(instrumented(rows, cost, s), source=f"s{s:g}") for s in scales]
    return align(("s",), [run_at(s, profile) for s, profile in zip(scales, profiles, strict=True)])


def run_at(scale, profile):
    return MeasuredRun((float(scale),), 0, reduce_profile(profile, ("time", "visits")))


def time_of(experiment, *callpath):
    return experiment.values["time"].sum[experiment.callpaths.index(callpath), :, 0]


def test_times_come_out_as_the_plain_program_takes_them():
    found = correct_overhead(series())
    assert time_of(found, *HEAVY) == pytest.approx([2.0, 4.0, 8.0], rel=0.02)
    assert time_of(found, "main", "sweep") == pytest.approx(0.1 * np.array(SCALES), rel=1.0)
    assert time_of(found, "main", "MPI_Send") == pytest.approx([0.5, 1.0, 2.0], rel=1e-4)
    assert found.correction.cost == pytest.approx(COST, rel=0.05)
    assert 0.5 < found.correction.share < 0.8


def test_what_cannot_be_measured_is_attributed_to_its_caller_and_nothing_is_lost():
    before, found = series(), correct_overhead(series())
    for name in ("get", "set"):
        assert (time_of(found, "main", "sweep", name) == 0.0).all()
    assert not found.correction.measurable[found.callpaths.index(("main", "sweep", "get"))]
    total = found.values["time"].sum.sum(axis=0)[:, 0]
    assert (total < before.values["time"].sum.sum(axis=0)[:, 0]).all()
    of_classes = [run.class_time.sum() for run in found.runs]
    assert of_classes == pytest.approx(total)
    assert found.values["visits"].sum.tolist() == before.values["visits"].sum.tolist()


def test_the_uncertainty_of_a_kernel_is_that_of_what_its_events_leave():
    found = correct_overhead(series())
    deviation = dict(zip(found.callpaths, found.correction.deviation.tolist(), strict=True))
    assert deviation[HEAVY] < 0.05 < deviation["main", "sweep"]
    assert 0.0 < found.correction.total_deviation < 0.7


def test_a_known_plain_time_is_met():
    known = known_of([np.nan, 4.3, np.nan], 0.03)
    found = correct_overhead(series(), known=known)
    computing = found.values["time"].sum.sum(axis=0)[:, 0] - time_of(found, "main", "MPI_Send")
    assert computing[1] == pytest.approx(4.3)
    assert computing[[0, 2]] == pytest.approx([2.15, 8.6], rel=0.05)


@pytest.mark.parametrize(("plain", "said"), [(4.3, ""), (3.6, ""), (0.4, " times its usual cost (")])
def test_plain_times_that_leave_a_visit_more_than_it_can_cost_are_named(plain, said):
    few = [(depth, name, visits // 20, time) for depth, name, visits, time in PROGRAM]
    found = correct_overhead(series(few), known=known_of([np.nan, plain, np.nan], 0.03))
    assert said in found.correction.contradiction and bool(said) == bool(found.correction.contradiction)
    assert ("by the plain times given" in found.notices[-1]) == bool(said)
    assert (" something else; times are corrected" in found.notices[-1]) == (plain < 4)
    assert (found.correction.disturbed > found.correction.share) == bool(said)


def test_times_add_up_to_run_times_that_are_given():
    whole = np.array([2.3, 4.6, 9.2])
    found = correct_overhead(series(), known=known_of(whole - [0.2, 0.3, 0.4], 0.03, whole, stated=True))
    assert found.values["time"].sum.sum(axis=0)[:, 0] == pytest.approx(whole)
    assert time_of(found, "main", "MPI_Send") == pytest.approx([0.2, 0.3, 0.4])
    assert [run.class_time.sum() for run in found.runs] == pytest.approx(whole)
    assert found.correction.total_deviation == 0.0
    assert "times are corrected and add up to the given run times" in found.notices[-1]


def test_waiting_that_measuring_caused_is_taken_for_alike_at_other_scales():
    known = known_of([np.nan, 4.3, np.nan], 0.03, [np.nan, 4.7, np.nan])
    found = correct_overhead(series(), known=known)
    send = found.callpaths.index(("main", "MPI_Send"))
    assert time_of(found, "main", "MPI_Send") == pytest.approx([0.2, 0.4, 0.8], rel=1e-3)
    assert found.correction.deviation[send] > 0.1 and found.correction.total_deviation > 0.0
    longer = known_of([np.nan, 4.3, np.nan], 0.03, [np.nan, 6.3, np.nan])
    waits = correct_overhead(series(), known=longer)
    assert time_of(waits, "main", "MPI_Send") == pytest.approx([0.5, 2.0, 2.0], rel=1e-3)
    assert waits.correction.deviation[send] == 0.0


def test_the_other_reductions_follow_the_sum():
    rows = [(0, "main", [1, 1], [1.0, 3.0]), (1, "tiny", [10**7, 10**7], [0.42, 0.42])]
    experiment = align(
        ("s",), [MeasuredRun((1.0,), 0, reduce_profile(profile_from_rows(rows), ("time", "visits")))]
    )
    found, measured = correct_overhead(experiment, EventCost()).values["time"], experiment.values["time"]
    assert found.mean[0] == pytest.approx(found.sum[0] / 2)
    assert found.max[0] / found.sum[0] == pytest.approx(measured.max[0] / measured.sum[0])
    assert (found.min <= found.mean).all() and (found.mean <= found.max + 1e-12).all()


def test_little_overhead_is_not_noticeable():
    assert has_noticeable_overhead(series())
    assert not has_noticeable_overhead(series([(0, "main", 1, 1.0), (1, "kernel", 10**5, 2.0)]))
    without_visits = replace(series(), values={"time": series().values["time"]})
    assert not has_noticeable_overhead(without_visits)
    assert correct_overhead(without_visits) is without_visits


def test_overhead_at_the_smallest_scale_alone_is_not_noticeable():
    rows = [(0, "main", 1, 0.01), (1, "kernel", 10**5, 0.01)]
    small = instrumented(rows)
    large = [(depth, name, visits, 1000 * time) for depth, name, visits, time in small]
    runs = [run_at(s, profile_from_rows(some)) for s, some in enumerate((small, large, large), 1)]
    assert not has_noticeable_overhead(align(("s",), runs))
    assert has_noticeable_overhead(align(("s",), runs[:1]))


def test_it_is_said_what_was_corrected_and_how_sure_that_is():
    found = correct_overhead(series())
    (notice,) = found.notices
    assert notice == correction_sentence(found.correction)
    assert (
        "of the measured computing time; times are corrected, the corrected total is uncertain by" in notice
    )
    assert "4 of 8 call paths are not measurable" in notice and "(--baseline-time) would tell more" in notice
    sure = replace(found.correction, total_deviation=0.5, measurable=np.ones(8, dtype=np.bool_))
    assert "uncertain by a factor of 2.3; a run without instrumentation" in correction_sentence(sure)


def test_overhead_that_is_left_is_noted():
    left = with_overhead_left(series())
    assert "times are as measured" in left.notices[-1] and left.correction is None
    assert left.overhead_left == pytest.approx(correct_overhead(series()).correction.share, rel=0.01)
    assert time_of(left, *HEAVY) == pytest.approx(time_of(series(), *HEAVY))
    without_visits = replace(series(), values={"time": series().values["time"]})
    assert "overhead is unknown" in with_overhead_left(without_visits).notices[-1]


def test_a_correction_is_supported_by_what_is_given():
    known = known_of([np.nan, 4.3, np.nan], 0.03)
    assert not correct_overhead(series()).correction.supported
    assert correct_overhead(series(), known=known).correction.supported
    assert correct_overhead(series(), EventCost(COST, 1e-9)).correction.supported
