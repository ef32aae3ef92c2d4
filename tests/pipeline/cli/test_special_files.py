"""Named pipes and devices where files are expected: nothing waits for a writer or reads without end."""

import os
import shutil
import signal

import pytest

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


def test_results_with_such_a_record_are_refused(refused, strong_results, tmp_path, special):
    results = shutil.copytree(strong_results, tmp_path / "results")
    special(results / "run.json")
    assert "run.json: cannot be read" in refused("predict", results, "--at", "p=64")


def test_beside_profiles_it_is_skipped(call, strong_study, special):
    special(strong_study / "notes")
    code, _, told = call("inspect", strong_study)
    assert (code, "study/notes: not a profile" in told) == (0, True)


def test_under_the_name_of_a_profile_it_is_one_line(call, strong_study, special):
    profile = special(sorted(path for path in strong_study.rglob("*") if path.is_file())[0])
    code, shown, _ = call("inspect", strong_study)
    assert (code, shown.count(f"{profile.relative_to(strong_study).parts[0]}: contains no profile")) == (0, 1)
