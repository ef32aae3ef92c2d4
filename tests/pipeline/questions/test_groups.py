"""Groups of kernels: each kernel is in one, and their forecasts lie between those of kernels and total."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import UsageError
from pipeline.models.options import ModelOptions
from pipeline.models.total import Groups, predict_total
from pipeline.questions.analysis import analyse, look_ahead
from pipeline.questions.groups import groups_of, matching_nothing, named_kernels
from pipeline.questions.what_if import potential, what_if
from tests.pipeline.questions.runtime.programs import STRONG, experiment

SCALES = (1, 2, 4, 8, 16)
POINTS = np.array([[8.0], [32.0], [64.0]])
NAMES = ("main", "work", "halo", "MPI_Allreduce", "MPI_Init", "MPI_File_write")


def times(at):
    return {
        "work": 64 / at[0],
        "halo": 0.3 / at[0] ** 0.5,
        "MPI_Allreduce": 0.1,
        "MPI_Init": 0.5,
        "MPI_File_write": 0.2,
    }


RUNS = experiment([(p,) for p in SCALES], times, noise=0.04)
OWN = {"exchange": ("halo", "MPI_Allreduce"), "early": ("MPI_A*", "*/MPI_Init")}
STUDY = analyse(RUNS, STRONG, "time", ModelOptions())
OWN_STUDY = analyse(RUNS, STRONG, "time", ModelOptions(), OWN)
KERNELS = STUDY.callpaths.kernels


def members(own):
    names, place = groups_of(KERNELS, own)
    return {region: names[n] for region, n in zip(KERNELS.regions, place.tolist(), strict=True)}


def test_a_kernel_is_in_the_first_group_of_ones_own_that_names_it_else_in_that_of_what_it_does():
    plain = ("computation",) * 3 + ("communication", "start-up", "I/O")
    assert members({}) == dict(zip(NAMES, plain, strict=True))
    assert members(OWN) == members({}) | {
        "halo": "exchange",
        "MPI_Allreduce": "exchange",
        "MPI_Init": "early",
    }
    assert members({"communication": ("halo",)})["halo"] == "communication"


def test_patterns_that_match_nothing_are_named():
    assert matching_nothing(KERNELS, {"a": ("halo", "hallo")}) == ["[groups] a: nothing matches 'hallo'"]


@pytest.mark.parametrize(
    ("name", "regions"),
    [("exchange", {"halo", "MPI_Allreduce"}), ("io", {"MPI_File_write"}), ("I/O", {"MPI_File_write"})],
)
def test_groups_are_named_as_tables_show_them(name, regions):
    found = named_kernels(KERNELS, OWN, name, "--what-if", "")
    assert {region for region, yes in zip(KERNELS.regions, found, strict=True) if yes} == regions


def test_a_region_goes_before_a_group_of_its_name_and_groups_may_be_empty():
    assert named_kernels(KERNELS, {"halo": ("work",)}, "halo", "", "").tolist() == [
        name == "halo" for name in KERNELS.regions
    ]
    with pytest.raises(UsageError, match="there is no communication here"):
        named_kernels(KERNELS, OWN, "communication", "--what-if", "")


@given(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.sampled_from([0.5, 0.9]))
@settings(max_examples=20)
def test_groups_add_up_and_none_is_larger_than_the_total(place, level):
    group = np.array(place)
    found = Groups(STUDY.callpaths.models, group, 3).predict(POINTS, level)
    total = predict_total(STUDY.callpaths.models, POINTS, level)
    assert found.value.sum(axis=0) == pytest.approx(total.value[0])
    assert (found.lower <= found.value).all()
    assert (found.value <= found.upper).all()
    assert (found.upper <= np.maximum(total.upper, found.value)).all()


def test_a_group_of_one_kernel_is_predicted_as_the_kernel_and_that_of_all_as_the_total():
    models = STUDY.callpaths.models
    alone, kernels = Groups(models, np.arange(len(models)), len(models)), models.predict(POINTS)
    found = alone.predict(POINTS, 0.9)
    assert found.value == pytest.approx(kernels.value)
    assert found.lower == pytest.approx(kernels.lower)
    assert found.upper == pytest.approx(np.minimum(kernels.upper, predict_total(models, POINTS).upper))
    whole = Groups(models, np.zeros(len(models), dtype=np.int64), 1).predict(POINTS, 0.9)
    total = predict_total(models, POINTS)
    for end in ("value", "lower", "upper"):
        assert getattr(whole, end) == pytest.approx(getattr(total, end))


def test_groups_are_a_level_like_any_other():
    level = OWN_STUDY.groups
    ahead = look_ahead(OWN_STUDY, level, POINTS[-1:])
    names = level.kernels.regions
    assert names[ahead.order[0]] == "computation"
    assert ahead.share_target.sum() == pytest.approx(1)
    then = dict(zip(names, ahead.prediction.value[:, 0].tolist(), strict=True))
    assert then["computation"] == pytest.approx(64, rel=0.1)  # core-seconds
    assert then["exchange"] == pytest.approx(0.1 * 64 + 0.3 * 64**0.5, rel=0.25)


def test_what_is_changed_is_changed_in_its_group():
    changed = what_if(OWN_STUDY, ["exchange=0.5"])
    names = OWN_STUDY.groups.kernels.regions
    before, after = (one.groups.models.predict(POINTS).value for one in (OWN_STUDY, changed))
    factors = dict(zip(names, (after / before).mean(axis=1), strict=True))
    assert factors == pytest.approx({name: 0.5 if name == "exchange" else 1.0 for name in names})


def test_what_groups_would_gain_is_the_sum_of_what_their_call_paths_would():
    of_groups, of_callpaths = (
        potential(OWN_STUDY, level, POINTS[-1]) for level in (OWN_STUDY.groups, OWN_STUDY.callpaths)
    )
    twice = {
        OWN_STUDY.groups.kernels.regions[k]: value
        for k, value in zip(of_groups.kernels.tolist(), of_groups.gains["twice as fast"][0], strict=True)
    }
    regions = OWN_STUDY.callpaths.kernels.regions
    single = dict(
        zip(
            (regions[k] for k in of_callpaths.kernels.tolist()),
            of_callpaths.gains["twice as fast"][0],
            strict=True,
        )
    )
    assert twice["exchange"] == pytest.approx(single["halo"] + single["MPI_Allreduce"])
