"""Input files: which a run has, their digests, and what shows that one changed."""

import hashlib
import importlib.metadata
import os
import platform

import pytest

from ingest.errors import InputError
from ingest.readers import profile_readers
from pipeline.store.inputs import DIGEST_BLOCK, FileState, describe_input, files_of, software, state_of

CUBE = next(reader for reader in profile_readers() if reader.name == "CUBE")
FOAM = next(reader for reader in profile_readers() if reader.name == "OpenFOAM")
LOG = next(reader for reader in profile_readers() if reader.name == "timer table")


@pytest.mark.parametrize("size", [0, 5, DIGEST_BLOCK, DIGEST_BLOCK + 1])
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
