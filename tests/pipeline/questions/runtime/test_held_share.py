"""What runs cost: threads of processes are cores, hardware threads are not, and nodes are held as a whole."""

import numpy as np
import pytest

from ingest.profile import NODES, SYSTEM_CORES
from ingest.run_settings import SETTING, STATISTIC
from pipeline.questions.planning.next_measurement import run_costs
from pipeline.questions.runtime.figures import held_share
from pipeline.questions.runtime.runtime import runtime
from tests.pipeline.questions.runtime.programs import WEAK, ideal, weak

P = np.array([1, 2, 4, 8, 16, 32])
LOG = {STATISTIC: "mean of processes"}


def figures(analysis):
    return runtime(analysis, np.array([[32.0]])).figures


def assert_same_scaling(found):
    assert found.wall.value == pytest.approx(64 / P, rel=1e-3)
    assert found.speedup.value == pytest.approx(P, rel=1e-3)
    assert found.efficiency.value == pytest.approx(np.ones(6), rel=1e-3)


def test_threads_of_processes_are_cores():
    analysis = ideal(attributes=lambda at: {**LOG, SETTING + "threads": "8"})
    found = figures(analysis)
    assert_same_scaling(found)
    assert found.locations.tolist() == (8 * P).tolist()
    assert found.effort.value == pytest.approx(np.full(6, 8 * 64), rel=1e-3)
    assert found.core_hours.value == pytest.approx(np.full(6, 8 * 64 / 3600), rel=1e-3)
    assert run_costs(analysis, P[:, None].astype(float)) == pytest.approx(np.full(6, 8 * 64), rel=1e-3)


def test_hardware_threads_share_cores():
    analysis = ideal(scales=(2, 4, 8, 16), attributes=lambda at: {**LOG, SYSTEM_CORES: str(at[0] // 2)})
    found = figures(analysis)
    assert found.wall.value == pytest.approx(64 / P[1:], rel=1e-3)
    assert found.core_hours.value == pytest.approx(np.full(5, 32 / 3600), rel=1e-3)


def test_a_run_holds_the_whole_node_whatever_it_uses():
    found = figures(ideal(attributes=lambda at: {SYSTEM_CORES: "24", NODES: "1"}))
    assert_same_scaling(found)
    held = np.array([24, 24, 24, 24, 24, 48])  # 32 processes need a second node
    assert found.core_hours.value == pytest.approx(held * 64 / P / 3600, rel=1e-3)


def test_nodes_that_are_half_full_stay_so():
    found = figures(ideal(attributes=lambda at: {SYSTEM_CORES: str(4 * at[0]), NODES: str(at[0])}))
    assert_same_scaling(found)
    assert found.core_hours.value == pytest.approx(np.full(6, 4 * 64 / 3600), rel=1e-3)


@pytest.mark.slow
def test_a_weakly_scaling_run_costs_all_its_cores():
    analysis = weak()
    assert analysis.decision == WEAK
    one = figures(analysis).core_hours.value
    of_threads = weak(attributes=lambda at: {**LOG, SETTING + "threads": "4"})
    assert figures(of_threads).core_hours.value == pytest.approx(4 * one, rel=1e-6)
    assert run_costs(of_threads, np.array([[32.0]])) == pytest.approx(
        4 * run_costs(analysis, np.array([[32.0]]))
    )


def test_nodes_that_are_given_are_paid_for_as_a_whole():
    study = ideal()
    points = np.array([[4.0], [6.0], [7.0]])
    assert held_share(study.experiment, points, points[:, 0], 6.0) == pytest.approx([1.5, 1.0, 12 / 7])
