import math

import pytest

from pipeline.projection.cache_kernel import cache_kernel
from pipeline.projection.export import export
from pipeline.projection.model import bind, maximum, symbol
from pipeline.stages.project import export_application, project

AT = {"L": 6, "P": 1200, "niters": 100, "trajecs": 3, "warms": 1, "steps": 2, "meas": 2, "f": 8}


def run_python(text, name, **arguments):
    space = {}
    exec(text, space)
    return space[name](**arguments)


def run_octave(text, **arguments):
    """Evaluate an exported function by rewriting Octave's operators; it uses no more of the language."""
    body = text.replace(".*", "*").replace("./", "/").replace(".^", "**").replace("~(", "not (")
    lines = [line.strip().rstrip(";") for line in body.splitlines()[2:-1]]
    space = {"log": math.log, "floor": math.floor, **arguments}
    exec("\n".join(lines), space)
    return space["value"]


@pytest.mark.parametrize(("machine", "variant"), [("xt5", "expected"), ("power5plus", "ideal")])
def test_exported_functions_say_what_the_projection_says(machine, variant):
    expected = project("milc", machine, AT, variant=variant).total.value
    in_python = export_application("milc", machine, "python", variant=variant)
    assert run_python(in_python, "milc", **AT) == pytest.approx(expected, rel=1e-12)
    in_octave = export_application("milc", machine, "octave", variant=variant)
    assert run_octave(in_octave, **AT) == pytest.approx(expected, rel=1e-12)
    assert "Piecewise" not in in_octave


def test_octaves_max_takes_two_arguments():
    model = maximum(symbol("a"), symbol("b"), symbol("c"), 4)
    text = export(model, "octave", name="top")
    assert text.startswith("function value = top(")
    assert text.count("max(") == 3


def test_bound_values_become_constants_and_names_identifiers():
    model = bind(cache_kernel("class.1 x"), {"class.1 x.s": 2500})
    text = export(model, "python", name="def")
    assert "def def_(" in text
    assert "class_1_x_s = 2500" in text


def test_latex_is_the_formula():
    text = export(cache_kernel("FF"), "latex")
    assert text == (
        r"\mathrm{b1}_{\mathrm{FF}} \min\left(s_{\mathrm{FF}}, V\right) + "
        r"\mathrm{b2}_{\mathrm{FF}} \max\left(0, - s_{\mathrm{FF}} + V\right)"
    )
