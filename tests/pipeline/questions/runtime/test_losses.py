"""Losses add up, and each region has its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.losses import kind
from pipeline.questions.runtime.runtime import runtime
from tests.pipeline.questions.runtime.programs import STRONG, WEAK, experiment, strong, weak


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=10, deadline=None)
def test_the_losses_of_the_regions_add_up_exactly(seed, is_weak):
    random = np.random.default_rng(seed)
    base, slope = random.uniform(0, 10, 4), random.uniform(-1, 1, 4)
    runs = experiment(
        [(p,) for p in (2, 4, 8, 16)],
        lambda at: {f"r{i}": base[i] * at[0] ** slope[i] for i in range(4)},
        noise=0.05,
    )
    analysis = analyse(runs, WEAK if is_weak else STRONG, "time", ModelOptions())
    found = runtime(analysis, np.array([[32.0], [64.0]]))
    effort, wall, locations = found.figures.effort.value, found.figures.wall.value, found.figures.locations
    assert [one.measured for one in found.losses] == [True, False]
    assert [one.point.tolist() for one in found.losses] == [[16.0], [64.0]]
    for one, row in zip(found.losses, (3, 5), strict=True):
        whole = (wall[row] - wall[0]) * locations[row] if is_weak else effort[row] - effort[0]
        assert one.total == pytest.approx(whole, rel=1e-9, abs=1e-9 * effort[row])
        assert (np.diff(one.core_seconds) <= 0).all()


def test_each_region_has_its_own_loss():
    found = runtime(strong(), np.array([[64.0]])).losses[0]
    lost = dict(zip(found.regions, found.core_seconds, strict=True))
    assert lost == pytest.approx({"MPI_Allreduce": 0.1 * 15, "work": 0.0, "main": 0.0}, abs=1e-9)


def test_under_weak_scaling_the_time_beyond_the_reference_is_lost_on_every_location():
    measured, target = runtime(weak(), np.array([[64.0]])).losses
    assert measured.regions[0] == "MPI_Init" and measured.kinds[0] == "start-up and shut-down"
    assert measured.core_seconds[0] == pytest.approx((1.6 - 0.1) * 16)
    assert target.core_seconds[0] == pytest.approx((6.4 - 0.1) * 64, rel=0.02)


@pytest.mark.parametrize(
    ("paradigm", "region", "expected"),
    [
        ("mpi", "MPI_Init_thread", "start-up and shut-down"),
        ("mpi", "MPI_Finalize", "start-up and shut-down"),
        ("measurement", "TRACE BUFFER FLUSH", "measurement system"),
        ("mpi", "MPI_Send", "kernel"),
        ("compiler", "main", "kernel"),
    ],
)
def test_start_up_and_measurement_are_apart(paradigm, region, expected):
    assert kind(paradigm, region) == expected
