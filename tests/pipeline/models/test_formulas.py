"""Formulas as LaTeX and Python: what is written evaluates to the model, and compiles."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser

from pipeline.models.forms import term, term_values
from pipeline.models.formulas import Formula, growth_text, identifier, read_growth, term_text
from pipeline.models.options import NO_EXPONENT

LINEAR = term((1, 0))
COEFFICIENTS = st.floats(-1e12, 1e12).filter(lambda c: c == 0 or abs(c) > 1e-12)
EXPONENTS = st.tuples(
    st.sampled_from([Fraction(i, j) for i in range(-3, 6) for j in (1, 2, 3, 4)]), st.integers(0, 2)
)
TERMS = st.lists(st.tuples(COEFFICIENTS, st.tuples(EXPONENTS, EXPONENTS)), max_size=3)


def made(parameters, constant, terms):
    return Formula(parameters=parameters, constant=constant, terms=tuple(terms))


@settings(deadline=None)
@given(COEFFICIENTS, TERMS)
def test_the_python_text_evaluates_to_the_model(constant, terms):
    formula = made(("p", "mesh size"), constant, terms)
    points = np.array([[2.0, 3.0], [1.0, 1.5], [1024.0, 7.0]])
    shapes = term_values([t for _, t in terms], points)
    expected = constant + shapes @ np.array([c for c, _ in terms])
    size = abs(constant) + np.abs(shapes) @ np.abs([c for c, _ in terms])
    tolerance = {"rtol": 1e-9, "atol": 1e-12 * float(size.max(initial=0.0))}
    found = eval(formula.python(("p", "n")), {"np": np, "p": points[:, 0], "n": points[:, 1]})
    assert np.allclose(found, expected, **tolerance)
    assert np.allclose(formula.values(points), expected, **tolerance)


@pytest.mark.slow
@settings(deadline=None)
@given(COEFFICIENTS, TERMS)
def test_the_latex_text_compiles(constant, terms):
    text = made(("p", "mesh_size"), constant, terms).latex()
    MathTextParser("path").parse(f"${text}$")
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("constant", "terms", "text", "latex", "python"),
    [
        (0.0, [], "0", "0", "0.0"),
        (-2.5, [], "-2.5", "-2.5", "-2.5"),
        (1.23456, [], "1.235", "1.235", "1.23456"),
        (12.1, [(3.4, term(("3/2", 1)))], "12.1 + 3.4 * p^(3/2) * log2(p)",
         r"12.1 + 3.4 \cdot p^{\frac{3}{2}} \cdot \log_{2}(p)", "12.1 + 3.4 * p ** (3 / 2) * np.log2(p)"),
        (0.0, [(2.0, LINEAR)], "2 * p", r"2 \cdot p", "2.0 * p"),
        (-1.0, [(2.0, LINEAR)], "-1 + 2 * p", r"-1 + 2 \cdot p", "-1.0 + 2.0 * p"),
        (7, [(-2, term((2, 1)))], "7 - 2 * p^2 * log2(p)", r"7 - 2 \cdot p^{2} \cdot \log_{2}(p)",
         "7 - 2 * p ** 2.0 * np.log2(p)"),
        (0.0, [(-2.0, term((0, 2))), (1.0, LINEAR)], "-2 * log2(p)^2 + 1 * p",
         r"-2 \cdot \log_{2}^{2}(p) + 1 \cdot p", "-2.0 * np.log2(p) ** 2 + 1.0 * p"),
        (1.0, [(0.0, LINEAR)], "1", "1", "1.0"),
        (1.5e-7, [], "1.5e-07", r"1.5 \times 10^{-7}", "1.5e-07"),
        (123456.0, [], "1.235e+05", r"1.235 \times 10^{5}", "123456.0"),
        (5.0, [(1.0, term((-1, 0)))], "5 + 1 * p^(-1)", r"5 + 1 \cdot p^{-1}", "5.0 + 1.0 * p ** -1.0"),
        (5.0, [(1.0, term(("1/2", 0)))], "5 + 1 * p^(1/2)", r"5 + 1 \cdot p^{\frac{1}{2}}",
         "5.0 + 1.0 * p ** (1 / 2)"),
        (5.0, [(1.0, term(("-1/2", 0)))], "5 + 1 * p^(-1/2)", r"5 + 1 \cdot p^{-\frac{1}{2}}",
         "5.0 + 1.0 * p ** (-1 / 2)"),
        (2.0, [(1.0, term((0, 0)))], "2 + 1", "2 + 1", "2.0 + 1.0"),
    ],
)  # fmt: skip
def test_formulas_as_people_and_programs_write_them(constant, terms, text, latex, python):
    formula = made(("p",), constant, terms)
    assert (formula.text(), formula.latex()) == (text, latex)
    assert formula.python(("p",)) == python


@pytest.mark.parametrize(
    ("exponent", "text"),
    [((0, 0), "1"), ((1, 0), "p"), ((2, 0), "p^2"), (("3/2", 0), "p^(3/2)"), ((0, 1), "log2(p)"),
     ((1, 2), "p * log2(p)^2")],
)  # fmt: skip
def test_growth_in_words_is_read_again(exponent, text):
    (one,) = term(exponent)
    assert term_text(("p",), (one,)) == text
    assert read_growth(text) == one


@pytest.mark.parametrize(
    "text", ["", "p log2(p)", "log2(p) * p", "p^(-1)", "p^(1/0)", "p^1.2.3", "p * p", "fast!"]
)
def test_what_is_no_growth_is_not_read(text):
    assert read_growth(text) is None


def test_leading_behaviour_in_words():
    assert growth_text(("p",), [term(("1/2", 0)), LINEAR]) == "p"
    assert growth_text(("p",), []) == "1"
    assert growth_text(("x", "y"), [term((2, 0), (0, 0)), term((0, 0), (1, 0))]) == "x^2 + y"
    assert made(("p",), 1.0, [(-1.0, term((2, 0))), (1.0, LINEAR)]).growth == "p"


def test_a_function_takes_arrays_of_integers():
    terms = [(1.0, term((5, 0))), (1.0, term((-1, 0)))]
    text = made(("p",), 0.0, terms).python(("p",))
    assert eval(text, {"np": np, "p": np.array([2**14, 2])}) == pytest.approx([2.0**70, 32.5])


def test_parameters_that_are_absent_are_left_out_and_names_are_escaped():
    terms = [(2.0, ((Fraction(1), 0), NO_EXPONENT)), (3.0, (NO_EXPONENT, (Fraction(2), 0)))]
    text = made(("n_cells", "q"), 0.0, terms).latex()
    assert text == r"2 \cdot \mathrm{n\_cells} + 3 \cdot q^{2}"
    assert r"\mathrm{a\%\$}" in made(("a%$", r"b\^~c"), 0.0, terms).latex()
    assert r"\mathrm{bc}^{2}" in made(("a%$", r"b\^~c"), 0.0, terms).latex()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("MPI_Allreduce", "MPI_Allreduce"),
        ("main › … › MPI_Send", "main_MPI_Send"),
        ("operator<<", "operator"),
        ("Foam::solve", "Foam_solve"),
        ("2nd", "_2nd"),
        ("class", "_class"),
        ("np", "_np"),
        ("<<", "model"),
    ],
)
def test_identifiers(text, name):
    assert identifier(text) == name
