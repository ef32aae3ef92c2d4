import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UsageError
from ingest.units import BYTES, NONE, TIME_DIMENSION
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.expression_text import export, parse
from pipeline.projection.expressions.symbolic_model import bind, maximum, minimum, symbol
from pipeline.projection.terms.cache_kernel import cache_kernel
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
        *((f"1 if V {sign} {k} else 2", 1.0) for sign, k in (("<=", 8), (">=", 8), ("<", 9), (">", 7))),
        *((f"1 if V {sign} {k} else 2", 2.0) for sign, k in (("<=", 7), (">=", 9), ("<", 8), (">", 8))),
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


def test_a_python_function_has_inputs_and_constants():
    model = bind(symbol("a") * symbol("mach.b") + symbol("c d"), {"mach.b": 0.1})
    assert export(model, "python", name="time", title="of a step") == (
        "import math\n\n\ndef time(a, c_d):\n"
        '    """of a step"""\n'
        "    mach_b = 0.1\n"
        "    return a*mach_b + c_d\n"
    )


def test_an_octave_function_has_inputs_and_constants():
    model = bind(symbol("a") * symbol("mach.b"), {"mach.b": 1 / 3})
    assert export(model, "octave", title="of a step") == (
        "function value = T(a)\n  % of a step\n  mach_b = 0.333333333333333;\n  value = a.*mach_b;\nend\n"
    )


@pytest.mark.parametrize(("make", "name"), [(maximum, "max"), (minimum, "min")])
def test_octaves_max_and_min_take_two_arguments(make, name):
    model = make(symbol("a"), symbol("b"), symbol("c"), symbol("d"))
    text = export(model, "octave", name="top")
    assert text.startswith("function value = top(a, b, c, d)")
    assert text.count(f"{name}(") == 3
    assert export(model, "python").count(f"{name}(") == 1
    two = export(make(symbol("a"), symbol("b")), "octave")
    assert two.count(f"{name}(") == 1


def test_maxima_inside_other_expressions_are_nested_too():
    text = export(
        1 + 2 * maximum(symbol("a"), symbol("b"), 3 * minimum(symbol("c"), symbol("d"), 4)), "octave"
    )
    assert (text.count("max("), text.count("min(")) == (2, 2)


def test_names_become_identifiers_that_differ():
    assert "def f(t_total" in export(symbol("t\u00e4total"), "python", name="f")
    names = ["class.1 x", "class_1.x", "class_1_x", "lambda", "1a"]
    model = sum((symbol(name) for name in names[1:]), start=symbol(names[0]))
    text = export(model, "python", name="def")
    assert "def def_(class_1_x, class_1_x_, class_1_x__, lambda_, x1a):" in text
    space = {}
    exec(text, space)
    assert space["def_"](1, 2, 3, 4, 5) == 15
    bound = export(bind(cache_kernel("class.1 x"), {"class.1 x.s": 2500}), "python")
    assert "class_1_x_s = 2500" in bound


def test_latex_is_the_formula():
    assert export(cache_kernel("FF"), "latex") == (
        r"\mathrm{b1}_{\mathrm{FF}} \min\left(s_{\mathrm{FF}}, V\right) + "
        r"\mathrm{b2}_{\mathrm{FF}} \max\left(0, V - s_{\mathrm{FF}}\right)"
    )
    escaped = export(symbol("a_b.c%d") + symbol("x_y"), "latex")
    assert escaped in (
        r"\mathrm{c\%d}_{\mathrm{a\_b}} + \mathrm{x\_y}",
        r"\mathrm{x\_y} + \mathrm{c\%d}_{\mathrm{a\_b}}",
    )
