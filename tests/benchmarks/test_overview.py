"""The page of figures: ours beside peers, today and at the last release; what is kept of them."""

from dataclasses import replace

import pytest

from benchmarks.overview.files_to_answer import SIZES
from benchmarks.overview.ledger import FigureEntry, last_release, read_ledger, write_entry
from benchmarks.overview.measured_figure import OURS, of_rounds
from benchmarks.overview.overview_page import page
from benchmarks.overview.watch import FORMATS, history_tables, series


def entry(label, *figures, release=False, machine="2 cores"):
    return FigureEntry(
        label=label, release=release, date="2026-11-26", machine=machine, note="shared", figures=figures
    )


def answer(seconds, peer=None, *, count=10, kind="Score-P"):
    name = f"files to answer, {count} {kind}"
    own = of_rounds(name, OURS, "processor s", [0.9 * seconds, seconds, 1.1 * seconds])
    theirs = () if peer is None else (of_rounds(name, "Extra-P", "processor s", [peer]),)
    return own, *theirs


def lines(now, before):
    return list(page(now, before))


def test_every_figure_stands_beside_its_peer_and_the_last_release():
    before, now = entry("1.0", *answer(2.0, 20.0)), entry("today", *answer(1.0, 20.0))
    (row,) = [line for line in lines(now, before) if line.startswith("| files to answer")]
    assert row == (
        "| files to answer, 10 Score-P | processor s | 1 (0.9 .. 1.1) | Extra-P: 20 | 20.0 "
        "| 2 (1.8 .. 2.2) | 10.0 |"
    )
    assert lines(now, before)[-1] == "Lost more than 5% since 1.0: nothing."


def test_what_has_become_worse_is_listed_by_itself():
    before = entry("1.0", *answer(1.0, 10.0), *answer(1.0, count=1))
    now = entry("today", *answer(2.0, 10.0), *answer(1.04, count=1))
    *_, last = lines(now, before)
    assert last.startswith(
        "* files to answer, 10 Score-P (processor s): +100% beside its peer, 1 (0.9 .. 1.1)"
    )
    slower = entry("today", *answer(1.0, 10.0), *answer(1.08, count=1))
    *_, last = lines(slower, before)
    assert "files to answer, 1 Score-P (processor s): +8% by itself" in last
    assert last.endswith("; the ranges overlap")


def test_a_machine_that_is_slow_today_loses_nothing_beside_a_peer():
    before, now = entry("1.0", *answer(1.0, 10.0)), entry("today", *answer(3.0, 30.0))
    assert lines(now, before)[-1] == "Lost more than 5% since 1.0: nothing."


def test_the_ledger_keeps_what_was_measured_and_replaces_an_entry_of_the_same_label(tmp_path):
    file = tmp_path / "figures.csv"
    first, second = entry("1.0", *answer(10.0, 50.0), release=True), entry("abc", *answer(20.0))
    for one in (first, second, replace(second, note="quiet")):
        write_entry(one, file)
    assert read_ledger(file) == [first, replace(second, note="quiet")]
    assert read_ledger(tmp_path / "none.csv") == []


def test_the_last_release_is_of_the_same_machine():
    entries = [entry("1.0", release=True), entry("abc"), entry("2.0", release=True, machine="another")]
    assert last_release(entries, "2 cores").label == "1.0"
    assert last_release(entries, "a third") is None
    assert last_release(entries[1:], "2 cores").label == "abc"


def all_sizes(factor=1.0):
    return [
        one
        for kind in FORMATS
        for count in SIZES
        for one in answer(factor * count**0.5, count=count, kind=kind)
    ]


@pytest.mark.slow
def test_pipeline_history_shows_the_figures():
    shown = list(history_tables([entry("1.0", *all_sizes()), entry("today", *all_sizes(2.0))]))
    values = [line.split("|")[4:6] for line in shown if line.startswith("| run on Score")]
    found = [(label.split()[-1], float(value)) for label, value in values]
    assert found == [("1.0", 10.0), ("today", 20.0)]


def test_an_entry_without_all_sizes_has_no_history():
    assert series(entry("1.0", *answer(1.0))) == ""
    assert list(history_tables([entry("1.0", *answer(1.0))])) == []


@pytest.mark.parametrize("recorded", read_ledger())
def test_the_committed_figures_are_a_history(recorded):
    assert series(recorded)
    assert recorded.machine and recorded.note
