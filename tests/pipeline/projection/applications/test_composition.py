"""An application put together with a machine: definitions, sums of parts, totals and terms."""

import pytest

from ingest.errors import UsageError
from ingest.units import TIME_DIMENSION
from pipeline.projection.applications.application_file import load_application
from pipeline.projection.applications.projections import compose
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import symbol
from pipeline.projection.machines.machine_values import load_machine
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.stored import no_models

FILE = """
[inputs]
n = { meaning = "sites" }
wait = { unit = "ms", meaning = "of a step" }
[terms.half]
inputs = { x = "1" }
expression = "x * n / 2"
[terms.quarter]
inputs = { x = "1" }
expression = "half(x) / 2"
[define]
calls = "floor(n / 2)"
twice = "2 * calls"
[parts]
kernel = "twice * mach.step"
[parts.network]
halo = "calls * mach.step"
[parts.network.sums]
up = "half(2) * mach.step"
down = "quarter(2) * mach.step"
"""
MACHINE = {"mach.step": symbol("mach.step", TIME_DIMENSION)}


@pytest.fixture
def composed(tmp_path):
    def from_text(text, **options):
        (tmp_path / "app.toml").write_text(text)
        return compose(load_application(tmp_path / "app.toml"), MACHINE, no_models, **options)

    return from_text


def values(models):
    found = predict(models, {"n": 5.0, "mach.step": 1.0, "wait": 0.5})
    return {name: float(prediction.value[0]) for name, prediction in found.items()}


def test_parts_add_up_level_by_level(composed):
    found = composed(FILE)
    assert values(found.definitions) == {"calls": 2.0, "twice": 4.0}
    assert values(found.parts) == {
        ("kernel",): 4.0,
        ("network",): 2.0 + 5.0 + 2.5,
        ("network", "halo"): 2.0,
        ("network", "sums"): 7.5,
        ("network", "sums", "up"): 5.0,
        ("network", "sums", "down"): 2.5,
    }
    assert list(found.parts)[:3] == [("kernel",), ("network",), ("network", "halo")]
    assert values({"total": found.total}) == {"total": 13.5}
    assert str(found.total.dimension) == "s"
    assert found.bandwidth is None


def test_a_total_may_say_otherwise(composed):
    found = composed('total = "max(kernel, network.sums.up) + wait"\n' + FILE)
    assert values({"total": found.total}) == {"total": 5.5}


def test_parts_of_different_units_have_no_sum(composed):
    where = refused(lambda: composed('[parts]\na = "1"\nb = "mach.step"\n'), raises=UsageError).partition(
        "app.toml"
    )[2]
    assert where == (
        ": total: unit mismatch: cannot add no unit and s; give all parts the same unit, or write total = ..."
    )


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("2 * calls", "2 * call", "app.toml: twice: unknown name 'call' in 'call'; did you mean 'calls'?"),
        ("floor(n / 2)", "floor(n / 2", "app.toml: calls: 'floor(n / 2' is not an expression"),
        ("half(2)", "half(wait)", "app.toml: network.sums.up: unit mismatch: 'x' is in no unit"),
        ("half(x) / 2", "halve(x) / 2", "app.toml:8: unknown name 'halve'"),
    ],
)
def test_mistakes_name_the_key(composed, old, new, line):
    assert line in refused(lambda: composed(FILE.replace(old, new)), raises=UsageError)


def test_unknown_names_of_the_machine_say_where_to_add_them(composed, tmp_path):
    (tmp_path / "here.toml").write_text("")
    target = load_machine(tmp_path / "here.toml")
    text = '[parts]\na = "mach.stop"\nb = "other.x"\n'
    with pytest.raises(
        UsageError,
        match=r"a: unknown name 'mach.stop' in 'mach.stop'; did you mean 'mach.step'\? or add it to .*here",
    ):
        composed(text, target=target)
    with pytest.raises(
        UsageError,
        match=r"total: unknown name 'mach.x' in 'mach.x'; did you mean 'max'\? or add it to .*here.toml$",
    ):
        composed('total = "mach.x"\n[parts]\na = "1"\n', target=target)
