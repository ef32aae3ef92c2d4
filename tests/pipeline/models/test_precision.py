"""Products with precisions that are never written out against those with matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.models.observations import ErrorModel
from tests.pipeline.models.dense import dense_precision

POINTS = st.lists(st.integers(1, 10**6), min_size=1, max_size=40, unique=True).map(
    lambda p: np.sort(np.array(p, dtype=float))
)


@given(POINTS, st.sampled_from([0.0, 0.3, 10.0]), st.booleans(), st.integers(0, 2**32))
def test_products_equal_those_with_the_matrix(points, walk, complete, seed):
    random = np.random.default_rng(seed)
    measured = np.ones((3, len(points)), dtype=bool)
    if not complete:
        measured = random.uniform(size=measured.shape) < 0.7
    structure, scale = ErrorModel(0.1, walk), random.lognormal(size=measured.shape)
    precision = structure.precision(points, scale, measured)
    values = random.normal(size=(2, *measured.shape))
    basis = random.normal(size=(4, len(points), 2))
    product, gram = precision.times(values), precision.gram(basis)
    for k in range(3):
        dense = dense_precision(structure, points, scale[k], measured[k])
        close = {"rel": 1e-9, "abs": 1e-11 * (1 + np.abs(dense).max())}
        assert precision.diagonal[k] == pytest.approx(np.diag(dense), **close)
        assert product[:, k] == pytest.approx(values[:, k] @ dense, **close)
        expected = np.einsum("hpa,pq,hqb->abh", basis, dense, basis)
        for a, b in ((0, 0), (1, 0), (1, 1)):
            assert gram[a, b][k] == pytest.approx(expected[a, b], **close)


def test_what_was_not_measured_does_not_count():
    points = 2.0 ** np.arange(2, 8)
    measured = np.array([[True, True, False, True, True, False]])
    precision = ErrorModel(0.1, 2.0).precision(points, np.ones((1, 6)), measured)
    assert not precision.diagonal[~measured].any()
    assert not precision.times(np.ones((1, 6)))[~measured].any()
    assert (precision.diagonal[measured] > 0).all()
