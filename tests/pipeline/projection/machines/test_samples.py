"""Samples of the measuring programs, and the figure that several stand for."""

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.projection.machines.machine_text import rate, read_samples, time


def test_samples_are_kept_by_name_and_size():
    found = read_samples("hz 2e9\nmessage 8 1e-6\nhz 3e9\nmessage 32 2e-6\n")
    assert {key: values.tolist() for key, values in found.items()} == {
        ("hz", 0): [2e9, 3e9],
        ("message", 8): [1e-6],
        ("message", 32): [2e-6],
    }


@pytest.mark.parametrize("line", ["hz", "hz fast", "hz 0", "hz -1", "hz nan", "hz inf", "message 8 9 1e-6"])
def test_a_line_that_is_not_a_sample_is_named(line):
    with pytest.raises(InputError, match=f"the measuring program printed '{line}'"):
        read_samples(f"hz 1e9\n{line}\n")


def test_a_rate_is_the_upper_quartile_and_a_time_the_lower():
    samples = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (rate(samples).value, rate(samples).relative_sd) == (4.0, pytest.approx(1 / 4))
    assert (time(samples).value, time(samples).relative_sd) == (2.0, pytest.approx(1 / 2))


def test_interruptions_of_half_of_the_samples_do_not_count():
    quiet = np.array([10.0, 10.1, 10.2, 10.1])
    assert rate(np.append(quiet, [3.0, 0.1, 5.0])).value == pytest.approx(10.1, rel=0.01)
    assert rate(np.append(quiet, [3.0, 0.1, 5.0])).relative_sd < 0.02


def test_no_figure_is_known_better_than_one_per_cent():
    assert rate(np.full(5, 7.0)).relative_sd == time(np.full(5, 7.0)).relative_sd == 0.01


def test_the_spread_of_normal_samples_is_their_standard_deviation():
    random = np.random.default_rng(1)
    spreads = [rate(1 + 0.05 * random.standard_normal(15)).relative_sd for _ in range(400)]
    assert np.mean(spreads) == pytest.approx(0.05, rel=0.15)


def test_a_rate_may_be_larger_by_what_threads_waited_for_cores():
    """Half of the rounds ran alone, in the others the threads had half of their cores."""
    samples, shares = np.array([10.0, 10.0, 5.0, 5.0, 5.0]), np.array([1.0, 1.0, 0.4, 0.4, 0.4])
    assert rate(samples, np.ones(5)) == rate(samples)
    found = rate(samples, shares)
    assert found.value == 10.0
    assert found.relative_sd == pytest.approx(0.25)
