"""What stands behind port terms: the same as the functions that they call."""

import pytest

from ingest.errors import UsageError
from pipeline.columns.port_models import comparisons_json, counters_json, threads_json
from pipeline.projection.applications.application import load_application
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.ports.comparisons import compare_models
from pipeline.projection.ports.port_estimate import estimate_cpi
from pipeline.projection.ports.port_map import class_vector, read_port_map, variants_in
from pipeline.projection.ports.schedule import cycles
from pipeline.projection.ports.threads import (
    counter_comparisons,
    model_comparisons,
    port_loads,
    thread_times,
)
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.simulated import variant_lines

WHOLE = read_port_map("golden-cove")
APPLICATION = """
[terms.flux]
model = "ports"
map = "golden-cove"
data = "variants.csv"
mini = "v0"
target = { div = 10, mul = 3 }
threads = "node.csv"
[parts]
time = "flux() * unit.s"
"""
NODE = "threads,dt_cycles,dt_hz [GHz],hz [GHz],iterations\n1,1,2,2,1000\n8,1e4,2,2,125\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ports")
    (folder / "variants.csv").write_text("\n".join(variant_lines()))
    (folder / "node.csv").write_text(NODE)
    (folder / "machine.toml").write_text('name = "node"\n')
    return folder


@pytest.fixture
def files(folder):
    def call(text=APPLICATION):
        (folder / "app.toml").write_text(text)
        return load_application(folder / "app.toml"), load_machine(folder / "machine.toml")

    return call


@pytest.fixture(scope="module")
def variants(folder):
    return variants_in(read_columns(folder / "variants.csv"), WHOLE)


def test_ports_are_loaded_with_the_cycles_of_the_target(files, variants):
    (found,) = port_loads(*files())
    cpi = estimate_cpi(WHOLE, variants.counts, variants.cycles).cpi
    target = class_vector(WHOLE, {"div": 10, "mul": 3})
    assert found.name == "flux"
    assert found.cycles.sum(axis=0) == pytest.approx(target * cpi)
    assert found.cycles.sum(axis=1).max() == pytest.approx(cycles(WHOLE, target, cpi))


@pytest.mark.slow
def test_models_are_compared_on_the_variants(files, variants):
    found = model_comparisons(*files())
    expected = compare_models(WHOLE, {"flux": variants}, "v0").summary()
    for name, errors in found["flux"].summary().items():
        assert errors == pytest.approx(expected[name])
    assert set(expected) == {"equal IPC", "superscalar", "contention"}


@pytest.mark.slow
def test_terms_with_the_same_ports_and_mini_app_are_groups_of_one_comparison(files, variants):
    """The constant ratio is measured in the first and assumed in the others."""
    twice = (
        APPLICATION + "[terms.again]" + APPLICATION.split("[terms.flux]")[1].split("[parts]", maxsplit=1)[0]
    )
    found = model_comparisons(*files(twice))
    assert found["flux"] is found["again"]
    assert "constant ratio" not in found["again"].summary("flux")
    assert found["again"].summary("again")["constant ratio"] == pytest.approx((0, 0, 0), abs=1e-12)
    document = comparisons_json(found)
    assert {row["variants"] for row in document["models"]} == {len(variants.names) - 1}
    targets = [target for target in document["targets"] if target["term"] == "again"]
    assert [target["variant"] for target in targets] == [name for name in variants.names if name != "v0"]
    assert targets[0]["predicted"]["constant ratio"] == pytest.approx(targets[0]["measured"])
    assert document["targets"][0]["predicted"]["constant ratio"] is None


def test_measured_times_are_beside_the_predicted_ones(files, folder):
    assert threads_json(thread_times(*files()))["threads"][0]["error"] is None
    (folder / "timed.csv").write_text(
        NODE.replace("iterations\n", "iterations,measured [ms]\n")
        .replace("1000\n", "1000,1\n")
        .replace("125\n", "125,0.5\n")
    )
    rows = threads_json(thread_times(*files(APPLICATION.replace("node.csv", "timed.csv"))))["threads"]
    assert [row["measured"] for row in rows] == [0.001, 0.0005]
    assert rows[1]["error"] == pytest.approx(1e4 * 125 / 2e9 / 0.0005 - 1)


def test_counters_of_mini_app_and_target(files, folder):
    """A counter that grows with the loss of efficiency correlates fully, one that falls negatively."""
    rows = [(1, 8.0, 1.0), (2, 5.0, 2.0), (4, 4.0, 3.0)]
    for name, sign in (("mini", 1), ("target", -1)):
        lines = [f"{n},{s},{10 + sign * (1 - 8 / (n * s))}" for n, s, _ in rows]
        (folder / f"{name}.csv").write_text("\n".join(["threads,time [s],misses", *lines]))
    stated = 'counters = { mini = "mini.csv", target = "target.csv" }\n'
    found = counter_comparisons(*files(APPLICATION.replace("threads =", stated + "threads =")))
    (row,) = counters_json(found)["counters"]
    assert (row["term"], row["counter"], row["alike"], row["strong"]) == ("flux", "misses", False, False)
    assert (row["mini"], row["target"]) == pytest.approx((1, -1))


def test_run_time_over_threads(files):
    (found,) = thread_times(*files())
    assert found.node.threads.tolist() == [1, 8]
    assert found.scaling.memory_bound.tolist() == [False, True]
    assert found.scaling.seconds.value[1] == pytest.approx(1e4 * 125 / 2e9)


@pytest.mark.parametrize(
    ("old", "new", "function", "line"),
    [
        (
            'mini = "v0"\n',
            "",
            model_comparisons,
            "no port term has a mini-app to compare models with; name the v",
        ),
        (
            'threads = "node.csv"\n',
            "",
            thread_times,
            "no port term has measurements by thread count; name a CSV",
        ),
        ("threads =", "threads =", counter_comparisons, "no port term has measured counters; name two CSV"),
        (
            'model = "ports"\n',
            'expression = "1"\n',
            port_loads,
            "the application has no port terms; describe its",
        ),
    ],
)
def test_what_is_missing_is_named(files, old, new, function, line):
    assert line in refused(lambda: function(*files(APPLICATION.replace(old, new))), raises=UsageError)
