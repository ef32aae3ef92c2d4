"""What holds for all tests."""

import gc
import os
import signal

import pytest
from hypothesis import settings

from tests.snapshots import compare_with_snapshot

# How long an example takes depends on what else the machine does. Which ones are tried does not: a check
# that passed passes again. `--hypothesis-profile=search` looks for new ones; `make slow` tries "same", all.
QUICK = 30  # examples of each property in `make test`, unless it names a number itself
settings.register_profile("search", deadline=None)
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("same"), max_examples=QUICK)
settings.load_profile("quick")
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background; children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("COLUMNS", None)  # of the shell or of a worker: notices wrap only where a test sets a width

SLOW_FIXTURES = {"running", "local_cluster"}  # a browser, and Slurm


def pytest_addoption(parser):
    parser.addoption("--update-snapshots", action="store_true", help="write the approved texts anew")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items):
    """Mark what needs a browser or Slurm as slow."""
    for item in items:
        if not SLOW_FIXTURES.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish():
    """Spare the garbage collector what lives until the end: thousands of tests, and all that they import."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val, argname):
    """Name cases of bytes by their argument: compressed data hold the time, names must not."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture
def snapshot(request):
    """Compare a text with a file in the folder ``snapshots`` beside the test; see `tests.snapshots`."""
    update = request.config.getoption("--update-snapshots")

    def compare(text: str, name: str) -> None:
        compare_with_snapshot(text, request.path.parent / "snapshots" / name, update=update)

    return compare
