"""A small part of ``python -m tests.fuzz.written``, and proof that it finds what it should."""

import pytest

from tests.fuzz import written
from tests.fuzz.written import BASELINE, call, flips, mutations, write_all


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("written")
    written.register()
    write_all(place)
    return place


@pytest.mark.slow
def test_no_flipped_bit_changes_a_prediction_silently(folder):
    tallies = flips(folder, 3)
    assert {"run.json", "models.parquet", BASELINE} <= set(tallies)
    assert not [name for name, tally in tallies.items() if tally["silently changed"] or tally["failed"]]


@pytest.mark.slow
def test_damaged_files_are_answered_or_refused_in_one_line(folder):
    tally, findings = mutations(folder, range(100))
    assert findings == {} and tally["refused"] and tally["answered"]


def test_a_traceback_is_a_finding(folder, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("pipeline.store.generation.StoredResult.require_intact", fail)
    assert call(folder, ("verify", "result"))[0] == "failed"
