import numpy as np
import pytest

from ingest.errors import ModelError
from pipeline.projection.cache_kernel import cache_kernel, fit_cache_kernel, solve_cache_kernel
from pipeline.projection.predict import predict

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
    flagged = [fit_cache_kernel("CG", SITES, measured, weights=weights, draws=200) for measured in seconds]
    assert sum(not f.parameters[2].identified for f in flagged) >= 7
    clear = [fit_cache_kernel("CG", SITES, noisy("XT5", "CG", seed), draws=200) for seed in range(8)]
    assert all(f.parameters[2].identified for f in clear)
    notices = next(f for f in flagged if not f.parameters[2].identified).model.notices
    assert "CG: the data do not determine CG.s" in notices


def test_intervals_of_parameters_and_of_new_data_cover():
    exact = truth("XE6", "GF")
    random = np.random.default_rng(2)
    new_sites = np.array([1000.0, 10000.0, 50000.0])
    parameters, new = [], []
    for _ in range(60):
        seconds = curve(exact) * (1 + NOISE * random.standard_normal(len(SITES)))
        found = fit_cache_kernel("GF", SITES, seconds, draws=300)
        parameters += [p.lower <= t <= p.upper for p, t in zip(found.parameters, exact, strict=True)]
        measured = curve(exact, new_sites) * (1 + NOISE * random.standard_normal(3))
        at = predict({"t": found.model}, {"V": new_sites})["t"]
        new += list((at.lower <= measured) & (measured <= at.upper))
    assert 0.85 <= np.mean(parameters) <= 0.97
    assert 0.85 <= np.mean(new) <= 0.97


def test_the_mean_residual_is_the_papers():
    found = fit_cache_kernel("GF", SITES, noisy("XE6", "GF", 4), draws=50)
    assert 0.0005 < found.quality.mean_residual < 0.005


def test_too_few_sizes_are_refused():
    with pytest.raises(ModelError, match="at least three different V"):
        fit_cache_kernel("FF", np.array([10.0, 10, 20, 20]), np.array([1.0, 1, 2, 2]))
    with pytest.raises(ModelError, match="measure at least 4"):
        fit_cache_kernel("FF", np.array([10.0, 20, 30]), np.array([1.0, 2, 3]))
