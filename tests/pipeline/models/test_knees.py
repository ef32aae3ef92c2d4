"""Soft knees: flat, then growing with the size of the problem."""

import numpy as np
import pytest

from pipeline.models.fit import fit
from pipeline.models.hypotheses import counts_processes, from_power
from pipeline.report.formulas import latex_formula, python_function

N = 4.0 ** np.arange(1, 10)[:, None]


def knee(n, sharpness=4):
    return (50.0**sharpness + (0.02 * n) ** sharpness) ** (1 / sharpness)


def measured(name="n", noise=0.02):
    random = np.random.default_rng(1)
    return fit((name,), N, knee(N[:, 0])[None, :, None] * random.normal(1, noise, (3, len(N), 5)))


def test_a_knee_is_found_and_written_as_such():
    models = measured()
    for k in range(3):
        assert models.knee(k) in (2, 4)
        assert models.constant(k) == pytest.approx(50, rel=0.05)
        ((coefficient, (exponent,)),) = models.weighted_terms(k)
        assert coefficient == pytest.approx(0.02, rel=0.1) and exponent == (1, 0)
    assert models.formula(0) == (
        f"({models.constant(0):.4g}^{models.knee(0)} + "
        f"({models.weighted_terms(0)[0][0]:.4g} * n)^{models.knee(0)})^(1/{models.knee(0)})"
    )
    assert models.growth(0) == "n"


def test_values_and_predictions_are_those_of_the_knee():
    models = measured()
    everywhere = np.concatenate([N, [[2e6]]])
    assert models.values(everywhere)[0] == pytest.approx(knee(everywhere[:, 0]), rel=0.1)
    assert models.predict(np.array([[2e6]])).value[:, 0] == pytest.approx(knee(2e6), rel=0.1)


def test_processes_have_no_knees():
    assert measured("p").knee(0) == 1
    for name in ("p", "np", "nodes", "MPI", "ranks", "n_threads", "GPUs", "cores"):
        assert counts_processes(name), name
    for name in ("n", "size", "bytes", "atoms", "ppn", "cells", "s"):
        assert not counts_processes(name), name


def test_roots_and_their_variance():
    value, variance = from_power(np.array([16.0, 3.0]), np.array([1.0, 2.0]), np.array([4.0, 1.0]))
    assert value == pytest.approx([2.0, 3.0])
    assert variance == pytest.approx([(1 / (4 * 2.0**3)) ** 2, 2.0])
    nothing, _ = from_power(np.array([-1.0]), np.array([1.0]), np.array([2.0]))
    assert nothing[0] == 0


def test_source_texts_of_a_knee():
    models = measured()
    constant, terms, sharpness = models.constant(0), models.weighted_terms(0), models.knee(0)
    assert latex_formula(("n",), 50.0, [(0.02, terms[0][1])], 4) == (
        r"\left(\left(50\right)^{4} + \left(0.02 \cdot n\right)^{4}\right)^{\frac{1}{4}}"
    )
    scope = {}
    exec(python_function("f", ("n",), constant, terms, "A knee.", sharpness), scope)
    assert scope["f"](N[:, 0]) == pytest.approx(models.values(N)[0], rel=1e-12)
    assert latex_formula(("n",), 50.0, [], 4) == "50"
