"""Columns made from buffers are those that pyarrow makes of the same values."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import InputError
from pipeline.store import arrow as columns
from pipeline.store.arrow import lists_of_numbers, lists_of_texts, numbers, texts

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=8)


@settings(deadline=None)  # the peer imports pandas at its first call
@given(TEXTS)
def test_texts(values):
    column = texts(values)
    column.validate(full=True)
    assert column.equals(pa.array(values, pa.string()))


@given(st.lists(TEXTS, max_size=5))
def test_lists_of_texts(values):
    column = lists_of_texts(values)
    column.validate(full=True)
    assert column.equals(pa.array(values, pa.list_(pa.string())))


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int32])
def test_numbers_and_lists_of_them(kind):
    values = np.arange(7, dtype=kind)
    assert numbers(values).equals(pa.array(values))
    assert numbers(values[::2]).equals(pa.array([0, 2, 4, 6], pa.from_numpy_dtype(kind)))
    assert lists_of_numbers([values, values[:0]], kind).to_pylist() == [values.tolist(), []]
    assert lists_of_numbers([], kind).equals(pa.array([], pa.list_(pa.from_numpy_dtype(kind))))


def test_what_is_not_a_number_stays_one():
    column = numbers(np.array([np.nan, 1.0]))
    assert column.null_count == 0
    assert np.isnan(column[0].as_py())


def test_half_of_a_character_and_too_many_of_them_are_refused(monkeypatch):
    with pytest.raises(UnicodeEncodeError):
        texts(["\ud800"])
    monkeypatch.setattr(columns, "MOST_BYTES", 3)
    with pytest.raises(InputError, match="too long to be stored"):
        texts(["ab", "cd"])
