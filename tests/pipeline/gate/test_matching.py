from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.gate import matching
from pipeline.gate.kernel_values import Origin, Scope
from pipeline.gate.matching import incomparable, match, possible_renames
from tests.pipeline.gate.studies import many, study


def names(part):
    return {kernel.callpath for kernel in part.kernels if kernel.level is Scope.CALLPATH}


def renames(before, after, smallest_share=0.01, **options):
    matched = match(study(before, **options), study(after, **(options | {"seed": 2})))
    return [(old.callpath, new.callpath) for old, new in possible_renames(matched, smallest_share)]


def test_kernels_are_matched_by_level_and_names_in_the_order_of_the_candidate():
    before, after = study({"b": 1, "a": 2, "old": 3}), study({"a": 2, "new": 5, "b": 1})
    matched = match(before, after)
    assert matched.baseline.kernels == matched.candidate.kernels
    assert [k.callpath for k in matched.candidate.kernels] == [("total",), ("main", "a"), ("main", "b")]
    assert matched.is_callpath.tolist() == [False, True, True]
    assert np.allclose(matched.baseline.mean[1], matched.candidate.mean[1], rtol=0.1)
    assert names(matched.new) == {("main", "new")}
    assert names(matched.vanished) == {("main", "old")}


def test_common_points_are_found_in_either_order_and_up_to_rounding():
    before = study({"a": 1}, scales=(32, 8, 16))
    after = study({"a": 1}, scales=(8 * (1 + 1e-12), 64, 32, 16 * (1 + 1e-6)))
    matched = match(before, after)
    assert matched.points[:, 0].tolist() == [32, 8]
    assert (matched.base_at.tolist(), matched.candidate_at.tolist()) == ([0, 1], [2, 0])
    assert matched.scale.tolist() == [32, 8]
    assert matched.largest == (0, 2)


def test_a_point_is_common_only_if_all_its_parameters_are():
    def with_n(whole, n):
        points = np.column_stack([whole.points[:, 0], n])
        return replace(whole, parameters=("p", "n"), points=points)

    matched = match(with_n(study({"a": 1}), [1, 2, 3, 4, 5]), with_n(study({"a": 1}), [1, 2, 9, 4, 9]))
    assert matched.points.tolist() == [[8, 1], [16, 2], [64, 4]]


def test_without_common_points_each_study_has_its_own_largest_scale():
    matched = match(study({"a": 1}, scales=(4, 10, 6)), study({"a": 1}, scales=(20, 40, 80)))
    assert matched.points.shape == (0, 1)
    assert matched.largest == (1, 2)


def test_what_is_zero_everywhere_is_missing_but_the_total_always_stays():
    matched = match(study({"a": 0.0, "b": 1.0}), study({"a": 1.0, "b": 0.0}))
    assert (names(matched.new), names(matched.vanished)) == ({("main", "a")}, {("main", "b")})
    nothing = study({"a": 0.0})
    assert [k.level for k in match(nothing, nothing).candidate.kernels] == [Scope.TOTAL]


def test_a_region_that_is_one_call_path_is_compared_once_unless_it_was_more_before():
    one, two = {("main", "a"): 1.0}, {("main", "a"): 1.0, ("main", "b", "a"): 0.5}
    moved = {("main", "b", "a"): 1.0}

    def has_region(before, after):
        matched = match(study(before), study(after))
        return any(k.level is Scope.REGION and k.region == "a" for k in matched.candidate.kernels)

    assert not has_region(one, one)
    assert has_region(two, two) and has_region(one, two) and has_region(two, one) and has_region(one, moved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "visits"}, "different metric: effort in the baseline, visits here"),
        ({"unit": "s"}, "different unit: core-s in the baseline, s here"),
        ({"scaling": "weak"}, "different scaling: strong in the baseline, weak here"),
        ({"parameters": ("p", "n")}, "different parameters: p in the baseline, p, n here"),
    ],
)
def test_studies_of_different_kinds_are_refused(change, message):
    with pytest.raises(InputError) as error:
        match(study({"a": 1}), replace(study({"a": 1}), **change))
    assert str(error.value) == f"{message}; compare studies of the same kind, or write a new baseline"


@pytest.mark.parametrize(("what", "means"), [("machine", "on this machine"), ("filter", "with this filter")])
def test_another_machine_or_filter_is_a_reason_if_both_are_known(what, means):
    def reasons(one, two):
        return incomparable(
            study({"a": 1}, origin=Origin(**{what: one})), study({"a": 1}, origin=Origin(**{what: two}))
        )

    (reason,) = reasons("x", "y")
    assert reason.startswith(f"different {what}: x in the baseline, y here; ")
    assert reason.endswith(f"measure the baseline again {means}")
    assert reasons("x", "x") == reasons("", "y") == reasons("x", "") == ()


def test_times_that_are_projected_elsewhere_are_not_compared():
    here, there = study({"a": 1}), study({"a": 1}, origin=Origin(projected="from A to B"))
    (reason,) = incomparable(there, here)
    assert reason.startswith("different machines: the baseline's times are from A to B, these as measured: ")
    assert incomparable(here, there) and incomparable(there, there) == ()


def test_machine_and_filter_are_two_reasons():
    one, two = study({"a": 1}, origin=Origin("a", "b")), study({"a": 1}, origin=Origin("c", "d"))
    assert len(incomparable(one, two)) == 2


def test_a_renamed_kernel_is_paired():
    found = renames(many(compute_old=40.0), many(compute_new=41.0))
    assert found == [(("main", "compute_old"), ("main", "compute_new"))]


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


def test_regions_are_not_paired_beside_their_call_paths():
    matched = match(study(many(compute_old=40.0)), study(many(compute_new=40.0)))
    assert all(old.level is Scope.CALLPATH for old, _ in possible_renames(matched, 0.01))


def test_only_so_many_kernels_are_tried(monkeypatch):
    monkeypatch.setattr(matching, "MOST_RENAMED", 1)
    found = renames(many(ka1=40.0, kb1=40.0), many(ka2=40.0, kb2=40.0))
    assert found == [(("main", "ka1"), ("main", "ka2"))]
