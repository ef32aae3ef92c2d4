"""What stands behind port terms: the same as the functions that they call."""

import pytest

from ingest.errors import UsageError
from pipeline.projection.applications.application import load_application
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.ports.comparisons import compare_models
from pipeline.projection.ports.port_estimate import estimate_cpi
from pipeline.projection.ports.port_map import class_vector, read_port_map, variants_in
from pipeline.projection.ports.schedule import cycles
from pipeline.projection.ports.threads import model_comparisons, port_loads, thread_times
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


def test_models_are_compared_on_the_variants(files, variants):
    found = model_comparisons(*files())
    expected = compare_models(WHOLE, {"flux": variants}, "v0").summary()
    for name, errors in found["flux"].summary().items():
        assert errors == pytest.approx(expected[name])
    assert set(expected) == {"equal IPC", "superscalar", "contention"}


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
