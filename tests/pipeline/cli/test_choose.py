"""What `pipeline choose` says, and what it refuses."""

import csv
import io
import json

import pytest

import pipeline
from tests.foam_cases import write_foam_case
from tests.resource_studies import lammps


@pytest.fixture
def jobs(call, results):
    """Call `choose` for JSON."""

    def run(*options):
        code, text, _ = call("choose", results, *options, "--json", "-")
        assert code == 0
        return json.loads(text)

    return run


@pytest.mark.parametrize("changes", [(), ("--what-if", "sum=0.5")])
def test_every_scale_agrees_with_predict_or_what_was_measured_to_the_last_digit(call, results, jobs, changes):
    found = jobs("--deadline", "5h", "--at", "p=64", *changes)["jobs"]
    at = [part for job in found for part in ("--at", f"p={job['point']['p']}")]
    predicted = json.loads(call("predict", results, *at, *changes, "--json", "-")[1])["runtime"]["at"]
    by_scale = {entry["point"]["p"]: entry for entry in sorted(predicted, key=lambda one: one["measured"])}
    assert len(found) > 10 and 3 < sum(job["measured"] for job in found) < len(found)
    for job in found:
        for key in ("wall_seconds", "core_hours", "efficiency"):
            assert job[key] == by_scale[job["point"]["p"]][key]


def test_the_best_jobs_are_named_and_hold(call, results, jobs):
    found = jobs("--deadline", "60s", "--price", "10/core-h")
    holding = {job["point"]["p"]: job for job in found["jobs"] if job["holds"]}
    best = {name: holding[at["p"]] for name, at in found["best"].items()}
    assert set(best) == {"fastest", "cheapest", "most efficient"}
    assert all(job["probability"] >= 0.9 for job in holding.values())
    assert best["cheapest"]["price"] == pytest.approx(10 * best["cheapest"]["core_hours"]["value"])
    _, text, _ = call("choose", results, "--deadline", "60s")
    assert text.startswith(f"Use p = {best['fastest']['point']['p']}: ") and "(fastest)" in text
    assert "meets the deadline (" in " ".join(text.split())


def test_without_limits_nothing_is_said_to_hold(jobs, call, results):
    assert all(job["probability"] is None and job["fails_first"] is None for job in jobs()["jobs"])
    text = call("choose", results)[1]
    assert "meets" not in text and text.startswith("Use p = ")


def test_limits_that_nothing_holds_are_relaxed(jobs, call, results):
    options = ("--deadline", "1s", "--efficiency", "90%")
    found = jobs(*options)
    assert not found["best"] and {"deadline"} in [set(one["limits"]) for one in found["relaxed"]]
    text = " ".join(call("choose", results, *options)[1].split())
    assert "No scale holds all limits with 90 %, nor even with 1 %." in text
    assert "A deadline of " in text and " would hold at p = " in text
    (needed,) = (one["limits"]["deadline"] for one in found["relaxed"] if set(one["limits"]) == {"deadline"})
    assert jobs("--deadline", f"{needed}s", "--efficiency", "90%")["best"]
    closer = call("choose", results, "--deadline", f"{0.995 * needed:.4f}s", "--efficiency", "90%")[1]
    assert "No scale holds all limits with 90 %; closest is p = " in " ".join(closer.split())


def test_the_table_has_all_scales_and_the_screen_the_main_ones(call, results, jobs):
    rows = list(csv.DictReader(io.StringIO(call("choose", results, "--format", "csv")[1])))
    assert len(rows) == len(jobs()["jobs"]) > 7
    assert {row["p"] for row in rows} > {"1", "2", "4", "8", "16", "32", "64"}
    assert "in between left out" in call("choose", results)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--deadline", "6x"), "--deadline: unknown unit 'x'; write 6h, 90min or 2d"),
        (("--deadline", "6"), "--deadline: '6' has no unit; write 6h, 90min or 2d"),
        (("--deadline", "-1h"), "--deadline: invalid deadline '-1h'; write 6h, 90min or 2d"),
        (("--budget", "5 kg"), "--budget: unknown unit 'kg'; write 50000core-h"),
        (("--efficiency", "120%"), "--efficiency: invalid share '120%'; write at most 100%"),
        (("--efficiency", "0"), "--efficiency: every job is at least 0 % efficient; write 75%"),
        (("--energy", "40 core-h"), "--energy: unknown unit 'core-h'; write 40kWh or 150MJ"),
        (("--price", "0.02"), "--price: '0.02' does not say what it is for; write 0.02/core-h"),
        (("--price", "0.02/h"), "--price: unknown unit 'h'; write 0.02/core-h"),
        (("--cores-per-node", "0"), "--cores-per-node: invalid number 0; write one above 0"),
        (("--memory-per-node", "1GB"), "--memory-per-node: the memory of nodes was not measured; "),
        (("--energy", "1kWh"), "--energy: energy was not measured; "),
        (("--steps", "100"), "--steps: the models are of whole runs, so it is unknown what a step takes; "),
        (("--at", "q=4"), "--at: no parameter 'q'; parameters here: p"),
    ],
)
def test_what_cannot_be_asked_is_one_line(refused, results, options, message):
    assert refused("choose", results, *options).startswith(f"pipeline: {message}")


def test_two_scales_predict_no_others(call, refused, tmp_path):
    for p in (1, 2):
        write_foam_case(tmp_path / "study" / f"app.p{p}.r1", {"main": 0.1, "solve": 64 / p}, processes=p)
    call("run", tmp_path / "study", "--out", tmp_path / "out")
    assert refused("choose", tmp_path / "out") == (
        "pipeline: one or two scales predict no others; measure at least three\n"
    )


@pytest.mark.slow
def test_jobs_of_more_steps_take_longer(call, strong_study, tmp_path):
    call("run", strong_study, "--out", tmp_path / "per", "--per", "solve")
    walls = []
    for steps in (10, 1000):
        _, text, _ = call("choose", tmp_path / "per", "--steps", steps, "--json", "-")
        walls.append(json.loads(text)["jobs"][0]["wall_seconds"]["value"])
    assert walls[1] == pytest.approx(100 * walls[0])


def test_a_proposal_has_the_jobs_and_says_which_to_choose(call, refused, results, tmp_path, jobs):
    options = ("--deadline", "60s", "--at", "p=64")
    code, _, notices = call("export", results, "--to", "proposal", "-o", tmp_path / "a.svg", *options)
    assert code == 0 and "a.jobs.csv" in notices
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.jobs.csv").read_text())))
    expected = jobs(*options)["jobs"]
    assert [float(row["probability"]) for row in rows] == [job["probability"] for job in expected]
    text = (tmp_path / "a.txt").read_text().splitlines()
    assert len(text) > 4 and "meets the deadline (" in text[4]
    assert len(call("export", results, "--to", "proposal")[1].splitlines()) == 4
    assert refused("export", results, "--to", "csv", "--deadline", "6h") == (
        "pipeline: --deadline: csv has no jobs; use --to proposal\n"
    )


@pytest.fixture
def sized(call, tmp_path):
    """Results of a program over processes and size: n / p seconds of work, 0.1 s of sums."""
    for p in (1, 2, 4, 8):
        for n in (2, 4, 8, 16):
            folder = tmp_path / "study" / f"app.p{p}.n{n}.r1"
            write_foam_case(folder, {"main": 0.01, "solve": n / p, "sum": 0.1 * p}, processes=p)
    call("run", tmp_path / "study", "--out", tmp_path / "sized", "--scaling", "strong")
    return tmp_path / "sized"


@pytest.mark.slow
def test_sizes_that_keep_an_efficiency_are_the_same_in_every_form(call, sized):
    document = json.loads(call("choose", sized, "--isoefficiency", "60%", "--json", "-")[1])
    assert (document["efficiency"], document["scale"], document["size"]) == (0.6, "p", "n")
    table = call("choose", sized, "--isoefficiency", "60%", "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(table)))
    for row, one in zip(rows, document["kept"], strict=True):
        assert row["sought"] == one["sought"]
        for key in ("at", "value", "lower", "upper", "wall_seconds"):
            assert (float(row[key]) if row[key] else None) == one[key]
    text = " ".join(call("choose", sized, "--isoefficiency", "n=60%")[1].split())
    assert "p = 8 n >= " in text and "n = 4 p <= " in text
    assert "every n from 2 on 2 or less" in text
    frame = pipeline.read_results(sized).isoefficiency("60%")
    assert frame["value"].replace({float("nan"): None}).tolist() == [one["value"] for one in document["kept"]]
    assert frame.attrs["growth"] == document["growth"]


@pytest.mark.slow
def test_a_predicted_efficiency_there_is_the_one_kept(call, sized):
    document = json.loads(call("choose", sized, "--isoefficiency", "60%", "--json", "-")[1])
    (one,) = (row for row in document["kept"] if row["given"] == "p" and row["at"] == 8)
    told = call("predict", sized, "--at", f"p=8,n={one['value']}", "--json", "-")[1]
    (there,) = (entry for entry in json.loads(told)["runtime"]["at"] if not entry["measured"])
    assert there["efficiency"]["value"] == pytest.approx(0.6, abs=0.01)
    assert there["wall_seconds"]["value"] == pytest.approx(one["wall_seconds"], rel=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--isoefficiency", "75%"), "--isoefficiency: no size varies beside p; measure several, as "),
        (("--isoefficiency", "0"), "--isoefficiency: every job is at least 0 % efficient; write 75%"),
        (("--isoefficiency", "n=x"), "--isoefficiency: "),
        (
            ("--isoefficiency", "75%", "--deadline", "6h"),
            "--deadline: cannot be combined with ",
        ),
    ],
)
def test_an_efficiency_that_cannot_be_kept_is_one_line(refused, results, options, message):
    assert refused("choose", results, *options).startswith(f"pipeline: {message}")


@pytest.mark.slow
def test_memory_is_known_in_python_as_on_the_command_line(call, tmp_path):
    runs = lammps(tmp_path / "runs", lambda p: 256)
    call("run", runs, "--out", tmp_path / "out")
    document = json.loads(
        call("choose", tmp_path / "out", "--memory-per-node", "1GB", "--at", "p=64", "--json", "-")[1]
    )
    expected = [job["memory_per_node"]["value"] for job in document["jobs"]]
    for models in (pipeline.read_results(tmp_path / "out"), pipeline.read_study(runs).fit()):
        found = models.choose(job={"memory_per_node": "1GB"}, p=64)
        assert found["memory_per_node"].tolist() == expected
        assert found["probability"].tolist() == [job["probability"] for job in document["jobs"]]
