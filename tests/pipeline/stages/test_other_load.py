"""What else ran meanwhile, from the counters of Linux."""

import time

import pytest

from pipeline.stages import other_load
from pipeline.stages.other_load import watch_other_load


@pytest.fixture
def hours_later(monkeypatch):
    """Let 10 s pass, of which this process's children used 2."""

    def later():
        monkeypatch.setattr(time, "monotonic", lambda: start + 10.0)
        monkeypatch.setattr(other_load, "_of_children", lambda: 2.0)

    start = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: start)
    monkeypatch.setattr(other_load, "_of_children", lambda: 0.0)
    monkeypatch.setattr(other_load.os, "sysconf", lambda _: 100)
    return later


def test_used_and_stolen_time_beside_that_of_children(tmp_path, hours_later):
    (tmp_path / "stat").write_text("cpu  1000 0 100 5000 7 0 0 50 0 0\ncpu0 1 2 3\n")
    watched = watch_other_load(tmp_path / "stat")
    hours_later()
    (tmp_path / "stat").write_text("cpu  1600 100 200 9000 9 50 50 250 0 0\n")
    found = watched()
    assert found.programs == pytest.approx((9.0 - 2.0) / 10)
    assert found.stolen == pytest.approx(0.2)


@pytest.mark.parametrize("text", ["", "cpu", "cpu a b c d e f g h", "intr 1 2 3 4 5 6 7 8 9"])
def test_nothing_is_said_if_nothing_counts_it(tmp_path, hours_later, text):
    (tmp_path / "stat").write_text(text)
    watched = watch_other_load(tmp_path / "stat")
    hours_later()
    assert watched() is None
    assert watch_other_load(tmp_path / "none")() is None


def test_less_than_a_second_tells_nothing():
    assert watch_other_load()() is None
