"""Ping-pongs as two protocols, allreduces as two trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.projection.machines.machine_text import (
    MeasuredFigure,
    fit_protocols,
    read_allreduce,
    sizes_and_times,
)

SIZES = 2.0 ** np.arange(3, 23)
# IMB PingPong between two nodes of ARCHER2, 8 B to 4 MiB, December 2020 (github.com/hpc-uk/archer-benchmarks,
# synth/IMB/results/ARCHER2_CrayMPICH8015_pingpong), microseconds
ARCHER2 = """2.61 2.62 2.63 2.83 2.71 3.39 3.44 3.95 4.19 5.03 5.91 8.16 10.21 13.65 20.44 34.51 68.68 106.14
191.42 368.07"""


def protocol_times(latency, small, switch, start, large):
    return latency + np.where(switch < SIZES, start + (SIZES - 1) * large, (SIZES - 1) * small)


def fitted_times(found):
    (none, start), (small, large) = found.overheads, found.gaps
    assert none.value == 0
    return protocol_times(found.latency.value, small.value, found.switch, 2 * start.value, large.value)


@given(
    latency=st.floats(1e-7, 1e-5),
    small=st.floats(1e-10, 1e-9),
    switch=st.integers(6, 16),
    start=st.floats(1.0, 5.0),
    large=st.floats(1e-11, 9e-11),
)
def test_two_protocols_are_found_again(latency, small, switch, start, large):
    at = 2**switch
    seconds = protocol_times(latency, small, at, start * latency, large)
    found = fit_protocols(SIZES, [MeasuredFigure(float(t), 0.01) for t in seconds])
    assert fitted_times(found) == pytest.approx(seconds, rel=1e-6)


def test_the_spread_is_the_scatter_around_the_lines_or_that_of_the_times():
    seconds = protocol_times(1e-6, 5e-10, 8192, 2e-6, 5e-11)
    assert fit_protocols(SIZES, [MeasuredFigure(float(t), 0.03) for t in seconds]).latency.relative_sd == 0.03
    scattered = seconds * np.where(np.arange(len(SIZES)) % 2, 1.1, 0.9)
    found = fit_protocols(SIZES, [MeasuredFigure(float(t), 0.03) for t in scattered])
    assert 0.07 < found.gaps[0].relative_sd < 0.13


def test_real_times_are_fitted_within_ten_per_cent():
    seconds = 1e-6 * np.array([float(text) for text in ARCHER2.split()])
    found = fit_protocols(SIZES, [MeasuredFigure(float(t), 0.01) for t in seconds])
    assert np.mean(np.abs(fitted_times(found) / seconds - 1)) < 0.10
    assert found.switch == 8192  # Cray MPICH's eager limit was there


def test_times_are_in_the_order_of_sizes():
    samples = {("message", 32): np.array([2.0]), ("message", 8): np.array([1.0]), ("hz", 0): np.array([9.0])}
    sizes, times = sizes_and_times(samples, "message")
    assert sizes.tolist() == [8, 32]
    assert [each.value for each in times] == [1.0, 2.0]


def allreduces(ranks, total, times):
    samples = {("allreduce", size): np.array([seconds]) for size, seconds in times.items()}
    return {("ranks", ranks): np.array([float(total)]), **samples}


def test_an_allreduce_on_one_node():
    found = read_allreduce(allreduces(4, 4, {2: 1e-6, 4: 2e-6}))
    assert (found.ranks, found.node.value, found.step) == (4, 2e-6, None)


def test_an_allreduce_over_nodes_has_a_step_per_doubling():
    # IMB Allreduce of 8 B on ARCHER2, November 2020: 1 to 32 full nodes
    times = {128: 4.94e-6, 256: 8.42e-6, 512: 10.24e-6, 1024: 13.07e-6, 2048: 16.24e-6, 4096: 21.26e-6}
    found = read_allreduce(allreduces(128, 4096, times))
    assert found.node.value == 4.94e-6
    assert found.step.value == pytest.approx(3.05e-6, rel=0.03)
    assert 0.03 < found.step.relative_sd < 0.10


def test_one_rank_has_no_allreduce():
    assert read_allreduce(allreduces(1, 1, {})) is None
