"""A projection: values in their units, shares, variants on the same draws, and what is said besides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import InputError, ModelError, UsageError
from pipeline.projection.applications.application_file import load_application
from pipeline.projection.applications.projections import Variant, adding_up, sweep
from pipeline.projection.machines.machine_values import load_machine
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.stored import no_models

APPLICATION = """
title = "steps"
[inputs]
n = { meaning = "sites" }
m = { unit = "kB" }
wait = { value = "3 ms", meaning = "of a step" }
[define]
half = "n / 2"
[parts]
kernel = "half * mach.step"
[parts.network]
halo = "m / mach.bw"
waits = "wait"
[measured]
cluster = "10 s"
"""
MACHINE = """
name = "Cluster"
[values]
step = "2 s +- 10 %"
bw = { value = "1 kB/s", note = "bandwidth is a guess" }
[terms.unused]
model = "allreduce"
c = "1 s"
d = "1 s"
"""
VARIANTS = """
variant = "usual"
[values]
bw = "1 kB/s"
[terms.step]
model = "allreduce"
c = "2 s +- 10 %"
d = "0 s"
base = 2
[variants.fast.step]
model = "allreduce"
c = "1 s"
d = "0 s"
[variants.slow.step]
model = "allreduce"
c = "4 s"
d = "0 s"
[variants.far.step]
model = "allreduce"
by = "n"
rows = [ { n = 100, c = "1 s", d = "0 s" }, { n = 200, c = "1 s", d = "0 s" } ]
[variants.broken.step]
model = "allreduce"
"""


@pytest.fixture
def projected(tmp_path):
    def call(at=None, *, application=APPLICATION, machine=MACHINE, **options):
        (tmp_path / "app.toml").write_text(application)
        (tmp_path / "cluster.toml").write_text(machine)
        files = load_application(tmp_path / "app.toml"), load_machine(tmp_path / "cluster.toml")
        return sweep(*files, [at or {"n": 4, "m": 5}], no_models, **options)[0]

    return call


def by_qath(lines):
    return {".".join(line.path): line for line in lines}


def test_everything_is_in_si_units_with_its_share(projected):
    found = projected()
    assert (found.title, found.machine, found.variant) == ("steps", "Cluster", "expected")
    assert found.at == {"n": 4.0, "m": 5e3, "wait": pytest.approx(3e-3)}
    assert {name: line.value for name, line in by_qath(found.parts).items()} == {
        "kernel": 4.0,
        "network": pytest.approx(5.003),
        "network.halo": 5.0,
        "network.waits": pytest.approx(0.003),
    }
    assert found.total.value == pytest.approx(9.003)
    assert found.total.path == ("total",)
    assert {name: line.share for name, line in by_qath(found.parts).items()} == {
        "kernel": pytest.approx(4 / 9.003),
        "network": pytest.approx(5.003 / 9.003),
        "network.halo": pytest.approx(5 / 9.003),
        "network.waits": pytest.approx(0.003 / 9.003),
    }
    assert by_qath(found.definitions)["half"].value == 2.0
    assert found.total.share is None
    assert str(found.total.dimension) == "s"
    assert (found.measured.value, found.level, found.reference, found.speedup) == (10.0, 0.9, None, None)
    assert "half" not in found.formula
    assert "mach.bw" in found.formula


def test_intervals_are_those_of_the_machine(projected):
    parts = by_qath(projected().parts)
    sigma = np.sqrt(np.log(1.01))
    assert parts["kernel"].lower == pytest.approx(4 * np.exp(-1.645 * sigma), rel=0.01)
    assert parts["kernel"].upper == pytest.approx(4 * np.exp(1.645 * sigma), rel=0.01)
    assert parts["network.halo"].lower == parts["network.halo"].upper == 5.0
    half = by_qath(projected(level=0.5).parts)["kernel"]
    assert half.upper == pytest.approx(4 * np.exp(0.6745 * sigma), rel=0.01)


def test_notes_of_the_values_used_become_notices(projected):
    assert projected().notices == ("bandwidth is a guess",)
    alone = projected(application='[parts]\nkernel = "mach.step"\n[inputs]\nn = 1\nm = 1\n')
    assert alone.notices == ()


@pytest.mark.parametrize(
    ("given", "value"),
    [(5, 5e3), ("5", 5e3), ("5 kB", 5e3), ("5 B", 5.0), ("1 MB", 1e6), (0.5, 500.0)],
)
def test_plain_numbers_are_in_the_unit_of_the_application(projected, given, value):
    assert projected({"n": 4, "m": given}).at["m"] == pytest.approx(value)


def test_defaults_may_be_replaced(projected):
    assert projected({"n": 4, "m": 5, "wait": 2}).at["wait"] == pytest.approx(2e-3)
    assert projected({"n": 4, "m": 5, "wait": "2 s"}).at["wait"] == 2.0


@pytest.mark.parametrize(
    ("at", "line"),
    [
        ({"m": 5}, "app.toml: no value for n (sites); give it with --at n=8"),
        ({"wait": 1}, "app.toml: no value for n (sites), m (no default); give them with --at n=8,m=8"),
        ({"n": 4, "m": 5, "k": 1}, "app.toml: no input 'k'; inputs are n, m, wait"),
        ({"n": 4, "m": "5 s"}, "--at m: unit mismatch: 'm' is in B, the value in s; correct its unit"),
        ({"n": "90 %", "m": "5 s"}, "--at m: unit mismatch"),
        ({"n": 4, "m": "many"}, "--at m: 'many' is not a quantity"),
    ],
)
def test_inputs_that_are_missing_or_wrong(projected, at, line):
    assert line in refused(lambda: projected(at), raises=UsageError)


def test_an_application_without_inputs_says_so(projected):
    with pytest.raises(UsageError, match=r"no input 'n'; inputs are none$"):
        projected(application='[parts]\na = "1"\n')


def test_a_part_that_measures_something_else_has_no_share(projected):
    text = (
        'total = "time"\n[parts]\ntime = "mach.step"\nsize = "mach.bw * mach.step"\n[inputs]\nn = 1\nm = 1\n'
    )
    parts = by_qath(projected(application=text).parts)
    assert parts["time"].share == 1.0
    assert parts["size"].share is None
    zero = projected(
        application='total = "0 * mach.step"\n[parts]\na = "mach.step"\n[inputs]\nn = 1\nm = 1\n'
    )
    assert zero.parts[0].share is None


STEP = 'c = "2 s +- 10 %"\nd = "0 s"\nbase = 2'
USES_TERM = APPLICATION.replace("half * mach.step", "half * mach.step(2)")


def test_other_variants_are_compared_on_the_same_draws(projected):
    found = projected(application=USES_TERM, machine=VARIANTS)
    fast, slow, far, broken = found.variants
    assert [each.name for each in found.variants] == ["fast", "slow", "far", "broken"]
    assert found.variant == "usual"
    assert fast.total.value == pytest.approx(7.003)
    assert fast.total.path == ("fast",)
    assert fast.loss.value == pytest.approx(2 / 9.003)
    assert slow.loss.value == pytest.approx(-4 / 9.003)
    # The loss is certain but for the usual term.
    assert fast.loss.lower == pytest.approx(1 - 7.003 / found.total.lower, rel=1e-3)
    assert fast.loss.upper == pytest.approx(1 - 7.003 / found.total.upper, rel=1e-3)
    assert far == Variant("far", None, None, far.reason)
    assert far.reason == "mach.far.step was measured at n = 100, 200, not 4"
    assert (broken.total, broken.reason) == (None, "c: is missing")
    assert fast.reason == ""


def test_a_variant_may_be_chosen_and_is_compared_with_the_usual_one(projected):
    found = projected(application=USES_TERM, machine=VARIANTS, variant="slow")
    assert found.variant == "slow"
    assert found.total.value == pytest.approx(13.003)
    assert [each.name for each in found.variants] == ["usual", "fast", "far", "broken"]
    assert found.variants[0].loss.value == pytest.approx(4 / 13.003)
    with pytest.raises(UsageError, match="no variant 'best'"):
        projected(application=USES_TERM, machine=VARIANTS, variant="best")
    with pytest.raises(InputError, match="c: is missing"):
        projected(application=USES_TERM, machine=VARIANTS, variant="broken")


def test_ranges_left_are_notices(projected):
    rows = 'by = "n"\nrows = [ { n = 2, c = "1 s", d = "0 s" }, { n = 8, c = "3 s", d = "0 s" } ]'
    found = projected(application=USES_TERM, machine=VARIANTS.replace(STEP, rows))
    assert found.notices == ("mach.step was measured at n = 2, 8; 4 is interpolated",)
    assert by_qath(found.parts)["kernel"].value == pytest.approx(2 * 2.0)


def test_inputs_that_only_the_machine_knows(projected):
    usual = VARIANTS.split("[variants", maxsplit=1)[0]
    by_q = usual.replace(STEP, 'by = "Q"\nrows = [ { Q = 1, c = "1 s", d = "0 s" } ]')
    assert "cluster.toml depends on 'Q', which is not an input here; add Q to [inputs]" in refused(
        lambda: projected(application=USES_TERM, machine=by_q), raises=UsageError
    )


def test_a_value_of_the_machine_that_is_missing_says_where_to_add_it(projected):
    with pytest.raises(UsageError, match=r"unknown name 'mach.step'.* add it to .*cluster.toml$"):
        projected(machine=MACHINE.replace("step =", "other ="))


def test_what_is_not_finite_is_named(projected):
    with pytest.raises(ModelError, match=r"^.*app.toml: 'total' has no finite value at these inputs"):
        projected(
            {"n": 4, "m": 5}, application=APPLICATION.replace("half * mach.step", "mach.step / (n - 4)")
        )


def test_a_total_below_zero_is_refused(projected):
    with pytest.raises(UsageError, match=r"the total is -4 s at n = -9, m = 5, wait = 0; choose other"):
        projected({"n": -9, "m": 5, "wait": 0})


RIVALS = """
[terms.one]
model = "allreduce"
ranks_per_node = 16
data = [
  { P = 16, time = "2 us" }, { P = 32, time = "4.5 us" }, { P = 64, time = "5.5 us" },
  { P = 128, time = "9 us" }, { P = 256, time = "9.5 us" },
]
[terms.two]
model = "allreduce"
ranks_per_node = 16
data = [
  { P = 16, time = "3 us" }, { P = 32, time = "3.5 us" }, { P = 64, time = "9 us" },
  { P = 128, time = "9.5 us" }, { P = 256, time = "16 us" },
]
"""
SUMS = """
{total}
[inputs]
P = {{ meaning = "processes" }}
[parts.network]
one = "mach.one(P)"
two = "2 * mach.two(P)"
[parts]
rest = "8 * mach.one(P)"
"""


@pytest.mark.slow
def test_medians_of_rivals_add_up(projected):
    (found, exact) = (
        projected({"P": 2048}, application=SUMS.format(total=total), machine=RIVALS)
        for total in ("", 'total = "network + rest"')
    )
    parts = {name: line.value for name, line in by_qath(found.parts).items()}
    assert parts["network"] + parts["rest"] == pytest.approx(found.total.value, rel=1e-12)
    assert parts["network.one"] + parts["network.two"] == pytest.approx(parts["network"], rel=1e-12)
    assert sum(line.share for line in found.parts if len(line.path) == 1) == pytest.approx(1.0, rel=1e-12)
    assert found.total.value == pytest.approx(exact.total.value, rel=1e-12)
    own = {name: line.value for name, line in by_qath(exact.parts).items()}
    assert own["network.one"] + own["network.two"] == pytest.approx(own["network"], rel=1e-12)
    assert own["network"] + own["rest"] != pytest.approx(exact.total.value, rel=1e-6)
    assert all(line.lower <= line.value <= line.upper for line in found.parts)


PATHS = [("a",), ("a", "x"), ("a", "y"), ("b",), ("c",), ("c", "z"), ("c", "z", "u"), ("c", "z", "v")]
INNERMOST = [("a", "x"), ("a", "y"), ("b",), ("c", "z", "u"), ("c", "z", "v")]


def test_what_is_missing_goes_where_least_is_known():
    values = {("a",): 3.0, ("b",): 5.0, ("c",): 1.0}
    variances = {("a",): 1.0, ("b",): 3.0, ("c",): 0.0}
    assert adding_up(values, variances, 10.0) == {("a",): 3.25, ("b",): 5.75, ("c",): 1.0}


def test_without_a_total_every_outermost_part_keeps_its_value():
    values = {("a",): 3.0, ("a", "x"): 1.0, ("a", "y"): 1.0, ("b",): 5.0}
    found = adding_up(values, dict.fromkeys(values, 1.0), None)
    assert found == {("a",): 3.0, ("a", "x"): 1.5, ("a", "y"): 1.5, ("b",): 5.0}


def test_exact_parts_stay_as_they_are():
    values = {("a",): 3.0, ("b",): 5.0}
    assert adding_up(values, dict.fromkeys(values, 0.0), 8.0) == values


numbers = st.floats(0.0, 1e6)


@given(st.tuples(*[numbers] * len(PATHS)), st.tuples(*[st.floats(0.01, 1e6)] * len(PATHS)), numbers)
def test_every_group_and_the_total_are_the_sums_of_their_parts(values, variances, total):
    found = adding_up(dict(zip(PATHS, values, strict=True)), dict(zip(PATHS, variances, strict=True)), total)
    size = max(1.0, total, *values)
    assert sum(found[path] for path in PATHS if len(path) == 1) == pytest.approx(total, abs=1e-9 * size)
    assert found["a",] == pytest.approx(found["a", "x"] + found["a", "y"], abs=1e-9 * size)
    assert found["c",] == pytest.approx(found["c", "z", "u"] + found["c", "z", "v"], abs=1e-9 * size)
