import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from numpy.testing import assert_equal

from ingest.errors import UsageError
from ingest.locate import locate
from pipeline.stages.ingest import ingest
from pipeline.store.cache import CACHE, ENDING, ProfileCache, key_of
from pipeline.store.freshness import SETTLED, DigestMemory, FileState, InputFile, remembered_inputs
from tests.foam_cases import write_foam_case


def long_ago(study):
    """Make files look settled: those changed just now are not remembered."""
    for file in study.rglob("*"):
        os.utime(file, (1e9, 1e9))


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.store.freshness.SETTLED", -SETTLED)  # as if all files were older
    return tmp_path / "results"


@pytest.fixture
def reads(monkeypatch):
    """The runs whose files were really read."""
    read = []

    def reduce(profile, metrics, on_locations):
        read.append(profile.source)
        return original(profile, metrics, on_locations)

    import pipeline.stages.read_runs as module

    original = module.reduce_profile
    monkeypatch.setattr(module, "reduce_profile", reduce)
    return read


def experiment(study, results, told=None):
    cache = ProfileCache(results, (told if told is not None else []).append)
    return ingest(locate(study), "time", cache=cache).experiment


def same(one, other):
    bare = ([asdict(replace(e, runs=())), *(run_of(run) for run in e.runs)] for e in (one, other))
    assert_equal(*bare)


def run_of(run):
    """Return what is known of a run but values on locations, which stay in a file."""
    return asdict(replace(run, largest={}))


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
    assert remembered_inputs(study, DigestMemory(results / CACHE)) is None
    read = ingest(study, "time", cache=ProfileCache(results, print))
    monkeypatch.setattr("pipeline.stages.read_runs.describe_input", None)
    assert remembered_inputs(study, DigestMemory(results / CACHE)) == read.inputs


def test_only_files_that_a_reader_reads_are_digested(strong_study, results, reads):
    case = strong_study / "app.p1.r1"
    field = case / "1" / "U"
    field.write_text("a field")
    read = ingest(locate(strong_study), "time", cache=ProfileCache(results, print))
    assert {file.path.rpartition("/")[2] for file in read.inputs} == {"profiling"}
    reads.clear()
    field.write_text("another field")
    assert remembered_inputs(locate(strong_study), DigestMemory(results / CACHE)) == read.inputs
    later = case / "2" / "uniform" / "profiling"
    later.parent.mkdir(parents=True)
    shutil.copy(case / "1" / "uniform" / "profiling", later)
    assert remembered_inputs(locate(strong_study), DigestMemory(results / CACHE)) is None
    found = experiment(strong_study, results)
    assert reads == [str(case)]
    assert any("profiling of 2 times" in notice for notice in found.notices)
    later.unlink()
    assert remembered_inputs(locate(strong_study), DigestMemory(results / CACHE)) == read.inputs


def test_a_file_that_changed_just_now_is_not_remembered(strong_study, tmp_path):
    ingest(locate(strong_study), "time", cache=ProfileCache(tmp_path, print))
    assert remembered_inputs(locate(strong_study), DigestMemory(tmp_path / CACHE)) is None


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
    cache = ProfileCache(results, print)
    cache.tidy(ingest(locate(strong_study), "time", cache=cache).inputs)
    assert len(list((results / CACHE).iterdir())) == 9 + 1
    assert remembered_inputs(locate(strong_study), DigestMemory(results / CACHE)) is not None


INPUT = InputFile("run/a", 1, "0" * 64)


@pytest.mark.parametrize(
    "other",
    [
        ("TAU", Path("run"), [INPUT], ("time",)),
        ("CUBE", Path(), [INPUT], ("time",)),
        ("CUBE", Path("run"), [replace(INPUT, sha256="1" * 64)], ("time",)),
        ("CUBE", Path("run"), [replace(INPUT, path="run/b")], ("time",)),
        ("CUBE", Path("run"), [INPUT, INPUT], ("time",)),
        ("CUBE", Path("run"), [INPUT], ("time", "visits")),
    ],
)
def test_keys_depend_on_format_files_content_and_metrics(other):
    assert key_of(*other) != key_of("CUBE", Path("run"), [INPUT], ("time",))


def test_keys_do_not_depend_on_place_and_order():
    moved = [replace(INPUT, path="elsewhere/a")]
    assert key_of("CUBE", Path("elsewhere"), moved, ("b", "a", "b")) == key_of(
        "CUBE", Path("run"), [INPUT], ("a", "b")
    )


def test_keys_depend_on_the_software(monkeypatch):
    before = key_of("CUBE", Path("run"), [INPUT], ())
    monkeypatch.setattr("pipeline.store.cache.installed_version", lambda name: f"{name} 9")
    other = key_of("CUBE", Path("run"), [INPUT], ())
    monkeypatch.setattr("pipeline.store.cache.CACHE_VERSION", 99)
    assert len({before, other, key_of("CUBE", Path("run"), [INPUT], ())}) == 3


def test_a_profile_known_to_be_damaged_is_no_longer_offered(strong_study, results):
    experiment(strong_study, results)
    cache = ProfileCache(results, lambda notice: None)
    (key, *others) = sorted(cache.keys())
    (results / CACHE / (key + ENDING)).write_bytes(b"torn")
    assert cache.load(key, "run") is None
    assert cache.keys() == frozenset(others)
    assert cache.load("none", "run") is None


def test_tidying_keeps_digests_of_other_runs_of_the_same_files(strong_study, results):
    experiment(strong_study, results)
    cache = ProfileCache(results, print)
    inputs = ingest(locate(strong_study), "time", cache=cache).inputs
    before = (results / CACHE / "digests.jsonl").read_bytes()
    cache.tidy(inputs)
    assert (results / CACHE / "digests.jsonl").read_bytes() == before
    cache.tidy(inputs[:1])
    assert len(DigestMemory(results / CACHE)._known) == 1
    ProfileCache(results / "none", print).tidy(())
    assert not (results / "none").exists()


def test_a_cache_that_cannot_be_written_is_one_line(strong_study, results, monkeypatch):
    experiment(strong_study, results)
    cache = ProfileCache(results, print)
    digests = results / CACHE / "digests.jsonl"
    digests.unlink()
    digests.mkdir()
    (digests / "x").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        cache.digests.remember([(InputFile("x", 1, "0"), FileState(1, 5, 5))])
    (results / CACHE / "folder").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        cache.tidy(())
