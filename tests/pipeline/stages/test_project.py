"""The project stage: files by name, stored models from a results directory, exports and rooflines."""

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError, UsageError
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.projection.applications.projections import Sweep
from pipeline.stages.project import (
    export_application,
    files,
    project,
    projection_image,
    sensitivities_of,
    stored_models,
    sweep,
)
from pipeline.stages.shipped import shipped_applications, shipped_machines
from pipeline.store.generation import STORE_VERSION, new_generation, publish
from pipeline.store.results import to_table
from tests.pipeline.models.made import grid_of
from tests.stored_results import sign

P = np.array([2.0, 4, 8, 16, 32, 64])
PATHS = [["main", "solve"], ["main", "Amul"], ["main", "wait"]]


@pytest.fixture(scope="module")
def models():
    random = np.random.default_rng(4)
    truth = np.stack([10 + 0.5 * P, 3 * np.sqrt(P), 0.2 * np.log2(P) ** 2])
    values = truth[:, :, None] * (1 + 0.03 * random.standard_normal((3, len(P), 4)))
    return fit(("p",), P[:, None], values, ModelOptions())


@pytest.fixture
def folder(tmp_path, models):
    (tmp_path / "results").mkdir()
    table = to_table(models)
    with new_generation(tmp_path / "results") as made:
        for file, paths in (("models.parquet", PATHS), ("region_models.parquet", [p[-1:] for p in PATHS])):
            pq.write_table(table.add_column(0, "callpath", pa.array(paths)), made / file)
        (made / "summary.json").write_text(json.dumps({"total": {"unit": "core-s"}}))
        publish(made, {"version": STORE_VERSION})
    return tmp_path


def test_stored_models_are_read_by_region_and_call_path(folder, models):
    regions, callpaths = (stored_models(folder / "results", level) for level in ("region", "callpath"))
    assert regions.callpaths == (("solve",), ("Amul",), ("wait",))
    assert callpaths.callpaths == (("main", "solve"), ("main", "Amul"), ("main", "wait"))
    assert regions.unit == "core-s"
    assert np.array_equal(grid_of(regions.models).coefficients, grid_of(models).coefficients)


def damage_table(results):
    (results / "region_models.parquet").write_bytes(b"PAR1 not really PAR1")


def damage_models(results):
    pq.write_table(pa.table({"callpath": [["a"]]}), results / "region_models.parquet")


def damage_columns(results):
    table = pq.read_table(results / "region_models.parquet")
    pq.write_table(table.drop_columns(["callpath"]), results / "region_models.parquet")


@pytest.mark.parametrize(
    ("harm", "line"),
    [
        (damage_table, "the stored results are damaged ("),
        (damage_columns, "the stored results are damaged ("),
        (lambda results: (results / "summary.json").write_text("{"), "the stored results are damaged ("),
        (
            lambda results: (results / "summary.json").write_text("{}"),
            "the stored results are damaged ('total')",
        ),
        (
            lambda results: (results / "summary.json").write_text('{"total": 3}'),
            "the stored results are damaged (",
        ),
        (
            lambda results: (results / "summary.json").unlink(),
            "the stored results are damaged (summary.json is missing)",
        ),
        (
            lambda results: (results / "region_models.parquet").unlink(),
            "the stored results are damaged (region_models.parquet is missing)",
        ),
        (damage_models, "the table holds no scaling models"),
    ],
)
def test_results_that_are_not_whole(folder, harm, line):
    results = folder / "results"
    harm(results)
    sign(results)
    with pytest.raises(InputError) as caught:
        stored_models(results, "region")
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    if "damaged" in line:
        assert str(caught.value).startswith(f"{results}: ")
        assert str(caught.value).endswith("; run `pipeline run` again")


MODEL = """
machine = "xe6"
[inputs]
P = { meaning = "processes" }
[terms.kernel]
model = "measured"
results = "results"
region = "Amul"
[parts]
compute = "kernel(P) / (P * unit.core)"
sums = "100 * mach.allreduce(P)"
"""


def test_measured_scaling_stands_beside_a_projected_network(folder, models):
    (folder / "app.toml").write_text(MODEL)
    found = project(folder / "app.toml", at={"P": 32})
    parts = {line.path[0]: line for line in found.parts}
    at_home = models.predict(np.array([[32.0]])).value[1, 0]
    assert parts["compute"].value == pytest.approx(at_home / 32, rel=0.02)
    assert parts["sums"].value == pytest.approx(100 * (21.5e-6 + 8.5e-6 * 5))
    assert found.total.lower < found.total.value < found.total.upper
    assert sum(line.value for line in found.parts) == pytest.approx(found.total.value, rel=1e-12)
    assert sum(line.share for line in found.parts) == pytest.approx(1.0, rel=1e-12)


def test_effort_does_not_pass_for_time(folder):
    (folder / "app.toml").write_text(MODEL.replace("(P * unit.core)", "P"))
    with pytest.raises(
        UsageError, match=r"cannot add core-s and s; divide core-seconds by the processes, as in"
    ):
        project(folder / "app.toml", at={"P": 32})
    (folder / "app.toml").write_text(MODEL.replace(" / (P * unit.core)", "").replace("sums", "# sums"))
    assert str(project(folder / "app.toml", at={"P": 32}).total.dimension) == "core-s"


def test_the_machine_is_the_one_given_or_the_applications_own(folder):
    assert project("milc", at={"L": 4, "P": 256}).machine == "IBM POWER5+ cluster"
    assert project("milc", "xt5", {"L": 4, "P": 1024}).machine == "Cray XT5 (Kraken)"
    (folder / "app.toml").write_text('machine = "mine.toml"\n[parts]\nt = "mach.t"\n')
    (folder / "mine.toml").write_text('name = "mine"\n[values]\nt = "3 s"\n')
    (folder / "other.toml").write_text('name = "other"\n[values]\nt = "4 s"\n')
    assert project(folder / "app.toml").machine == "mine"
    assert project(folder / "app.toml", folder / "other.toml").total.value == 4.0


def test_shipped_files_are_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = project("examples/milc.toml", "machines/power5plus.toml", {"L": 8, "P": 1024})
    assert found.total.value == pytest.approx(9.8075, abs=5e-5)


def test_without_a_machine_the_shipped_ones_are_listed(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text('[parts]\nt = "1"\n')
    line = r"app.toml: no machine to project to; choose one with --on: a file, or one of alps-.*, zen4-vm$"
    with pytest.raises(UsageError, match=line):
        project(path)


def test_level_and_variant_are_passed_on():
    wide, narrow = (project("milc", "xt5", {"L": 4, "P": 1024}, level=level).total for level in (0.99, 0.5))
    assert narrow.upper - narrow.lower < 0.5 * (wide.upper - wide.lower)
    assert project("milc", "xt5", {"L": 4, "P": 1024}, variant="noiseless").variant == "noiseless"


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
def test_exported_functions_compute_what_the_projection_computes(machine, variant):
    expected = project("milc", machine, AT, variant=variant).total.value
    in_python = export_application("milc", machine, "python", variant=variant)
    assert run_python(in_python, "milc", **AT) == pytest.approx(expected, rel=1e-12)
    in_octave = export_application("milc", machine, "octave", variant=variant)
    assert run_octave(in_octave, **AT) == pytest.approx(expected, rel=1e-12)
    assert "Piecewise" not in in_octave
    assert f"MILC su3_rmd on {project('milc', machine, AT, variant=variant).machine}, SI units" in in_octave


def test_an_export_says_what_the_machine_lacks():
    with pytest.raises(UsageError, match=r"unknown name 'mach.FF'.*add it to .*knl-7210.toml"):
        export_application("milc", "knl-7210", "python")


def test_everything_shipped_is_loaded():
    assert [each.path.stem for each in shipped_applications()][3:5] == ["loops", "milc"]
    assert [each.path.stem for each in shipped_machines()][:2] == ["alps-gh200", "archer2"]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_roofline_or_a_sweep_is_drawn(form, start):
    assert projection_image(form, Sweep(swept="", projections=(project("setsm"),))).startswith(start)
    found = sweep("milc", "xt5", [{"L": size, "P": 1024} for size in (4, 8, 14)])
    assert projection_image(form, Sweep(swept="L", projections=found)).startswith(start)


def test_a_roofline_that_cannot_be_drawn():
    with pytest.raises(UsageError, match=r"^--out: nothing is swept, and this projection has no roofline; "):
        projection_image("png", Sweep(swept="", projections=(project("milc", at={"L": 4, "P": 256}),)))


def test_every_point_of_a_sweep_is_the_projection_there():
    points = [{"L": 8, "P": processes} for processes in (1024, 2048)]
    for found, at in zip(sweep("milc", "xt5", points), points, strict=True):
        alone = project("milc", "xt5", at)
        assert (found.at, found.notices, found.formula) == (alone.at, alone.notices, alone.formula)
        for line, expected in zip((found.total, *found.parts), (alone.total, *alone.parts), strict=True):
            assert (line.path, line.dimension) == (expected.path, expected.dimension)
            assert [line.value, line.lower, line.upper] == pytest.approx(
                [expected.value, expected.lower, expected.upper], rel=1e-12
            )
        assert [v.loss.value for v in found.variants] == pytest.approx([v.loss.value for v in alone.variants])


def test_a_variant_may_have_totals_at_some_points_of_a_sweep_only():
    found = sweep("milc", "xt5", [{"L": 8, "P": p} for p in (1024, 4096)], variant="ideal")
    expected, noiseless = ([p.variants[k] for p in found] for k in (0, 1))
    assert [variant.total is None for variant in expected] == [False, True]
    assert expected[1].reason == "mach.message was measured at P = 1024, 2048, not 4096"
    assert [variant.total is None for variant in noiseless] == [False, True]
    with pytest.raises(UsageError, match="was measured at P = 1024, 2048, not 4096"):
        sweep("milc", "xt5", [{"L": 8, "P": p} for p in (1024, 4096)])


def test_what_does_not_depend_on_the_input_swept_is_there_at_every_point(tmp_path):
    (tmp_path / "app.toml").write_text('machine = "xt5"\n[inputs]\nn = 1\n[parts]\na = "2 * unit.s"\n')
    found = sweep(tmp_path / "app.toml", None, [{"n": 1}, {"n": 2}, {"n": 3}])
    assert [p.total.value for p in found] == [2.0, 2.0, 2.0]


@pytest.mark.slow
def test_sensitivities_are_those_of_the_total():
    found = {s.name: s.elasticity for s in sensitivities_of(*files("milc", "xt5"), AT).sensitivities}
    assert next(iter(found)) == "L"
    step = 1e-4
    totals = [project("milc", "xt5", {**AT, "L": AT["L"] * (1 + k * step)}).total.value for k in (-1, 1)]
    assert found["L"] == pytest.approx((totals[1] - totals[0]) / (totals[0] + totals[1]) / step, rel=1e-3)
