"""The command line as a whole: help, version, errors, colours, pipes."""

import importlib.metadata
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
import typer

import pipeline.cli as cli
from pipeline.cli.app import COMMANDS, app, register
from pipeline.cli.options import MEANINGS, OLD_NAMES, PANELS
from pipeline.cli.output import reading_progress, show_notice, show_skipped, write_output, write_summary
from pipeline.store.arrow import binaries, texts, write_table
from tests.stored_results import sign

STUDY = Path(__file__).parents[3] / "sample_profiles" / "hpcg-strong"
START = "from pipeline.cli import main; main()"


@pytest.fixture(scope="module")
def commands():
    register()
    return typer.main.get_command(app).commands


def test_help_lists_the_commands_in_the_order_of_use(call, commands):
    code, text, _ = call("--help")
    assert code == 0
    shown = [name for names in COMMANDS.values() for name in names]
    assert re.findall(r"(?m)^│ ([a-z][a-z-]+)  ", text) == shown
    assert set(shown) == {name for name, one in commands.items() if not one.hidden}
    assert re.findall(r"(?m)^╭─ (.+?) ─", text)[1:] == list(COMMANDS)
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


@pytest.fixture(scope="module")
def options(commands):
    """All declarations of every option that the help shows, by its name."""
    found = {}
    for command in commands.values():
        for one in (command, *getattr(command, "commands", {}).values()):
            for parameter in one.params:
                if parameter.param_type_name == "option" and not parameter.hidden:
                    found.setdefault(parameter.opts[-1], []).append(parameter)
    return found


def meaning(name, declared):
    """What the help says of an option in all commands, without the default."""
    texts = [re.sub(r" \\?\[default: .*", "", parameter.help) for parameter in declared]
    return MEANINGS[name][1] if name in MEANINGS else min(texts, key=len)


def test_an_option_means_the_same_in_all_commands(options):
    for name, declared in options.items():
        said = meaning(name, declared)
        assert all(parameter.help.startswith(said) for parameter in declared), (name, said)
        for what in ("metavar", "is_flag", "multiple", "opts", "rich_help_panel"):
            assert len({str(getattr(parameter, what)) for parameter in declared}) == 1, (name, what)


def test_no_two_options_mean_the_same(options):
    names = {}
    for name, declared in options.items():
        names.setdefault(meaning(name, declared), []).append(name)
    assert not {said: several for said, several in names.items() if len(several) > 1}


def test_options_of_long_helps_are_in_panels_and_panels_list_no_others(commands, options):
    listed = {f"--{name}" for names in PANELS.values() for name in names.split()}
    assert listed - {"--png", "--svg"} <= set(options)  # the two are hidden
    for name, command in commands.items():
        own = {one.opts[-1] for one in command.params if one.param_type_name == "option" and not one.hidden}
        assert len(own) < 10 or own <= listed, name


@pytest.mark.slow
def test_old_names_go_on_working_and_no_help_shows_them(call, strong_study, tmp_path, options, refused):
    assert not set(OLD_NAMES) & set(options) - {"--out"}
    out, history, milc = tmp_path / "out", tmp_path / "history.parquet", ("milc", "--on", "xt5")
    assert call("run", strong_study, "-o", out, "--min-efficiency", "60%")[0] == 0
    assert call("predict", out, "--min-efficiency=90%") == call("predict", out, "--efficiency=90%")
    assert call("compare", out, out, "--html", tmp_path / "page.html")[0] == 0
    for number, name in enumerate(("--file", "-o", "--output", "--history")):
        assert call("history", "add", out, "--label", f"c{number}", name, history)[0] == 0
    added = call("history", "add", out, "--label", "c0", "--history", history)[1]
    assert "4 labels" in " ".join(added.split())
    assert call("history", "--html", tmp_path / "site", "--file", history)[0] == 0
    assert call("project", *milc, "--export", "latex") == call("project", *milc, "--to", "latex")
    assert call("baseline", out, "--output", tmp_path / "base.json")[0] == 0
    assert all((tmp_path / name).exists() for name in ("page.html", "site/index.html", "base.json"))
    assert "No such option: --min-efficiency" in refused("tree", out, "--min-efficiency", "60%")


@pytest.mark.parametrize(
    ("command", "choices"),
    [
        ("run", ["auto", "strong", "weak", "local", "dask"]),
        ("filter", ["run-time", "compile-time", "scorep", "tau", "gcc", "xray"]),
        ("predict", ["region", "callpath", "group"]),
    ],
)
def test_choices_are_in_the_help(call, command, choices):
    text = call(command, "--help")[1]
    assert set(choices) <= set(text.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bottleneck"], "No such command 'bottleneck'"),
        (["run"], "Missing argument 'DIR'; see `pipeline run --help`"),
        (["run", "x", "--fast"], "No such option: --fast"),
        (["run", "x", "--jobs", "0"], "--jobs: invalid value 0; write a whole number of at least 1"),
        (["predict", "x", "--limit", "0"], "0 is not in the range x>=1"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(refused, arguments, message):
    error = refused(*arguments)
    assert error.startswith("pipeline: ") and message in error


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


@pytest.fixture
def failing(monkeypatch, tmp_path):
    """Let `pipeline tree` raise an error; crash reports go to a folder that is returned."""

    def put(error):
        def fail(*_):
            raise error

        monkeypatch.setattr("pipeline.store.results.read_analysis", fail)
        (tmp_path / "temporary").mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
        return tmp_path / "temporary"

    return put


@pytest.mark.parametrize(
    "error",
    [ZeroDivisionError("two\nlines"), BrokenPipeError(32, "Broken pipe"), MemoryError(), OSError(5, "I/O")],
)
def test_a_crash_is_one_line_a_report_and_no_verdict(call, failing, results, error):
    folder = failing(error)
    code, text, line = call("tree", results, "--least", "3%")
    (report,) = folder.iterdir()
    assert (code, text, line.count("\n")) == (70, "", 1)
    assert line.startswith(f"pipeline: crashed ({type(error).__name__}") and str(report) in line
    told = report.read_text()
    assert "Traceback (most recent call last)" in told and type(error).__name__ in told
    assert f"command line: pipeline tree {results} --least 3%" in told
    for name in ("platform: ", "python: ", "callpath-pipeline: ", "numpy: "):
        assert f"\n{name}" in f"\n{told}"
    assert call("tree", results)[0] == 70 and len(list(folder.iterdir())) == 2


def test_a_crash_without_room_for_a_report_is_one_line(call, failing, results, tmp_path):
    failing(ZeroDivisionError("x")).rmdir()
    code, text, line = call("tree", results)
    assert (code, text, line.count("\n")) == (70, "", 1)
    assert "crashed (ZeroDivisionError: x)" in line and "test_app.py:" in line


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_an_interrupt_is_one_line_and_130(call, failing, results, error):
    folder = failing(error)
    assert call("tree", results) == (130, "", "pipeline: interrupted\n")
    assert not list(folder.iterdir())


def shell(command, results):
    """Run a command line with PIPELINE and OUT; return its exit code and standard error."""
    pipeline = f"{shlex.quote(sys.executable)} -m pipeline"
    environment = os.environ | {"PIPELINE": pipeline, "OUT": str(results), "STUDY": str(STUDY)}
    command = f"set -o pipefail; {command.replace('pipeline', pipeline)}"
    done = subprocess.run(
        ["bash", "-c", command], env=environment, stderr=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stderr


FULL = (
    "pipeline: standard output: cannot be written (No space left on device); write to a file, or free space\n"
)
CLOSED = FULL.replace("No space left on device", "Bad file descriptor")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "line"),
    [
        ("pipeline bottlenecks $OUT > /dev/full", 2, FULL),
        ("pipeline bottlenecks $OUT --json - > /dev/full", 2, FULL),
        ("pipeline --help > /dev/full", 2, FULL),
        ("pipeline bottlenecks $OUT >&-", 2, CLOSED),
        ("pipeline tree $OUT --json - >&-", 2, CLOSED),
        ("pipeline predict nowhere >&- 2>&-", 2, ""),
        ("pipeline bottlenecks $OUT 2>&- <&- >/dev/null", 0, ""),
        ("pipeline predict nowhere 2> /dev/full", 2, ""),
        ("pipeline bottlenecks $OUT | true", 0, ""),
        ("pipeline tree $OUT --json - | head -c 1 > /dev/null", 0, ""),
        ("pipeline check $STUDY --config $OUT/rules.toml | true", 1, ""),
        ("pipeline check $STUDY --config $OUT/rules.toml > /dev/full", 2, FULL),
        ("LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 pipeline tree $OUT > /dev/null", 0, ""),
        ("PYTHONIOENCODING=latin-1 pipeline tree $OUT > /dev/null", 0, ""),
    ],
)
def test_standard_streams_that_are_full_closed_or_narrow(results, command, code, line):
    (results / "rules.toml").write_text("[check]\nparallel_efficiency = 0.6\n")
    assert shell(command, results) == (code, line)


@pytest.mark.slow
def test_names_that_the_locale_lacks_are_read_and_written(strong_study, tmp_path):
    study, out = strong_study.rename(tmp_path / "stüdy"), tmp_path / "öut"
    command = f"LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 pipeline run {study} --out {out} > /dev/null"
    assert shell(command, "") == (0, "")
    assert shell(f"pipeline verify {out} > /dev/null", "") == (0, "")


@pytest.mark.slow
def test_ctrl_c_is_one_line_and_130(results):
    start = "import os, signal, pipeline.store.results as r\n"
    start += "r.read_analysis = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n" + START
    done = subprocess.run(
        [sys.executable, "-c", start, "tree", str(results)], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "pipeline: interrupted\n")


@pytest.mark.parametrize("command", ["inspect", "verify"])
def test_a_result_is_verified(call, results, command, refused):
    code, text, error = call(command, results)
    assert (code, error) == (0, "") and re.fullmatch(
        r"OK: 1[01] files in .* are as they were written\n", text
    )
    call("report", results)
    assert call(command, results)[0] == 0
    (results / "app.filter").write_text("# mine")
    (results / "runs.parquet").unlink()
    damage = "app.filter has changed since it was written, runs.parquet is missing"
    assert call(command, results) == (
        2,
        "",
        f"pipeline: {results}: the stored results are damaged ({damage}); run `pipeline run` again\n",
    )
    assert call(command, results / "nowhere")[0] == 2
    assert "--totals: cannot be combined with results" in refused("inspect", results, "--totals")


@pytest.mark.parametrize("name", ["callpaths", "measurements", "models", "metric_models"])
def test_damage_with_digests_made_again_is_found_as_other_commands_find_it(call, results, name):
    file = results / f"{name}.parquet"
    if name == "metric_models":  # a sound table of models that are none
        wrong = {"metric": texts(["visits"])} | dict.fromkeys(("callpaths", "regions"), binaries([b"none"]))
        write_table(file, pa.table(wrong))
    else:
        file.write_bytes(file.read_bytes()[:-9])
    sign(results)
    code, text, error = call("inspect", results)
    assert (code, text) == (2, "") and error.count("\n") == 1
    assert error.startswith(f"pipeline: {results}: the stored results are damaged (")


def test_libraries_use_one_thread_unless_told_otherwise(call, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    call("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    call("--version")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


@pytest.mark.slow
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


def test_notices_are_single_lines_on_standard_error_and_wrap_on_a_terminal(capsys, monkeypatch):
    show_notice("one\n  two")
    show_skipped([{"path": "a", "reason": "is torn"}, {"path": "b", "reason": "is empty"}])
    assert capsys.readouterr() == (
        "",
        "pipeline: one two\npipeline: skipped a: is torn\npipeline: skipped b: is empty\n",
    )
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((16, 24)))
    monkeypatch.setattr(sys.stderr, "fileno", lambda: 2)
    show_notice("one two")
    assert capsys.readouterr().err == "pipeline: one\n  two\n"


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
