"""What else ran meanwhile, from the counters of Linux."""

import time

import pytest

from pipeline.stages import machine
from pipeline.stages.machine import OtherLoad, watch_other_load


@pytest.fixture
def hours_later(monkeypatch):
    """Let 10 s pass, of which this process's children used 2."""

    def later():
        monkeypatch.setattr(time, "monotonic", lambda: start + 10.0)
        monkeypatch.setattr(machine, "_of_children", lambda: 2.0)

    start = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: start)
    monkeypatch.setattr(machine, "_of_children", lambda: 0.0)
    monkeypatch.setattr(machine.os, "sysconf", lambda _: 100)
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


def load(programs, stolen=0.0, processors=8):
    return OtherLoad(programs=programs, stolen=stolen, processors=processors, waiting=9.5)


def test_a_busy_machine_says_who_used_it_and_what_to_do():
    assert load(0.2).sentence() == ""
    assert load(-0.1).sentence() == ""
    assert (
        load(0.8).sentence().startswith("this machine was busy: other programs used 0.8 of 8 processors mean")
    )
    assert not load(0.8).too_much
    text = load(3.0, stolen=0.5).sentence()
    assert load(3.0).too_much
    assert (
        "too busy to be measured: other programs used 3.0 of 8 processors, other virtual machines 0.5" in text
    )
    assert "(load average 9.5); do not rely on these values, measure again on an idle node" in text
    assert load(0.2).share == 0.0
    assert load(0.8).share == pytest.approx(0.1)
    assert load(9.0).share < 1.0
