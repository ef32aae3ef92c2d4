"""Functions under other names, split off or merged: what is taken for the same, and what is not."""

import datetime

import numpy as np
import pytest

from pipeline.gate import compared_studies
from pipeline.gate.check_result import Outcome, Ruling
from pipeline.gate.compared_studies import ComparedStudies, possible_renames
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import Scope, match
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import many, study

TREE = {("main", "solve"): 40.0, ("main", "solve", "smooth"): 30.0, ("main", "solve", "norm"): 20.0}
BEFORE = many() | TREE


def run(after, before=BEFORE, **options):
    one, two = study(before, seed=1), study(after, seed=2)
    return check(two, one, CheckOptions(**options), ModelOptions(), datetime.date(2026, 11, 21))


def renamed(old, new, efforts=BEFORE):
    return {
        (key if isinstance(key, str) else tuple(new if name == old else name for name in key)): effort
        for key, effort in efforts.items()
    }


def kinds(result):
    return [(one.kind, one.before[-1], one.now[-1]) for one in result.renames]


@pytest.mark.parametrize("name", ["solve_v2", "Multigrid::cycle"])
def test_a_renamed_function_with_its_callees_is_compared_and_shown(name):
    result = run(renamed("solve", name))
    assert kinds(result) == [("renamed", "solve", name)]
    assert result.outcome is Outcome.PASSED
    assert {k.verdict for k in result.kernels} == {Ruling.UNCHANGED}
    assert ("main", name, "smooth") in {k.kernel.callpath for k in result.kernels}


def test_a_renamed_function_that_got_slower_is_a_regression():
    result = run(renamed("solve", "solve_v2", BEFORE | {("main", "solve", "smooth"): 42.0}))
    assert kinds(result) == [("renamed", "solve", "solve_v2")]
    assert {k.kernel.region for k in result.of(Ruling.REGRESSION)} == {"smooth"}


def test_other_callees_or_another_time_is_another_function():
    without = {key: effort for key, effort in BEFORE.items() if key != ("main", "solve", "norm")}
    assert kinds(run(renamed("solve", "solve_v2", without))) == []
    slower = {key: 3 * effort if key in TREE else effort for key, effort in BEFORE.items()}
    result = run(renamed("solve", "solve_v2", slower))
    assert kinds(result) == []
    assert result.outcome is Outcome.REGRESSED


@pytest.mark.slow
def test_functions_with_unlike_names_need_nearly_the_same_time():
    before, unlike = many(alpha=40.0), many(xyz=40.0 * 1.35)
    assert kinds(run(unlike, before)) == []
    assert kinds(run(many(xyz=40.0 * 1.1), before)) == [("renamed", "alpha", "xyz")]
    assert kinds(run(many(alpha_2=40.0 * 1.35), before)) == [("renamed", "alpha", "alpha_2")]


def test_an_extracted_function_is_compared_with_the_one_that_it_came_from():
    result = run(BEFORE | {("main", "solve"): 15.0, ("main", "solve", "prepare"): 25.0})
    assert kinds(result) == [("extracted", "solve", "prepare")]
    assert result.outcome is Outcome.PASSED
    (solve,) = [k for k in result.kernels if k.kernel.callpath == ("main", "solve")]
    assert solve.candidate.value == pytest.approx(40.0, rel=0.05)
    assert "prepare" not in {k.kernel.region for k in result.kernels}


def test_an_extracted_function_takes_callees_along():
    after = {key: effort for key, effort in BEFORE.items() if key != ("main", "solve", "smooth")}
    after |= {
        ("main", "solve"): 20.0,
        ("main", "solve", "cycle"): 20.0,
        ("main", "solve", "cycle", "smooth"): 30.0,
    }
    result = run(after)
    assert kinds(result) == [("extracted", "solve", "cycle")]
    assert result.outcome is Outcome.PASSED


def test_an_extracted_function_that_costs_more_is_a_regression():
    result = run(BEFORE | {("main", "solve"): 15.0, ("main", "solve", "prepare"): 33.0})
    assert kinds(result) == [("extracted", "solve", "prepare")]
    assert {k.kernel.region for k in result.of(Ruling.REGRESSION)} == {"solve"}


def test_a_new_function_beside_unchanged_time_is_new():
    result = run(BEFORE | {("main", "solve", "prepare"): 60.0})
    assert kinds(result) == []
    assert "prepare" in {k.kernel.region for k in result.of(Ruling.REGRESSION)}


def test_an_inlined_function_is_compared_with_its_caller():
    after = {key: effort for key, effort in BEFORE.items() if key != ("main", "solve", "smooth")}
    result = run(after | {("main", "solve"): 70.0})
    assert kinds(result) == [("inlined", "smooth", "solve")]
    assert result.outcome is Outcome.PASSED
    assert {k.verdict for k in result.kernels} == {Ruling.UNCHANGED}


def recognise(one, two, floor):
    return ComparedStudies.of(one, two, ModelOptions(), floor)


def test_small_functions_are_left_alone():
    before, after = many(alpha=1.0), many(beta=1.0)
    assert recognise(study(before), study(after), 0.01).renames == ()
    assert len(recognise(study(before), study(after), 0.001).renames) == 1


def test_nothing_moves_if_nothing_is_recognised():
    one, two = study(BEFORE), study(BEFORE, seed=2)
    same = recognise(one, two, 0.01)
    assert (same.baseline, same.candidate, same.renames) == (one, two, ())


def test_total_and_sums_stay_whatever_moves():
    one, two = study(BEFORE), study(renamed("smooth", "relax"), seed=2)
    moved = recognise(one, two, 0.01).baseline
    assert np.array_equal(moved.values[0], one.values[0])
    for level in (Scope.REGION, Scope.CALLPATH):
        sums = [
            np.sum([v for v, k in zip(s.values, s.kernels, strict=True) if k.level is level], axis=0)
            for s in (one, moved)
        ]
        assert np.allclose(*sums)
    assert ("relax",) in {k.callpath for k in moved.kernels}
    assert ("smooth",) not in {k.callpath for k in moved.kernels}


def renames(before, after, smallest_share=0.01, **options):
    matched = match(study(before, **options), study(after, **(options | {"seed": 2})))
    return [(old.callpath, new.callpath) for old, new in possible_renames(matched, smallest_share)]


@pytest.mark.parametrize(("factor", "found"), [(1.4, True), (1.6, False), (1 / 1.4, True), (1 / 1.6, False)])
def test_a_renamed_kernel_is_of_similar_size(factor, found):
    assert bool(renames(many(compute_old=40.0), many(compute_new=40.0 * factor), noise=0)) == found


def test_the_size_is_the_typical_one_of_the_points():
    after = 40.0 * np.array([1, 1, 1, 3, 3])
    assert renames(many(compute_old=40.0), many(compute_new=after))
    assert not renames(many(compute_old=40.0), many(compute_new=after[::-1] * 2))
    only_some = np.array([0, 0, 0, 40, 40])
    assert renames(many(compute_old=only_some), many(compute_new=40.0))
    assert not renames(many(compute_old=only_some), many(compute_new=40.0 - only_some))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (("main", "compute"), ("main", "compute_v2"), True),
        (("main", "compute"), ("main", "xyz"), False),
        (("main", "abcd"), ("main", "abxy"), True),  # half of the name is enough
        (("main", "abcd"), ("main", "axyz"), False),
        (("main", "compute"), ("main", "inner", "compute"), False),
        (("main", "driver_a", "compute"), ("main", "driver_b", "compute"), True),
        (("main", "driver_a", "compute_a"), ("main", "driver_b", "compute_b"), False),
        (("main", "int f(int, double)"), ("main", "int g(int, double)"), False),  # parameters are not names
    ],
)
def test_a_renamed_call_path_differs_in_one_similar_name(old, new, found):
    assert renames(many() | {old: 40.0}, many() | {new: 40.0}) == ([(old, new)] if found else [])


def test_the_most_similar_names_are_paired_and_each_once():
    before = many(compute_one=40.0, compute_two=40.0)
    after = many(compute_ones=40.0, compute_twos=40.0)
    assert renames(before, after) == [
        (("main", "compute_one"), ("main", "compute_ones")),
        (("main", "compute_two"), ("main", "compute_twos")),
    ]
    alone = renames(before, many(compute_twos=40.0))
    assert alone == [(("main", "compute_two"), ("main", "compute_twos"))]


def test_equally_similar_names_are_paired_in_their_order():
    found = renames(many(ka1=40.0, ka2=40.0), many(ka3=40.0, ka4=40.0))
    assert found == [(("main", "ka1"), ("main", "ka3")), (("main", "ka2"), ("main", "ka4"))]


def test_small_kernels_are_no_renames():
    before, after = many(compute_old=10.0), many(compute_new=10.0)
    assert renames(before, after, 0.02) and not renames(before, after, 0.03)
    spike = np.array([0, 0, 0, 0, 20])
    assert renames(many(compute_old=spike), many(compute_new=spike), 0.03)


def test_only_so_many_kernels_are_tried(monkeypatch):
    monkeypatch.setattr(compared_studies, "_MOST", 1)
    found = renames(many(ka1=40.0, kb1=40.0), many(ka2=40.0, kb2=40.0))
    assert found == [(("main", "ka1"), ("main", "ka2"))]
