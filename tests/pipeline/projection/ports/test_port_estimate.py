"""Cycles per instruction from variants: recovery, bounds, what is identified, the paper's search."""

import numpy as np
import pytest
from scipy.optimize import basinhopping

from ingest.errors import ModelError
from pipeline.projection.ports.port_fit import cycles, estimate_cpi
from tests.pipeline.projection.ports.simulated import GOLDEN, SKYLAKE, TRUE, simulated_counts


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
    high = estimate_cpi(GOLDEN, counts, cycles(GOLDEN, counts, np.where(np.arange(8) == 0, 60.0, TRUE)))
    assert high.cpi[0] == 40.0


def test_a_class_that_never_binds_gets_the_range_up_to_where_it_would():
    """Two independent ports: the second is idle enough to be invisible until its class costs 3 cycles."""
    skylake = SKYLAKE
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
    skylake = SKYLAKE
    counts = np.zeros((6, 8))
    counts[:, 1] = [10, 20, 30, 40, 50, 60]
    counts[:, 2] = 2 * counts[:, 1]
    with pytest.raises(ModelError, match="the variants do not determine any class"):
        estimate_cpi(skylake, counts, counts[:, 1] * 2)


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
        pull = 0.05 * (cpi / GOLDEN.occupancy[present] - 1)
        return float(np.sum(residual**2) + np.sum(pull**2))

    local = {"method": "L-BFGS-B", "bounds": [(1, 40)] * int(present.sum())}
    start = GOLDEN.occupancy[present]
    hopped = basinhopping(misfit, start, niter=8, stepsize=2, minimizer_kwargs=local, rng=1)
    ours = misfit(estimate_cpi(GOLDEN, counts, measured).cpi[present])
    assert ours <= 1.01 * hopped.fun


def scanned_range(portmap, counts, measured, found, fitted):
    """Return the range that hardly changes the sum of squares, class by class, by `cycles` alone."""
    trial = np.geomspace(1.0, max(40.0, found.cpi.max()), 200)
    squares = np.sum((cycles(portmap, counts, found.cpi) / measured - 1) ** 2)
    bound = squares * (1 + 2.71 / max(len(measured) - fitted, 1))
    lower, upper = found.cpi.copy(), found.cpi.copy()
    for k in range(len(found.cpi)):
        for value in trial:
            changed = found.cpi.copy()
            changed[k] = value
            if np.sum((cycles(portmap, counts, changed) / measured - 1) ** 2) <= bound:
                lower[k], upper[k] = min(lower[k], value), max(upper[k], value)
    return lower, upper


def test_the_range_of_a_class_is_what_the_variants_accept():
    rng = np.random.default_rng(6)
    counts = simulated_counts(rng, 12)
    measured = cycles(GOLDEN, counts, TRUE) * (1 + 0.05 * rng.standard_normal(12))
    found = estimate_cpi(GOLDEN, counts, measured)
    lower, upper = scanned_range(GOLDEN, counts, measured, found, int(found.identified.sum()))
    assert found.lower == pytest.approx(lower)
    assert found.upper == pytest.approx(np.where(found.present, upper, found.cpi))
    assert (found.lower <= found.cpi).all()
    assert (found.cpi <= found.upper).all()
    assert found.upper.max() <= 40.0 * (1 + 1e-12)


def test_two_ports_are_distinguished_by_the_variants_that_each_limits():
    counts = np.zeros((7, 8))
    counts[:, 0] = [10, 20, 30, 40, 50, 60, 70]
    counts[:, 7] = [3, 30, 8, 45, 11, 64, 15]
    measured = np.maximum(6.0 * counts[:, 0], 8.0 * counts[:, 7])
    found = estimate_cpi(SKYLAKE, counts, measured)
    known = np.isin(np.arange(8), [0, 7])
    assert np.array_equal(found.identified, known)
    assert np.array_equal(found.present, known)
    assert found.cpi[known] == pytest.approx([6.0, 8.0], rel=0.06)
    # What no variant has stays at the manual's value.
    assert found.cpi[~known].tolist() == SKYLAKE.occupancy[~known].tolist()


def test_the_manual_decides_what_the_variants_leave_open():
    """Loads never bind: they stay at the manual's cycle, whatever the others take."""
    rng = np.random.default_rng(8)
    counts = simulated_counts(rng, 14)
    counts[:, 6] = np.round(counts[:, 6] * 0.1)
    found = estimate_cpi(GOLDEN, counts, cycles(GOLDEN, counts, TRUE))
    assert not found.identified[6]
    assert found.cpi[6] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda n, c: (n[:7], c[:7]),
            "7 variants cannot determine 7 classes; measure at least 8 variants",
        ),
        (lambda n, c: (-n, c), "instruction counts have to be 0 or more"),
        (lambda n, c: (n, np.where(np.arange(10) == 3, 0.0, c)), "have to be positive numbers"),
        (
            lambda n, c: (n, np.where(np.arange(10) == 3, np.inf, c)),
            "cycles per iteration have to be positive numbers; correct the measurements",
        ),
        (
            lambda n, c: (n, np.where(np.arange(10) == 3, -1.0, c)),
            "cycles per iteration have to be positive numbers",
        ),
        (
            lambda n, c: (np.where(np.arange(10)[:, None] == 3, 0.0, n), c),
            "instruction counts have to be 0 or more, not all 0; correct the counts",
        ),
        (lambda n, c: (np.where(np.arange(8) == 3, np.nan, n), c), "instruction counts have to be 0 or more"),
    ],
)
def test_data_that_mean_nothing(change, line):
    counts = simulated_counts(np.random.default_rng(5), 10)
    with pytest.raises(ModelError, match=line):
        estimate_cpi(GOLDEN, *change(counts, cycles(GOLDEN, counts, TRUE)))
