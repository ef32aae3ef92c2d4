"""Another kind of factor is one row of `FACTOR_KINDS`: log log p is found, written, stored and read."""

import numpy as np
import pyarrow as pa
import pytest

from pipeline.columns.kernels import model_json
from pipeline.models import forms, formulas, search_space
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.fit import fit
from pipeline.models.forms import FactorKind, term, with_powers
from pipeline.models.formulas import read_growth, term_text
from pipeline.models.options import ModelOptions, exponent
from pipeline.store.results import from_table, to_table

LOG_LOG = FactorKind(
    value=lambda p, log2: log2(log2(p)),
    least=2.0,
    text="log2(log2({name})){power}",
    latex=r"\log_{{2}}{power}(\log_{{2}}({name}))",
    python="np.log2(np.log2({name})){power}",
    tried=with_powers("0 1", 0, 1),
    steps=lambda logarithms: 3.0 * logarithms,
)
P = 2.0 ** np.arange(1, 14)[:, None]
TERM, LINEAR = term((0, 0, 1)), term((1, 0, 0))


@pytest.fixture(autouse=True)
def another_row(monkeypatch):
    kinds = (*forms.FACTOR_KINDS, LOG_LOG)
    for module in (forms, formulas, search_space):
        monkeypatch.setattr(module, "FACTOR_KINDS", kinds)
    monkeypatch.setattr("pipeline.models.multi_parameter.search.FACTOR_KINDS", kinds)


@pytest.mark.parametrize("method", ["evidence", "extra-p"])
def test_it_is_found_written_and_stored(method):
    values = (7 + 3 * np.log2(np.log2(P[:, 0])))[None, :, None]
    models = fit(("p",), P, values, ModelOptions(method=method))
    formula = models.formula(0)
    assert formula.text() == "7 + 3 * log2(log2(p))"
    assert formula.latex() == r"7 + 3 \cdot \log_{2}(\log_{2}(p))"
    assert eval(formula.python(("p",)), {"np": np, "p": P[:, 0]}) == pytest.approx(values[0, :, 0])
    assert models.formula_values(P * 16) == pytest.approx(7 + 3 * np.log2(np.log2(16 * P.T)))
    assert formula.growth == "log2(log2(p))"
    stored = from_table(pa.table(to_table(models)))
    assert stored.formula(0) == formula
    (shown,) = prediction_formulas(models, formula_range(models, 0, P[-1:]))
    assert shown.pieces == (formula,)
    assert model_json(shown)["terms"][0]["exponents"] == {"p": ["0", 0, 1]}


def test_it_is_found_beside_another_parameter():
    points = np.array([[p, n] for p in P[::3, 0] for n in (4.0, 16.0, 64.0, 256.0)])
    values = (1 + 2 * points[:, 1] * np.log2(np.log2(points[:, 0])))[None, :, None]
    models = fit(("p", "n"), points, values)
    assert models.formula(0).text() == "1 + 2 * log2(log2(p)) * n"


def test_it_stays_away_where_it_would_be_negative():
    below = P / 2
    models = fit(("p",), below, (7 + np.sqrt(below[:, 0]))[None, :, None])
    assert models.formula(0).growth == "p^(1/2)"
    assert all(len(one) == 2 for row in models.hypotheses.terms for one in row)


def test_it_grows_more_slowly_than_a_logarithm_and_is_read_from_text():
    assert forms.leading_terms([TERM, term((0, 1))]) == (term((0, 1)),)
    assert forms.leading_terms([LINEAR, term((1, 0, 1))]) == (term((1, 0, 1)),)
    assert read_growth("p * log2(log2(p))^2") == exponent(1, 0, 2)
    assert term_text(("p",), TERM) == "log2(log2(p))"
