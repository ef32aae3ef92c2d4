"""What results depend on: digests and states of files, options, software, and what shows a change."""

import hashlib
import importlib.metadata
import json
import os
import platform
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from ingest.errors import InputError
from ingest.options import declaration
from ingest.readers import profile_readers
from ingest.run_names import RunSpec
from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.freshness import (
    DIGESTS,
    SETTLED,
    DigestMemory,
    FileState,
    describe_input,
    files_of,
    reuse_key,
    state_of,
)
from pipeline.store.made_from import software

CUBE = next(reader for reader in profile_readers() if reader.name == "CUBE")
FOAM = next(reader for reader in profile_readers() if reader.name == "OpenFOAM")
LOG = next(reader for reader in profile_readers() if reader.name == "timer table")


@pytest.mark.parametrize("size", [0, 5, 1 << 20, (1 << 20) + 1])
def test_a_file_is_described_by_size_and_digest(tmp_path, size):
    file = tmp_path / "file"
    file.write_bytes(b"x" * size)
    found = describe_input(file)
    assert (found.path, found.size) == (str(file), size)
    assert found.sha256 == hashlib.sha256(b"x" * size).hexdigest()


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InputError, match=f"{tmp_path}/none: cannot be read \\(No such file or directory\\)"):
        describe_input(tmp_path / "none")


def test_the_state_of_a_file_changes_with_its_content_and_its_times(tmp_path):
    file = tmp_path / "file"
    file.write_text("abc")
    os.utime(file, ns=(5, 7))
    state = state_of(file)
    assert (state.size, state.modified) == (3, 7)
    assert state.changed == file.stat().st_ctime_ns
    file.write_text("abcd")
    assert state_of(file).size == 4
    assert state_of(tmp_path / "none") == FileState(0, 0, 0)


def test_a_run_has_the_files_that_its_reader_reads(tmp_path):
    (tmp_path / "1" / "uniform").mkdir(parents=True)
    for name in ("1/uniform/profiling", "1/U", "z.cubex"):
        (tmp_path / name).touch()
    assert files_of(tmp_path / "z.cubex", CUBE) == [tmp_path / "z.cubex"]
    assert files_of(tmp_path, FOAM) == [tmp_path / "1" / "uniform" / "profiling"]
    every = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert files_of(tmp_path, CUBE) == every == sorted(every)


def test_a_directory_that_cannot_be_listed_has_no_files(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.rglob", refuse)
    assert files_of(tmp_path, CUBE) == []


def test_versions_of_software():
    found = software()
    assert found["python"] == platform.python_version()
    assert found["numpy"] == importlib.metadata.version("numpy")
    assert list(found) == [
        "python",
        "callpath-pipeline",
        "numpy",
        "pandas",
        "scipy",
        "scikit-learn",
        "pyarrow",
    ]


def test_a_file_has_the_files_that_are_read_beside_it(tmp_path):
    log, parents = tmp_path / "x.log", tmp_path / "timers.toml"
    for file in (log, parents, tmp_path / "other"):
        file.touch()
    assert files_of(log, LOG) == [parents, log]


def remembered(directory, file, age):
    """Whether a file is known again whose last change is `age` nanoseconds ago."""
    state = state_of(file)
    then = time.time_ns() - age
    aged = FileState(state.size, then, then)
    memory = DigestMemory(directory)
    memory.remember([(describe_input(file), aged)])
    return DigestMemory(directory).remembered(file, aged) is not None


def test_files_have_to_be_unchanged_for_two_seconds_to_be_remembered(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    assert SETTLED == 2_000_000_000
    assert remembered(tmp_path / "old", file, SETTLED + 1_000_000_000)
    assert not remembered(tmp_path / "new", file, SETTLED - 1_000_000_000)


@pytest.mark.parametrize("newer", ["modified", "changed"])
def test_either_time_can_show_that_a_file_changed_just_now(tmp_path, newer):
    file = tmp_path / "file"
    file.write_text("x")
    state = replace(FileState(1, 5, 5), **{newer: time.time_ns()})
    memory = DigestMemory(tmp_path)
    memory.remember([(describe_input(file), state)])
    assert memory.remembered(file, state) is None


@pytest.mark.parametrize("change", [{"size": 9}, {"modified": 6}, {"changed": 6}])
def test_any_other_state_is_another_file(tmp_path, change):
    file = tmp_path / "file"
    file.write_text("x")
    state = FileState(1, 5, 5)
    memory = DigestMemory(tmp_path)
    memory.remember([(describe_input(file), state)])
    assert memory.remembered(file, state) == describe_input(file)
    assert memory.remembered(file, replace(state, **change)) is None
    assert memory.remembered(tmp_path / "other", state) is None


def test_what_is_known_already_is_not_written_again(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    memory, digests = DigestMemory(tmp_path), tmp_path / DIGESTS
    entry = [(describe_input(file), FileState(1, 5, 5))]
    memory.remember(entry)
    size = digests.stat().st_size
    memory.remember(entry)
    assert digests.stat().st_size == size
    memory.remember([(describe_input(file), FileState(1, 6, 6))])
    assert digests.stat().st_size > size
    assert DigestMemory(tmp_path).remembered(file, FileState(1, 6, 6)) is not None  # the last line counts


def test_relative_and_absolute_paths_are_the_same_file(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.chdir(tmp_path)
    memory = DigestMemory(tmp_path)
    memory.remember([(describe_input(Path("file")), FileState(1, 5, 5))])
    assert memory.remembered(tmp_path / "sub" / ".." / "file", FileState(1, 5, 5)) is not None


@pytest.mark.parametrize("line", ["", "[]", '["x", 1]', '["x", "y", 1, 2, 3, 4]', "no json", "3"])
def test_digests_that_are_not_whole_are_ignored(tmp_path, line):
    check = f"{zlib.crc32(line.encode()):08x}"
    (tmp_path / DIGESTS).write_text(f"{check} {line}\n00000000 {line}\n")
    assert DigestMemory(tmp_path)._known == {}


OTHER_VALUES = {
    "metric": "visits",
    "at": ({"p": 64.0},),
    "runs": (RunSpec(Path("app.p1.r1"), {"p": 1.0}),),
    "prior": {(Fraction(1), 0): 1.0},
    "exponents": ((Fraction(1), 0),),
    "max_overhead": 0.05,
    "protect": ("solve*",),
    "drop": ("sum",),
    "scheduler": "tcp://localhost:1",
}


def declared(record: Any) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    """Yield every option: its path through the records, another value, and whether results depend on it."""
    kinds = get_type_hints(type(record))
    for one in fields(record):
        value = getattr(record, one.name)
        if is_dataclass(value):
            yield from (((one.name, *path), other, counts) for path, other, counts in declared(value))
        else:
            found = declaration(one)
            yield (one.name,), another(one.name, value, kinds[one.name]), found is None or found.recompute


def another(name: str, value: Any, kind: Any) -> Any:
    if name in OTHER_VALUES:
        return OTHER_VALUES[name]
    kind = next((part for part in get_args(kind) if part is not type(None)), kind) if value is None else kind
    if get_origin(kind) is Literal:
        return next(choice for choice in get_args(kind) if choice != value)
    if kind is bool:
        return not value
    if kind is Path:
        return Path("elsewhere")
    if kind is str:
        return f"{value}x"
    return (value or 0) + (1 if kind is int else 0.125)


def changed(options: Any, path: tuple[str, ...], value: Any) -> Any:
    name, *inner = path
    return replace(
        options, **{name: changed(getattr(options, name), tuple(inner), value) if inner else value}
    )


EVERY = list(declared(Options()))


@pytest.mark.parametrize(("path", "other", "counts"), EVERY, ids=[".".join(path) for path, *_ in EVERY])
def test_a_changed_option_recomputes_if_results_depend_on_it(path, other, counts):
    assert (reuse_key(changed(Options(), path, other)) != reuse_key(Options())) == counts


def test_only_options_that_change_no_result_leave_stored_ones_valid():
    kept = {path[-1] for path, _, counts in EVERY if not counts}
    assert kept == {"out", "jobs", "strict", "engine", "scheduler"}


def test_the_key_can_be_stored(tmp_path):
    options = Options()
    for path, other, _ in EVERY:
        options = changed(options, path, other)
    assert json.loads(json.dumps(reuse_key(options))) == reuse_key(options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reused"),
    [
        ({}, True),
        ({"jobs": 2}, True),
        ({"strict": True}, True),
        ({"at": ({"p": 64.0},)}, False),
        ({"scaling": "weak"}, False),
        ({"models": {"rivals": 2}}, False),
        ({"models": {"prior": "simple"}}, False),
        ({"filter": {"per_visit": 0.5}}, False),
        ({"filter": {"drop": ("sum",)}}, False),
    ],
)
def test_a_run_reuses_results_of_the_same_options_only(
    strong_study, tmp_path, change: Mapping[str, Any], reused
):
    options = Options(out=tmp_path / "out")
    run(strong_study, options)
    for name, value in change.items():
        new = replace(getattr(options, name), **value) if isinstance(value, dict) else value
        options = replace(options, **{name: new})
    assert run(strong_study, options).reused is reused
