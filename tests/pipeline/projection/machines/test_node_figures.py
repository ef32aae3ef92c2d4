"""Figures of a node on a busy machine: spreads hold what others cost, and what cannot be is said."""

import numpy as np
import pytest

from pipeline.projection.machines.machine_text import MeasuredFigure, consistent, node_figures

SAMPLES = {
    ("hz", 0): np.full(3, 2e9),
    ("bw_node", 0): np.full(3, 4e10),
    ("bw_core", 0): np.full(3, 1e10),
    ("bw_l1", 0): np.full(3, 1e12),
    ("latency_memory", 0): np.full(3, 1e-7),
}


def test_memory_is_as_uncertain_as_others_took_time():
    figures = node_figures(SAMPLES, 0.2)
    spread = pytest.approx(0.2 / 0.8)
    assert {name: figure.relative_sd for name, figure in figures.items()} == {
        "hz": 0.01,
        "bw_node": spread,
        "bw_numa": spread,
        "bw_core": spread,
        "bw_l1": 0.01,
        "latency_memory": spread,
    }
    assert all(figure.relative_sd == 0.01 for figure in node_figures(SAMPLES).values())


def test_what_threads_had_of_their_cores_widens_only_that_figure():
    figures = node_figures({**SAMPLES, ("share_bw_node", 0): np.full(3, 0.5)})
    assert figures["bw_node"].relative_sd == figures["bw_numa"].relative_sd == pytest.approx(1.0)
    assert figures["bw_core"].relative_sd == 0.01
    assert "share_bw_node" not in figures


def test_figures_that_contradict_hold_one_another_and_are_named():
    quiet = {"bw_core": MeasuredFigure(1e10, 0.01), "bw_node": MeasuredFigure(4e10, 0.01)}
    quiet |= {"bw_numa": quiet["bw_node"], "latency_l2": MeasuredFigure(5e-9, 0.01)}
    assert consistent(quiet) == (quiet, ())
    found, sentences = consistent({**quiet, "bw_core": MeasuredFigure(5e10, 0.01)})
    assert found["bw_core"] == MeasuredFigure(5e10, 0.25)
    assert found["bw_node"] == MeasuredFigure(4e10, 0.25)
    assert sentences == (
        "bw_core exceeds bw_node by 25.0 %, which cannot be: one of them was disturbed, their spreads hold "
        "both; measure again on an idle node",
    )


def test_a_farther_cache_is_not_faster():
    figures = {"latency_l2": MeasuredFigure(2e-7, 0.05), "latency_l3": MeasuredFigure(1e-7, 0.05)}
    found, (sentence,) = consistent(figures)
    assert "latency_l2 exceeds latency_l3 by 100.0 %" in sentence
    assert found["latency_l3"].relative_sd == 1.0
    within = {"latency_l2": MeasuredFigure(1.05e-7, 0.05), "latency_l3": MeasuredFigure(1e-7, 0.05)}
    assert consistent(within)[1] == ()
