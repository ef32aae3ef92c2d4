"""Outputs of profilers through all stages: models, but neither filters nor corrections for overhead."""

import pytest

from filters.correction import runs_of
from filters.make_filter import make_filter
from ingest.discovery import discover
from ingest.errors import InputError, UsageError
from ingest.locate import locate
from ingest.record_codec import document
from pipeline.config.options import FilterOptions, Options
from pipeline.stages.filter import filter_request
from pipeline.stages.ingest import ingest
from pipeline.stages.inspect import inspect_path
from pipeline.stages.run import run
from tests.ingest.readers import profiler_files
from tests.ingest.readers.cube3_files import document as cube3

NO_FILTER = "functions that a profiler found are not instrumented regions"
STACKS = {"main;solve": 9000, "main;solve;MPI_Allreduce": 100, "main;io": 20}


def study(folder, name, text):
    """Write a run for p = 1 to 16, by a text for each p."""
    for p in (1, 2, 4, 8, 16):
        (folder / f"app.p{p}.r1").mkdir(parents=True)
        (folder / f"app.p{p}.r1" / name).write_text(text(p))
    return folder


def folded(p):
    return profiler_files.folded({stack: n * (p if "solve;" in stack else 1) for stack, n in STACKS.items()})


def callgrind(p):
    body = f"fn=main\n1 {1000 * p}\ncfn=solve\ncalls={p} 1\n1 {500 * p * p}\n\nfn=solve\n2 {500 * p * p}\n"
    return profiler_files.callgrind(body, events="Ir Dr")


def gprof(p):
    rows = profiler_files.GPROF["flat"].replace("0.60        4", f"{0.6 * p:.2f}        4")
    return rows.replace("1000", f"{1000 * p}")


def growth(summary):
    return {row["callpath"][-1]: row["growth"] for row in summary["kernels"]}


def test_folded_stacks_give_models_of_samples(tmp_path):
    result = run(study(tmp_path / "runs", "out.folded", folded), Options(out=tmp_path / "out"))
    kernels = document(result.summary)["kernels"]
    assert {row["metric"] for row in kernels} == {"samples"}
    assert growth(document(result.summary))["MPI_Allreduce"] == "p"
    assert result.filter_effect == f"none - {NO_FILTER}"
    assert any("numbers of samples, not seconds" in notice for notice in result.notices)


def test_callgrind_gives_models_of_its_first_event_and_of_the_others(tmp_path):
    result = run(study(tmp_path / "runs", "callgrind.out.1", callgrind), Options(out=tmp_path / "out"))
    assert {row["metric"] for row in document(result.summary)["kernels"]} == {"Ir"}
    assert growth(document(result.summary)) == {"main": "p", "solve": "p^2"}
    assert "visits" in document(result.summary)["metrics"]
    assert result.filter_effect == f"none - {NO_FILTER}"


def test_another_metric_than_the_default_has_to_be_there(tmp_path):
    runs = study(tmp_path / "runs", "out.folded", folded)
    with pytest.raises((InputError, UsageError), match="no metric 'bytes'"):
        run(runs, Options(out=tmp_path / "out", metric="bytes"))


def test_profiles_with_times_and_visits_have_neither_filter_nor_correction(tmp_path):
    runs = study(tmp_path / "runs", "gprof.txt", gprof)
    result = run(runs, Options(out=tmp_path / "out"))
    assert result.filter_effect == f"none - {NO_FILTER}"
    assert growth(document(result.summary))["A::even(long, int)"] == "p"
    read = ingest(locate(runs), "time")
    assert {"time", "visits"} <= set(read.experiment.values)
    assert runs_of(read.experiment) is None
    with pytest.raises(InputError, match=f"no filter is made: {NO_FILTER}"):
        make_filter(read.runs[-1:], filter_request(FilterOptions()))


def test_inspect_compares_with_the_stated_total(tmp_path):
    (tmp_path / "gprof.txt").write_text(profiler_files.GPROF["both"])
    (found,) = inspect_path(tmp_path / "gprof.txt").runs
    assert found.reconciled == {"": "functions 1 s = 100.00 % of the stated 1 s"}
    assert found.statistic is None


def test_output_that_was_made_of_another_or_lies_beside_a_profile_is_not_a_repetition(tmp_path):
    folder = tmp_path / "app.p2.r1"
    folder.mkdir()
    (folder / "out.folded").write_text(profiler_files.folded())
    assert [run.reader.name for run in discover(tmp_path).runs] == ["folded stacks"]
    (folder / "out.perf").write_text(profiler_files.PERF["clock"])
    assert [run.reader.name for run in discover(tmp_path).runs] == ["perf"]
    (folder / "profile.cube").write_text(cube3())
    assert [run.reader.name for run in discover(tmp_path).runs] == ["CUBE 3"]
