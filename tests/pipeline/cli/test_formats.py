"""`--format` of every command: one table, the same in every form, with the numbers of `--json`."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pipeline.cli.app import app, register
from pipeline.cli.options import Format
from pipeline.cli.output import TABLE
from pipeline.config.options import Options
from pipeline.report.render.text_formats import WRITERS
from pipeline.stages.check import baseline_text, read_study
from pipeline.stages.run import run
from tests.foam_cases import write_foam_case
from tests.pipeline.projection.ports.stored_llvm_mca import replay

START = "from pipeline.cli import main; main()"
LOOPS = Path(__file__).parents[1] / "projection" / "ports" / "loops" / "avx2.s"
PROFILE = Path(__file__).parents[3] / "sample_profiles" / "hpcg-strong" / "hpcg.p2.r1"
COMMANDS = {
    "run": "run {study} --out {out}",
    "run --details": "run {study} --out {out} --details --by callpath",
    "bottlenecks": "bottlenecks {out} --at p=64 --at p=256",
    "predict": "predict {out} --by callpath --at p=64 --at p=256",
    "choose": "choose {out} --deadline 1h",
    "model": "run {study} --no-results --by callpath --limit 30",
    "tree": "bottlenecks {out} --tree --least 0.000001 --at p=64 --at p=256",
    "inspect": "inspect {study} --totals",
    "inspect a series": "inspect {series}",
    "advise": "choose {bent} --measure --budget 1e9 --at p=64 --at p=256",
    "compare": "compare {out} {slower} --at p=64 --at p=256",
    "check": "check {slower} --baseline {baseline}",
    "project": "project milc --on bgp --at L=8,P=1024",
    "project --list": "project --list",
    "machine": "machine list",
    "ports": "ports {loops} --function daxpy --on zen4 --from zen3",
    "history": "history show * --history {history}",
    "filter": "filter {profile} -o {tmp}/app.filter",
    "filter --apply": "filter {profile} --apply {rules}",
    "filter --verify": "filter {profile} --apply {rules} --verify {profile}",
}
REGRESSED = {"check"}  # commands whose exit code is not 0


def write_study(folder, exponent, bumps=(1.0,) * 5):
    for p, bump in zip((1, 2, 4, 8, 16), bumps, strict=True):
        for r, wobble in enumerate((1.0, 1.004, 0.997), 1):
            times = {"solve": 64 / p * bump * wobble, "sum": 0.5 * p**exponent * wobble, "main": 0.25 / p}
            write_foam_case(folder / f"app.p{p}.r{r}", times, processes=p)
    return folder


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Everything that the commands read."""
    tmp = tmp_path_factory.mktemp("formats")
    study, _ = write_study(tmp / "study", 0.0), write_study(tmp / "slower", 0.7)
    run(study, Options(out=tmp / "out"))
    bent = write_study(tmp / "bent study", 0.7, (1.0, 1.15, 0.9, 1.1, 1.3))
    run(bent, Options(out=tmp / "bent"))
    text, _ = baseline_text(read_study(tmp / "out", Options()), Options(), {})
    (tmp / "baseline.json").write_text(text)
    lines = [{"params": {"p": p}, "callpath": "main", "metric": "time", "value": [1.0]} for p in (1, 2, 4)]
    (tmp / "series.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp / "rules").write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE nowhere\nSCOREP_REGION_NAMES_END\n")
    for label in ("v1", "v2"):
        command = ["history", "add", tmp / "out", "--label", label, "-o", tmp / "history.parquet"]
        subprocess.run([sys.executable, "-c", START, *map(str, command)], check=True, capture_output=True)
    names = {"out": "out", "bent": "bent", "study": "study", "slower": "slower", "rules": "rules"}
    names |= {"series": "series.jsonl", "baseline": "baseline.json", "history": "history.parquet"}
    outside = {"profile": PROFILE, "loops": LOOPS, "tmp": tmp}
    return outside | {name: tmp / file for name, file in names.items()}


@pytest.fixture(autouse=True)
def stored_llvm_mca(monkeypatch):
    """Answer as llvm-mca did."""
    replay(monkeypatch)


@pytest.fixture
def show(call, places):
    """Run a command of `COMMANDS`: returns what it prints."""

    def run_command(command, *options):
        words = COMMANDS.get(command, command).split()
        code, text, error = call(*(word.format(**places) for word in words), *options)
        assert code == (1 if command in REGRESSED else 0), error
        return text

    return run_command


@pytest.fixture
def read(show):
    """Return the table of a command as a frame, read from CSV."""

    def frame(command, *options):
        return pd.read_csv(io.StringIO(show(command, *options, "--format", "csv")), keep_default_na=True)

    return frame


def test_every_command_that_prints_tables_has_the_option():
    register()
    without = {"plot", "report", "export", "baseline", "serve-mcp", "verify"}
    names = {command.name for command in app.registered_commands}
    assert names - without == {words.split()[0] for words in COMMANDS.values()} - {"history", "machine"}


def test_the_option_has_every_writer():
    assert Format.__origin__.__args__ == (TABLE, *WRITERS)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_forms_hold_the_same_table(show, command):
    texts = {form: show(command, "--format", form) for form in WRITERS}
    frame = pd.read_csv(io.StringIO(texts["csv"]))
    records = json.loads(texts["json"])
    markdown = texts["md"].splitlines()
    latex = texts["latex"].splitlines()
    assert len(frame) == len(records) == len(markdown) - 2 == len(latex) - 6 > 0
    assert [key for key in records[0] if key != "callpath"] == [
        key for key in frame.columns if key != "callpath"
    ]
    for row, record in zip(frame.to_dict("records"), records, strict=True):
        for key in frame.columns:
            if isinstance(record[key], int | float):
                assert row[key] == record[key]
            elif isinstance(record[key], str) and record[key]:
                assert str(row[key]) == record[key]
    columns = {line.count(" | ") for line in markdown}
    assert columns == {line.count(" & ") for line in (latex[2], *latex[4:-2])} and len(columns) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_the_form_of_people_is_the_default(show, command):
    assert show(command, "--format", "table") == show(command)


def test_scales_are_those_of_the_summary(read, show):
    entries = json.loads(show("run", "--json", "-"))["runtime"]["at"]
    frame = read("run")
    for key in ("wall_seconds", "speedup", "efficiency"):
        for end, column in (("value", key), ("lower", f"{key}_lower"), ("upper", f"{key}_upper")):
            assert list(frame[column]) == [entry[key][end] for entry in entries]
    assert list(frame["effort [core-s]"]) == [entry["effort"]["value"] for entry in entries]
    assert list(frame["p"]) == [entry["point"]["p"] for entry in entries]
    assert list(frame["measured"]) == [entry["measured"] for entry in entries]


@pytest.mark.parametrize("command", ["run --details", "bottlenecks", "predict"])
def test_kernels_are_those_of_the_summary(read, show, command):
    summary = json.loads(show(command, "--json", "-"))
    rows = summary["regions" if command == "bottlenecks" else "kernels"]
    rows = [*rows, summary["total"]] if command == "predict" else rows
    expected = [("/".join(row["callpath"]), entry) for row in rows for entry in row["predictions"]]
    frame = read(command)
    assert list(frame["kernel"]) == [name for name, _ in expected]
    assert list(frame["p"]) == [entry["at"]["p"] for _, entry in expected]
    for end in ("value", "lower", "upper"):
        assert list(frame[f"{end} [core-s]"]) == [entry[end] for _, entry in expected]


def test_shares_at_every_target_add_up(read, show):
    frame = read("bottlenecks")
    assert frame.groupby("p")["share_at_target"].sum().tolist() == pytest.approx([1.0, 1.0])
    rows = json.loads(show("bottlenecks", "--json", "-"))["regions"]
    last = frame[frame["p"] == 256]
    assert list(last["share_at_target"]) == [row["share_at_target"] for row in rows]
    assert list(last["flags"].fillna("")) == [" ".join(row["flags"]) for row in rows]


def test_models_are_those_of_the_summary(read, show):
    rows = json.loads(show("model", "--json", "-"))["kernels"]
    frame = read("model")
    assert list(frame["formula"]) == [row["model"]["formula"] for row in rows]
    assert list(frame["cv_smape"]) == [row["quality"]["cv_smape"] for row in rows]
    assert list(frame["probability_growing"]) == [row["probability_growing"] for row in rows]


def test_trees_have_a_row_per_target_and_call_path(read, places, call):
    frame = read("tree")
    assert list(frame["p"]) == [64] * (len(frame) // 2) + [256] * (len(frame) // 2)
    for _, tree in frame.groupby("p"):
        total = tree["inclusive [core-s]"].iloc[0]
        assert list(tree["share"]) == pytest.approx(list(tree["inclusive [core-s]"] / total))
        assert tree["own [core-s]"].sum() == pytest.approx(total)
    _, text, _ = call("tree", places["out"], "--format", "json")
    measured = json.loads(text)
    assert {row["p"] for row in measured} == {16}
    assert measured[-1]["callpath"] == ["main", measured[-1]["callpath"][-1]]


def test_plans_are_those_of_json(read, show):
    plans = json.loads(show("advise", "--json", "-"))
    steps = [(plan["target"]["p"], step) for plan in plans for step in plan["plan"]]
    frame = read("advise")
    assert len(steps) > 1
    assert list(frame["target p"]) == [target for target, _ in steps]
    assert list(frame["p"]) == [step["at"]["p"] for _, step in steps]
    assert list(frame["cost [core-s]"]) == [step["cost"] for _, step in steps]
    assert list(frame["reduction"]) == [step["reduction"] for _, step in steps]


def test_changes_are_those_of_json(read, show):
    kernels = json.loads(show("compare", "--json", "-"))["kernels"]
    changed = [row for row in kernels if row["verdict"] != "unchanged"]
    frame = read("compare")
    assert list(frame["p"]) == [64, 256] * len(changed)
    expected = [change for row in changed for change in row["target"]]
    for end, key in (
        ("target_ratio", "ratio"),
        ("target_ratio_lower", "lower"),
        ("target_ratio_upper", "upper"),
    ):
        assert list(frame[end]) == [change[key] for change in expected]
    assert list(frame["ratio"]) == [row["measured"][-1]["ratio"] for row in changed for _ in row["target"]]
    assert list(frame["A [core-s]"]) == [row["baseline"]["value"] for row in changed for _ in row["target"]]
    assert list(frame["B [core-s]"]) == [row["candidate"]["value"] for row in changed for _ in row["target"]]


def test_series_over_commits_are_those_of_json(read, show):
    documents = json.loads(show("history", "--json", "-"))["kernels"]
    rows = [(one, entry) for one in documents for entry in one["entries"]]
    frame = read("history")
    assert list(frame["kernel"]) == ["/".join(one["callpath"]) for one, _ in rows]
    assert list(frame["label"]) == [entry["label"] for _, entry in rows]
    assert list(frame["value"]) == [entry["value"] for _, entry in rows]
    assert set(frame["p"]) == {16} or set(frame["p"]) == {one["at"]["p"] for one in documents}


def test_projections_are_those_of_json(read, show):
    document = json.loads(show("project", "--json", "-"))
    lines = [*document["breakdown"], document["total"]]
    frame = read("project")
    for end in ("value", "lower", "upper"):
        assert list(frame[end]) == [line[end] for line in lines]
    assert list(frame["part"]) == ["/".join(line["path"]) for line in lines]


def test_a_projection_without_spread_says_so(call):
    _, text, _ = call("project", "stencil-3d", "--at", "n=64", "--format", "md")
    assert text.splitlines()[-1].split(" | ")[2] == "no spread stated"


def test_people_read_wall_time_and_programs_effort_too(read, show):
    head = show("run", "--format", "md").splitlines()[0]
    assert "| 90 % interval | speed\\-up | 90 % interval" in head and "effort" not in head
    assert "core_hours" in read("run").columns


def test_the_newest_entries_of_a_series_are_kept(read):
    assert list(read("history", "--limit", "1")["label"]) == ["v2"]


def test_totals_of_runs_are_columns(read):
    frame = read("inspect")
    assert list(frame["p"]) == [p for p in (1, 2, 4, 8, 16) for _ in range(3)]
    assert frame["total time [s]"].gt(0).all()


def test_the_effect_of_a_filter_is_that_of_its_evidence(read, places):
    frame = read("filter")
    (evidence,) = json.loads((places["tmp"] / "app.filter.json").read_text())["predictions"]
    assert list(frame["filter"]) == ["no filter", "at run time", "at compile time"]
    assert list(frame["recorded_visits"]) == list(evidence["visits"].values())
    assert list(frame["overhead [core-s]"]) == pytest.approx(list(evidence["overhead"].values()))
    ranges = list(evidence["dilation"].values())
    assert list(frame["dilation_upper"]) == pytest.approx([one["high"] for one in ranges])


@pytest.mark.parametrize("command", ["bottlenecks", "predict", "run --details", "model", "compare"])
def test_the_limit_holds_and_what_is_left_out_is_said(call, places, command):
    words = [word.format(**places) for word in COMMANDS[command].split()]
    _, text, error = call(*words, "--limit", "1", "--format", "csv")
    names = set(pd.read_csv(io.StringIO(text))["kernel"])
    assert len(names if command == "compare" else names - {"total"}) == 1  # of two studies the total is one
    assert "more left out; --limit shows them" in error


def test_a_study_without_prediction_has_what_was_measured(call, tmp_path):
    for p in (1, 2):
        write_foam_case(tmp_path / "two" / f"a.p{p}.r1", {"main": 1.0, "f": 2.0}, processes=p)
    assert call("run", tmp_path / "two", "--out", tmp_path / "out")[0] == 0
    for command in ("bottlenecks", "predict"):
        _, text, error = call(command, tmp_path / "out", "--format", "csv")
        frame = pd.read_csv(io.StringIO(text))
        assert "nothing is predicted" in error
        assert list(frame["p"]) == [1, 2] * 3 and frame["kernel"].iloc[-1] == "total"
        assert frame["measured [core-s]"].iloc[:4].sum() == pytest.approx(
            frame["measured [core-s]"].iloc[4:].sum()
        )


def test_models_of_another_metric_have_no_scales(call, places, tmp_path):
    options = ("--out", tmp_path / "out", "--metric", "visits", "--format", "csv")
    _, text, _ = call("run", places["study"], *options)
    assert text.startswith("kernel,share_measured,p,")


def test_warnings_go_to_standard_error(call, places):
    code, text, error = call("predict", places["out"], "--at", "p=1024", "--format", "csv")
    assert code == 0 and "beyond" not in text
    assert "pipeline: p = 1024: 64 times beyond the measured range" in error


def test_json_may_go_to_a_file_beside_the_table(call, places, tmp_path):
    code, text, error = call("predict", places["out"], "--format", "csv", "--json", tmp_path / "a.json")
    assert (code, error) == (0, f"pipeline: wrote {tmp_path / 'a.json'}\n")
    assert text.startswith("kernel,p,value [core-s],")
    assert json.loads((tmp_path / "a.json").read_text())["total"]


ONE = "only one of them can go to standard output; give files"
REFUSED = {
    "filter x -o - --format csv": f"--out and --format: {ONE}",
    "filter x --explain f --format csv": "--explain: cannot be combined with --format; give one of them",
    "compare x y -o - --format csv": f"--out and --format: {ONE}",
    "inspect x --propose --format csv": "--format: cannot be combined with --propose; omit one of them",
    "bottlenecks x --format xml": (
        "Invalid value for '--format': 'xml' is not one of 'table', 'csv', 'md', 'json', 'latex';"
        " see `pipeline bottlenecks --help`"
    ),
}
JSON = ["run x", "bottlenecks x", "predict x", "model x", "tree x", "advise x --budget 1", "compare x y"]
JSON += ["project x", "project --list", "history show x", "filter x", "filter x --apply y"]
REFUSED |= {f"{command} --json - --format md": f"--json and --format: {ONE}" for command in JSON}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.items(), ids=list(REFUSED))
def test_contradictions_and_unknown_forms_are_one_line(call, arguments, message):
    assert call(*arguments.split()) == (2, "", f"pipeline: {message}\n")


def test_annotations_of_a_check_do_not_mix_with_its_table(show, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert "::error" in show("check")
    assert show("check", "--format", "csv").startswith("kernel,level,verdict,")
