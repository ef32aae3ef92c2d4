import numpy as np
import pytest

from pipeline.gate.change_points import BEFORE, FEWEST_ENTRIES, new_levels


def levels(logs):
    logs = np.atleast_2d(logs)
    return new_levels(logs)


def flat(count, n, seed=0):
    return 0.015 * np.random.default_rng(seed).normal(size=(count, n))


@pytest.mark.parametrize(("step", "entries"), [(1.4, 2), (1.1, 5), (1.06, 7)])
def test_large_steps_show_after_few_entries(step, entries):
    logs = flat(50, 20 + entries)
    logs[:, 20:] += np.log(step)
    assert sum(found == [20] for found in levels(logs)) >= 40
    assert not any(levels(logs[:, :21])), "one entry says nothing"


def test_faster_is_found_as_slower_is():
    logs = flat(30, 23)
    logs[:, 20:] += np.log(1.4)
    assert levels(-logs) == levels(logs)


def test_two_slow_nights_are_taken_back_when_the_next_are_as_before():
    logs = flat(1, 30)[0]
    logs[20:22] = 0.4
    assert levels(logs[:22]) == [[20]]
    assert levels(logs[:25]) == [[]]


def test_what_has_happened_before_is_no_change():
    logs = flat(1, 32)[0]
    logs[[4, 11]] = 0.4
    logs[30:] = 0.4
    assert levels(logs) == [[]]
    logs[[4, 11]] = 0.0
    assert levels(logs) == [[30]]


def test_two_entries_that_differ_from_each_other_are_no_level():
    logs = flat(1, 22)[0]
    logs[20:] = 0.3, 0.9
    assert levels(logs) == [[]]


def test_one_step_of_the_resolution_waits_for_more_entries():
    logs = np.log([1.0] * 20 + [1.01] * 5)
    assert levels(logs[:22]) == [[]]
    assert levels(logs) == [[20]]


def resembling_neighbours(count, n, seed):
    """Noise of 3 % in which neighbours are correlated by 0.6."""
    steps = 0.024 * np.random.default_rng(seed).normal(size=(count, n + 50))
    for t in range(1, n + 50):
        steps[:, t] += 0.6 * steps[:, t - 1]
    return steps[:, 50:]


@pytest.mark.parametrize(("before", "least"), [(20, 50), (60, 60)])
def test_a_step_shows_after_eight_entries_that_resemble_their_neighbours(before, least):
    logs = resembling_neighbours(100, before + 8, seed=1)
    logs[:, before:] += np.log(1.1)
    assert sum(any(abs(at - before) <= 2 for at in found) for found in levels(logs)) >= least


def test_chance_seldom_shows_in_entries_that_resemble_their_neighbours():
    assert sum(found != [] for found in levels(resembling_neighbours(200, 60, seed=2))) <= 4


def test_some_entries_must_have_been_at_the_old_level():
    logs = 0.001 * np.arange(FEWEST_ENTRIES) % 0.003
    logs[BEFORE:] += 1
    assert levels(logs) == [[BEFORE]]
    assert levels(logs[1:]) == [[]]


def test_several_levels_in_sequence():
    logs = flat(1, 60)[0]
    logs[20:] += 0.3
    logs[40:] -= 0.2
    (found,) = levels(logs)
    assert [abs(at - true) <= 1 for at, true in zip(found, (20, 40), strict=True)] == [True, True]
