"""What MPI calls take."""

import numpy as np
import pytest

from pipeline.projection.study.kernel_table import (
    PATTERNS,
    Pattern,
    network_ratio,
    pattern_of,
    posts,
    seconds_of_call,
    seconds_of_calls,
)
from tests.pipeline.projection.study.machines import FAST, SLOW, machine


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("MPI_Send", Pattern.MESSAGE),
        ("MPI_Irecv", Pattern.MESSAGE),
        ("MPI_Allreduce", Pattern.REDUCTION),
        ("MPI_Iallreduce", Pattern.REDUCTION),
        ("mpi_allreduce_", Pattern.REDUCTION),
        ("MPI_Allreduce_init", Pattern.REDUCTION),
        ("MPI_Ibcast", Pattern.TREE),
        ("MPI_Allgatherv", Pattern.TREE),
        ("PMPI_Alltoallv_c", Pattern.ALL_TO_ALL),
        ("MPI_Wait", Pattern.MESSAGE),
    ],
)
def test_patterns_follow_from_names(name, pattern):
    assert pattern_of(name) is pattern


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("MPI_Irecv", True),
        ("MPI_Isend", True),
        ("MPI_Startall", True),
        ("MPI_Recv", False),
        ("MPI_Wait", False),
        ("MPI_Send", False),
    ],
)
def test_what_starts_a_message_does_not_wait_for_it(name, starts):
    assert posts(name) is starts


def test_calls_by_hand(tmp_path):
    slow, eight = machine(tmp_path, SLOW, "slow"), np.array([8.0])
    message = 2e-6 + 1000 / 1e9
    found = [seconds_of_call(slow, pattern, eight, np.array([1000.0]))[0, 0] for pattern in Pattern]
    more_than_empty = 999 / 1e9
    assert found == pytest.approx(
        [
            message,
            10e-6 * 3 + more_than_empty,
            10e-6 * 3 / 2 + more_than_empty,
            7 * (2e-6 + 1000 / 7 / 1e9),
        ]
    )


def test_all_calls_of_all_processes_add_up(tmp_path):
    slow = machine(tmp_path, SLOW, "slow")
    patterns = np.array([PATTERNS.index(p) for p in (Pattern.REDUCTION, Pattern.MESSAGE)])
    visits = np.array([[0.0, 400.0], [100.0, 800.0]])
    moved = np.array([[0.0, 3200.0], [1e8, 8e8]])
    found = seconds_of_calls(slow, patterns, visits, moved, np.array([1.0, 8.0]))
    expected = [[0, 400 * (30e-6 + 7e-9)], [100 * (2e-6 + 1e-3), 800 * (2e-6 + 1e-3)]]
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1], expected)


def test_networks_compare_by_pattern_if_sizes_are_unknown(tmp_path):
    """An allreduce takes half as long on the fast network, a message between a half and a tenth."""
    both, p = (machine(tmp_path, SLOW, "slow"), machine(tmp_path, FAST, "fast")), np.array([64.0])
    message, reduction = (network_ratio(*both, one, p, "") for one in (Pattern.MESSAGE, Pattern.REDUCTION))
    assert 0.1 < message[0, 0] < 0.5
    assert message[0, 0] < reduction[0, 0] <= 0.5
    assert np.log(message[1:]).std() > 0.3
