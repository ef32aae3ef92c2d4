"""The ingest stage: what is located, read, skipped and doubted."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import pipeline.stages.ingest as stage
from ingest.discovery import Discovery
from ingest.errors import InputError, UsageError
from ingest.experiment import MetricChoice
from ingest.locate import locate
from ingest.readers import SeriesReader
from ingest.run_names import RunSpec
from pipeline.config.options import Options
from pipeline.execution.executors import SerialExecutor, WorkerLostError
from pipeline.gate.compared_studies import recorded_digests
from pipeline.stages.check import baseline_text, read_baseline, read_study
from pipeline.stages.ingest import ingest, share_tables, skipped_entry
from pipeline.stages.inspect import inspect_path
from pipeline.stages.run import run
from pipeline.store.cache import ProfileCache
from pipeline.store.freshness import SETTLED, files_of_run, remembered_inputs
from tests.cubex_writer import MetricSpec, write_cubex
from tests.foam_cases import write_foam_case
from tests.ingest.readers.timer_logs import castep, dealii, namd, quantum_espresso, vasp


class Recorded:
    """An executor that works here and notes what it is given."""

    def __init__(self, change=lambda result: result):
        self.change, self.bytes, self.order = change, [], []

    def __call__(self, bytes_of_input):
        self.bytes.append(bytes_of_input)
        return self

    def map(self, function, items):
        self.order += [files.run.path.name for files in items]
        for number, result in SerialExecutor().map(function, items):
            yield number, self.change(result)


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.store.freshness.SETTLED", -SETTLED)  # as if all files were older
    return tmp_path / "results"


def broken(study, name="app.p4.r1"):
    file = study / name / "processor0" / "1" / "uniform" / "profiling"
    file.write_text("profiling { trig")
    return file


def test_a_directory_has_runs_and_a_series_file_its_reader(strong_study, tmp_path):
    assert isinstance(locate(strong_study).found, Discovery)
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"params": {"p": 1}, "callpath": "main", "metric": "m", "value": 1.0}) + "\n")
    assert isinstance(locate(file).found, SeriesReader)
    read = ingest(locate(file), "m")
    assert (read.runs, read.damaged, read.beside) == ((), (), ())
    assert [Path(entry.path) for entry in read.inputs] == [file]
    assert [Path(entry.path) for entry in remembered_inputs(locate(file), ProfileCache(tmp_path, print))] == [
        file
    ]


def test_listed_runs_replace_discovery(strong_study):
    runs = [RunSpec(strong_study / f"app.p{p}.r1", {"q": float(p)}) for p in (1, 2)]
    found = locate(strong_study, runs).found
    assert found.parameters == ("q",) and len(found.runs) == 2


def test_time_and_visits_are_kept_whatever_is_modelled(tmp_path):
    metrics = [
        MetricSpec(name, [[1.0]]) for name in ("bytes", "time", "other", "PAPI_TOT_INS", "PAPI_TOT_CYC")
    ]
    metrics.append(MetricSpec("visits", [[1]], dtype="UINT64"))
    write_cubex(tmp_path / "profile.cubex", parent=[-1], metrics=metrics)
    kept = {m.name for m in ingest(locate(tmp_path / "profile.cubex"), "bytes").experiment.metrics}
    assert kept == {"bytes", "time", "visits", "PAPI_TOT_INS", "PAPI_TOT_CYC"}


def test_what_cannot_be_read_is_damaged_and_what_is_no_run_lies_beside(strong_study):
    file = broken(strong_study)
    (strong_study / "README.md").write_text("x")
    (strong_study / "app.p64.r1").mkdir()
    (strong_study / "notes").mkdir()
    read = ingest(locate(strong_study), "time")
    assert {entry.path.name for entry in read.damaged} == {"app.p64.r1", "app.p4.r1"}
    assert {entry.path.name for entry in read.beside} == {"README.md", "notes"}
    assert len(read.runs) == 9 and len(read.experiment.runs) == 9
    assert str(file) in {entry.path for entry in read.inputs}
    (reason,) = (entry.reason for entry in read.damaged if entry.path.name == "app.p4.r1")
    assert skipped_entry(read.damaged[-1]) == {"path": str(strong_study / "app.p4.r1"), "reason": reason}


def test_the_reason_has_the_hint(tmp_path):
    (tmp_path / "app.p1.r1").mkdir()
    (tmp_path / "app.p1.r1" / "profile.cubex").write_bytes(b"torn")
    write_cubex_at(tmp_path / "app.p2.r1")
    (entry,) = ingest(locate(tmp_path), "time").damaged
    assert entry.reason == "not a tar archive, so not a .cubex; copy or write the file again"


def test_the_place_of_a_mistake_is_its_file_and_without_one_the_run(strong_study, monkeypatch):
    file = broken(strong_study)
    runs = {run.path.name: run for run in locate(strong_study).found.runs}
    reader = stage.RunReader(MetricChoice(required=("time",)), Recorded(), None)
    ((_, found),) = reader.read([files_of_run(runs["app.p4.r1"], None)])
    assert found.outcome.where == str(file)

    def refuse(profile, metrics, on_locations):
        raise InputError("no place")

    monkeypatch.setattr(stage, "reduce_profile", refuse)
    ((_, found),) = reader.read([files_of_run(runs["app.p1.r1"], None)])
    assert found.outcome.what == "no place"
    assert found.outcome.where == str(runs["app.p1.r1"].path)


def write_cubex_at(folder, seconds=1.0):
    folder.mkdir(parents=True)
    write_cubex(folder / "profile.cubex", parent=[-1], metrics=[MetricSpec("time", [[seconds]])])


def test_nothing_read_names_the_first_and_counts_the_others(tmp_path):
    for p in (1, 2, 3):
        (tmp_path / f"app.p{p}.r1").mkdir()
        (tmp_path / f"app.p{p}.r1" / "profile.cubex").write_text(f"torn {p}")
    with pytest.raises(
        InputError, match=r"p1\.r1/profile\.cubex: not a .* \(and 2 more runs that cannot be read\)"
    ):
        ingest(locate(tmp_path), "time")
    with pytest.raises(InputError) as error:
        ingest(locate(tmp_path / "app.p1.r1" / "profile.cubex"), "time")
    assert "more runs" not in str(error.value)


def test_notices_of_discovery_of_the_runs_and_of_filters_come_together(tmp_path):
    for name, seconds in (("app.p1.r1", 2.0), ("other.p2.r1", 1.0)):
        write_cubex_at(tmp_path / name, seconds)
        text = f"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE {name}\nSCOREP_REGION_NAMES_END\n"
        (tmp_path / name / "scorep.filter").write_text(text)
    notices = ingest(locate(tmp_path), "time").experiment.notices
    assert any("different leading names" in notice for notice in notices)
    assert any("measured under 2 filters" in notice for notice in notices)


def test_the_largest_run_is_read_first_and_runs_keep_their_order(strong_study):
    executor = Recorded()
    sizes = {
        run.name: sum(f.stat().st_size for f in run.rglob("profiling")) for run in strong_study.iterdir()
    }
    read = ingest(locate(strong_study), "time", executor=executor)
    assert executor.bytes[0] == sum(sizes.values())
    assert [sizes[name] for name in executor.order] == sorted(sizes.values(), reverse=True)
    assert [run.parameters for run in read.runs] == sorted(run.parameters for run in read.runs)


def test_progress_is_told_of_every_run(strong_study):
    seen = []

    def progress(items, total):
        for item in items:
            seen.append((item[0], total))
            yield item

    ingest(locate(strong_study), "time", 1, progress)
    assert sorted(seen) == [(number, 10) for number in range(10)]


def test_a_lost_process_is_a_damaged_run(strong_study):
    lost = iter([WorkerLostError()])
    executor = Recorded(lambda result: next(lost, result))
    read = ingest(locate(strong_study), "time", executor=executor)
    (entry,) = read.damaged
    assert entry.path.name == executor.order[0]
    assert entry.reason == (
        "the process that read it ended unexpectedly, twice; if memory is short, read with --jobs 1"
    )


def test_a_worker_of_another_version_is_refused(strong_study, monkeypatch):
    def other(*arguments):
        return "other" + original(*arguments)

    original = stage.key_of
    monkeypatch.setattr(stage, "key_of", other)

    class Elsewhere(Recorded):
        def map(self, function, items):
            for number, result in super().map(function, items):
                monkeypatch.setattr(stage, "key_of", original)
                yield number, result

    with pytest.raises(
        UsageError, match=r"--scheduler: a worker runs another version .*; install the same version"
    ):
        ingest(locate(strong_study), "time", executor=Elsewhere())


def test_a_file_that_changes_while_it_is_read_is_damaged(strong_study, monkeypatch):
    def slow(profile, metrics, on_locations):
        if profile.source.endswith("app.p1.r1"):
            (Path(profile.source) / "1" / "uniform" / "profiling").write_text("changed")
        return original(profile, metrics)

    original = stage.reduce_profile
    monkeypatch.setattr(stage, "reduce_profile", slow)
    (entry,) = ingest(locate(strong_study), "time").damaged
    assert (entry.path.name, entry.reason) == ("app.p1.r1", "a file changed while it was read; run again")


def test_a_cached_run_that_is_found_damaged_late_is_read_again(strong_study, results):
    """The file was not remembered, so only the reading process finds that its content is cached."""
    before = ingest(locate(strong_study), "time", cache=ProfileCache(results, print)).experiment
    (results / ".cache" / "digests.jsonl").unlink()
    (entry, *_) = sorted((results / ".cache").glob("*.npz"))
    entry.write_bytes(entry.read_bytes()[:-1])
    notices = []
    again = ingest(locate(strong_study), "time", cache=ProfileCache(results, notices.append))
    assert np.array_equal(before.values["time"].sum, again.experiment.values["time"].sum)
    assert len(notices) == 1 and "read again because" in notices[0] and not again.damaged


def test_runs_in_the_cache_are_not_given_to_the_executor(strong_study, results):
    ingest(locate(strong_study), "time", cache=ProfileCache(results, print))
    write_foam_case(strong_study / "app.p32.r1", {"main": 0.1, "solve": 2.0, "sum": 16.0}, processes=32)
    executor = Recorded()
    ingest(locate(strong_study), "time", cache=ProfileCache(results, print), executor=executor)
    assert executor.order == ["app.p32.r1"]


def test_without_a_cache_every_file_has_to_be_read(strong_study):
    (run, *_) = locate(strong_study).found.runs
    assert files_of_run(run, None).known == (None,)
    assert files_of_run(run, None).size == sum(f.stat().st_size for f in run.path.rglob("profiling"))


def test_equal_tables_are_in_memory_once(strong_study):
    profiles = [
        stage._reduced(run.reader.read(run.path), MetricChoice(required=("time",)))
        for run in locate(strong_study).found.runs[:2]
    ]
    shared = share_tables(profiles[1], profiles[0])
    assert shared.tree is profiles[0].tree and shared.regions is profiles[0].regions
    assert shared.values is profiles[1].values
    assert share_tables(profiles[1], None) is profiles[1]


@pytest.mark.parametrize("column", ["name", "mangled", "paradigm", "file", "line", "parent", "region"])
def test_tables_that_differ_are_kept(strong_study, column):
    from dataclasses import replace

    (run, *_) = locate(strong_study).found.runs
    profile = stage._reduced(run.reader.read(run.path), MetricChoice(required=("time",)))
    table = profile.tree if column in ("parent", "region") else profile.regions
    values = getattr(table, column)
    other = ("x", *values[1:]) if isinstance(values, tuple) else np.array([values[0] + 7, *values[1:]])
    changed = replace(table, **{column: other})
    different = replace(profile, **{"tree" if table is profile.tree else "regions": changed})
    assert share_tables(different, profile) is different


def logs(study, **texts):
    for name, text in texts.items():
        (study / name).mkdir(parents=True)
        (study / name / "x.log").write_text(text)


def read_again(study, results):
    return ingest(locate(study), "time", cache=ProfileCache(results, print)).experiment


def test_what_names_and_files_beside_a_log_say_is_a_part_of_the_cache(tmp_path, results):
    study = tmp_path / "study"
    logs(study, **{"a.p4": dealii([("Solve", 1.0)], total=2.0)})
    assert read_again(study, results).values["time"].sum.sum() == 8.0
    (study / "a.p4").rename(study / "a.p8")
    assert read_again(study, results).values["time"].sum.sum() == 16.0
    assert len(read_again(study, results).tree) == 1
    (study / "timers.toml").write_text('[parents]\nSolve = ""\n')
    found = read_again(study, results)
    assert found.callpaths == [("(whole run)",), ("(whole run)", "Solve")]
    assert found.values["time"].sum[:, 0, 0].tolist() == [8.0, 8.0]


def flat_logs(study, **texts):
    study.mkdir()
    for name, text in texts.items():
        (study / f"a.{name}.log").write_text(text)
    return ingest(locate(study), "time")


def test_a_log_that_states_other_processes_than_its_name_is_set_aside(tmp_path):
    texts = {f"p{p}": castep(processes=p) for p in (2, 4, 32)} | {"p16": castep(processes=8)}
    read = flat_logs(tmp_path / "study", **texts)
    assert [run.parameters for run in read.runs] == [(2.0,), (4.0,), (32.0,)]
    (bad,) = read.damaged
    assert bad.reason.startswith("p = 16 by its name, but the profile has 8 processes")


def test_logs_that_state_no_processes_have_as_many_as_their_names_say(tmp_path):
    texts = {f"nranks{p}": dealii([("Solve", 1.0)], total=2.0 + p) for p in (2, 4)}
    read = flat_logs(tmp_path / "study", **texts)
    assert read.experiment.locations().tolist() == [[2.0], [4.0]] and not read.damaged


def test_a_log_of_another_program_is_set_aside_even_if_it_has_few_timers(tmp_path):
    texts = {f"p{p}": castep(processes=p) for p in (2, 4)} | {"p16": namd()}
    read = flat_logs(tmp_path / "study", **texts)
    assert len(read.runs) == 2
    (bad,) = read.damaged
    assert bad.reason == "is not a log of CASTEP, as the other runs are; move it to a directory of its own"
    with pytest.raises(InputError, match=r"2 programs: .*p16.log \(a log of NAMD\)"):
        flat_logs(tmp_path / "two", p2=texts["p2"], p16=texts["p16"])


def test_a_log_among_other_profiles_is_set_aside(tmp_path):
    for p in (2, 4):
        write_foam_case(tmp_path / "study" / f"a.p{p}", {"main": 1.0}, processes=p)
    (tmp_path / "study" / "a.p16.log").write_text(castep())
    (bad,) = ingest(locate(tmp_path / "study"), "time").damaged
    assert bad.reason.startswith("is a log of CASTEP, unlike the other runs;")


def test_a_single_log_is_not_taken_for_a_series(tmp_path):
    file = tmp_path / "slurm.txt"
    file.write_text(castep())
    assert [run.path for run in locate(file).found.runs] == [file]


SAMPLES = Path(__file__).parents[3] / "sample_profiles" / "lulesh-accessors"


def copies(folder, full, filtered):
    """Copy one repetition of these sizes; the filtered runs are repetitions 2."""
    for kind, sizes, repetition in (("full", full, 1), ("filtered", filtered, 2)):
        for size in sizes:
            shutil.copytree(SAMPLES / kind / f"lulesh.s{size}.r1", folder / f"lulesh.s{size}.r{repetition}")
    return folder


def same(one, two):
    assert one.callpaths == two.callpaths
    assert np.array_equal(one.points, two.points)
    for metric in ("time", "visits"):
        assert np.array_equal(one.values[metric].sum, two.values[metric].sum, equal_nan=True)


def test_at_the_same_points_the_runs_with_least_overhead_are_used_and_never_averaged(tmp_path):
    mixed = ingest(locate(copies(tmp_path / "mixed", (8, 12), (8, 12))), "time")
    alone = ingest(locate(copies(tmp_path / "alone", (), (8, 12))), "time")
    same(mixed.experiment, alone.experiment)
    assert [run.path.parent.name for run in mixed.runs] == ["lulesh.s8.r2", "lulesh.s12.r2"]
    assert [run.path.parent.name for run in mixed.widest] == ["lulesh.s8.r1", "lulesh.s12.r1"]
    left_out = {entry.path.parent.name: entry.reason for entry in mixed.beside}
    assert left_out == dict.fromkeys(["lulesh.s8.r1", "lulesh.s12.r1"], "measured under another filter")
    assert mixed.damaged == () and len(mixed.inputs) == 4
    assert alone.beside == () and alone.experiment.notices == ()


def test_at_different_points_the_runs_of_most_points_are_used_with_one_notice(tmp_path):
    mixed = ingest(locate(copies(tmp_path, (8, 12, 16), (20, 24))), "time")
    assert mixed.experiment.points[:, 0].tolist() == [8, 12, 16]
    (notice,) = [said for said in mixed.experiment.notices if "interruptions" not in said]
    assert notice.startswith("the runs were measured under 2 different filters")
    assert "Used: 3 runs that recorded 161 functions (s = 8, 12, 16; " in notice
    assert "Left out: 2 runs that recorded 60 functions (s = 20, 24; " in notice
    assert notice.endswith(
        "list their runs as [[run]] in pipeline.toml or move them to a directory of their own"
    )


def test_functions_that_are_never_called_are_recorded_too(tmp_path):
    found = ingest(locate(copies(tmp_path, (8,), ())), "time").experiment
    assert len(found.recorded) == 161 > len(found.regions)
    assert "void ParseError(const char*, int)" in found.recorded


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    copies(folder / "runs", (8, 12, 16), (8, 12, 16))
    return folder, run(folder / "runs", Options(out=folder / "out"))


@pytest.mark.slow
def test_a_run_says_so_once_and_stores_who_was_left_out(result):
    folder, found = result
    assert sum("measured under 2 different filters" in notice for notice in found.notices) == 1
    content = json.loads((folder / "out" / "run.json").read_text())
    assert [entry["reason"] for entry in content["beside"]] == ["measured under another filter"] * 3
    kernels = json.loads((folder / "out" / "summary.json").read_text())["kernels"]
    assert not any("Domain::xd(" in name for kernel in kernels for name in kernel["callpath"])


@pytest.mark.slow
def test_its_filter_is_made_from_the_runs_that_recorded_all(result):
    folder, _ = result
    assert len(json.loads((folder / "out" / "app.filter.json").read_text())["regions"]) == 155


def test_what_was_recorded_reaches_the_gate_from_results_and_baselines(result):
    folder, _ = result
    study = read_study(folder / "out", Options())
    alone = ingest(locate(copies(folder / "alone", (), (8, 12))), "time").experiment
    assert study.measurements.origin.recorded == recorded_digests(alone.recorded)
    (folder / "b.json").write_text(baseline_text(study, Options(), {})[0])
    assert read_baseline(folder / "b.json").origin == study.measurements.origin
    document = json.loads((folder / "b.json").read_text())
    del document["recorded"], document["sha256"]
    (folder / "old.json").write_text(json.dumps(document))
    assert read_baseline(folder / "old.json").origin.recorded == frozenset()


def test_runs_that_stopped_or_contradict_their_totals_are_left_out_and_named(tmp_path):
    for name in ("stopped", "wrong"):
        (tmp_path / name).mkdir()
    for p in (2, 4, 8):
        text = vasp(ranks=p)
        if p == 8:
            text = text[: text.index("                  Total CPU")]
        (tmp_path / "stopped" / f"app.p{p}.OUTCAR").write_text(text)
    text = quantum_espresso(processes=16).replace("1m50.00s CPU  2m 3.50s WALL", "1h50m CPU  9h 3m WALL")
    (tmp_path / "wrong" / "pw.p16.out").write_text(text)
    read = ingest(locate(tmp_path / "stopped"), "time")
    assert [run.parameters for run in read.runs] == [(2.0,), (4.0,)]
    assert [(entry.path.name, entry.reason) for entry in read.damaged] == [
        ("app.p8.OUTCAR", "VASP, 8 processes, stopped before the end")
    ]
    with pytest.raises(
        InputError, match=r"the timers are 0\.3 % of the total that the file states, so one is wrong"
    ):
        ingest(locate(tmp_path / "wrong"), "time")


def test_timers_that_are_not_the_stated_total_are_a_problem_and_not_trusted(tmp_path):
    for p in (2, 4, 8, 16, 32):
        for r in (1, 2, 3):
            (tmp_path / f"app.p{p}.r{r}.OUTCAR").write_text(vasp(ranks=p, elapsed=150 + r))
    found = inspect_path(tmp_path)
    (problem,) = (problem for problem in found.problems if "timers are" in problem)
    assert (
        problem
        == f"the timers are 34.4 % of the total that the file states: {tmp_path}/app.p2.r1.OUTCAR and 14 more"
    )
    summary = run(tmp_path, Options(out=tmp_path / "out")).summary
    assert summary.runtime is not None and summary.runtime.trust.verdict.value == "low"
