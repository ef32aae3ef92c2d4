from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.parameter_roles import LeftOut
from pipeline.gate.kernel_values import Origin, Scope, incomparable, match, over_the_same
from tests.pipeline.gate.studies import study


def names(part):
    return {kernel.callpath for kernel in part.kernels if kernel.level is Scope.CALLPATH}


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


@pytest.mark.parametrize(
    ("what", "means"),
    [
        ("machine", "on this machine"),
        ("processor", "on this one, or give both one --machine"),
        ("filter", "with this filter"),
    ],
)
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


def test_the_notation_of_a_processor_makes_no_other():
    one, noted = (
        study({"a": 1}, origin=Origin(processor=p)) for p in ("EPYC 9V74", "AMD EPYC 9V74 CPU @ 2.6GHz")
    )
    assert incomparable(one, noted) == ()


def sized(n, **changes):
    left_out = LeftOut(values={"n": (float(n),) * 5})
    return replace(study({"a": 1}), left_out=left_out, **changes)


def test_what_one_study_leaves_out_and_the_other_has_is_compared():
    plain, own = study({"a": 1}), sized(32)
    over = own.over(("p", "n"))
    assert over.parameters == ("p", "n") and over.points[:, 1].tolist() == [32.0] * 5
    assert over_the_same(plain, own) == (plain, own) == over_the_same(plain, own)
    both = replace(over, left_out=LeftOut())
    assert [one.parameters for one in over_the_same(both, own)] == [("p", "n")] * 2
    assert len(match(*over_the_same(both, own)).points) == 5
    with pytest.raises(InputError, match="different n: 32 in the baseline, 64 here"):
        over_the_same(own, sized(64))
