"""A small part of what ``make fuzz`` runs, the same every time, and proof that it finds what it should."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pytest

from tests.fuzz import campaign, cases
from tests.fuzz.campaign import run_campaign, save_case
from tests.fuzz.cases import RUN_NAMES, TARGETS, Outcome, make_case, run_case
from tests.fuzz.seeds import seeds
from tests.profiles import make_profile

FEW, MORE = range(40), range(40, 500)  # cases of each target


def damaged(target, numbers):
    with TemporaryDirectory(dir=campaign.SCRATCH) as folder:
        for number in numbers:
            outcome = run_case(target, make_case(target, number), Path(folder, "case"))
            if outcome.kind == "finding":
                yield number, outcome.told


@pytest.mark.parametrize("numbers", [FEW, pytest.param(MORE, marks=pytest.mark.slow)], ids=["few", "more"])
@pytest.mark.parametrize("target", TARGETS)
def test_mutated_files_are_refused_in_one_line_or_read_consistently(target, numbers):
    assert list(damaged(target, numbers)) == []


@pytest.mark.parametrize("target", [target for target in TARGETS if target != RUN_NAMES])
def test_seeds_are_read(target, tmp_path):
    for i, seed in enumerate(seeds()[target]):
        assert run_case(target, seed, tmp_path / str(i)) == Outcome("accepted")


def test_a_number_always_stands_for_the_same_files():
    assert all(make_case(target, 7) == make_case(target, 7) for target in TARGETS)
    assert make_case("CUBE", 7) != make_case("CUBE", 8)


def leave_open(path):
    path.open("rb")
    return make_profile({"time": {("main",): [1.0]}})


def warn(path):
    warnings.warn("odd", stacklevel=1)


def wrong_sum(path):
    profile = make_profile({"time": {("main",): [1.0], ("main", "f"): [2.0]}})
    profile.tree.__dict__["levels"] = []  # nothing is added to its callers any more
    return profile


def not_finite(path):
    return make_profile({"time": {("main",): [np.nan]}})


def two_lines(path):
    return make_profile({"time": {("main",): [1.0]}}, notices=("one\ntwo",))


@pytest.fixture
def reader(monkeypatch):
    """Put a reader of our own in the place of all others."""

    def put(read):
        made = SimpleNamespace(name="CUBE", matches=bool, parameters=None, processes=None, read=read)
        monkeypatch.setattr(cases, "profile_readers", lambda: (made,))

    return put


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda path: 1 / 0, "ZeroDivisionError"),
        (lambda path: all(True for _ in iter(int, 1)), "TooSlowError"),
        (warn, "UserWarning"),
        (leave_open, "unclosed file"),
        (wrong_sum, "inclusive values of the roots"),
        (not_finite, "a value is not finite"),
        (two_lines, "a notice of more than one line"),
    ],
)
def test_what_must_not_happen_is_found(reader, monkeypatch, tmp_path, read, told):
    monkeypatch.setattr(cases, "SECONDS", 0.05)
    reader(read)
    outcome = run_case("CUBE", make_case("CUBE", 0), tmp_path / "case")
    assert outcome.kind == "finding"
    assert told in outcome.told


def take_memory(path):
    np.ones(campaign.MEMORY // 4)


def crash(path):
    raise SystemExit("as a crash in C would, this ends the process")


@pytest.mark.parametrize(("read", "told"), [(take_memory, "Memory"), (crash, "the process died")])
def test_workers_are_bounded_and_may_die(reader, monkeypatch, tmp_path, read, told):
    monkeypatch.setattr(campaign, "MEMORY", 1 << 28)
    reader(read)
    tally = run_campaign({"CUBE": range(3)}, workers=1)["CUBE"]
    assert tally.kinds == {"finding": 3}
    assert all(told in text for text in tally.findings.values())


def test_a_campaign_counts_and_its_findings_can_be_kept(tmp_path):
    tallies = run_campaign({"Extra-P text": range(20), "TAU": range(20, 30)}, workers=2)
    assert [sum(tally.kinds.values()) for tally in tallies.values()] == [20, 10]
    place = save_case("TAU", 3, "what was wrong", tmp_path)
    assert "--target 'TAU' --only 3" in (place / "finding.txt").read_text()
    kept = {str(f.relative_to(place / "files")): f.read_bytes() for f in (place / "files").rglob("profile*")}
    assert kept == dict(make_case("TAU", 3).files)
