"""Parameters that say nothing change nothing in any command; what rises with processes means weak scaling."""

import json

import pytest

from tests.foam_cases import write_foam_case
from tests.ingest.readers.caliper.cali_files import report

P = (1, 2, 4, 8, 16)
SECONDS = {p: 20 + 0.6 * p for p in P}


def rows(seconds=SECONDS, **columns):
    """A table of p, other columns that are functions of p, and the time."""
    lines = [
        ",".join(map(str, (p, *(of(p) for of in columns.values()), took))) for p, took in seconds.items()
    ]
    return "\n".join([",".join(("p", *columns, "time [s]")), *lines, ""])


def written(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def answer(call, tmp_path):
    """Run something: returns what summary.json says of the program, and standard error."""

    def go(path, *options):
        code, _, error = call("run", path, "--out", tmp_path / "out" / path.name, *options)
        assert code == 0, error
        found = json.loads((tmp_path / "out" / path.name / "summary.json").read_text())
        kept = ("parameters", "points", "targets", "scaling", "kernels", "regions", "total", "runtime")
        return {name: found[name] for name in kept}, error

    return go


def test_a_size_that_rises_with_processes_is_weak_scaling_in_a_table(answer, tmp_path):
    plain, _ = answer(written(tmp_path / "plain.csv", rows()), "--scaling", "weak")
    assert plain["scaling"] == "weak" and len(plain["points"]) == 5
    found, error = answer(written(tmp_path / "app.csv", rows(cells=lambda p: 1000000 * p)))
    assert found == plain
    assert error == "pipeline: cells rises with p (1000000 p): weak scaling\n"
    asked, error = answer(tmp_path / "app.csv", "--scaling", "strong")
    assert asked["scaling"] == "strong" and "cells rises with p" in error


def foam_runs(folder, name):
    for p, seconds in SECONDS.items():
        write_foam_case(folder / name(p), {"solve": seconds, "main": 0.5}, processes=p)
    return folder


def test_the_same_of_names_and_of_metadata(answer, tmp_path):
    plain, _ = answer(foam_runs(tmp_path / "plain", lambda p: f"app.p{p}"), "--scaling", "weak")
    found, error = answer(foam_runs(tmp_path / "sized", lambda p: f"app.p{p}.n{1000 * p}"))
    assert found == plain
    assert "n rises with p (1000 p): weak scaling" in error
    for p in P:
        (tmp_path / "noted").mkdir(exist_ok=True)
        report(p).globals(jobsize=str(p), problem_size=str(30 * p)).write(
            tmp_path / "noted" / f"210104-{p}.cali"
        )
    found, error = answer(tmp_path / "noted")
    assert (found["parameters"], found["scaling"]) == (["jobsize"], "weak")
    assert "problem_size rises with jobsize (30 jobsize): weak scaling" in error


STRONG = {p: 100 / p + 1 for p in P}


@pytest.mark.parametrize("columns", [{"n": lambda p: 32}, {"version": lambda p: 2, "n": lambda p: 32}])
def test_a_parameter_with_one_value_changes_nothing(call, answer, tmp_path, columns):
    plain, _ = answer(written(tmp_path / "plain.csv", rows(STRONG)), "--at", "p=64")
    sized = written(tmp_path / "sized.csv", rows(STRONG, **columns))
    found, error = answer(sized, "--at", "p=64,n=32")
    assert found == plain
    assert "n = 32 in all runs" in error
    models = [
        json.loads(call("model", path, "--at", "p=64", "--json", "-")[1])["kernels"]
        for path in (tmp_path / "plain.csv", sized)
    ]
    assert models[0] == models[1]
    predicted = [
        json.loads(call("predict", tmp_path / "out" / path, "--at", at, "--json", "-")[1])["total"]
        for path, at in (("plain.csv", "p=128"), ("sized.csv", "p=128,n=32"))
    ]
    assert predicted[0] == predicted[1]


def test_another_value_of_such_a_parameter_is_refused_in_one_line(refused, answer, tmp_path):
    table = written(tmp_path / "sized.csv", rows(STRONG, n=lambda p: 32))
    answer(table)
    hint = "n is 32 in all runs, not 64; leave n out"
    for command in (("predict", tmp_path / "out" / "sized.csv"), ("choose", tmp_path / "out" / "sized.csv")):
        assert hint in refused(*command, "--at", "p=64,n=64")


def noisy(**columns):
    names = ("p", *columns, "r", "time [s]")
    lines = [
        ",".join(map(str, (p, *(of(p) for of in columns.values()), r, took * (1 + 0.01 * r))))
        for p, took in STRONG.items()
        for r in (1, 2, 3)
    ]
    return "\n".join([",".join(names), *lines, ""])


def test_a_baseline_may_lack_a_parameter_with_one_value(call, tmp_path):
    plain = written(tmp_path / "plain.csv", noisy())
    sized = written(tmp_path / "sized.csv", noisy(n=lambda p: 32))
    other = written(tmp_path / "other.csv", noisy(n=lambda p: 64))
    both = written(tmp_path / "both.csv", noisy(n=lambda p: 32) + noisy(n=lambda p: 64).partition("\n")[2])
    for table in (plain, sized, both):
        code, _, error = call("baseline", table, "-o", tmp_path / f"{table.stem}.json")
        assert code == 0, error
    for table, reference, expected in (
        (plain, "sized", 0),
        (sized, "plain", 0),
        (sized, "sized", 0),
        (other, "plain", 0),
        (sized, "both", 3),  # whose points with n = 64 are missing
    ):
        code, text, error = call("check", table, "--baseline", tmp_path / f"{reference}.json")
        assert code == expected, text + error
    code, _, error = call("check", other, "--baseline", tmp_path / "sized.json")
    assert (code, "different n: 32 in the baseline, 64 here" in error) == (2, True)
    assert call("compare", plain, sized)[0] == 0


def test_a_baseline_of_an_earlier_version_that_kept_the_parameter_is_compared(call, tmp_path):
    plain = written(tmp_path / "plain.csv", noisy())
    file = tmp_path / "plain.json"
    call("baseline", plain, "-o", file)
    earlier = json.loads(file.read_text())
    del earlier["sha256"], earlier["processor"]
    earlier["parameters"] = ["p", "pr"]
    earlier["points"] = [[p, 117] for p in P]
    file.write_text(json.dumps(earlier))
    code, text, error = call("check", plain, "--baseline", file)
    assert code == 0, text + error


def test_nodes_alone_are_counted_and_cost_seconds_of_nodes(call, tmp_path):
    table = written(tmp_path / "nodes.csv", rows(STRONG).replace("p,", "nodes,", 1))
    code, text, error = call("run", table, "--out", tmp_path / "out", "--at", "nodes=128")
    assert code == 0, error
    assert "strong scaling; if the problem grows with it, use --scaling weak" in " ".join(text.split())
    assert "speed-up" in text and "efficiency" in text and "node-s" in text
    assert "core" not in text
    code, text, error = call("inspect", table)
    assert code == 0 and "1 .. 16 nodes" in text and "core" not in text


@pytest.mark.parametrize("name", ["nodes", "num_tasks", "ranks"])
def test_a_forecast_does_not_depend_on_what_processes_are_called(answer, tmp_path, name):
    both = [
        answer(written(tmp_path / f"{heading}.csv", rows(STRONG).replace("p,", f"{heading},", 1)))[0]
        for heading in ("p", name)
    ]
    walls = [[row["wall_seconds"] for row in found["runtime"]["at"]] for found in both]
    assert walls[0] == walls[1]


UNLIKE = "p,r,time [s]\n1,1,100\n1,2,31\n2,1,52\n2,2,53\n4,1,27\n4,2,26\n"


def test_runs_that_are_no_repetitions_have_no_answer(call, refused, tmp_path):
    table = written(tmp_path / "unlike.csv", UNLIKE)
    what = "2 runs of p = 1 are no repetitions: the slowest takes 3.2 times as long as the fastest"
    for command in (("run", table, "--out", tmp_path / "out"), ("model", table), ("baseline", table)):
        assert what in refused(*command).splitlines()[-1]
    code, text, _ = call("inspect", table)
    assert code == 2 and what in " ".join(text.split()) and "OK" not in text


LIKWID = """CPU name:	{cpu}
Group 1: FLOPS_DP
+-------------------+---------+------------+
|       Event       | Counter | HWThread 0 |
+-------------------+---------+------------+
| INSTR_RETIRED_ANY |  FIXC0  |    1372127 |
+-------------------+---------+------------+

+----------------------+------------+
|        Metric        | HWThread 0 |
+----------------------+------------+
| Runtime (RDTSC) [s]  |   {seconds:.4f} |
+----------------------+------------+
"""


def likwid_runs(folder, cpu, steeper=0.0):
    for n in (10, 20, 40, 80):
        for r in (1, 2, 3):
            text = LIKWID.format(cpu=cpu, seconds=(n / 10) ** steeper * (1 + 0.1 * n) * (1 + 0.01 * r))
            path = folder / f"app.n{n}.r{r}" / "likwid.out"
            path.parent.mkdir(parents=True)
            path.write_text(text)
    return folder


def test_a_series_of_another_processor_is_inconclusive(call, tmp_path):
    for side, cpu in (("before", "AMD EPYC 9V74"), ("now", "Xeon 8573C")):
        rows = [f"{n},{r},{n * (1 + 0.01 * r)},{cpu}" for n in (10, 20, 40, 80) for r in (1, 2, 3)]
        (tmp_path / f"{side}.csv").write_text("\n".join(["n,rep,time [s],cpu", *rows]))
    call("run", tmp_path / "before.csv", "--out", tmp_path / "stored")
    for side in ("before.csv", "stored"):
        baseline = tmp_path / f"{side}.json"
        assert call("baseline", tmp_path / side, "-o", baseline)[0] == 0
        code, text, _ = call("check", tmp_path / "now.csv", "--baseline", baseline)
        assert code == 3 and "AMD EPYC 9V74 in the baseline, Xeon 8573C here" in text


def test_a_baseline_from_another_processor_is_inconclusive(call, tmp_path):
    before = likwid_runs(tmp_path / "before", "AMD EPYC 9V74")
    now = likwid_runs(tmp_path / "now", "Intel(R) Xeon(R) Platinum 8573C CPU @ 2.60GHz", steeper=0.3)
    same = likwid_runs(tmp_path / "same", "AMD EPYC 9V74 80-Core Processor")
    baseline = tmp_path / "b.json"
    assert call("baseline", before, "-o", baseline)[0] == 0
    assert json.loads(baseline.read_text())["processor"] == "AMD EPYC 9V74"
    code, text, _ = call("check", now, "--baseline", baseline)
    both = "AMD EPYC 9V74 in the baseline, Intel(R) Xeon(R) Platinum 8573C CPU @ 2.60GHz here"
    assert code == 3 and both in " ".join(text.split())
    assert call("check", now, "--baseline", baseline, "--machine", "ci")[0] == 1
    assert call("check", same, "--baseline", baseline)[0] == 0
    code, text, _ = call("compare", before, now)
    assert both in " ".join(text.split())
