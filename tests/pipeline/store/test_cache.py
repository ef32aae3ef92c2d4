import os
import shutil
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_equal

from ingest.calltree import CallTree
from ingest.errors import InputError, UsageError
from ingest.locate import locate
from ingest.profile import LocationTable, Metric, RegionTable
from ingest.reduction import InMemory, LocationValues, ReducedProfile, Reduction
from ingest.region_class import RegionClass
from pipeline.stages.ingest import ingest
from pipeline.store.cache import (
    CACHE,
    ENDING,
    ProfileCache,
    StoredReductions,
    _write,
    key_of,
    left_in_file,
    read_reduced,
    write_reduced,
)
from pipeline.store.freshness import SETTLED, DigestMemory, FileState, remembered_inputs
from pipeline.store.made_from import InputFile
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

    import pipeline.stages.ingest as module

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
    monkeypatch.setattr("pipeline.stages.ingest.describe_input", None)
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
        classes=(RegionClass.COMPUTATION,),
        class_time=times,
        device_time=np.array([[3.0], [0.5], [1.5]]),
        process=process,
        attributes={"k": "v"},
        notices=("odd",),
        largest={"time": largest(), "gpu_time": replace(largest(), locations=places())},
    )


def places(node=()):
    columns = np.array([0, 3]), np.array([1, 0]), np.array([-1, 2])
    return LocationTable(*columns, node)


def largest():
    return LocationValues(
        region=("a\udc80->b", "ü"),
        callpath=np.array([1, -1]),
        shared=np.array([False, True]),
        locations=places(("n1", "n\udc80")),
        load=InMemory(np.array([[1.5, 2.5], [0.5, np.nan]], dtype=np.float32)),
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
    assert_equal(plain(back), plain(replace(profile, source="elsewhere")))


def plain(profile):
    """Return what a profile holds, with all values that stay in its file."""
    largest = {
        metric: replace(found, load=InMemory(found.values)) for metric, found in profile.largest.items()
    }
    return asdict(replace(profile, values=dict(profile.values), largest=largest))


def test_values_on_locations_stay_in_the_file(tmp_path):
    path, profile = tmp_path / "profile.npz", small_profile()
    write_reduced(path, profile)
    for back in (read_reduced(path, "run"), left_in_file(path, profile)):
        assert np.array_equal(back.largest["time"].values, largest().values, equal_nan=True)
    path.write_bytes(b"changed")
    with pytest.raises(InputError, match=r"profile\.npz: changed while in use"):
        _ = back.largest["time"].values


def test_values_of_a_stored_profile_are_a_mapping(tmp_path):
    path = tmp_path / "profile.npz"
    write_reduced(path, small_profile())
    values = read_reduced(path, "run").values
    assert (list(values), len(values)) == (["time"], 1)
    with pytest.raises(KeyError):
        values["visits"]
    path.write_bytes(b"changed")
    with pytest.raises(InputError, match=r"profile\.npz: changed while in use \(.*\); run again"):
        values["time"]


def test_a_profile_left_in_its_file_is_the_one_stored(tmp_path):
    path, profile = tmp_path / "profile.npz", small_profile()
    write_reduced(path, profile)
    left = left_in_file(path, profile)
    assert left.tree is profile.tree and isinstance(left.values, StoredReductions)
    assert_equal(plain(left), plain(profile))


@pytest.mark.parametrize("name", ["description", "tree.parent"])
def test_a_stored_profile_that_lacks_something_is_refused(tmp_path, name):
    path = tmp_path / "profile.npz"
    write_reduced(path, small_profile())
    with np.load(BytesIO(path.read_bytes()[32:]), allow_pickle=False) as stored:
        arrays = dict(stored)
    del arrays[name]
    _write(path, arrays)
    with pytest.raises(ValueError, match=name):
        read_reduced(path, "run")
