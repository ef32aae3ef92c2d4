"""How many cores a run used and held."""

import pytest

from ingest.profile import NODES, SYSTEM_CORES
from ingest.run_settings import SETTING, STATISTIC, HeldCores, held_cores

LOG, THREADS = {STATISTIC: "mean of processes"}, SETTING + "threads"


@pytest.mark.parametrize(
    ("attributes", "locations", "used", "held", "basis"),
    [
        ({}, 4, 4, 4, "1 core per process"),
        ({}, 8, 8, 8, "2 threads per process = 2 cores"),  # measured one by one
        ({**LOG, THREADS: "8"}, 4, 32, 32, "8 threads per process = 8 cores"),
        ({**LOG, THREADS: "2"}, 8, 8, 8, "2 threads per process = 2 cores"),  # the log sums over threads
        ({**LOG, SYSTEM_CORES: "6"}, 8, 6, 6, "nodes x cores per node"),  # hardware threads share cores
        ({**LOG, SYSTEM_CORES: "48"}, 4, 4, 48, "nodes x cores per node"),
        ({"numhosts": "2", "cores_per_node": "36"}, 4, 4, 72, "nodes x cores per node"),
        (
            {SYSTEM_CORES: "4", "metadata: nodes": "2", "metadata: cores_per_node": "8"},
            4,
            4,
            16,
            "nodes x cores per node",
        ),
        ({**LOG, THREADS: "2", "metadata: threads": "3"}, 4, 12, 12, "3 threads per process = 3 cores"),
        (
            {SYSTEM_CORES: "2"},
            4,
            4,
            4,
            "1 core per process",
        ),  # locations that share cores wait for each other
        ({**LOG, THREADS: "many", "numhosts": "2"}, 4, 4, 4, "1 core per process"),
    ],
)
def test_cores_are_those_of_the_nodes_or_of_processes_times_threads(attributes, locations, used, held, basis):
    nodes = 2 if {"numhosts", "metadata: nodes"}.intersection(attributes) else 0
    found = held_cores(attributes, 4, locations)
    assert found == HeldCores(used=used, held=held, nodes=nodes, basis=basis)


def test_nodes_are_known_without_their_cores():
    assert held_cores({NODES: "3"}, 4, 4).nodes == 3
