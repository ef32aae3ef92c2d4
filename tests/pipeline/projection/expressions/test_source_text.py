"""Models as source text of other languages."""

import pytest

from pipeline.projection.expressions.expression_text import export
from pipeline.projection.expressions.symbolic_model import bind, maximum, minimum, symbol
from pipeline.projection.terms.cache_kernel import cache_kernel


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
