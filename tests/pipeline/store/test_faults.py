"""Whatever ends a run, the next one gives what an undisturbed run would have given."""

import errno
import os
import pathlib
from itertools import count

import pytest

from ingest.errors import InputError, UsageError
from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.atomic import PARTIAL
from pipeline.store.results import read_analysis
from tests.foam_cases import write_foam_case
from tests.pipeline.store.killing import content, kill_at, seconds_of_a_run


class KilledError(BaseException):
    """Stands for kill -9."""


@pytest.fixture
def study(tmp_path):
    for p in (1, 2, 4, 8):
        write_foam_case(tmp_path / "study" / f"app.p{p}", {"main": 1.0, "solve": 64.0 / p, "sum": 0.5 * p})
    return tmp_path / "study"


@pytest.fixture
def undisturbed(study, tmp_path):
    run(study, Options(out=tmp_path / "undisturbed"))
    return content(tmp_path / "undisturbed")


def fail_at(monkeypatch, number, error):
    """Let the n-th file that is moved into place fail; return a list that holds the names moved before it."""
    moved = []

    def replace(path, target):
        if len(moved) == number:
            raise error
        moved.append(pathlib.Path(target).name)
        return original(path, target)

    original = pathlib.Path.replace
    monkeypatch.setattr(pathlib.Path, "replace", replace)
    return moved


def test_a_run_killed_at_any_of_its_files_leaves_no_false_result(study, tmp_path, undisturbed, monkeypatch):
    for number in count():
        out = tmp_path / f"killed{number}"
        with monkeypatch.context() as patch:
            moved = fail_at(patch, number, KilledError())
            patch.setattr(pathlib.Path, "unlink", lambda *_, **__: None)  # nothing is tidied after a kill
            try:
                run(study, Options(out=out))
            except KilledError:
                assert list(out.rglob(f"*{PARTIAL}"))
                with pytest.raises(InputError, match="not a results directory"):
                    read_analysis(out)
            else:
                break
        run(study, Options(out=out))
        assert content(out) == undisturbed
    assert moved[-1] == "run.json"


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(study, tmp_path, undisturbed, monkeypatch):
    out = tmp_path / "full"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for number in (0, 5, 9):  # of what is still to be written
        with monkeypatch.context() as patch:
            fail_at(patch, number, full)
            with pytest.raises(UsageError, match=r"cannot be written \(No space left on device\)"):
                run(study, Options(out=out))
        assert not list(out.rglob(f"*{PARTIAL}"))
    run(study, Options(out=out))
    assert content(out) == undisturbed


def test_a_run_killed_over_an_older_result_leaves_no_mixture(study, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run(study, Options(out=out))
    before = content(out)
    write_foam_case(study / "app.p16", {"main": 1.0, "solve": 4.0, "sum": 8.0})
    with monkeypatch.context() as patch, pytest.raises(KilledError):
        fail_at(patch, 5, KilledError())  # some tables are new, some old
        run(study, Options(out=out))
    for file in sorted((study / "app.p16").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    (study / "app.p16").rmdir()
    assert not run(study, Options(out=out)).reused
    assert content(out) == before


def test_runs_killed_at_random_moments_are_continued(study, tmp_path):
    seconds = seconds_of_a_run(study, tmp_path / "whole")
    for share in (0.5, 0.85):
        assert kill_at(study, tmp_path / f"killed{share}", share * seconds) == content(tmp_path / "whole")
