import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UsageError
from ingest.units import BYTES, NONE, TIME_DIMENSION
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.expression_text import parse
from pipeline.projection.expressions.symbolic_model import symbol
from tests.pipeline.projection.mistakes import refused

NAMES = {
    "V": symbol("V"),
    "P": symbol("P"),
    "mach.b": symbol("mach.b", TIME_DIMENSION),
    "x": symbol("x", BYTES),
}


def value(text, **at):
    model = parse(text, NAMES)
    return float(predict({"it": model}, at)["it"].value[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 ** 2", 19.0),
        ("-2 ** 2", -4.0),
        ("V / 4 - 1", 1.0),
        ("floor(V / 3) + ceil(V / 3)", 5.0),
        ("min(V, 3) + max(0, V - 3, 7)", 10.0),
        ("log2(V) + log(V)", 3.0 + math.log(8)),
        ("sqrt(2 * V)", 4.0),
        ("V ** (3/4)", 8**0.75),
        ("2 ** V", 256.0),
    ],
)
def test_arithmetic(text, expected):
    assert value(text, V=8) == pytest.approx(expected, rel=1e-14)


@given(st.floats(1, 1e6), st.floats(1, 1e6))
def test_the_text_means_what_python_means(v, p):
    text = "max(V, P) * 3 - min(V / 2, P) + floor(V) ** 0.5"
    assert value(text, V=v, P=p) == pytest.approx(
        max(v, p) * 3 - min(v / 2, p) + math.floor(v) ** 0.5, rel=1e-12
    )


def test_a_model_keeps_its_dimension_and_inputs():
    model = parse("V * mach.b + 0", NAMES)
    assert model.dimension == TIME_DIMENSION
    assert model.inputs == ("V", "mach.b")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("mach.b + x", "cannot add s and B in 'mach.b + x'"),
        ("mach.b + V", "cannot add s and no unit"),
        ("max(mach.b, x)", "cannot compare s and B"),
        ("floor(x)", "floor() takes a plain number, not B"),
        ("x ** V", "B can only be raised to a number"),
        ("2 ** x", "an exponent has to be a plain number, not B"),
        ("W * 2", "unknown name 'W'"),
        ("mach.bb * 2", "did you mean 'mach.b'?"),
        ("max", "'max' is a function"),
        ("max()", "max() does not take 0 arguments"),
        ("V(2)", "'V' is not a function"),
        ("1 / 0", "division by zero"),
        ("V / (2 - 2)", "division by zero"),
        ("log(0)", "no finite value"),
        ("9 ** 9 ** 9 ** 9", "a power of two numbers is not finite"),
        ("1e999", "not a finite number"),
        ("V +", "is not an expression"),
        ("", "is not an expression"),
        ("-" * 9000 + "1", "is not an expression"),
        ("V" * 20000, "too long"),
    ],
)
def test_mistakes_are_one_line_each(text, line):
    said = refused(lambda: parse(text, NAMES, where="app.toml: total"), raises=UsageError)
    assert line in said
    assert said.startswith("app.toml: total: ")


NOT_ALLOWED = """
__import__('os') | (1).__class__ | [V] | V if V else P | lambda: 1 | 'text' | True | V < P | f'{V}' | V and P
(V := 2) | max(*V) | max(V, key=P) | V[0] | V // 2 | V % 2 | 2j
"""


@pytest.mark.parametrize("text", re.split(r" \| |\n", NOT_ALLOWED.strip()))
def test_nothing_beyond_the_whitelist_is_accepted(text):
    with pytest.raises(UsageError) as refused:
        parse(text, NAMES)
    if refused.value.what.startswith("not allowed"):
        assert refused.value.hint.startswith("use numbers, names, + - * / ** and ")


def test_symbols_of_one_name_and_two_dimensions_are_refused():
    with pytest.raises(UsageError, match="'x' is used in B and in no unit"):
        parse("x * y", {"x": symbol("x", BYTES), "y": symbol("x", NONE)})
