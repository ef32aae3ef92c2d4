"""A study as it would be: identities of the changes, and programs whose answer is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.alignment import MeasuredRun, align
from ingest.errors import UsageError
from ingest.reduction import reduce_profile
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.what_if import effect, what_if
from tests.pipeline.questions.runtime.programs import STRONG, WEAK, experiment, strong
from tests.profiles import make_profile

SCALES = (1, 2, 4, 8, 16)
POINTS = np.array([[8.0], [32.0], [64.0]])


def times(at):
    return {"work": 64 / at[0], "halo": 0.3 / at[0] ** 0.5, "MPI_Allreduce": 0.1, "MPI_Init": 0.5}


STUDY = analyse(experiment([(p,) for p in SCALES], times, noise=0.04), STRONG, "time", ModelOptions())


def figures(analysis):
    return RuntimeStudy(analysis).figures(POINTS, np.zeros(len(POINTS), dtype=bool))


def totals(analysis):
    return predict_total(analysis.callpaths.models, POINTS).value[0]


@given(st.sampled_from(["work", "MPI_*", "communication", "#2", "main/halo"]))
def test_a_factor_of_one_changes_nothing(name):
    assert what_if(STUDY, [f"{name}=1.0"]) is STUDY
    assert what_if(STUDY, [f"{name}=2", f"{name}=0.5"]) is STUDY


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
@settings(max_examples=15)
def test_what_changes_of_all_kernels_gain_adds_up(factors):
    names = STUDY.callpaths.kernels.regions
    alone = [
        totals(STUDY) - totals(what_if(STUDY, [f"{n}={f}"])) for n, f in zip(names, factors, strict=True)
    ]
    together = what_if(STUDY, [f"{n}={f}" for n, f in zip(names, factors, strict=True)])
    assert sum(alone) == pytest.approx(totals(STUDY) - totals(together), abs=1e-9 * totals(STUDY).max())


@given(st.floats(0, 3), st.floats(0, 3))
@settings(max_examples=15)
def test_totals_are_sums_of_kernels_and_of_regions(one, other):
    found = what_if(STUDY, [f"work={one}", f"communication={other}"])
    assert found.callpaths.models.predict(POINTS).value.sum(axis=0) == pytest.approx(totals(found))
    assert found.regions.models.predict(POINTS).value.sum(axis=0) == pytest.approx(totals(found))
    total = predict_total(found.callpaths.models, POINTS)
    assert (total.lower <= total.value).all() and (total.value <= total.upper).all()


def test_the_same_factor_of_everything_scales_times_and_intervals_and_no_efficiency():
    before, after = figures(STUDY), figures(what_if(STUDY, ["*=0.5"]))
    for end in ("value", "lower", "upper"):
        assert getattr(after.wall, end) == pytest.approx(0.5 * getattr(before.wall, end), rel=1e-6)
        assert getattr(after.efficiency, end) == pytest.approx(getattr(before.efficiency, end), rel=1e-6)


def test_without_what_does_not_scale_the_program_scales():
    found = what_if(strong(), ["MPI_Allreduce=0"])
    assert figures(found).wall.value == pytest.approx(64 / POINTS[:, 0], rel=1e-3)
    assert figures(found).efficiency.value == pytest.approx(np.ones(3), rel=1e-3)
    measured = RuntimeStudy(found).figures(np.array([[4.0]]), np.array([True]))
    assert measured.wall.value == pytest.approx([16.0]) and measured.longest == pytest.approx([16.0])


def test_what_takes_most_then_is_named_besides_start_up():
    before = strong()
    found = effect(before, what_if(before, ["work=0"]), POINTS)
    assert found.largest == ("MPI_Allreduce",) * 3 and found.share == pytest.approx(np.ones(3))
    assert found.after.wall.value == pytest.approx(np.full(3, 0.1), rel=1e-2)
    assert effect(STUDY, what_if(STUDY, ["work=0", "halo=0"]), POINTS).largest == ("MPI_Allreduce",) * 3


def uneven(scaling):
    """Each second location computes half as long, and waits."""
    runs = []
    for p in (2, 4, 8, 16):
        work = [64.0 / p * (1 if n % 2 else 0.5) for n in range(p)]
        wait = [64.0 / p - one + 0.1 for one in work]
        profile = make_profile(
            {"time": {("main",): [0.0] * p, ("main", "work"): work, ("main", "MPI_Wait"): wait}}
        )
        runs.append(MeasuredRun((float(p),), 0, reduce_profile(profile, ["time"])))
    return analyse(align(["p"], runs), scaling, "time", ModelOptions())


@pytest.mark.parametrize("scaling", [STRONG, WEAK])
def test_balanced_locations_do_not_wait_for_the_longest(scaling):
    before, after = (
        figures(one).wall.value for one in (uneven(scaling), what_if(uneven(scaling), ["balanced"]))
    )
    assert before == pytest.approx(64 / POINTS[:, 0] + 0.1, rel=0.02)
    assert after == pytest.approx(48 / POINTS[:, 0] + 0.1, rel=0.02)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("work", "'work' is no change"),
        ("work=", "'work=' is no change"),
        ("work=-1", "'work=-1' is no change"),
        ("work=nan", "'work=nan' is no change"),
        ("=2", "'=2' is no change"),
        ("wrok=0", "nothing matches 'wrok'"),
        ("io=0", "there is no I/O here"),
    ],
)
def test_what_is_no_change_is_refused(change, message):
    with pytest.raises(UsageError, match=message):
        what_if(STUDY, [change])


def test_balance_needs_communication():
    ideal = analyse(
        experiment([(p,) for p in SCALES], lambda at: {"work": 64 / at[0]}), STRONG, "time", ModelOptions()
    )
    with pytest.raises(UsageError, match="it is unknown who waits for whom"):
        what_if(ideal, ["balanced"])
