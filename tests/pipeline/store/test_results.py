"""Results directories: those of earlier versions, damaged ones, and what makes one reusable."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError
from ingest.record_codec import document
from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.freshness import reuse_key, unchanged
from pipeline.store.generation import STORE_VERSION, open_result
from pipeline.store.made_from import InputFile
from pipeline.store.results import read_analysis
from tests.documents import summary_of
from tests.pipeline.store.golden import GOLDEN, NAME
from tests.stored_results import sign

ROOT = Path(__file__).parents[3]
VERSIONS = sorted(GOLDEN.iterdir())


def test_this_version_has_its_golden_directory():
    assert GOLDEN / f"version-{STORE_VERSION}" in VERSIONS


@pytest.mark.parametrize("directory", VERSIONS, ids=[directory.name for directory in VERSIONS])
def test_results_of_every_version_are_read_or_refused_with_a_sentence(directory):
    if directory.name != f"version-{STORE_VERSION}":
        with pytest.raises(InputError, match="written by another version of pipeline; make it with"):
            read_analysis(directory)
        return
    analysis = read_analysis(directory)
    assert analysis.experiment.callpaths == [("main",), ("main", NAME), ("main", "sum")]
    assert [run.point for run in analysis.experiment.runs] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    stored = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    found = summary_of(analysis, ({"p": 64.0},), stored["notices"])
    for key in ("parameters", "points", "scaling", "scaling_reason"):
        assert found[key] == stored[key]
    assert found["efficiency"]["points"] == stored["efficiency"]["points"]
    for one, other in zip(found["kernels"], stored["kernels"], strict=True):
        assert (one["callpath"], one["model"]["formula"]) == (other["callpath"], other["model"]["formula"])
        for end in ("value", "lower", "upper"):
            assert one["predictions"][0][end] == pytest.approx(other["predictions"][0][end], rel=1e-6)


@pytest.mark.parametrize("name", ["models", "runs"])
def test_the_columns_of_tables_are_the_documented_ones(name):
    documented = (ROOT / "docs/reference/results-directory.md").read_text(encoding="utf-8")
    section = documented.partition(f"## {name}.parquet")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    stored = pq.read_schema(GOLDEN / f"version-{STORE_VERSION}" / f"{name}.parquet")
    assert set(re.findall("`(.+?)`", " ".join(cells))) == set(stored.names)


@pytest.fixture
def golden(tmp_path):
    return shutil.copytree(GOLDEN / f"version-{STORE_VERSION}", tmp_path / "out")


def test_another_version_is_refused_with_one_sentence(golden):
    sign(golden, version=STORE_VERSION + 1)
    with pytest.raises(InputError) as error:
        read_analysis(golden)
    assert str(error.value) == (
        f"{golden / 'run.json'}: written by another version of pipeline; "
        f"make it with `pipeline run DIR --out {golden}`"
    )


@pytest.mark.parametrize("content", ["[1]", "{}", "3"])
def test_a_file_that_is_no_provenance_is_refused(golden, content):
    (golden / "run.json").write_text(content)
    with pytest.raises(InputError, match="written by another version"):
        open_result(golden)


def test_a_torn_provenance_is_refused(golden):
    (golden / "run.json").write_text("{torn")
    with pytest.raises(InputError, match=r"run\.json: cannot be read"):
        open_result(golden)


@pytest.mark.parametrize(
    "name", ["callpaths", "measurements", "metric_models", "models", "region_models", "runs"]
)
@pytest.mark.parametrize("damage", ["is missing", "has changed since it was written"])
def test_a_missing_or_damaged_table_is_refused(golden, name, damage):
    file = golden / f"{name}.parquet"
    file.unlink() if damage == "is missing" else file.write_bytes(file.read_bytes()[:-9])
    told = f"{golden}: the stored results are damaged ({name}.parquet {damage}); run `pipeline run` again"
    with pytest.raises(InputError, match=re.escape(told)):
        read_analysis(golden)


@pytest.mark.parametrize("name", ["callpaths", "measurements", "models", "region_models", "runs"])
def test_a_table_that_was_damaged_before_its_digest_was_made_is_refused(golden, name):
    file = golden / f"{name}.parquet"
    file.write_bytes(file.read_bytes()[:-9])
    sign(golden)
    with pytest.raises(InputError, match=re.escape(f"{golden}: the stored results are damaged (Arrow")):
        read_analysis(golden)


@pytest.mark.parametrize(
    "entries",
    [
        {"inputs": [{"path": "x"}]},
        {"damaged": [{"path": "x"}]},
        {"seconds": {"model": "x"}},
        {"software": None},
        {"notices": [3]},
        {"decision": {"scaling": "sideways", "parameter": "p", "reason": ""}},
        {"configuration": {}},
    ],
)
def test_a_wrong_entry_of_run_json_is_refused(golden, entries):
    sign(golden, **entries)
    with pytest.raises(InputError, match=re.escape(f"{golden}: the stored results are damaged (")):
        read_analysis(golden)


def test_a_table_without_models_is_refused(golden):
    shutil.copy(golden / "runs.parquet", golden / "models.parquet")
    sign(golden)
    with pytest.raises(InputError, match="the table holds no scaling models; run `pipeline run` again"):
        read_analysis(golden)


@pytest.fixture
def result(strong_study, tmp_path):
    options = Options(out=tmp_path / "results")
    run(strong_study, options)
    stored = open_result(options.out).provenance
    return options, reuse_key(options), [InputFile(**file) for file in stored["inputs"]]


@pytest.mark.slow
def test_a_result_is_reused_for_the_same_inputs_and_options(result):
    options, key, inputs = result
    assert unchanged(options.out, key, inputs)
    assert not unchanged(options.out, key | {"metric": "visits"}, inputs)
    assert not unchanged(options.out, key, inputs[1:])
    assert not unchanged(options.out, key, [replace(inputs[0], sha256="0" * 64), *inputs[1:]])


@pytest.mark.slow
def test_a_result_of_other_software_is_not_reused(result):
    options, key, inputs = result
    sign(options.out, software={"python": "2.7"})
    assert not unchanged(options.out, key, inputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["run.json", "models.parquet", "metric_models.parquet", "summary.json", "app.filter", "report.html"],
)
def test_an_incomplete_result_is_not_reused(result, name):
    options, key, inputs = result
    (options.out / name).unlink()
    assert not unchanged(options.out, key, inputs)


@pytest.mark.slow
def test_a_damaged_result_is_not_reused(result):
    options, key, inputs = result
    file = options.out / "models.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert not unchanged(options.out, key, inputs)
    assert not run(options.out.parent / "study", options).reused
    assert open_result(options.out).damages() == []


@pytest.mark.slow
def test_the_provenance_says_what_was_done(result, strong_study):
    options, key, _ = result
    stored = open_result(options.out).provenance
    assert stored["command"] == f"pipeline run {strong_study}"
    assert stored["configuration"] == json.loads(json.dumps(key))
    assert stored["decision"]["scaling"] == "strong" and stored["decision"]["parameter"] == "p"
    assert "strong scaling" in stored["decision"]["reason"]
    assert stored["filter"].startswith("not needed, overhead ")
    assert list(stored["seconds"]) == ["locate", "ingest", "overhead", "model", "filter", "report", "page"]
    assert all(0 <= seconds < 60 for seconds in stored["seconds"].values())
    assert {"python", "numpy", "callpath-pipeline"} <= set(stored["software"])


@pytest.mark.slow
def test_models_come_back_as_they_were_stored(result):
    from ingest.locate import locate
    from pipeline.stages.ingest import ingest
    from pipeline.stages.model import modelled

    options, *_ = result
    study = locate(options.out.parent / "study")
    fresh, stored = modelled(ingest(study, "time"), options, "time"), read_analysis(options.out)
    for one, other in ((fresh.callpaths, stored.callpaths), (fresh.regions, stored.regions)):
        assert one.kernels.callpaths == other.kernels.callpaths
        for record in ("rivals", "quality"):
            before, after = getattr(one.models, record), getattr(other.models, record)
            for name in vars(before):
                assert np.array_equal(getattr(before, name), getattr(after, name), equal_nan=True), name
        for name in ("parameters", "nonnegative", "correlation"):
            assert getattr(one.models, name) == getattr(other.models, name)
        for name in ("first", "last"):
            assert np.array_equal(getattr(one.models, name), getattr(other.models, name))
        assert one.models.hypotheses.terms == other.models.hypotheses.terms
        for name in ("rows", "sharpness"):
            assert np.array_equal(
                getattr(one.models.hypotheses, name), getattr(other.models.hypotheses, name)
            )


@pytest.mark.slow
def test_back_test_and_runtime_are_those_of_the_run(strong_study, tmp_path):
    out = tmp_path / "out"
    result = run(strong_study, Options(out=out, at=({"p": 64.0},)))
    found = summary_of(read_analysis(out), ({"p": 64.0},))
    assert found["runtime"]["back_test"] == document(result.summary)["runtime"]["back_test"] is not None
    assert found["runtime"] == document(result.summary)["runtime"]
    assert found["regions"] == document(result.summary)["regions"]
