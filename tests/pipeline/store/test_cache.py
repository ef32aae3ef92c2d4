import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.calltree import CallTree
from ingest.profile import Metric, RegionTable
from ingest.reduction import ReducedProfile, Reduction
from pipeline.stages.ingest import ingest, locate, remembered_inputs
from pipeline.store.cache import CACHE, ENDING, SETTLED, Cache
from pipeline.store.reduced_profiles import read_reduced, write_reduced
from tests.foam_cases import write_foam_case


def long_ago(study):
    """Make files look settled: those changed just now are not remembered."""
    for file in study.rglob("*"):
        os.utime(file, (1e9, 1e9))


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.store.cache.SETTLED", -SETTLED)  # as if all files were older
    return tmp_path / "results"


@pytest.fixture
def reads(monkeypatch):
    """The runs whose files were really read."""
    read = []

    def reduce(profile, metrics):
        read.append(profile.source)
        return original(profile, metrics)

    import pipeline.stages.read_runs as module

    original = module.reduce_profile
    monkeypatch.setattr(module, "reduce_profile", reduce)
    return read


def experiment(study, results, told=None):
    cache = Cache(results, (told if told is not None else []).append)
    return ingest(locate(study), "time", cache=cache).experiment


def same(one, other):
    assert one.callpaths == other.callpaths
    assert np.array_equal(one.points, other.points)
    assert (one.regions.file, one.regions.paradigm) == (other.regions.file, other.regions.paradigm)
    assert (one.metrics, one.notices) == (other.metrics, other.notices)
    for metric in one.metrics:
        for reduction in ("sum", "mean", "min", "max"):
            first, second = (getattr(e.values[metric.name], reduction) for e in (one, other))
            assert np.array_equal(first, second, equal_nan=True)
    for run, twin in zip(one.runs, other.runs, strict=True):
        assert (run.source, run.point, run.repetition) == (twin.source, twin.point, twin.repetition)
        assert (run.paradigms, run.attributes) == (twin.paradigms, twin.attributes)
        assert np.array_equal(run.paradigm_time, twin.paradigm_time)
        assert np.array_equal(run.process, twin.process)


def test_a_new_run_costs_one_read_and_the_result_is_that_of_reading_all(strong_study, results, reads):
    experiment(strong_study, results)
    assert len(reads) == 10
    write_foam_case(strong_study / "app.p32.r1", {"main": 0.1, "solve": 2.0, "sum": 16.0}, processes=32)
    reads.clear()
    incremental = experiment(strong_study, results)
    assert [source for source in reads if "p32" in source] == reads
    assert len(reads) == 1
    same(incremental, ingest(locate(strong_study), "time").experiment)


def test_a_changed_file_is_read_again(strong_study, results, reads):
    experiment(strong_study, results)
    reads.clear()
    file = strong_study / "app.p1.r1" / "1" / "uniform" / "profiling"
    told = file.stat()
    file.write_text(file.read_text().replace("calls 1", "calls 2"))
    os.utime(file, ns=(told.st_atime_ns, told.st_mtime_ns))  # size and time of modification as before
    changed = experiment(strong_study, results)
    assert len(reads) == 1
    same(changed, ingest(locate(strong_study), "time").experiment)


def test_a_moved_or_touched_study_is_known_by_its_content(strong_study, results, reads, tmp_path):
    experiment(strong_study, results)
    reads.clear()
    moved = strong_study.rename(tmp_path / "elsewhere")
    long_ago(moved)
    same(experiment(moved, results), ingest(locate(moved), "time").experiment)
    assert len(reads) == 10  # those of the comparison
    assert all("elsewhere" in source for source in reads)


def test_files_are_not_read_again_to_find_that_nothing_changed(strong_study, results, monkeypatch):
    study = locate(strong_study)
    assert remembered_inputs(study, Cache(results, print)) is None
    read = ingest(study, "time", cache=Cache(results, print))
    monkeypatch.setattr("pipeline.stages.read_runs.describe_input", None)
    assert remembered_inputs(study, Cache(results, print)) == read.inputs


def test_only_files_that_a_reader_reads_are_digested(strong_study, results, reads):
    case = strong_study / "app.p1.r1"
    field = case / "1" / "U"
    field.write_text("a field")
    read = ingest(locate(strong_study), "time", cache=Cache(results, print))
    assert {file.path.rpartition("/")[2] for file in read.inputs} == {"profiling"}
    reads.clear()
    field.write_text("another field")
    assert remembered_inputs(locate(strong_study), Cache(results, print)) == read.inputs
    later = case / "2" / "uniform" / "profiling"
    later.parent.mkdir(parents=True)
    shutil.copy(case / "1" / "uniform" / "profiling", later)
    assert remembered_inputs(locate(strong_study), Cache(results, print)) is None
    found = experiment(strong_study, results)
    assert reads == [str(case)]
    assert any("profiling of 2 times" in notice for notice in found.notices)
    later.unlink()
    assert remembered_inputs(locate(strong_study), Cache(results, print)) == read.inputs


def test_a_file_that_changed_just_now_is_not_remembered(strong_study, tmp_path):
    ingest(locate(strong_study), "time", cache=Cache(tmp_path, print))
    assert remembered_inputs(locate(strong_study), Cache(tmp_path, print)) is None


def test_damaged_digests_and_profiles_are_made_again_and_told(strong_study, results, reads):
    before = experiment(strong_study, results)
    entries = sorted((results / CACHE).glob("*" + ENDING))
    entries[0].write_bytes(b"PK\x03\x04 no archive" * 9)
    whole = entries[1].read_bytes()
    entries[1].write_bytes(whole[: len(whole) // 2])
    entries[2].write_bytes(b"")
    digests = results / CACHE / "digests.jsonl"
    lines = digests.read_text().splitlines()
    digests.write_text("\n".join([lines[0], *lines[2:]]).replace("app.p1.r1", "app.p1.r2", 1)[:-9])
    reads.clear()
    told = []
    same(before, experiment(strong_study, results, told))
    assert len(reads) == 3
    assert len(told) == 3
    assert all("is damaged" in notice and "read again" in notice for notice in told)
    told.clear()
    same(before, experiment(strong_study, results, told))
    assert not told


def test_tidy_keeps_what_was_used(strong_study, results):
    experiment(strong_study, results)
    shutil.rmtree(strong_study / "app.p1.r1")
    (results / CACHE / ".half.partial").write_bytes(b"half")
    cache = Cache(results, print)
    cache.tidy(ingest(locate(strong_study), "time", cache=cache).inputs)
    assert len(list((results / CACHE).iterdir())) == 9 + 1
    assert remembered_inputs(locate(strong_study), Cache(results, print)) is not None


def small_profile():
    tree = CallTree(np.array([-1, 0, 0]), np.array([0, 1, 2]))
    names = ("main", "a\udc80->b", "ü")
    regions = RegionTable(
        name=names, mangled=names, paradigm=("user",) * 3, file=("",) * 3, line=np.array([1, 2, -1])
    )
    values = Reduction(*(np.array([1.0, 2.0, np.inf]) * i for i in range(1, 5)))
    metrics = (Metric("time", "sec"),)
    times, process = np.array([[1.5, 2.5]]), np.array([0, 1])
    return ReducedProfile(
        source="run",
        tree=tree,
        regions=regions,
        metrics=metrics,
        values={"time": values},
        paradigms=("user",),
        paradigm_time=times,
        process=process,
        attributes={"k": "v"},
        notices=("odd",),
    )


@settings(max_examples=50, deadline=None)
@given(at=st.integers(0, 1 << 16), flip=st.integers(1, 255))
def test_a_flipped_byte_is_noticed(tmp_path_factory, at, flip):
    path = tmp_path_factory.getbasetemp() / "profile.npz"
    profile = small_profile()
    write_reduced(path, profile)
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= flip
    path.write_bytes(content)
    with pytest.raises(ValueError, match="digest"):
        read_reduced(path, "run")


def test_what_is_stored_comes_back(tmp_path):
    profile = small_profile()
    write_reduced(tmp_path / "profile.npz", profile)
    back = read_reduced(tmp_path / "profile.npz", "elsewhere")
    assert back.source == "elsewhere"
    assert (back.regions.name, back.attributes, back.notices) == (profile.regions.name, {"k": "v"}, ("odd",))
    assert np.array_equal(back.tree.parent, profile.tree.parent)
    assert np.array_equal(back.values["time"].max, profile.values["time"].max)
    assert np.array_equal(back.paradigm_time, profile.paradigm_time)


def test_a_made_up_entry_is_refused(tmp_path):
    profile = small_profile()
    for bad in (
        replace(profile, tree=CallTree(np.array([-1, 2, 0]), np.array([0, 1, 2]))),
        replace(profile, tree=CallTree(np.array([-1, 0, 0]), np.array([0, 1, 3]))),
        replace(profile, process=np.array([0, 1, 2])),
        replace(profile, paradigms=()),
    ):
        write_reduced(tmp_path / "profile.npz", bad)
        with pytest.raises(ValueError, match=r"match|preorder|region"):
            read_reduced(tmp_path / "profile.npz", "run")
