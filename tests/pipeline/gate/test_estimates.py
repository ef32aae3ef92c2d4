import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pipeline.gate.estimates import holm


def test_holm_by_hand():
    assert np.allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])


def test_unknown_p_values_stay_unknown_and_cost_nothing():
    assert np.allclose(
        holm(np.array([[np.nan, 0.02], [0.5, np.nan]])), [[np.nan, 0.04], [0.5, np.nan]], equal_nan=True
    )


def test_no_p_values_are_no_tests():
    assert holm(np.empty((0, 3))).shape == (0, 3)
    assert np.isnan(holm(np.full(3, np.nan))).all()


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=30))
def test_adjusted_values_are_those_of_statsmodels(p):
    assert np.allclose(holm(np.array(p)), multipletests(p, method="holm")[1], rtol=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjusted_values_keep_the_order_and_lie_between_p_and_bonferroni(p):
    values = np.array(p)
    adjusted = holm(values)
    assert (adjusted >= values).all()
    assert (adjusted <= np.minimum(len(p) * values, 1) + 1e-12).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
