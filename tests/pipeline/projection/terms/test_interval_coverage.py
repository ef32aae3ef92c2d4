"""Intervals of a composition of fitted parts hold what a new run of the simulated machine measures."""

import numpy as np
import pytest

from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.terms.allreduces import fit_allreduce
from pipeline.projection.terms.cache_kernel import fit_cache_kernel
from pipeline.projection.terms.messages import fit_latency_bandwidth, fit_loggp

SITES = np.arange(3, 13) ** 4.0
SIZES = np.geomspace(100, 1e6, 12)
PROCESSES = 2.0 ** np.arange(4, 12)


def kernel(sites):
    return 74e-6 * np.minimum(1500, sites) + 387e-6 * np.maximum(0, sites - 1500)


def message(size):
    return 12e-6 + size / 1.75e8


def tree(processes):
    return 20e-6 + 8e-6 * np.log2(processes)


@pytest.mark.slow
def test_the_interval_of_a_composed_time_covers():
    random = np.random.default_rng(21)

    def measured(truth, noise):
        return truth * (1 + noise * random.standard_normal(np.shape(truth)))

    inside = []
    for _ in range(70):
        parts = (
            fit_cache_kernel(
                "GF", Measurements({"V": SITES}, measured(kernel(SITES), 0.02)), draws=300
            ).model,
            fit_latency_bandwidth("wire", Measurements({"x": SIZES}, measured(message(SIZES), 0.05))).model,
            fit_allreduce("red", Measurements({"P": PROCESSES}, measured(tree(PROCESSES), 0.05))).model,
        )
        total = 4 * parts[0] + 3332 * parts[1] + 5000 * parts[2]
        assert total.inputs == ("P", "V", "x")
        at = predict({"t": total}, {"V": 20736, "x": 124416, "P": [1024, 8192]})["t"]
        common = 4 * measured(kernel(20736.0), 0.02) + 3332 * measured(message(124416.0), 0.05)
        new = common + 5000 * measured(tree(np.array([1024.0, 8192.0])), 0.05)
        inside.append((at.lower <= new) & (new <= at.upper))
    assert 0.85 <= np.mean(inside) <= 0.97


def test_the_interval_of_a_message_under_two_protocols_covers():
    random = np.random.default_rng(8)
    sizes, asked = 2.0 ** np.arange(23), np.array([3.0, 100, 3000, 20000, 3e5, 3e6])

    def measured(size):
        truth = np.where(size <= 4096, 2.7e-6 + 0.5e-9 * size, 7e-6 + 0.09e-9 * size)
        return truth * (1 + 0.04 * random.standard_normal(len(size)))

    inside = []
    for _ in range(40):
        at = predict(
            {"m": fit_loggp("link", Measurements({"x": sizes}, measured(sizes))).model}, {"x": asked}
        )["m"]
        new = measured(asked)
        inside.append((at.lower <= new) & (new <= at.upper))
    assert 0.85 <= np.mean(inside) <= 0.97


def test_errors_of_different_fits_are_independent():
    random = np.random.default_rng(5)
    one = fit_allreduce(
        "a", Measurements({"P": PROCESSES}, tree(PROCESSES) * (1 + 0.1 * random.standard_normal(8)))
    )
    two = fit_allreduce(
        "b", Measurements({"P": PROCESSES}, tree(PROCESSES) * (1 + 0.1 * random.standard_normal(8)))
    )
    both = predict({"one": one.model, "two": two.model}, {"P": 256})
    together = np.corrcoef(both["one"].draws[:, 0], both["two"].draws[:, 0])[0, 1]
    assert abs(together) < 0.1
