"""Soft knees: flat, then growing with the size of the problem."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.parameter_roles import ProcessCount
from pipeline.models.fit import fit
from pipeline.models.rivals import from_power

N = 4.0 ** np.arange(1, 10)[:, None]


def knee(n, sharpness=4):
    return (50.0**sharpness + (0.02 * n) ** sharpness) ** (1 / sharpness)


def measured(name="n", noise=0.02):
    random = np.random.default_rng(1)
    return fit((name,), N, knee(N[:, 0])[None, :, None] * random.normal(1, noise, (3, len(N), 5)))


def test_a_knee_is_found_and_written_as_such():
    models = measured()
    for k in range(3):
        assert models.formula(k).sharpness in (2, 4)
        assert models.formula(k).constant == pytest.approx(50, rel=0.05)
        ((coefficient, (exponent,)),) = models.formula(k).terms
        assert coefficient == pytest.approx(0.02, rel=0.1) and exponent == (1, 0)
    first = models.formula(0)
    s, slope = first.sharpness, first.terms[0][0]
    assert first.text() == f"({first.constant:.4g}^{s} + ({slope:.4g} * n)^{s})^(1/{s})"
    assert models.formula(0).growth == "n"


def test_values_and_predictions_are_those_of_the_knee():
    models = measured()
    everywhere = np.concatenate([N, [[2e6]]])
    assert models.formula_values(everywhere)[0] == pytest.approx(knee(everywhere[:, 0]), rel=0.1)
    assert models.predict(np.array([[2e6]])).value[:, 0] == pytest.approx(knee(2e6), rel=0.1)


def test_processes_have_no_knees():
    assert measured("p").formula(0).sharpness == measured(ProcessCount("n")).formula(0).sharpness == 1


def test_roots_and_their_variance():
    value, variance = from_power(np.array([16.0, 3.0]), np.array([1.0, 2.0]), np.array([4.0, 1.0]))
    assert value == pytest.approx([2.0, 3.0])
    assert variance == pytest.approx([(1 / (4 * 2.0**3)) ** 2, 2.0])
    nothing, _ = from_power(np.array([-1.0]), np.array([1.0]), np.array([2.0]))
    assert nothing[0] == 0


def test_source_texts_of_a_knee():
    models = measured()
    formula = models.formula(0)
    ((_, linear),) = formula.terms
    assert replace(formula, constant=50.0, terms=((0.02, linear),), sharpness=4).latex() == (
        r"\left(\left(50\right)^{4} + \left(0.02 \cdot n\right)^{4}\right)^{\frac{1}{4}}"
    )
    found = eval(formula.python(("n",)), {"np": np, "n": N[:, 0]})
    assert found == pytest.approx(models.formula_values(N)[0], rel=1e-12)
    assert formula.values(N) == pytest.approx(found, rel=1e-12)
    assert replace(formula, constant=50.0, terms=()).latex() == "50"
