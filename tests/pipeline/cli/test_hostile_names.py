"""A study whose region tries to control terminals, CI servers and pages, through every command."""

import csv
import io
import json
import re
import unicodedata

import pytest

from pipeline.wording.escaping import visible
from tests.foam_cases import write_foam_case

NAME = "evil\x1b[31m\n::error::pwned @team #1 |x| \u202eabc\x9b2J =1+1 <script>alert(1)</script> $x$"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "study"
    for p in (1, 2, 4, 8, 16):
        for repetition in (1, 2):
            times = {NAME: 64.0 / p, "sum": 0.5 * p, "main": 0.25 / p}
            write_foam_case(folder / f"app.p{p}.r{repetition}", times, processes=p)
    return folder


@pytest.fixture
def results(call, study, tmp_path):
    out = tmp_path / "results"
    assert call("run", study, "--out", out)[0] == 0
    return out


def harmless(text):
    """Tell whether a text holds only lines of characters that are seen."""
    wanted = {"\n", "\N{NO-BREAK SPACE}"}
    hidden = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")} - wanted
    return not hidden and not re.search(r"(?m)^::", text)


@pytest.mark.parametrize(
    "arguments",
    [
        ("bottlenecks",),
        ("bottlenecks", "--by", "callpath"),
        ("predict", "--by", "callpath"),
        ("tree", "--least", "0.1%"),
        ("plot", "#2"),
        ("advise", "--budget", "1000"),
        ("bottlenecks", "--format", "md"),
        ("bottlenecks", "--format", "latex"),
        ("plot", "evil*x*nothing"),
    ],
)
def test_stored_results_print_nothing_that_controls(call, results, arguments):
    command, *rest = arguments
    _, text, error = call(command, results, *rest)
    assert harmless(text) and harmless(error)


def test_runs_and_files_print_nothing_that_controls(call, study, tmp_path):
    for arguments in (
        ("run", study, "--details", "--out", tmp_path / "out"),
        ("model", study),
        ("inspect", study),
        ("filter", study, "-o", tmp_path / "a.filter"),
        ("compare", study, study),
    ):
        _, text, error = call(*arguments)
        assert harmless(text) and harmless(error), arguments
    assert r"evil\x1b" in call("model", study)[1]


def test_a_check_gives_ci_nothing_to_obey(call, study, tmp_path):
    slower = tmp_path / "slower"
    for p in (1, 2, 4, 8, 16):
        for repetition in (1, 2):
            times = {NAME: 64.0, "sum": 0.5 * p, "main": 0.25 / p}
            write_foam_case(slower / f"app.p{p}.r{repetition}", times, processes=p)
    baseline, markdown = tmp_path / "base.json", tmp_path / "check.md"
    assert call("baseline", study, "--scaling", "strong", "-o", baseline)[0] == 0
    code, text, error = call(
        "check", slower, "--scaling", "strong", "--baseline", baseline, "--markdown", markdown
    )
    assert code == 1 and harmless(text) and harmless(error)
    written = markdown.read_text(encoding="utf-8")
    assert harmless(written) and "@team" not in written and "<script" not in written
    assert "evil" in written


def test_json_keeps_the_name_and_csv_shows_it(call, results):
    text = call("bottlenecks", results, "--format", "csv")[1]
    names = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert visible(NAME) in names and "\n::" not in text
    assert NAME in {row["kernel"] for row in json.loads(call("bottlenecks", results, "--format", "json")[1])}


def test_a_figure_takes_a_name_as_it_is(call, results, tmp_path):
    code, _, error = call("plot", results, "#2", "-o", tmp_path / "a.png")
    assert (code, error) == (0, f"pipeline: wrote {tmp_path / 'a.png'}\n")
