"""Fits to the first points against those made anew, and the place where behaviour changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.fit import fit
from pipeline.models.observations import ErrorModel
from pipeline.models.one_parameter import running_misfits
from pipeline.models.options import ModelOptions
from pipeline.models.search_space import SpaceChoice, one_parameter_space

SPACE = one_parameter_space(ModelOptions(), 1.0, SpaceChoice(steep=True, falling=True))
CONSTANT = np.where(np.arange(1 + SPACE.rows.shape[1]) > 0, 1.0, SPACE.constant[:, None])[:, None]
POINTS = st.lists(st.integers(1, 10**5), min_size=3, max_size=30, unique=True).map(
    lambda p: np.sort(np.array(p, dtype=float))
)


def least_misfit(design, values, nonnegative):
    """Fit each of h designs float64[h, n, 1 or 2] by its orthonormal basis; return the least misfit."""
    size = np.linalg.norm(design, axis=1, keepdims=True)
    basis, upper = np.linalg.qr(design / np.where(size > 0, size, 1.0))
    identifiable = np.abs(np.einsum("hcc->hc", upper)).min(axis=1) > 1e-9
    basis, upper = basis[identifiable], upper[identifiable]
    along = values @ basis
    misfit = ((values - (basis @ along[..., None])[..., 0]) ** 2).sum(axis=1)
    signs = np.linalg.solve(upper, along[..., None])[..., 0]
    possible = (signs > 0).all(axis=1) | (not nonnegative)
    return misfit[possible].min(initial=np.inf)


def misfit_made_anew(points, values, weight, nonnegative):
    design, root = SPACE.design(points[:, None]) * CONSTANT, np.sqrt(weight)
    single = SPACE.constant & (SPACE.rows[:, 0] >= 0)
    columns = (
        (design[:1, :, :1], False),
        (design[single][..., [0, 1]], nonnegative),
        (design[~SPACE.constant][..., [1, 2]], nonnegative),
        (design[single][..., [1]] if nonnegative else design[:0, :, :1], True),
    )
    return min(least_misfit(d * root[:, None], values * root, positive) for d, positive in columns)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(POINTS, st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_fits_of_the_first_points_equal_those_made_anew(points, nonnegative, backwards, seed):
    random = np.random.default_rng(seed)
    level = random.choice([-1.0, 0.0, 0.5, 2.0], (3, 1)) + (points / points[-1]) ** random.uniform(
        0, 3, (3, 1)
    )
    level *= random.lognormal(0, 0.1, level.shape) / np.abs(level).max()
    measured = (random.uniform(size=level.shape) < 0.9) | np.isin(points, points[[0, -1]])
    weight = measured / ErrorModel().scale(level) ** 2
    if backwards:
        points, level, weight = points[::-1], level[:, ::-1], weight[:, ::-1]
    got = running_misfits(SPACE, points, level, weight, nonnegative)
    for n in range(3, len(points) + 1):
        expected = [misfit_made_anew(points[:n], level[k, :n], weight[k, :n], nonnegative) for k in range(3)]
        assert got[n - 1] == pytest.approx(expected, rel=1e-7, abs=1e-11 * n)


@pytest.mark.parametrize("points", [12, 90])
def test_a_change_of_behaviour_is_found_where_it_is(points):
    scale = np.round(1000 * 2.0 ** np.linspace(0, 7, points))
    change = scale[points // 2]
    truth = np.where(scale <= change, 40.0, 40 * (scale / change) ** 1.5)
    values = truth[:, None] * np.random.default_rng(3).lognormal(0, 0.02, (20, points, 3))
    models = fit(("n",), scale[:, None], values)
    begins = np.searchsorted(scale, models.quality.valid_from[:, 0])
    assert np.abs(begins - points // 2) == pytest.approx(1, abs=1)


def test_kernels_that_change_at_different_scales_are_fitted_each_from_its_own_change():
    points = 2.0 ** np.arange(10)[:, None]
    p = points[:, 0]
    random = np.random.default_rng(5)
    noise = random.lognormal(0, 0.005, (20, 10, 4))
    early = np.where(p <= 4, 50.0, 50 * (p / 4) ** 1.5)
    late = np.where(p <= 16, 80.0, 80 * (p / 16) ** 2)
    models = fit(("p",), points, np.repeat([early, late], 10, axis=0)[:, :, None] * noise)
    assert (models.quality.valid_from[:10, 0] <= 8).all()
    assert (models.quality.valid_from[10:, 0] >= 16).all()
    far = models.predict(np.array([[2048.0]])).value[:, 0]
    assert far[:10] == pytest.approx(50 * 512**1.5, rel=0.1)
    assert far[10:] == pytest.approx(80 * 128**2, rel=0.1)


@pytest.mark.parametrize("first", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    ("law", "text"),
    [(lambda p: 2 * p, "2 * p"), (lambda p: 200 + 0 * p, "200"), (lambda p: 100 / p, "100 * p^(-1)")],
)
def test_kernels_that_take_no_time_at_first_begin_later(first, law, text):
    points = first * 2.0 ** np.arange(5)[:, None]
    late = np.where(np.arange(5) > 0, law(points[:, 0]), 0.0)
    values = np.stack([late, np.full(5, 100.0), 50 / points[:, 0]])[..., None].repeat(3, axis=2)
    values = values * np.random.default_rng(3).lognormal(0, 1e-5, values.shape)
    models = fit(("p",), points, values, parts=True)
    at = np.vstack([points, 4 * points[-1:]])
    assert models.expected(at)[0] == pytest.approx([0, *law(at[1:, 0])], rel=1e-3)
    within = formula_range(models, 0, at[-1:])
    nothing, behind = prediction_formulas(models, within)[0].pieces
    assert nothing.text() == "0" and behind.text().startswith(text[:3])
    assert prediction_formulas(models, within)[0].ends == pytest.approx([first * 2**0.5], rel=1e-3)


def test_a_kernel_seen_at_one_scale_alone_keeps_its_zeros():
    points = 2.0 ** np.arange(4)[:, None]
    models = fit(("p",), points, np.array([[[0.0], [0.0], [0.0], [5.0]]]))
    assert models.expected(points)[0, 0] < 5
