import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.projection.measured import scaling_model
from pipeline.projection.predict import broken_limits, predict
from pipeline.stages.project import project
from pipeline.store.models import to_table

P = np.array([2.0, 4, 8, 16, 32, 64])
PATHS = [["main", "solve"], ["main", "Amul"], ["main", "wait"]]


@pytest.fixture(scope="module")
def models():
    random = np.random.default_rng(4)
    truth = np.stack([10 + 0.5 * P, 3 * np.sqrt(P), 0.2 * np.log2(P) ** 2])
    values = truth[:, :, None] * (1 + 0.03 * random.standard_normal((3, len(P), 4)))
    return fit(("p",), P[:, None], values, ModelOptions())


@pytest.fixture
def results(tmp_path, models):
    directory = tmp_path / "results"
    directory.mkdir()
    table = to_table(models)
    for file, paths in (("models.parquet", PATHS), ("region_models.parquet", [path[-1:] for path in PATHS])):
        pq.write_table(table.add_column(0, "callpath", pa.array(paths)), directory / file)
    (directory / "summary.json").write_text(json.dumps({"total": {"unit": "core-s"}}))
    return tmp_path


@pytest.mark.parametrize("kernel", range(3))
def test_a_scaling_model_predicts_what_it_predicts_at_home(models, kernel):
    points = np.array([8.0, 64, 256, 1024])
    home = models.predict(points[:, None])
    here = predict({"k": scaling_model("k", models, kernel)}, {"p": points})["k"]
    width = home.upper[kernel] - home.lower[kernel]
    for end in ("value", "lower", "upper"):
        expected = getattr(home, end)[kernel]
        assert (np.abs(getattr(here, end) - expected) <= 0.15 * width + 0.01 * expected).all()
    assert (here.upper - here.lower)[-1] == pytest.approx(width[-1], rel=0.25)


def test_beyond_the_measured_range_is_told(models):
    model = scaling_model("solve", models, 0)
    assert broken_limits({"k": model}, {"p": 64}) == ()
    assert broken_limits({"k": model}, {"p": 128}) == ("solve was measured for p 2 to 64, here 128",)


MODEL = """
machine = "xe6"
[inputs]
P = {{ meaning = "processes" }}
[terms.kernel]
model = "measured"
results = "{results}"
{kernel}
[parts]
compute = "kernel(P) / P"
sums = "100 * mach.allreduce(P)"
"""


def application(folder, kernel, results="results"):
    path = folder / "app.toml"
    path.write_text(MODEL.format(kernel=kernel, results=results))
    return path


def test_measured_scaling_stands_beside_a_projected_network(results, models):
    found = project(application(results, 'region = "Amul"'), at={"P": 32})
    parts = {line.path[0]: line for line in found.parts}
    at_home = models.predict(np.array([[32.0]])).value[1, 0]
    assert parts["compute"].value == pytest.approx(at_home / 32, rel=0.02)
    assert parts["sums"].value == pytest.approx(100 * (21.5e-6 + 8.5e-6 * 5))
    assert found.total.lower < found.total.value < found.total.upper


def test_a_kernel_is_found_by_its_call_path(results):
    by_region = project(application(results, 'region = "solve"'), at={"P": 32}).total.value
    assert (
        project(application(results, 'callpath = ["main", "solve"]'), at={"P": 32}).total.value == by_region
    )


@pytest.mark.parametrize(
    ("kernel", "folder", "line"),
    [
        ('region = "solver"', "results", "no kernel 'solver' in"),
        ('callpath = "main"', "results", "'callpath' has to be a list of region names"),
        ("", "results", "'region' is missing"),
        ('region = "solve"', "other", "no stored models; make it with `pipeline run DIR --out"),
        ('regions = "solve"', "results", "did you mean 'region'?"),
    ],
)
def test_mistakes_are_one_line_each(results, kernel, folder, line):
    with pytest.raises(InputError) as caught:
        project(application(results, kernel, folder), at={"P": 32})
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_results_are_told(results):
    (results / "results" / "region_models.parquet").write_bytes(b"PAR1 not really PAR1")
    with pytest.raises(InputError, match="the stored models are damaged"):
        project(application(results, 'region = "solve"'), at={"P": 32})
