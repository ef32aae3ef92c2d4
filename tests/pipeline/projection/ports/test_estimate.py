"""Cycles per instruction from variants: recovery, bounds, what is identified, the paper's search."""

import numpy as np
import pytest
from scipy.optimize import basinhopping

from ingest.errors import ModelError
from pipeline.projection.ports.estimate import PULL, estimate_cpi
from pipeline.projection.ports.port_map import read_port_map
from pipeline.projection.ports.schedule import cycles
from tests.pipeline.projection.ports.simulated import GOLDEN, TRUE, simulated_counts


def test_exact_data_give_the_cycles_back():
    counts = simulated_counts(np.random.default_rng(0), 16)
    found = estimate_cpi(GOLDEN, counts, cycles(GOLDEN, counts, TRUE))
    known = found.identified
    assert known[0]
    assert known[1]
    np.testing.assert_allclose(found.cpi[known], TRUE[known], rtol=0.02)
    np.testing.assert_allclose(cycles(GOLDEN, counts, found.cpi), cycles(GOLDEN, counts, TRUE), rtol=0.02)


def test_bounds_are_hard():
    rng = np.random.default_rng(1)
    counts = simulated_counts(rng, 12)
    found = estimate_cpi(GOLDEN, counts, 0.5 * cycles(GOLDEN, counts, np.ones(8)))
    assert (found.cpi >= 1.0).all()
    high = estimate_cpi(GOLDEN, counts, 8 * cycles(GOLDEN, counts, np.ones(8)), most=5.0)
    assert (high.cpi <= 5.0).all()


def test_a_class_that_never_binds_gets_the_range_up_to_where_it_would():
    """Two independent ports: the second is idle enough to be invisible until its class costs 3 cycles."""
    skylake = read_port_map("skylake-x")
    counts = np.zeros((6, 8))
    counts[:, 0] = [10, 20, 30, 40, 50, 60]
    counts[:, 7] = [3, 4, 6, 8, 8, 9]
    measured = 4.0 * counts[:, 0]
    found = estimate_cpi(skylake, counts, measured)
    binding = float((measured / counts[:, 7]).min())
    assert found.identified.tolist() == [True, *[False] * 7]
    assert found.cpi[0] == pytest.approx(4.0)
    assert found.cpi[7] == 1.0
    assert found.lower[7] == 1.0
    assert found.upper[7] == pytest.approx(binding, rel=0.03)
    assert not found.present[[1, 2, 3, 4, 5, 6]].any()
    assert found.cpi[1] == 1.0


def test_classes_always_in_proportion_are_not_distinguished():
    skylake = read_port_map("skylake-x")
    counts = np.zeros((6, 8))
    counts[:, 1] = [10, 20, 30, 40, 50, 60]
    counts[:, 2] = 2 * counts[:, 1]
    with pytest.raises(ModelError, match="the variants determine no class"):
        estimate_cpi(skylake, counts, counts[:, 1] * 2)


def test_offset_is_found():
    counts = simulated_counts(np.random.default_rng(3), 20)
    found = estimate_cpi(GOLDEN, counts, cycles(GOLDEN, counts, TRUE) + 25.0, offset=True)
    assert found.offset == pytest.approx(25.0, rel=0.2)
    none = estimate_cpi(GOLDEN, counts, cycles(GOLDEN, counts, TRUE), offset=True)
    assert none.offset < 3.0


def test_no_worse_than_basin_hopping():
    """The search of the paper, on the same sum of squares."""
    rng = np.random.default_rng(4)
    counts = simulated_counts(rng, 10)
    measured = cycles(GOLDEN, counts, TRUE) * (1 + 0.05 * rng.standard_normal(10))
    present = counts.any(axis=0)

    def misfit(cpi):
        full = np.ones(8)
        full[present] = cpi
        residual = cycles(GOLDEN, counts, full) / measured - 1
        pull = PULL * (cpi / GOLDEN.occupancy[present] - 1)
        return float(np.sum(residual**2) + np.sum(pull**2))

    local = {"method": "L-BFGS-B", "bounds": [(1, 40)] * int(present.sum())}
    start = GOLDEN.occupancy[present]
    hopped = basinhopping(misfit, start, niter=15, stepsize=2, minimizer_kwargs=local, rng=1)
    ours = misfit(estimate_cpi(GOLDEN, counts, measured).cpi[present])
    assert ours <= 1.01 * hopped.fun


def test_bad_data_are_told_in_one_line():
    counts = simulated_counts(np.random.default_rng(5), 10)
    good = cycles(GOLDEN, counts, TRUE)
    with pytest.raises(
        ModelError, match="7 variants cannot determine 7 classes; measure at least 8 variants"
    ):
        estimate_cpi(GOLDEN, counts[:7], good[:7])
    with pytest.raises(ModelError, match="have to be positive"):
        estimate_cpi(GOLDEN, counts, np.where(np.arange(10) == 3, 0.0, good))
    with pytest.raises(ModelError, match="counts have to be 0 or more"):
        estimate_cpi(GOLDEN, -counts, good)
