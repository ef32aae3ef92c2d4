"""Results without time: every command works on the metric that there is."""

import json
from itertools import product

import pytest

from tests.ingest.readers.hatchet_files import frame
from tests.ingest.readers.profiler_files import callgrind

SCALES = (10, 20, 40, 80)


@pytest.fixture
def counted(tmp_path):
    """Callgrind's profiles of four sizes, three of each: instructions of solve are 10 n^2."""
    for n, repetition in product(SCALES, (1, 2, 3)):
        run = tmp_path / "counted" / f"app.n{n}.r{repetition}"
        run.mkdir(parents=True)
        body = f"fn=main\n1 5\ncfn=solve\ncalls=1 1\n2 {10 * n * n}\nfn=solve\n3 {10 * n * n}\n"
        (run / "callgrind.out.1").write_text(
            callgrind(body, totals=str(10 * n * n + 5)) + f"# run {repetition}\n"
        )
    return tmp_path / "counted"


@pytest.fixture
def stored(counted, call, tmp_path):
    """The results of these runs."""
    code, _, error = call("run", counted, "--out", tmp_path / "out")
    assert code == 0, error
    return tmp_path / "out"


def test_predictions_of_stored_counts_are_those_of_the_counted_metric(stored, call):
    code, text, error = call("predict", stored, "--at", "n=160", "--format", "json")
    assert code == 0, error
    values = {row["kernel"]: row["value [occ]"] for row in json.loads(text)}
    assert values["solve"] == pytest.approx(256_000, rel=0.02)
    assert values["total"] == pytest.approx(256_005, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["tree"], ["bottlenecks"], ["plot", "solve", "-o", "solve.svg"], ["report"], ["verify"]]
)
def test_commands_on_stored_results_need_no_time(stored, call, monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    code, _, error = call(command[0], stored, *command[1:])
    assert code == 0, error


def test_what_needs_time_says_that_it_was_not_measured(stored, refused):
    assert "the models are of Ir, so the cost of a run is unknown; time was not measured" in refused(
        "advise", stored
    )


@pytest.mark.slow
def test_a_baseline_of_counts_is_checked_from_runs_and_from_results(counted, stored, call, tmp_path):
    for source in (counted, stored):
        assert call("baseline", source, "-o", tmp_path / "base.json")[0] == 0
        for checked in (counted, stored):
            code, _, error = call("check", checked, "--baseline", tmp_path / "base.json")
            assert code == 0, error


def test_a_filter_from_counts_is_refused_because_nothing_is_instrumented(counted, refused):
    assert "no filter is made: functions that a profiler found are not instrumented" in refused(
        "filter", counted
    )


@pytest.mark.slow
def test_runs_that_measured_accelerators_only_are_modelled_by_their_time(call, tmp_path):
    for n in SCALES:
        kernel = frame("matmul", time__ms=float(n * n), device_id="0", device_type="CUDA")
        (tmp_path / f"mm.n{n}.json").write_text(json.dumps([frame("ROOT", kernel)]))
    assert call("run", tmp_path, "--out", tmp_path / "out")[0] == 0
    code, text, error = call("predict", tmp_path / "out", "--at", "160", "--format", "json")
    assert code == 0, error
    assert json.loads(text)[0]["value [GPU-s]"] == pytest.approx(25.6, rel=0.02)


@pytest.mark.parametrize("metric", ["time", "flops"])
def test_a_proposal_from_a_series_of_unknown_cores_is_refused_in_one_line(call, refused, tmp_path, metric):
    (tmp_path / "series.txt").write_text(
        f"PARAMETER n\nPOINTS 2 4 8 16 32\nREGION f\nMETRIC {metric}\n"
        + "".join(f"DATA {n / 2} {n / 2 + 0.1}\n" for n in (2, 4, 8, 16, 32))
    )
    assert call("run", tmp_path / "series.txt", "--out", tmp_path / "out")[0] == 0
    line = refused("export", tmp_path / "out", "--to", "proposal", "-o", tmp_path / "proposal.pdf")
    why = {"time": "how many cores the runs held", "flops": "the models are of flops"}
    assert why[metric] in line
