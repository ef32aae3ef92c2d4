"""What every command prints, at 80 columns: approved texts in the folder ``snapshots``."""

import re
import shutil
import tempfile
from pathlib import Path

import pytest

from pipeline.cli.app import COMMANDS

ROOT = Path(__file__).parents[3]
HPCG = ROOT / "sample_profiles" / "hpcg-strong"
GROUPS = {
    "campaign": ("init", "plan", "submit", "status", "reset"),
    "history": ("add", "show"),
    "machine": ("list", "measure"),
}


@pytest.fixture
def show(call, monkeypatch):
    """Call a command in the root of the project, on a terminal of 80 columns: returns what it prints."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments, hide=()):
        code, text, notices = call(*arguments)
        printed = f"{text}{notices}" + (f"exit code {code}\n" if code else "")
        for path, name in hide:
            printed = printed.replace(str(path), name)
        return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())

    return run


@pytest.fixture
def tmp_path():
    """A directory whose name is always as long: lines wrap before it is hidden."""
    with tempfile.TemporaryDirectory(prefix="snapshot-", dir="/tmp") as path:
        yield Path(path)


@pytest.fixture(scope="module")
def results():
    """The result of a run on real measurements."""
    from pipeline.config.options import Options
    from pipeline.stages.run import run

    with tempfile.TemporaryDirectory(prefix="snapshot-", dir="/tmp") as path:
        out = Path(path) / "results"
        run(HPCG, Options(out=out))
        yield out


@pytest.mark.parametrize(
    "command",
    [
        "",
        "history",
        *(c for cs in COMMANDS.values() for c in cs if c not in GROUPS),
        *(f"{g} {c}" for g, cs in GROUPS.items() for c in cs),
    ],
)
def test_help(show, snapshot, command):
    text = show(*command.split(), "--help")
    assert max(map(len, text.splitlines())) <= 80
    snapshot(text, f"help-{command.replace(' ', '-') or 'pipeline'}.txt")


STORED = [
    ("bottlenecks", ["bottlenecks", "{out}"]),
    ("bottlenecks-callpath", ["bottlenecks", "{out}", "--by", "callpath", "--limit", "5"]),
    ("predict", ["predict", "{out}", "--at", "p=64", "--at", "p=16384", "--limit", "6"]),
    ("choose", ["choose", "{out}", "--deadline", "8s", "--efficiency", "40%"]),
    ("choose-none", ["choose", "{out}", "--deadline", "3s", "--price", "0.02/core-h"]),
    ("tree", ["tree", "{out}", "--least", "0.05"]),
    ("tree-predicted", ["tree", "{out}", "--least", "0.1", "--at", "p=4096"]),
    ("plot", ["plot", "{out}", "MPI_Allreduce"]),
    ("advise", ["advise", "{out}", "--budget", "500"]),
    ("report", ["report", "{out}"]),
    ("export", ["export", "{out}", "--to", "xml"]),
    ("unknown-kernel", ["plot", "{out}", "MPI_*"]),
]  # the models of a real run: each command is also tested with a small one


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *(pytest.param(*one, id=one[0], marks=pytest.mark.slow) for one in STORED),
        ("inspect", ["inspect", "sample_profiles/hpcg-strong"]),
        ("inspect-profile", ["inspect", "sample_profiles/hpcg-strong/hpcg.p2.r1", "--totals"]),
        ("model", ["model", "sample_profiles/openfoam-cavity", "--limit", "6"]),
        ("filter", ["filter", "sample_profiles/hpcg-strong/hpcg.p8.r1", "-o", "{tmp}/app.filter"]),
        (
            "filter-budget",
            ["filter", "sample_profiles/hpcg-strong/hpcg.p8.r1", "-o", "{tmp}/f", "--max-overhead", "0.5%"],
        ),
        ("filter-explain", ["filter", "sample_profiles/hpcg-strong/hpcg.p8.r1", "--explain", "*TestCG*"]),
        ("filter-simulated", ["filter", "sample_profiles/hpcg-strong/hpcg.p8.r1", "--apply", "{tmp}/hand"]),
    ],
)  # fmt: skip
def test_output(show, snapshot, request, tmp_path, name, arguments):
    results = request.getfixturevalue("results") if "{out}" in arguments else tmp_path / "none"
    (tmp_path / "hand").write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE *mytimer*\nSCOREP_REGION_NAMES_END\n")
    text = show(
        *(text.format(out=results, tmp=tmp_path) for text in arguments),
        hide=[(results, "RESULTS"), (tmp_path, "TMP")],
    )
    snapshot(text, f"{name}.txt")


@pytest.mark.slow
def test_run_and_run_again(show, snapshot, tmp_path):
    first, again = (
        show("run", "sample_profiles/hpcg-strong", "--out", tmp_path / "out", hide=[(tmp_path, "TMP")])
        for _ in range(2)
    )
    snapshot(first, "run.txt")
    unchanged = " ".join(first.split()).replace("(written)", "(inputs unchanged, nothing recomputed)")
    assert " ".join(again.split()) == unchanged


@pytest.mark.slow
def test_run_with_details(show, snapshot, tmp_path):
    arguments = ["run", "sample_profiles/hpcg-strong", "--out", tmp_path / "out", "--details", "--limit", "3"]
    snapshot(show(*arguments, hide=[(tmp_path, "TMP")]), "run-details.txt")


@pytest.mark.slow
def test_run_with_a_broken_and_an_empty_run(show, snapshot, tmp_path):
    study = shutil.copytree(HPCG, tmp_path / "study")
    (study / "hpcg.p2.r1" / "profile.cubex").write_bytes(b"torn")
    (study / "hpcg.p16.r1").mkdir()
    text = show("run", study, "--out", tmp_path / "out", "--strict", "--limit", "1", hide=[(tmp_path, "TMP")])
    snapshot(re.sub(r"(?s)^.*?(?=Results)", "...\n", text), "run-broken.txt")
