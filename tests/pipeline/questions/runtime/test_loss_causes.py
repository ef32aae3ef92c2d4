"""Programs whose losses are known: imbalance, communication, start-up and more computation."""

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.run_settings import SUMMED
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.losses import causes_sentence
from pipeline.questions.runtime.runtime import runtime
from tests.pipeline.questions.runtime.programs import STRONG, WEAK, ideal
from tests.profiles import make_profile

TARGET = np.array([[64.0]])


def program(p, size, *, more=0.0, states=None):
    """Seconds per location of a program whose uneven half computes 0.5 % longer per process."""
    work = size * (1 + more * p)
    uneven = [0.005 * p * (1 if n % 2 else -1) for n in range(p)]
    rows = {
        ("main",): [0.0] * p,
        ("main", "work"): [work * (1 + u) for u in uneven],
        ("main", "MPI_Wait"): [work * (max(uneven) - u) for u in uneven],
        ("main", "MPI_Allreduce"): [0.02 * size] * p,
        ("main", "MPI_Init"): [0.01 * size * p] * p,
    }
    profile = make_profile({"time": rows})
    profile.attributes.update(states or {})
    return profile


def study(scaling, **more):
    runs = []
    for p in (2, 4, 8, 16):
        profile = program(p, 64 / p if scaling is STRONG else 64.0, **more)
        runs.append(MeasuredRun((float(p),), 0, reduce_profile(profile, ["time"])))
    return analyse(align(["p"], runs), scaling, "time", ModelOptions())


def shares(analysis, place):
    found = runtime(analysis, TARGET)
    parts = {one.cause: one for one in found.causes[place]}
    assert sum(one.core_seconds for one in parts.values()) == pytest.approx(found.losses[place].total)
    assert sum(one.share for one in parts.values()) == pytest.approx(1)
    return parts


def test_measured_losses_are_split_exactly():
    parts = shares(study(STRONG), 0)
    lost = {name: one.core_seconds for name, one in parts.items()}
    whole = 64 * (0.005 + 0.01) * 14
    assert lost == pytest.approx(
        {"start-up": 64 * 0.01 * 14, "load imbalance": 64 * 0.005 * 14, "computation": 0, "communication": 0},
        abs=1e-9 * whole,
    )
    assert list(parts)[:2] == ["start-up", "load imbalance"]
    assert parts["start-up"].region == "MPI_Init"
    assert {one.interval for one in parts.values()} == {None}


def test_predicted_losses_have_intervals_that_hold_the_truth():
    parts = shares(study(STRONG), 1)
    for name, truth in (("start-up", 2 / 3), ("load imbalance", 1 / 3)):
        low, high = parts[name].interval
        assert low <= parts[name].share <= high
        assert 0 <= low - 0.05 <= truth <= high + 0.05 <= 1.1
        assert parts[name].share == pytest.approx(truth, abs=0.1)


def test_under_weak_scaling_losses_are_those_of_all_locations():
    lost = {name: one.core_seconds for name, one in shares(study(WEAK), 0).items()}
    assert lost["load imbalance"] == pytest.approx(64 * 0.005 * 14 * 16)
    assert lost["start-up"] == pytest.approx(64 * 0.01 * 14 * 16)


def test_more_computation_is_named():
    parts = shares(study(STRONG, more=0.05), 0)
    assert next(iter(parts)) == "computation"
    assert parts["computation"].core_seconds == pytest.approx(64 * 0.05 * 14)


def test_nothing_is_said_where_nothing_is_lost_or_all_regions_do_the_same():
    assert runtime(ideal(), TARGET).causes == ((), ())


def test_one_line_names_shares_and_the_largest_region():
    causes = runtime(study(STRONG), TARGET).causes
    lost = [({"p": p}, one) for p, one in zip((16, 64), causes, strict=True)]
    sentence = causes_sentence(lost)
    assert sentence.startswith("Lost at p = 16 to start-up 67 %, load imbalance 33 %; at p = 64 to start-up ")
    assert "unknown" not in sentence
    assert causes_sentence([({"p": 16}, ()), ({"p": 64}, ())]) == ""


def test_imbalance_that_was_not_measured_process_by_process_is_unknown():
    analysis = study(STRONG, states={SUMMED: "2"})
    parts = shares(analysis, 0)
    assert set(parts) == {"start-up", "communication", "computation"}
    lost = runtime(analysis, TARGET).causes[0]
    assert causes_sentence([({"p": 16}, lost)]).endswith("; load imbalance: unknown.")
