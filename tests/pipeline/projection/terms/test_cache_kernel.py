"""A kernel with a cache: published parameters, and an exhaustive search as an oracle."""

import numpy as np
import pytest
from scipy.optimize import nnls

from ingest.errors import ModelError
from pipeline.projection.expressions.evaluation import broken_limits, predict
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.terms.cache_kernel import cache_kernel, fit_cache_kernel, solve_cache_kernel
from tests.pipeline.projection.fitting.by_hand import parameters_of

# Paper 004, tables of sections III.B and IV: b1 and b2 in microseconds a site, s in sites.
KERNELS = ("FF", "GF", "LL", "FL", "CG")
PUBLISHED = {
    "POWER5+": ((255, 326, 2500), (88, 157, 1900), (1.3, 2.2, 2500), (30, 56, 2000), (0.425, 0.483, 1200)),
    "BG/P": ((1410, 1479, 1500), (483, 567, 2000), (8.33, 9.4, 2500), (178, 200, 2500), (3.04, 3.05, 4000)),
    "XT5": ((195, 610, 1000), (74, 387, 1500), (1.96, 7.9, 1500), (23, 131, 1500), (0.66, 1.37, 1000)),
    "XE6": ((232, 483, 1000), (81, 261, 1500), (1.56, 4.8, 1500), (27, 90.7, 1500), (0.57, 1.07, 600)),
    "IB": ((247, 435, 2000), (83, 225, 2000), (1.6, 4.3, 2000), (27, 79, 2000), (0.71, 0.97, 1000)),
}
ROWS = [(machine, kernel) for machine in PUBLISHED for kernel in KERNELS]
SITES = np.arange(3, 15) ** 4.0
NOISE = 0.003


def truth(machine, kernel):
    b1, b2, held = PUBLISHED[machine][KERNELS.index(kernel)]
    return np.array([b1 * 1e-6, b2 * 1e-6, held])


def curve(parameters, sites=SITES):
    b1, b2, held = parameters
    return b1 * np.minimum(held, sites) + b2 * np.maximum(0, sites - held)


def test_the_formula_is_equation_1():
    model = cache_kernel("FF")
    at = {"V": [256, 4096], "FF.b1": 255e-6, "FF.b2": 326e-6, "FF.s": 2500}
    assert predict({"t": model}, at)["t"].value == pytest.approx([0.06528, 1.157796], rel=1e-12)


@pytest.mark.parametrize("weights", ["relative", "equal"])
@pytest.mark.parametrize(("machine", "kernel"), ROWS)
def test_exact_data_give_every_published_row_back(machine, kernel, weights):
    exact = truth(machine, kernel)
    seconds = curve(exact)[None]
    found = solve_cache_kernel(
        SITES, seconds, 1 / seconds if weights == "relative" else np.ones_like(seconds)
    )
    assert found[0] == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize(("machine", "kernel"), [row for row in ROWS if row != ("BG/P", "CG")])
def test_noisy_data_give_the_published_parameters_back_within_their_scatter(machine, kernel):
    # With 0.3 % noise and relative weights s scatters by 0.3 to 10 %, b1 and b2 by about 0.2 %.
    exact = truth(machine, kernel)
    random = np.random.default_rng(11)
    seconds = curve(exact) * (1 + NOISE * random.standard_normal((200, len(SITES))))
    found = solve_cache_kernel(SITES, seconds, 1 / seconds)
    scatter = found.std(axis=0) / exact
    assert (scatter[:2] < 0.0025).all()
    assert 0.002 < scatter[2] < 0.12
    assert np.abs(found.mean(axis=0) / exact - 1).max() < 0.02


def test_relative_weights_find_the_break_that_equal_weights_lose():
    exact = truth("BG/P", "FF")
    seconds = curve(exact) * (1 + NOISE * np.random.default_rng(3).standard_normal((200, len(SITES))))
    relative = solve_cache_kernel(SITES, seconds, 1 / seconds)[:, 2].std() / exact[2]
    equal = solve_cache_kernel(SITES, seconds, np.ones_like(seconds))[:, 2].std() / exact[2]
    assert relative < 0.15 < 1.0 < equal


def noisy(machine, kernel, seed):
    exact = truth(machine, kernel)
    return curve(exact) * (1 + NOISE * np.random.default_rng(seed).standard_normal(len(SITES)))


@pytest.mark.parametrize("weights", ["relative", "equal"])
def test_a_break_without_information_is_flagged(weights):
    seconds = [noisy("BG/P", "CG", seed) for seed in range(8)]
    flagged = [
        fit_cache_kernel("CG", Measurements({"V": SITES}, measured, weights), draws=60)
        for measured in seconds
    ]
    assert sum(not parameters_of(f)[2].identified for f in flagged) >= 7
    clear = [
        fit_cache_kernel("CG", Measurements({"V": SITES}, noisy("XT5", "CG", seed)), draws=60)
        for seed in range(8)
    ]
    assert all(parameters_of(f)[2].identified for f in clear)
    notices = next(f for f in flagged if not parameters_of(f)[2].identified).model.notices
    assert "CG: the data do not determine CG.s" in notices


def design(held, sites):
    return np.column_stack([np.minimum(held, sites), np.maximum(0, sites - held)])


def exhaustive(sites, seconds, weight):
    """Return the least weighted sum of squares over a fine grid of breaks, with b1, b2 >= 0 by `nnls`."""
    grid = np.append(sites, np.geomspace(sites.min(), sites.max(), 3000))
    return min(nnls(design(held, sites) * weight[:, None], seconds * weight)[1] ** 2 for held in grid)


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["relative", "equal"])
@pytest.mark.parametrize(
    "truth",
    [
        (5e-6, 9e-6, 900.0),  # a break inside
        (9e-6, 5e-6, 4000.0),  # faster beyond the break
        (5e-6, 5e-6, 900.0),  # no break
        (0.0, 5e-6, 200.0),  # free in cache
        (5e-6, 0.0, 2000.0),  # free beyond the break
        (5e-6, 9e-6, 1.0),  # a break before the first size
        (5e-6, 9e-6, 1e9),  # a break beyond the last size
    ],
)
def test_no_worse_than_an_exhaustive_search(truth, weights):
    rng = np.random.default_rng(8)
    for noise in (0.0, 0.02, 0.5):
        seconds = np.abs(curve(truth) * (1 + noise * rng.standard_normal(len(SITES)))) + 1e-9
        weight = 1 / seconds if weights == "relative" else np.ones_like(seconds)
        found = solve_cache_kernel(SITES, seconds[None], weight[None])[0]
        cost = np.sum(((seconds - curve(found)) * weight) ** 2)
        assert cost <= exhaustive(SITES, seconds, weight) * (1 + 1e-6) + 1e-15 * np.sum(
            (seconds * weight) ** 2
        )
        assert SITES.min() <= found[2] <= SITES.max()
        assert (found[:2] >= 0).all()
        best = nnls(design(found[2], SITES) * weight[:, None], seconds * weight)[0]
        assert found[:2] == pytest.approx(best, rel=1e-6, abs=1e-15)


def test_falling_times_give_no_negative_slope():
    found = solve_cache_kernel(SITES, -SITES[None], np.ones((1, len(SITES))))[0]
    assert found[:2].tolist() == [0.0, 0.0]


def determined(sites, seconds, weight, quality):
    """Return whether b2 / b1 differs from 1 by three standard deviations, and s is known to a half."""
    first, second, held = quality.estimate
    normal = design(held, sites)
    solve = np.linalg.inv(normal.T @ np.diag(weight**2) @ normal) @ normal.T @ np.diag(weight**2)
    gradient = np.array([-second / first**2, 1 / first])
    relative = np.sqrt(np.sum((1 - normal @ [first, second] / seconds) ** 2) / (len(sites) - 3))
    errors = (quality.sigma / weight, relative * seconds)
    largest = max(np.sqrt(gradient @ solve @ np.diag(e**2) @ solve.T @ gradient) for e in errors)
    return abs(second / first - 1) >= 3 * largest, np.std(quality.draws[:, 2]) <= 0.5 * held


@pytest.mark.parametrize("weights", ["relative", "equal"])
def test_a_break_is_identified_if_slopes_differ_and_it_is_sharp(weights):
    rng, seen = np.random.default_rng(12), []
    widest = 0.2 if weights == "relative" else 1.5
    for ratio in 1 + widest * np.linspace(-0.5, 1.0, 16):
        seconds = curve((5e-6, ratio * 5e-6, 1500.0)) * (1 + 0.01 * rng.standard_normal(len(SITES)))
        found = fit_cache_kernel("K", Measurements({"V": SITES}, seconds, weights), draws=60)
        weight = 1 / seconds if weights == "relative" else np.ones_like(seconds)
        held = found.quality.estimate[2]
        inside = bool(SITES.min() < held < SITES.max())
        distinct, sharp = determined(SITES, seconds, weight, found.quality)
        assert found.identified.tolist() == [True, True, inside and bool(distinct and sharp)]
        seen.append((inside, bool(distinct), bool(sharp)))
    assert len(set(seen)) >= 3


def test_slopes_of_zero_and_breaks_at_the_ends_are_not_identified():
    def identified(truth):
        seconds = curve(truth) * (1 + 1e-3 * np.cos(SITES))
        found = fit_cache_kernel("K", Measurements({"V": SITES}, seconds, "equal"), draws=20)
        return found.identified.tolist()

    assert identified((0.0, 5e-6, 200.0)) == [False, True, False]
    assert identified((5e-6, -1e-6, 20000.0)) == [True, False, False]
    assert identified((5e-6, 9e-6, 1e9))[2] is False
    assert identified((5e-6, 9e-6, 1500.0)) == [True, True, True]


@pytest.mark.slow
def test_intervals_of_parameters_and_of_new_data_cover():
    exact = truth("XE6", "GF")
    random = np.random.default_rng(2)
    new_sites = np.array([1000.0, 10000.0, 50000.0])
    parameters, new = [], []
    for _ in range(40):
        seconds = curve(exact) * (1 + NOISE * random.standard_normal(len(SITES)))
        found = fit_cache_kernel("GF", Measurements({"V": SITES}, seconds), draws=200)
        parameters += [p.lower <= t <= p.upper for p, t in zip(parameters_of(found), exact, strict=True)]
        measured = curve(exact, new_sites) * (1 + NOISE * random.standard_normal(3))
        at = predict({"t": found.model}, {"V": new_sites})["t"]
        new += list((at.lower <= measured) & (measured <= at.upper))
    assert 0.85 <= np.mean(parameters) <= 0.97
    assert 0.85 <= np.mean(new) <= 0.97


def test_too_few_sizes_are_refused():
    with pytest.raises(
        ModelError, match=r"^FF: b1, b2 and s need at least three different V; measure more sizes$"
    ):
        fit_cache_kernel("FF", Measurements({"V": np.array([10.0, 10, 20, 20])}, np.array([1.0, 1, 2, 2])))
    with pytest.raises(ModelError, match="measure at least 4"):
        fit_cache_kernel("FF", Measurements({"V": np.array([10.0, 20, 30])}, np.array([1.0, 2, 3])))
    with pytest.raises(ModelError, match=r"^FF: V has to be positive; remove the other measurements$"):
        fit_cache_kernel("FF", Measurements({"V": np.array([0.0, 10, 20, 30])}, np.array([1.0, 2, 3, 4])))


def test_the_fit_carries_its_limits_draws_and_lack_of_fit():
    found = fit_cache_kernel("GF", Measurements({"V": SITES}, noisy("XE6", "GF", 4)))
    assert found.quality.draws.shape == (1000, 3)
    assert [p.name for p in parameters_of(found)] == ["GF.b1", "GF.b2", "GF.s"]
    assert broken_limits({"t": found.model}, {"V": 1e5}) == (
        "GF was fitted for V from 81 to 3.842e+04, here 1e+05",
    )
    assert not found.quality.lack.poor
    repeated = np.tile(SITES[:4], 2)
    few = fit_cache_kernel(
        "GF",
        Measurements({"V": repeated}, curve(truth("XE6", "GF"), repeated) * np.repeat([0.99, 1.01], 4)),
        draws=9,
    )
    # Four points and three parameters leave one degree of freedom.
    assert np.isfinite(few.quality.lack.probability)
