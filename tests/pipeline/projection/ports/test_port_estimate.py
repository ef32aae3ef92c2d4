"""Cycles per instruction from variants: recovery, bounds, what is identified, the paper's search."""

import numpy as np
import pytest
from scipy.optimize import basinhopping, least_squares, lsq_linear

from ingest.errors import ModelError
from pipeline.projection.ports.port_fit import PULL, PortProblem, cycles, estimate_cpi, solve_ports
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
        pull = PULL * (cpi / GOLDEN.occupancy[present] - 1)
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
    assert found.upper == pytest.approx(upper)
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
    assert found.unknowns == pytest.approx(found.cpi[known])
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


def problem(slopes, *, fixed=None, lower=1.0, upper=40.0, prior=1.0, pull=0.05):
    """Return a problem of n variants, port sets and k unknowns."""
    n, sets, k = slopes.shape
    return PortProblem(
        slopes=slopes,
        fixed=np.zeros((n, sets)) if fixed is None else fixed,
        lower=np.full(k, lower),
        upper=np.full(k, upper),
        prior=np.broadcast_to(prior, k).astype(float),
        pull=pull,
    )


def misfit(one, unknowns, target, weight):
    residual = (one.curve(unknowns[None])[0] - target) * weight
    return np.append(residual, (unknowns / one.prior - 1) * one.pull)


def best_by_scipy(one, starts, target, weight):
    """Return the smallest sum of squares that scipy finds from any of the starts."""
    bounds = one.lower - 1e-12, one.upper + 1e-12
    found = [
        least_squares(lambda x: misfit(one, x, target, weight), start, bounds=bounds, xtol=1e-14, ftol=1e-14)
        for start in starts
    ]
    return min(2 * each.cost for each in found)


def spread_starts(k, count=24):
    return np.exp(np.random.default_rng(3).uniform(0, np.log(10), (count, k)))


def test_loads_and_curve_are_the_maximum_of_linear_functions():
    slopes = np.array([[[1.0, 2.0], [3.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]], [[2.0, 2.0], [0.0, 5.0]]])
    one = problem(slopes, fixed=np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]))
    unknowns = np.array([[1.0, 2.0], [4.0, 1.0]])
    assert one.loads(unknowns).tolist() == [
        [[5.0, 4.0], [4.0, 3.0], [6.0, 10.0]],
        [[6.0, 13.0], [3.0, 5.0], [10.0, 5.0]],
    ]
    assert one.curve(unknowns).tolist() == [[5.0, 4.0, 10.0], [13.0, 5.0, 10.0]]


@pytest.mark.parametrize("pull", [0.0, 0.3])
def test_one_port_set_is_bounded_linear_least_squares(pull):
    rng = np.random.default_rng(1)
    design = rng.uniform(1, 10, (7, 3))
    prior = np.array([1.0, 2.0, 4.0])
    one = problem(design[:, None, :], lower=1.0, upper=6.0, prior=prior, pull=pull)
    targets = design @ np.array([[3.0, 2.0, 1.5], [0.2, 4.0, 9.0], [5.0, 5.0, 5.0]]).T
    targets = (targets * (1 + 0.05 * rng.standard_normal(targets.shape))).T
    weights = 1 / targets
    found = solve_ports(one, spread_starts(3, 4), targets, weights)
    for row, target, weight in zip(found, targets, weights, strict=True):
        rows = np.vstack([design * weight[:, None], np.diag(pull / prior)])
        right = np.append(target * weight, np.full(3, pull))
        expected = lsq_linear(rows, right, (1.0, 6.0), tol=1e-14).x
        assert row == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_no_worse_than_scipy_from_the_same_starts(seed):
    rng = np.random.default_rng(seed)
    slopes = rng.uniform(0, 5, (8, 3, 3)) * (rng.random((1, 3, 3)) < 0.7)
    slopes[:, 0, 0] += 1.0
    one = problem(slopes, fixed=rng.uniform(0, 4, (8, 3)), upper=8.0, prior=np.array([1.0, 2.0, 1.0]))
    truth = rng.uniform(1, 6, (1, 3))
    targets = one.curve(truth) * (1 + 0.03 * rng.standard_normal((2, 8)))
    weights = 1 / targets
    weights[1, 2] = 0.0
    starts = np.clip(spread_starts(3), 1.0, 8.0)
    found = solve_ports(one, starts, targets, weights)
    for row, target, weight in zip(found, targets, weights, strict=True):
        cost = np.sum(misfit(one, row, target, weight) ** 2)
        assert cost <= best_by_scipy(one, starts, target, weight) * (1 + 1e-4)
        assert (row >= 1.0).all()
        assert (row <= 8.0).all()


def test_data_sets_are_solved_each_by_itself():
    rng = np.random.default_rng(9)
    one = problem(rng.uniform(0, 5, (6, 2, 2)))
    targets = one.curve(rng.uniform(1, 6, (5, 2))) * (1 + 0.02 * rng.standard_normal((5, 6)))
    starts = spread_starts(2, 6)
    together = solve_ports(one, starts, targets, 1 / targets)
    alone = np.concatenate([solve_ports(one, starts, t[None], 1 / t[None]) for t in targets])
    assert together == pytest.approx(alone, rel=1e-6)


def test_exact_data_are_met():
    rng = np.random.default_rng(2)
    one = problem(rng.uniform(0, 5, (9, 3, 3)), pull=0.0)
    targets = one.curve(np.array([[2.0, 3.0, 5.0]]))
    found = solve_ports(one, spread_starts(3), targets, 1 / targets)
    assert one.curve(found)[0] == pytest.approx(targets[0], rel=1e-5)


def test_the_scale_of_the_data_does_not_matter():
    rng = np.random.default_rng(4)
    slopes = rng.uniform(0, 5, (6, 2, 2))
    targets = problem(slopes).curve(np.array([[2.0, 5.0]])) * (1 + 0.02 * rng.standard_normal((1, 6)))
    found = [
        solve_ports(problem(slopes * scale), spread_starts(2, 6), targets * scale, 1 / (targets * scale))
        for scale in (1.0, 1e6)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_the_best_of_several_minima_is_chosen():
    # max(x, 8 - x) is 6 at x = 6 and at x = 2; the pull towards 1 prefers 2.
    one = problem(np.array([[[1.0], [-1.0]]]), fixed=np.array([[0.0, 8.0]]), upper=10.0, pull=0.02)
    target = np.array([[6.0]])
    far, near, both = (
        solve_ports(one, np.array(starts), target, 1 / target)[0, 0]
        for starts in ([[9.0]], [[1.5]], [[9.0], [1.5]])
    )
    assert far == pytest.approx(6.0, rel=0.02)
    assert near == pytest.approx(2.0, rel=0.02)
    assert both == near


def test_unknowns_at_a_bound_do_not_stop_the_others():
    slopes = np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 1.0]]])
    one = problem(slopes, upper=4.0, pull=0.0)
    target = np.array([[0.5, 3.0, 3.5]])  # best without bounds: 0.5 and 3
    found = solve_ports(one, np.array([[2.0, 2.0]]), target, np.ones((1, 3)))[0]
    assert found == pytest.approx([1.0, 2.75], rel=1e-6)
    high = solve_ports(one, np.array([[2.0, 2.0]]), np.array([[9.0, 3.0, 12.0]]), np.ones((1, 3)))[0]
    assert high == pytest.approx([4.0, 4.0], rel=1e-6)
