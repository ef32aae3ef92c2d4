"""What no command was meant for: pipes and devices instead of files, numbers that are none, odd settings."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from ingest.errors import InputError
from ingest.readers import extrap
from ingest.readers.cubex.stored_rows import open_container
from ingest.readers.gpu.sqlite_files import opened
from ingest.reading.csv_files import read_csv

pytestmark = pytest.mark.skipif(os.name == "nt", reason="has no named pipes")

PATIENCE = 60  # seconds


@pytest.fixture(autouse=True)
def without_waiting():
    """End a test that waits for a writer."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[pipe, device])
def special(request, tmp_path):
    """Replace a file, `special` in the folder of the test without an argument, by what is no regular file."""

    def make(path=tmp_path / "special"):
        path.unlink(missing_ok=True)
        request.param(path)
        return path

    return make


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "{results}", "--config", "{special}"),
        ("check", "{results}", "--baseline", "{special}"),
        ("history", "show", "sum", "--history", "{special}"),
        ("filter", "{study}", "--apply", "{special}"),
    ],
)
def test_an_argument_that_is_no_regular_file_is_refused(
    refused, strong_results, strong_study, special, arguments
):
    places = {"results": strong_results, "study": strong_study, "special": special()}
    assert "special: cannot be read" in (said := refused(*(text.format(**places) for text in arguments)))
    assert "not a regular file" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("compare", "a", "b", "--factor", "nan"),
            "--factor: invalid number nan; write a number up to 1e+09",
        ),
        (("campaign", "loop", "--interval", "inf"), "--interval: invalid number inf; write a number up to"),
        (
            ("run", "a", "--event-cost", "1e300"),
            "--event-cost: invalid value 1e+300; write a number from 0 to 1",
        ),
        (
            ("run", "a", "--event-cost", "inf"),
            "--event-cost: invalid value inf; write a number from 0 to 1",
        ),
    ],
)
def test_numbers_are_finite(refused, arguments, said):
    assert said in refused(*arguments)


def test_a_backend_that_matplotlib_does_not_know_is_one_line(strong_results):
    arguments = [sys.executable, "-m", "pipeline", "plot", strong_results, "solve", "--out", "x.svg"]
    where = os.environ | {"MPLBACKEND": "nosuch"}
    ended = subprocess.run(arguments, env=where, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "matplotlib refuses its settings: Key backend: 'nosuch'" in ended.stderr


def test_results_with_such_a_record_are_refused(refused, strong_results, tmp_path, special):
    results = shutil.copytree(strong_results, tmp_path / "results")
    special(results / "run.json")
    assert "run.json: cannot be read" in refused("predict", results, "--at", "p=64")


def database(path):
    with opened(path):
        pass


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (open_container, "profile.cubex"),
        (database, "report.sqlite"),
        (extrap.READERS[-1].read, "series.extra-p"),
        (read_csv, "table.xlsx"),
    ],
)
def test_what_took_the_place_of_an_archive_is_refused_and_not_waited_for(special, tmp_path, read, name):
    if name.endswith(".xlsx"):
        pytest.importorskip("openpyxl")
    with pytest.raises(InputError, match=f"{name}: .*not a regular file"):
        read(special(tmp_path / name))


def test_beside_profiles_it_is_skipped(call, strong_study, special):
    special(strong_study / "notes")
    code, _, told = call("inspect", strong_study)
    assert (code, "study/notes: not a profile" in told) == (0, True)


def test_under_the_name_of_a_profile_it_is_one_line(call, strong_study, special):
    profile = special(sorted(path for path in strong_study.rglob("*") if path.is_file())[0])
    code, shown, _ = call("inspect", strong_study)
    assert (code, shown.count(f"{profile.relative_to(strong_study).parts[0]}: contains no profile")) == (0, 1)
