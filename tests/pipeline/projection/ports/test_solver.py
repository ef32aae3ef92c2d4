"""The search for cycles per instruction against scipy's least squares."""

import numpy as np
import pytest
from scipy.optimize import least_squares, lsq_linear

from pipeline.projection.ports.port_fit import PortProblem, solve_ports


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
