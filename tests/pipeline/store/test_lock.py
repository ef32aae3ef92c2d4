import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.errors import UsageError
from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.lock import LOCK, only_campaign_here, only_writer, only_writer_of

HOLD = "import sys; from pathlib import Path; from pipeline.store.lock import only_writer\n" + (
    "with only_writer(Path(sys.argv[1]), print): print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def other_run(tmp_path):
    """A process that holds the results directory until its standard input is closed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


@pytest.mark.parametrize("end", ["closes", "is killed"])
def test_a_second_run_says_that_it_waits_until_the_first_has_ended(other_run, tmp_path, end):
    told = []

    def tell(notice):
        told.append(notice)
        other_run.kill() if end == "is killed" else other_run.stdin.close()

    with only_writer(tmp_path, tell):
        assert other_run.wait() == (-9 if end == "is killed" else 0)
    assert told == [f"another run is writing to {tmp_path}; waiting"]


def test_a_second_writer_of_a_file_says_that_it_waits_and_others_beside_it_do_not(tmp_path):
    file, told = tmp_path / "new" / "history.parquet", []
    hold = HOLD.replace("only_writer", "only_writer_of")
    command = [sys.executable, "-c", hold, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with only_writer_of(file.with_name("other.parquet"), told.append):
            assert told == []

        def tell(notice):
            told.append(notice)
            other.stdin.close()

        with only_writer_of(file, tell):
            assert other.wait() == 0
    assert told == [f"another command is writing to {file}; waiting"]


def test_what_is_no_regular_file_has_no_lock(tmp_path):
    with only_writer_of(tmp_path, print):
        assert list(tmp_path.parent.glob(f".{tmp_path.name}*")) == []


def test_a_lock_that_another_user_made_is_held_too(tmp_path, monkeypatch):
    file, told = tmp_path / "history.parquet", []
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    for _ in range(2):  # the first one makes it
        with only_writer_of(file, told.append), pytest.raises(BlockingIOError):
            (lock,) = tmp_path.iterdir()
            with lock.open() as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert told == []


@pytest.mark.slow
def test_two_runs_at_once_leave_one_whole_result(strong_study, tmp_path):
    out = tmp_path / "results"
    start = "from pipeline.cli import main; main()"
    command = [sys.executable, "-c", start, "run", str(strong_study), "--out", str(out)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [process.communicate() for process in runs]
    assert [process.returncode for process in runs] == [0, 0], told
    assert sorted(b"(written)" in text for text, _ in told) == [False, True]
    assert run(strong_study, Options(out=out)).reused


def test_a_file_system_without_locks_is_told(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    told = []
    with only_writer(tmp_path, told.append), only_writer_of(tmp_path / "h.parquet", told.append):
        assert {path.name for path in tmp_path.iterdir()} == {LOCK, f".h.parquet{LOCK}"}
    assert [line.count("cannot be locked") for line in told] == [1, 1]


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_directory_that_cannot_be_written_is_one_line(strong_study, tmp_path, monkeypatch, code):
    opened = os.open

    def refuse(path, *given, **named):
        if Path(path).is_relative_to(tmp_path):
            raise OSError(code, os.strerror(code))
        return opened(path, *given, **named)

    monkeypatch.setattr("pipeline.store.lock.os.open", refuse)
    with pytest.raises(UsageError) as error:
        run(strong_study, Options(out=tmp_path / "out"))
    assert str(error.value).startswith(f"{tmp_path}/out: cannot be written ({os.strerror(code)})")
    with (
        pytest.raises(UsageError, match=r"h.parquet: cannot be written"),
        only_writer_of(tmp_path / "h.parquet", print),
    ):
        pass


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    folder = tmp_path / "runtime"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_a_campaign_waits_for_a_run_that_another_left_behind(runtime, tmp_path):
    """The run has inherited the lock, so that it is held although the campaign has ended."""
    with only_campaign_here(tmp_path / "a/campaign.toml", print) as lock:
        run = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=lock)
    told = []

    def tell(notice):
        told.append(notice)
        run.stdin.close()

    with only_campaign_here(tmp_path / "b/campaign.toml", tell):
        assert run.wait() == 0
    assert told == [f"{tmp_path}/a/campaign.toml is running on this machine; waiting"]
    assert [path.stat().st_mode & 0o777 for path in runtime.iterdir()] == [0o600]


@pytest.mark.parametrize("runtime_folder", ["", "/nonexistent"])
def test_without_a_runtime_folder_the_lock_is_among_temporary_files(tmp_path, monkeypatch, runtime_folder):
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime_folder)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with only_campaign_here(tmp_path / "campaign.toml", print):
        (file,) = tmp_path.iterdir()
        assert file.read_text() == f"{tmp_path}/campaign.toml"
        assert str(os.getuid()) in file.name


def test_a_lock_of_the_machine_that_cannot_be_had_is_told(runtime, tmp_path):
    name = f"pipeline-campaign-{os.getuid()}{LOCK}"
    (runtime / name).symlink_to(tmp_path / "elsewhere")
    told = []
    with only_campaign_here(tmp_path / "campaign.toml", told.append) as lock:
        assert lock == ()
    assert told[0].startswith(f"{runtime / name} cannot be locked (")
    assert not (tmp_path / "elsewhere").exists()
