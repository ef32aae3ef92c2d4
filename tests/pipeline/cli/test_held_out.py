"""Runs held out on the command line and in pipeline.toml."""

import json
import re

import pytest

from tests.ingest.tables import table_files
from tests.pipeline.report.page.studies import carried

POINTS = (2, 4, 8, 16, 32)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "study" / "t.csv"
    path.parent.mkdir()
    path.write_text(table_files.long_form(POINTS))
    return path


@pytest.fixture
def held_out(table, call, tmp_path):
    """Results of a study without its largest scale."""
    code, out, error = call("run", table, "--hold-out", "p > 16", "--out", tmp_path / "out")
    assert code == 0
    assert "Held out at 1 scale: mean error" in out
    assert "which are held out (p > 16)" in error
    return tmp_path / "out"


def test_the_result_is_in_the_summary_and_on_the_page(held_out, call):
    document = json.loads((held_out / "summary.json").read_text())
    assert [point["p"] for point in document["points"]] == [2, 4, 8, 16]
    assert [row["at"] for row in document["held_out"]["points"]] == [{"p": 32}]
    for _ in range(2):  # as the run wrote it, and again from what is stored
        page = (held_out / "report.html").read_text()
        assert '<section id="confidence"' in page
        for chart in carried(page)["program"]["charts"]:
            (line,) = chart["lines"]
            assert line["heldOut"]["scale"] == [32.0]
            assert line["heldOut"]["value"][0] > 0
        assert call("report", held_out)[0] == 0


def test_stored_models_are_those_without_the_runs(held_out, call):
    document = json.loads((held_out / "summary.json").read_text())
    _, out, _ = call("predict", held_out, "--at", "p=32", "--json", "-")
    predicted = json.loads(out)
    assert predicted["held_out"] == document["held_out"]
    (found,) = document["held_out"]["points"]
    assert predicted["total"]["predictions"][0]["value"] == pytest.approx(found["predicted"]["value"])


def test_tables_have_the_points(table, call, tmp_path):
    code, out, _ = call(
        *("run", table, "--hold-out", "p == 32", "--hold-out", "p == 2"),
        *("--out", tmp_path / "out", "--format", "json"),
    )
    assert code == 0
    assert [row["p"] for row in json.loads(out)] == [2, 32]


def test_pipeline_toml_has_the_key_and_model_shows_it_too(table, call):
    config = table.parent / "pipeline.toml"
    config.write_text('[analysis]\nhold_out = ["p > 16"]\n')
    code, out, _ = call("model", table, "--config", config)
    assert code == 0
    assert re.search(r"^32 .*(yes|no) *$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("q > 3", "pipeline: --hold-out: no parameter 'q'; choose one of p, repetition\n"),
        ("p = 3", "pipeline: --hold-out: 'p = 3' is no condition on runs; write 'p > 624'"),
        ("p > 99", "pipeline: --hold-out: no run has p > 99; there are p = 2, 4, 8, 16, 32"),
        ("p > 4", "pipeline: --hold-out: 2 scales of p left; leave 3 at least"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(table, refused, tmp_path, condition, said):
    assert refused("run", table, "--hold-out", condition, "--out", tmp_path / "out").startswith(said)
