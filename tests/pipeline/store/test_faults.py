"""Whatever ends a run, the next one gives what an undisturbed run would have given."""

import errno
import os
import pathlib
import shutil
from itertools import count

import pytest

from ingest.errors import InputError, UsageError
from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.atomic import PARTIAL
from pipeline.store.generation import open_result
from pipeline.store.results import read_analysis
from tests.foam_cases import write_foam_case
from tests.pipeline.store.killing import content, kill_at, seconds_of_a_run

pytestmark = pytest.mark.slow


class KilledError(BaseException):
    """Stands for kill -9."""


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    """Write a page of one line and no models of visits: what files say does not matter here."""
    monkeypatch.setattr("pipeline.stages.report.report_html", lambda _: "page\n")
    monkeypatch.setattr("pipeline.stages.run.modelled_beside", lambda *_: {})


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
    """Let the n-th file that is moved into place fail; return a list that holds the paths moved before it."""
    moved = []

    def replace(path, target):
        if len(moved) == number:
            raise error
        moved.append(pathlib.Path(target))
        return original(path, target)

    original = pathlib.Path.replace
    monkeypatch.setattr(pathlib.Path, "replace", replace)
    return moved


def kill_at_file(monkeypatch, number, study, out):
    """Kill a run at the n-th file that it moves; return the paths moved, and whether it was killed."""
    with monkeypatch.context() as patch:
        moved = fail_at(patch, number, KilledError())
        patch.setattr(pathlib.Path, "unlink", lambda *_, **__: None)  # nothing is tidied after a kill
        patch.setattr("pipeline.store.generation.shutil.rmtree", lambda *_, **__: None)
        try:
            run(study, Options(out=out))
        except KilledError:
            return moved, True
        return moved, False


def as_read(out):
    """Return every file of a result as readers see it, but the report, in which times stand."""
    stored = open_result(out)
    return {name: stored.read(name) for name in stored.digests if name != "report.html"}


def test_a_run_killed_at_any_of_its_files_leaves_no_false_result(study, tmp_path, undisturbed, monkeypatch):
    whole = as_read(tmp_path / "undisturbed")
    for number in count():
        out = tmp_path / f"killed{number}"
        moved, killed = kill_at_file(monkeypatch, number, study, out)
        if out / "run.json" in moved:
            assert as_read(out) == whole
        else:
            with pytest.raises(InputError, match="not a results directory"):
                read_analysis(out)
        run(study, Options(out=out))
        assert content(out) == undisturbed
        if not killed:
            break
    published = moved.index(out / "run.json")
    assert all(path.parent != out for path in moved[:published])
    assert {path.name for path in moved[published + 1 :]} == set(open_result(out).digests)


def test_a_run_killed_over_an_older_result_leaves_all_of_the_old_or_all_of_the_new_one(
    study, tmp_path, undisturbed, monkeypatch
):
    first, own = tmp_path / "first", "my notes"
    run(study, Options(out=first))
    old = as_read(first)
    write_foam_case(study / "app.p16", {"main": 1.0, "solve": 4.0, "sum": 8.0})
    run(study, Options(out=tmp_path / "second"))
    new, seen = as_read(tmp_path / "second"), set()
    for number in count():
        out = shutil.copytree(first, tmp_path / f"over{number}")
        for name in ("notes.txt", ".notes.partial"):
            (out / name).write_text(own)
        moved, killed = kill_at_file(monkeypatch, number, study, out)
        published = out / "run.json" in moved
        assert as_read(out) == (new if published else old)
        assert read_analysis(out).experiment.shape[0] > 0
        assert [(out / name).read_text() for name in ("notes.txt", ".notes.partial")] == [own, own]
        seen.add(published)
        if not killed:
            break
    assert seen == {False, True}


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


def test_runs_killed_at_random_moments_are_continued(study, tmp_path):
    seconds = seconds_of_a_run(study, tmp_path / "whole")
    for share in (0.5, 0.85):
        assert kill_at(study, tmp_path / f"killed{share}", share * seconds) == content(tmp_path / "whole")
