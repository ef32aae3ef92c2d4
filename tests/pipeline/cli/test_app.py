"""The command line as a whole: help, version, errors, colours, pipes."""

import importlib.metadata
import io
import os
import re
import subprocess
import sys

import pytest
import typer

import pipeline.cli as cli
from pipeline.cli.app import COMMANDS, app, register
from pipeline.cli.output import reading_progress, show_notice, show_skipped, write_output, write_summary
from pipeline.config.options import Options
from pipeline.stages.run import run

START = "from pipeline.cli import main; main()"
SHARED = ("--at", "--json", "--config", "--limit", "--by", "--scaling", "--metric", "--jobs", "--strict")
OWN = {  # options of the same name that mean something else
    ("project", "--at"),
    ("check", "--json"),
    ("model", "--by"),
    ("model", "--limit"),
    *((name, "--metric") for name in ("bottlenecks", "predict", "plot", "tree", "export")),
}


@pytest.fixture
def results(strong_study, tmp_path):
    run(strong_study, Options(out=tmp_path / "results"))
    return tmp_path / "results"


@pytest.fixture(scope="module")
def commands():
    register()
    return typer.main.get_command(app).commands


def test_help_lists_the_commands_in_the_order_of_use(call, commands):
    code, text, _ = call("--help")
    assert code == 0
    assert re.findall(r"(?m)^│ ([a-z]+)  ", text) == list(COMMANDS) == list(commands)
    assert call("-h") == (code, text, "")


def test_without_arguments_the_help_is_shown(call):
    code, text, error = call()
    assert code == 2 and not error
    assert text.strip() == call("--help")[1].strip()
    code, text, error = call("history")
    assert (code, error) == (2, "") and text.strip() == call("history", "--help")[1].strip()


def test_the_version_is_that_of_the_package(call):
    assert call("--version") == (0, f"pipeline {importlib.metadata.version('callpath-pipeline')}\n", "")


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "pipeline", "--version"]
    assert subprocess.check_output(command, text=True).startswith("pipeline ")


def test_every_option_has_a_help_without_markup(commands):
    for name, command in commands.items():
        for sub in getattr(command, "commands", {name: command}).values():
            assert sub.help
            for parameter in sub.params:
                assert parameter.help, f"{name} {parameter.name}"
                # an unescaped bracket is taken for markup and not shown
                assert not re.search(r"(?<!\\)\[", parameter.help), f"{name} {parameter.name}"


def test_options_of_several_commands_have_one_help(commands):
    for flag in SHARED:
        texts = {
            parameter.help
            for name, command in commands.items()
            for parameter in command.params
            if flag in parameter.opts and (name, flag) not in OWN
        }
        assert len(texts) == 1, f"{flag}: {texts}"


@pytest.mark.parametrize(
    ("command", "choices"),
    [
        ("run", ["<auto|strong|weak>", "<local|dask>", "<region|callpath>"]),
        ("filter", ["<run-time|compile-time>", "<scorep|tau|gcc|xray>"]),
        ("predict", ["<region|callpath>"]),
    ],
)
def test_choices_are_in_the_help(call, command, choices):
    text = call(command, "--help")[1]
    assert all(choice in text for choice in choices)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bottleneck"], "No such command 'bottleneck'"),
        (["run"], "Missing argument 'DIR'; see `pipeline run --help`"),
        (["run", "x", "--fast"], "No such option: --fast"),
        (["run", "x", "--jobs", "0"], "--jobs: invalid value 0; write a whole number of at least 1"),
        (["tree", "x", "--least", "2"], "--least: invalid share '2': it is 200 %; write 2% or 0.02"),
        (["predict", "x", "--limit", "0"], "0 is not in the range x>=1"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(call, arguments, message):
    code, text, error = call(*arguments)
    assert (code, text) == (2, "")
    assert error.startswith("pipeline: ") and message in error and error.count("\n") == 1


@pytest.mark.parametrize("found", [None, "elsewhere"])
def test_a_foreign_or_missing_neighbour_is_one_line(monkeypatch, capsys, tmp_path, found):
    place = tmp_path / "filters" / "__init__.py"
    spec = None if found is None else type("Spec", (), {"origin": str(place)})()
    original = cli.find_spec
    monkeypatch.setattr(cli, "find_spec", lambda name: spec if name == "filters" else original(name))
    with pytest.raises(SystemExit) as stop:
        cli.main()
    what = "is missing" if found is None else f"belongs to another program ({tmp_path})"
    hint = "install with `pipx install`, apart from other packages"
    assert (stop.value.code, capsys.readouterr().err) == (
        2,
        f"pipeline: the package 'filters' {what}; {hint}\n",
    )


def test_a_reader_that_goes_away_is_no_error(results):
    command = [sys.executable, "-c", START, "export", str(results), "--to", "extrap-jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_defects_of_ours_are_tracebacks(call, monkeypatch, results):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("pipeline.store.results.read_analysis", fail)
    monkeypatch.setattr(sys, "argv", ["pipeline", "tree", str(results)])
    with pytest.raises(ZeroDivisionError):
        cli.main()


def test_libraries_use_one_thread_unless_told_otherwise(call, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    call("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    call("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_colours_are_forced_and_forbidden(call, monkeypatch, results):
    for command in (["bottlenecks", results], ["plot", results, "sum"]):
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert "\x1b[" in call(*command)[1]
        monkeypatch.setenv("NO_COLOR", "1")
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]", call(*command)[1])
        monkeypatch.delenv("FORCE_COLOR")
        assert "\x1b" not in call(*command)[1]


def test_output_goes_to_a_file_or_to_standard_output(tmp_path, capfdbinary):
    text = "name \udcff ü\n"  # a byte that is not UTF-8 comes out as it came in
    write_output(str(tmp_path / "file"), text)
    write_output("-", text)
    assert (tmp_path / "file").read_bytes() == capfdbinary.readouterr().out == b"name \xff \xc3\xbc\n"


def test_summaries_go_to_a_file_to_standard_output_or_nowhere(tmp_path, capfdbinary):
    summary = {"name": "\udcff ü"}
    expected = b'{\n"name": "\\udcff \xc3\xbc"\n}\n'
    assert write_summary("-", summary) is True
    assert write_summary(str(tmp_path / "file"), summary) is False
    assert write_summary(None, summary) is False
    assert (tmp_path / "file").read_bytes() == capfdbinary.readouterr().out == expected
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_notices_are_single_lines_on_standard_error(capsys):
    show_notice("one\n  two")
    show_skipped([{"path": "a", "reason": "is torn"}, {"path": "b", "reason": "is empty"}])
    assert capsys.readouterr() == (
        "",
        "pipeline: one two\npipeline: skipped a: is torn\npipeline: skipped b: is empty\n",
    )


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "count", "shown"), [(Terminal(), 2, True), (Terminal(), 1, False), (io.StringIO(), 2, False)]
)
def test_progress_is_shown_on_a_terminal_if_there_are_several_items(monkeypatch, stream, count, shown):
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(reading_progress(iter(range(count)), count)) == list(range(count))
    assert ("Reading profiles" in stream.getvalue()) is shown
