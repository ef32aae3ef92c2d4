"""A campaign with Score-P: the pilot gives a filter, the program is built anew, the filter is verified."""

import json
import sys

import pytest

from filters.scorep_format.rule_files import parse
from tests.campaigns import ROOT, begin, change, made

pytestmark = pytest.mark.slow

PROGRAM = '''\
"""Writes what Score-P would: a profile with one region of many short visits, which a filter may drop."""
import os, pathlib, sys
import numpy as np
from filters.scorep_format.rule_files import kept
from filters.scorep_format.rule_files import parse
from ingest.readers import read_profile
from tests.cubex_writer import MetricSpec, RegionSpec, write_cubex

n = int(sys.argv[1])
here = pathlib.Path(__file__).parent
with open(here / "made", "a") as made:
    print(n, file=made)
names = ["main", "solve", "MPI_Allreduce", "get"]
regions = [RegionSpec(name, f"_Z{name}", "mpi" if name.startswith("MPI") else "compiler") for name in names]
times = np.array([0.01, 1e-5 * n**3, 1e-4 * n, 1e-6 * n**3])
visits = np.array([1, 10, 10, 1000 * n**3])
path = pathlib.Path("scorep/profile.cubex")
path.parent.mkdir()

def write(visits, times):
    counts = MetricSpec("visits", visits[:, None], dtype="UINT64", unit="occ")
    metrics = [counts, MetricSpec("time", times[:, None])]
    write_cubex(path, parent=[-1, 0, 1, 1], metrics=metrics, regions=regions)

write(visits, times)
built = here / "built"  # the filter that the program was built with
file = built if built.exists() else os.environ.get("SCOREP_FILTERING_FILE")
if file and not (here / "ignores").exists():
    left = kept(parse(pathlib.Path(file).read_text()), read_profile(path).regions)
    write(np.where(left, visits, 0), np.where(left, times, 0.0))
'''

DESCRIPTION = f"""\
[campaign]
seed = 7
[application]
name = "solver"
command = "{sys.executable} {{folder}}/program.py {{n}}"
[scales]
n = [8, 12, 16, 24, 32]
[measurement]
tool = "score-p"
filter = "pilot"
[question]
at = "n=48"
quantity = "time"
width = 3.0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A campaign of a program that Score-P measures, in the current directory."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return begin(tmp_path, monkeypatch, DESCRIPTION, program_py=PROGRAM)


def loop(call, *options):
    code, printed, error = call("campaign", "loop", "--json", "-", *options)
    return code, json.loads(printed), error


def test_the_filter_of_the_pilot_is_verified_and_used(call, folder):
    code, summary, error = loop(call)
    assert (code, summary["ending"]) == (0, "answered"), error
    assert [one["purpose"] for one in summary["rounds"]][:3] == ["pilot", "filter", "series"]
    rules = (folder / "work/filter/solver.filter").read_text()
    assert parse(rules).regions
    assert "the filter works: visits differ by 0.0 % from what it should leave" in error
    assert len(list((folder / "profiles-pilot").iterdir())) == 3
    digests = {path.read_text() for path in (folder / "profiles").glob("*/metadata.toml")}
    assert len(digests) == 1 and "filter = " in digests.pop()
    first = next(iter(sorted((folder / "profiles-pilot").iterdir())))
    assert "filter" not in (first / "metadata.toml").read_text()
    names = {run["name"] for run in summary["runs"]}
    assert {"solver-pilot.n8.r1", "solver.n8.r1"} <= names


def test_a_filter_that_is_not_applied_stops_the_loop(call, folder):
    (folder / "ignores").touch()
    code, summary, error = loop(call)
    assert code == 3
    assert "does not work: visits differ by" in summary["request"]
    assert error.splitlines()[-1].startswith("pipeline: the filter ")
    assert [one["purpose"] for one in summary["rounds"]] == ["pilot", "filter"]
    (verified,) = [run["name"] for run in summary["runs"] if run["round"] == 2]
    reset = f"`pipeline campaign reset {verified}` and `pipeline campaign loop`"
    assert 'write rebuild = "by hand" in [measurement], build' in error and error.endswith(f"{reset}\n")
    change(folder, 'filter = "pilot"', 'filter = "pilot"\nrebuild = "by hand"')
    (folder / "ignores").unlink()
    (folder / "program.py").write_text(f"{PROGRAM}\n")
    (folder / "built").write_text((folder / "work/filter/solver.filter").read_text())
    assert call("campaign", "reset", verified)[0] == 0
    code, summary, error = loop(call)
    assert (code, summary["ending"]) == (0, "answered"), error


def test_the_program_is_rebuilt_with_the_filter_at_the_cost_of_the_campaign(call, folder):
    command = 'rebuild = "cp {filter} {folder}/built && head -c 30000000 /dev/urandom | sha256sum"'
    text = DESCRIPTION.replace('filter = "pilot"', f'filter = "pilot"\n{command}')
    (folder / "campaign.toml").write_text(text)
    code, summary, error = loop(call)
    assert code == 0, error
    assert (folder / "built").read_text() == (folder / "work/filter/solver.filter").read_text()
    _, built, *_ = summary["rounds"]
    (run,) = [run for run in summary["runs"] if run["round"] == 2]
    assert built["spent_core_seconds"] > run["seconds"] + 0.01
    spent = sum(one["spent_core_seconds"] for one in summary["rounds"])
    assert summary["spent_core_seconds"] == pytest.approx(spent)


def test_a_build_that_fails_is_one_line(call, folder):
    text = DESCRIPTION.replace('"pilot"', '"pilot"\nrebuild = "echo no compiler >&2; exit 4"')
    (folder / "campaign.toml").write_text(text)
    code, _, error = call("campaign", "loop")
    assert code == 2
    assert "exit status 4: no compiler; correct rebuild in [measurement]" in error.splitlines()[-1]


def test_the_loop_stops_for_a_build_by_hand(call, folder):
    (folder / "campaign.toml").write_text(DESCRIPTION.replace('"pilot"', '"pilot"\nrebuild = "by hand"'))
    for _ in range(2):
        code, summary, _ = loop(call)
        assert code == 3
        assert summary["request"].endswith("then call `pipeline campaign loop --rebuilt`")
        assert len(made(folder)) == 3
    (folder / "built").write_text((folder / "work/filter/solver.filter").read_text())
    code, summary, _ = loop(call, "--rebuilt")
    assert (code, summary["ending"]) == (0, "answered")
