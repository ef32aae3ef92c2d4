"""Campaigns answer with the times of the plain program, whatever their runs spend on measuring."""

import json

import numpy as np
import pytest

from filters.event_cost import INSIDE, EventCost
from tests.campaigns import begin, change, made
from tests.cubex_writer import MetricSpec, RegionSpec, write_cubex

pytestmark = pytest.mark.slow

COST, DILATION = 80e-9, 10.0  # of a recorded visit; of a run without a filter
SIZES, TARGET = (8, 12, 16, 24, 32), 48
NAMES = ("main", "solve", "get", "flux")
PROGRAM = """\
# Does nothing for as long as the program would take, and leaves the profile that Score-P would.
here=$(dirname "$0")
kind=full
[ -n "$SCOREP_FILTERING_FILE" ] && kind=under
[ -e "$here/built" ] && kind=rebuilt
[ "$1" = plain ] && kind=plain && shift
echo "$kind $1" >>"$here/made"
if [ $kind != plain ]; then
  mkdir scorep
  cp "$here/made-$kind.$1.cubex" scorep/profile.cubex
  echo "SCOREP_FILTERING_FILE='$SCOREP_FILTERING_FILE'" >scorep/scorep.cfg
fi
sleep $(cat "$here/seconds-$kind.$1")
"""
DESCRIPTION = f"""\
[campaign]
seed = 7
[application]
name = "solver"
command = "bash {{folder}}/program.sh {{n}}"
[scales]
n = {list(SIZES)}
[measurement]
tool = "score-p"
filter = "pilot"
[question]
at = "n={TARGET}"
quantity = "time"
width = 3.0
"""
REBUILD = 'rebuild = "cp {filter} built"'
PLAIN = 'plain = "bash {folder}/program.sh plain {n}"'


def plain_time(n):
    return 6e-4 * n**2


def write_profile(folder, kind, n, hook):
    """Write a profile: of all functions, or without the tiny one, whose hooks may be in its caller."""
    plain = plain_time(n)
    tiny = (DILATION - 1) * plain / COST
    visits = np.array([1, 10, tiny, 100])
    time = np.array([0.01, 0.6, 0.0, 0.39]) * plain
    if kind == "full":
        time += [0, (1 - INSIDE) * COST * tiny, INSIDE * COST * tiny, 0]
    else:
        visits[2] = 0
        time[1] += hook * tiny if kind == "under" else 0.0
    regions = [RegionSpec(name, f"_Z{name}", "compiler") for name in NAMES]
    counts = MetricSpec("visits", visits[:, None], dtype="UINT64", unit="occ")
    metrics = [counts, MetricSpec("time", time[:, None])]
    write_cubex(folder / f"made-{kind}.{n}.cubex", parent=[-1, 0, 1, 0], metrics=metrics, regions=regions)
    (folder / f"seconds-{kind}.{n}").write_text(f"{time.sum():.6f}")


@pytest.fixture
def campaign(tmp_path, monkeypatch, call):
    """Loop a campaign, with lines of its measurement, and return its exit code, summary and what it said."""

    def loop(*lines, hook=2e-9, changed=("", "")):
        text = DESCRIPTION.replace('filter = "pilot"', "\n".join(('filter = "pilot"', *lines)))
        begin(tmp_path, monkeypatch, text.replace(*changed), program_sh=PROGRAM)
        (tmp_path / "profiles").mkdir()
        (tmp_path / "profiles/pipeline.toml").write_text('[filter]\nprotect = ["solve", "flux"]\n')
        for n in SIZES:
            for kind in ("full", "under", "rebuilt"):
                write_profile(tmp_path, kind, n, hook)
            (tmp_path / f"seconds-plain.{n}").write_text(f"{plain_time(n):.6f}")
        code, printed, error = call("campaign", "loop", "--json", "-", "--interval", "0.2")
        assert printed, error
        return code, json.loads(printed), error

    return loop


def answer_of(summary):
    return [one["answer"] for one in summary["rounds"] if one["answer"]][-1]


def holds(answer):
    return answer["lower"] < plain_time(TARGET) < answer["upper"]


def test_hooks_of_rejected_visits_are_no_part_of_the_answer(campaign):
    code, summary, error = campaign()
    assert code == 0, error
    answer = answer_of(summary)
    assert holds(answer) and answer["value"] == pytest.approx(plain_time(TARGET), rel=0.2)
    assert "with it at run time" in error
    assert "; that is where it is applied, since [measurement] has no rebuild, which" in error
    assert "by hooks of visits that the filter rejects at run time" in error


def test_a_program_that_is_built_with_the_filter_has_no_hooks(campaign):
    code, summary, error = campaign(REBUILD)
    assert code == 0, error
    assert holds(answer_of(summary))
    assert (
        "; that is where it is applied, since [measurement] has rebuild" in error
        and "at compile time" in error
    )
    assert "by hooks of visits" not in error


@pytest.mark.parametrize("lines", [(PLAIN,), (PLAIN, REBUILD)])
def test_plain_runs_make_the_answer_sharper(campaign, tmp_path, lines):
    code, summary, error = campaign(*lines)
    assert code == 0, error
    answer = answer_of(summary)
    assert holds(answer) and answer["value"] == pytest.approx(plain_time(TARGET), rel=0.12)
    assert [line for line in made(tmp_path) if line.startswith("plain")] == ["plain 16", "plain 32"]
    table = (tmp_path / "work/plain.csv").read_text().splitlines()
    assert table[0] == "n,seconds,startup" and [row.split(",")[0] for row in table[1:]] == ["16", "32"]
    assert not any("plain" in path.name for path in (tmp_path / "profiles").iterdir())
    assert ("rejects at run time" in error) == (REBUILD not in lines)


def test_a_campaign_that_overhead_leaves_open_asks_for_plain_runs_and_goes_on_with_them(
    campaign, call, tmp_path
):
    before = DESCRIPTION[DESCRIPTION.index("[scales]") :]
    question = f'[question]\nat = "n={SIZES[-1]}"\nquantity = "time"\nwidth = 0.6\n'
    after = f'[scales]\nn = {list(SIZES[:4])}\n[measurement]\ntool = "score-p"\n{question}'
    code, summary, _ = campaign(changed=(before, after))
    assert (code, summary["way_on"]["limit"], summary["way_on"]["runs"]) == (3, "plain", 3)
    wide = answer_of(summary)
    printed = " ".join(call("campaign", "plan")[1].split())
    assert "3 runs without instrumentation, about" in printed and "plain in [measurement], then" in printed
    change(tmp_path, 'tool = "score-p"', f'tool = "score-p"\n{PLAIN}')
    _, printed, error = call("campaign", "loop", "--json", "-", "--interval", "0.2")
    assert printed, error
    summary = json.loads(printed)
    sharp = answer_of(summary)
    assert sharp["lower"] < plain_time(SIZES[-1]) < sharp["upper"]
    assert sharp["upper"] / sharp["lower"] < wide["upper"] / wide["lower"]
    plain = [line for line in made(tmp_path) if line.startswith("plain")]
    assert plain[:3] == [f"plain {SIZES[3]}"] * 3
    assert sum(line.startswith("full") for line in made(tmp_path)) <= 30


def test_rounds_are_planned_with_what_runs_cost_under_the_filter(campaign):
    pilot = DILATION * sum(map(plain_time, SIZES[:3]))
    hook = EventCost().filtered
    under = 1 + (DILATION - 1) * hook / COST
    series = under * 2 * sum(map(plain_time, SIZES))
    budget = f'seed = 7\nbudget = "{pilot + 2 * series:.2f} core-s"'
    code, summary, error = campaign(hook=hook, changed=("seed = 7", budget))
    assert (code, summary["ending"]) == (0, "answered"), error
    _, verified, *others = summary["rounds"]
    assert verified["expected_core_seconds"] == pytest.approx(under * plain_time(16), rel=0.5)
    planned, spent = (
        [one[key] for one in others if one["expected_core_seconds"] is not None]
        for key in ("expected_core_seconds", "spent_core_seconds")
    )
    beside = (
        0.5  # seconds that starting a process may take on a busy machine; ten times the plain time is more
    )
    assert planned and (np.array(planned) < 2 * np.array(spent) + beside).all()
