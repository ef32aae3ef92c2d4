"""Studies that recorded different functions: what is not recorded is neither new nor vanished."""

import datetime

import pytest

from pipeline.gate.check_result import Outcome, Ruling
from pipeline.gate.compared_studies import different_functions, recorded_digests, recording_reason, set_digest
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import Origin, Scope
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import many, study

ACCESSORS = tuple(f"get{n}" for n in range(10))
FEW = ("main", "solve", *(f"k{n}" for n in range(20)))
FULL, FILTERED = (Origin(recorded=recorded_digests(names)) for names in ((*FEW, "wrap", *ACCESSORS), FEW))

WRITE = ("main", "wrap", "write")
SLOWER = {f"k{n}": 1.08 * (10.0 + n) for n in range(20)}  # all are disturbed alike, below the factor
UNFILTERED_EFFORTS = many(solve=50.0, **SLOWER) | {
    **{("main", "solve", name): 30.0 for name in ACCESSORS},
    ("main", "wrap"): 5.0,
    WRITE: 40.0,
}
FILTERED_EFFORTS = many(solve=150.0) | {("main",): 5.0, ("main", "write"): 40.0}


def checked(candidate, baseline):
    return check(candidate, baseline, CheckOptions(), ModelOptions(), datetime.date(2026, 11, 21))


@pytest.fixture(scope="module")
def both():
    """The unfiltered study checked against the filtered one, and the other way round."""
    full = study(UNFILTERED_EFFORTS | {("main",): 1.0}, origin=FULL)
    filtered = study(FILTERED_EFFORTS, origin=FILTERED)
    return checked(full, filtered), checked(filtered, full)


def verdicts(result):
    return {(k.kernel.level, k.kernel.callpath): k.verdict for k in result.kernels}


@pytest.mark.slow
def test_what_one_study_did_not_record_is_neither_new_nor_vanished_and_fails_nothing(both):
    for result in both:
        found = verdicts(result)
        assert {found[Scope.REGION, (name,)] for name in ACCESSORS} == {Ruling.NOT_RECORDED}
        assert not result.of(Ruling.NEW, Ruling.VANISHED, Ruling.REGRESSION)
        assert result.outcome is Outcome.INCONCLUSIVE
    new, gone = ({k.kernel.region: k.evidence[0].text for k in one.of(Ruling.NOT_RECORDED)} for one in both)
    ending = " only; in the other study its time is in its nearest recorded caller"
    assert (new["get1"], gone["get1"]) == (
        "recorded in the candidate" + ending,
        "recorded in the baseline" + ending,
    )


def test_what_inherits_its_time_is_not_comparable_and_neither_is_the_total(both):
    for result in both:
        found = verdicts(result)
        solve = {v for (_, path), v in found.items() if path[-1] == "solve"}
        assert solve == {Ruling.NOT_COMPARABLE}
        assert found[Scope.TOTAL, ("total",)] is Ruling.NOT_COMPARABLE
        (inherited,) = [k for k in result.kernels if k.kernel.callpath == ("main", "solve")]
        assert sorted([inherited.baseline.value, inherited.candidate.value]) == pytest.approx(
            [50, 150], rel=0.1
        )
        assert inherited.measured == ()


def test_a_function_below_a_dropped_one_is_compared_as_a_region(both):
    for result in both:
        found = verdicts(result)
        assert found[Scope.REGION, ("write",)] is Ruling.UNCHANGED
        assert found[Scope.CALLPATH, ("main", "write")] is Ruling.NOT_COMPARABLE
        assert found[Scope.CALLPATH, WRITE] is Ruling.NOT_RECORDED


def test_all_others_are_compared(both):
    for result in both:
        others = {v for (_, path), v in verdicts(result).items() if path[-1].startswith("k")}
        assert others == {Ruling.UNCHANGED}
        assert len(verdicts(result)) == len(result.kernels)
        assert not any("half of all kernels" in notice for notice in result.notices)


def test_the_reason_counts_the_functions(both):
    assert [tuple(reason.text for reason in result.reasons) for result in both] == [
        (
            f"different functions recorded: {before} in the baseline only, {now} here only; the time of a "
            "function that was not recorded is in its caller: measure both with the same filter",
        )
        for before, now in ((0, 11), (11, 0))
    ]
    assert recording_reason(FULL, FULL) == ()


def test_a_few_functions_are_a_change_of_the_program_unless_the_filters_are_known_to_differ():
    names = [f"f{n}" for n in range(40)]
    one, nine, ten = (recorded_digests(names[:n]) for n in (40, 33, 32))
    assert not different_functions(Origin(recorded=one), Origin(recorded=nine))
    assert different_functions(Origin(recorded=one), Origin(recorded=ten)) == one - ten
    assert different_functions(Origin(recorded=ten), Origin(recorded=one)) == one - ten
    single, five, six = (Origin(recorded=recorded_digests(names[:n])) for n in (1, 5, 6))
    assert not different_functions(single, five)
    assert different_functions(single, six) == six.recorded - single.recorded
    assert (
        different_functions(Origin(filter="x", recorded=one), Origin(filter="y", recorded=nine)) == one - nine
    )
    assert not different_functions(Origin(filter="x", recorded=one), Origin(filter="x", recorded=ten))
    assert not different_functions(Origin(filter="x", recorded=one), Origin(filter="x"))


def test_new_and_vanished_kernels_of_the_same_recording_stay_so():
    before = study(many(gone=30.0), origin=FULL)
    result = checked(study(many(added=60.0), origin=FULL), before)
    assert verdicts(result)[Scope.REGION, ("gone",)] is Ruling.VANISHED
    assert verdicts(result)[Scope.TOTAL, ("total",)] is Ruling.UNCHANGED
    assert verdicts(result)[Scope.REGION, ("added",)] is Ruling.REGRESSION


def test_a_set_of_functions_has_a_digest_and_an_unknown_one_none():
    assert set_digest(FULL.recorded) == set_digest(sorted(FULL.recorded)) != set_digest(FILTERED.recorded)
    assert (len(set_digest(FULL.recorded)), set_digest(())) == (16, "")


def test_kernels_that_cannot_be_compared_are_not_tested(both):
    filtered = study(FILTERED_EFFORTS, origin=FILTERED)
    same = checked(filtered, filtered)
    assert not same.of(Ruling.NOT_COMPARABLE, Ruling.NOT_RECORDED)
    assert all(result.tests < same.tests for result in both)
