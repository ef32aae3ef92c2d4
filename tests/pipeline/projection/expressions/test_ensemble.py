"""Ensembles: log-normal values, repeatable and independent, and one value per name."""

import numpy as np
import pytest
from scipy import stats

from ingest.errors import UsageError
from ingest.units import Quantity
from pipeline.projection.expressions.ensembles import (
    QUANTITY_DRAWS,
    Ensemble,
    columns,
    from_quantities,
    stream,
)


def ensemble(names, rows):
    draws = np.array(rows, dtype=float)
    return Ensemble(names=names, estimate=draws.mean(axis=0), draws=draws)


def test_streams_are_repeatable_and_independent():
    assert stream("a", b"b").random() == stream(b"a", "b").random()
    assert stream("a").random() != stream("b").random()
    assert stream("a", "b").random() != stream("b", "a").random()


def test_stated_deviations_are_log_normal_around_the_value():
    found = from_quantities(
        {
            "a": Quantity(value=5.0, relative_sd=0.2),
            "b": Quantity(value=3.0),
            "c": Quantity(value=7.0, relative_sd=2.0),
        }
    )
    assert found.names == ("a", "b", "c")
    assert found.estimate.tolist() == [5.0, 3.0, 7.0]
    assert found.draws.shape == (QUANTITY_DRAWS, 3) == (1000, 3)
    assert not found.rivals
    assert (found.draws[:, 1] == 3.0).all()
    for column, value, sd in ((0, 5.0, 0.2), (2, 7.0, 2.0)):
        # A log-normal with median m and sigma s has a relative standard deviation of sqrt(exp(s^2) - 1).
        sigma = np.sqrt(np.log(1 + sd**2))
        assert stats.kstest(found.draws[:, column], stats.lognorm(s=sigma, scale=value).cdf).pvalue > 0.01
    assert abs(np.corrcoef(found.draws[:, 0], found.draws[:, 2])[0, 1]) < 0.1
    # A positive deviate is a larger value; a hundred per cent is a deviation like any other.
    (wide,) = from_quantities({"w": Quantity(value=2.0, relative_sd=1.0)}).draws.T
    assert wide == pytest.approx(2 * np.exp(np.sqrt(np.log(2)) * stream("w").standard_normal(1000)))


def test_notes_become_notices_each_once():
    noted = {
        name: Quantity(value=1.0, note=note) for name, note in (("a", "x"), ("b", ""), ("c", "x"), ("d", "y"))
    }
    assert from_quantities(noted).notices == ("x", "y")


def test_columns_have_the_length_of_the_longest():
    short, long = ensemble(("a",), [[1], [2]]), ensemble(("b", "c"), [[1, 4], [2, 5], [3, 6]])
    found = columns([short, long, short])
    assert {name: estimate for name, (estimate, _) in found.items()} == {"a": 1.5, "b": 2.0, "c": 5.0}
    assert {name: draws.tolist() for name, (_, draws) in found.items()} == {
        "a": [1, 2, 1],
        "b": [1, 2, 3],
        "c": [4, 5, 6],
    }
    assert columns([]) == {}


def test_one_name_has_one_value():
    first, same, other = (ensemble(("a",), rows) for rows in ([[1], [2]], [[1], [2]], [[1], [3]]))
    assert columns([first, same])["a"][1].tolist() == [1, 2]
    with pytest.raises(UsageError, match="'a' is bound to two different values; rename one before composing"):
        columns([first, other])
