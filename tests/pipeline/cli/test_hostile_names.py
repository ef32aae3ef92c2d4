"""A study whose region tries to control terminals, CI servers and pages, through every command."""

import csv
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ET

import pytest

from pipeline.config.options import Options
from pipeline.stages.run import run
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


@pytest.fixture(scope="module")
def results(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("results") / "out"
    run(study, Options(out=out))
    return out


def hidden(text):
    """Return the characters of a text that are not seen."""
    wanted = {"\n", "\N{NO-BREAK SPACE}"}
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")} - wanted


def harmless(text):
    """Tell whether a text holds only lines of characters that are seen."""
    return not hidden(text) and not re.search(r"(?m)^::", text)


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


@pytest.mark.slow
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
    baseline, markdown, junit = (tmp_path / name for name in ("base.json", "check.md", "check.xml"))
    assert call("baseline", study, "--scaling", "strong", "-o", baseline)[0] == 0
    files = ("--markdown", markdown, "--junit", junit)
    code, text, error = call("check", slower, "--scaling", "strong", "--baseline", baseline, *files)
    assert code == 1 and harmless(text) and harmless(error)
    written = markdown.read_text(encoding="utf-8")
    assert harmless(written) and "@team" not in written and "<script" not in written
    assert "evil" in written
    cases = ET.parse(junit).iter("testcase")
    told = [
        text for case in cases for part in case.iter() for text in (*part.attrib.values(), part.text or "")
    ]
    assert not any(map(hidden, told)) and any(r"\u202eabc\x9b2J" in text for text in told)


@pytest.mark.slow
def test_json_keeps_the_name_and_csv_shows_it(call, results):
    text = call("bottlenecks", results, "--format", "csv")[1]
    names = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert visible(NAME) in names and "\n::" not in text
    assert NAME in {row["kernel"] for row in json.loads(call("bottlenecks", results, "--format", "json")[1])}


COMMANDS = (
    "::error file=C:/a::x",
    "::Notice title=x",
    "::warning::x",
    "a##vso[task.complete]",
    "b##[error]x",
)


def study_of_commands(folder, factor=1.0):
    for p in (1, 2, 4, 8, 16):
        for repetition in (1, 2):
            times = dict.fromkeys((*COMMANDS, "main"), 64.0 / p * (factor + 0.001 * repetition))
            write_foam_case(folder / f"app.p{p}.r{repetition}", times, processes=p)
    return folder


@pytest.mark.slow
def test_nothing_printed_is_a_command_of_a_ci_server(call, tmp_path):
    one, two = (study_of_commands(tmp_path / name, factor) for name, factor in (("a", 1.0), ("b", 2.0)))
    out, baseline = tmp_path / "out", tmp_path / "base.json"
    texts = [
        *call("run", one, "--out", out, "--details", "--scaling", "strong"),
        *call("baseline", out, "-o", baseline),
        *(text for name, more in PRINTED.items() for text in call(name, out, *more)),
        *(text for name in ("bottlenecks", "predict") for text in call(name, out, "--format", "md")),
        *call("model", one),
        *call("inspect", one),
        *call("compare", one, two, "--scaling", "strong"),
        *call("check", two, "--scaling", "strong", "--baseline", baseline),
    ]
    for text in texts:
        assert not re.search(r"(?m)^\s*::|##\[|##vso\[", str(text)), text


PRINTED = {"bottlenecks": (), "predict": (), "tree": (), "plot": ("#2",)}


@pytest.mark.slow
def test_no_row_of_csv_is_a_command_of_a_ci_server(call, tmp_path):
    names, _ = COMMANDS, study_of_commands(tmp_path / "study")
    assert call("run", tmp_path / "study", "--out", tmp_path / "out")[0] == 0
    for command in ("bottlenecks", "predict"):
        text = call(command, tmp_path / "out", "--format", "csv")[1]
        assert not re.search(r"(?m)^::|##\[|##vso\[", text)
        kernels = {row[0] for row in csv.reader(io.StringIO(text, newline=""))}
        assert {f"'{name}" for name in names[:3]} | {
            r"a#\x23vso[task.complete]",
            r"b#\x23[error]x",
        } <= kernels


def test_a_figure_takes_a_name_as_it_is(call, results, tmp_path):
    code, _, error = call("plot", results, "#2", "-o", tmp_path / "a.png")
    assert (code, error) == (0, f"pipeline: wrote {tmp_path / 'a.png'}\n")
