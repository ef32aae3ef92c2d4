"""Columns made from buffers are those that Arrow makes itself."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline.store.arrow as arrow
from ingest.errors import InputError
from ingest.reading.parquet_files import BombError
from pipeline.store.arrow import (
    from_ipc,
    ipc_bytes,
    lists_of_numbers,
    lists_of_texts,
    numbers,
    read_table,
    repeated_text,
    texts,
    write_table,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)


@given(st.lists(TEXT, max_size=9))
def test_texts(values):
    column = texts(values)
    column.validate(full=True)
    assert column.to_pylist() == values and column.type == pa.string()


@given(TEXT, st.integers(0, 9))
def test_the_same_text_again_and_again(value, count):
    column = repeated_text(value, count)
    column.validate(full=True)
    assert column.to_pylist() == [value] * count


@given(st.lists(st.lists(TEXT, max_size=4), max_size=5))
def test_lists_of_texts(values):
    column = lists_of_texts(values)
    column.validate(full=True)
    assert column.to_pylist() == values


@given(st.lists(st.lists(st.integers(-9, 9), max_size=4), max_size=5))
def test_lists_of_numbers(values):
    column = lists_of_numbers([np.array(row, dtype=np.int64) for row in values], np.int64)
    column.validate(full=True)
    assert column.to_pylist() == values and column.type == pa.list_(pa.int64())


def test_numbers_keep_their_type_and_their_order():
    column = numbers(np.array([[1, 2], [3, 4]], dtype=np.int32)[:, 1])
    assert column.to_pylist() == [2, 4] and column.type == pa.int32()
    assert np.isnan(numbers(np.array([np.nan, 1.0]))[0].as_py())


def test_more_text_than_a_column_can_hold_is_refused(monkeypatch):
    monkeypatch.setattr(arrow, "MOST_BYTES", 4)
    assert texts(["ab", "cd"]).to_pylist() == ["ab", "cd"]
    assert repeated_text("ab", 2).to_pylist() == ["ab", "ab"]
    with pytest.raises(InputError, match="the names of its call paths are too long to be stored"):
        texts(["ab", "cde"])
    with pytest.raises(InputError, match="too long"):
        repeated_text("ab", 3)


def test_offsets_have_32_bits():
    assert np.iinfo(np.int32).max == arrow.MOST_BYTES


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_table_that_would_fill_the_memory_is_refused_before_it_is_unpacked(compression):
    sink = pa.BufferOutputStream()
    table = pa.table({"a": pa.repeat(0, 20_000_000)})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    with pytest.raises(BombError, match="decompression bomb"):
        from_ipc(sink.getvalue().to_pybytes())


@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_a_table_comes_back(rows):
    table = pa.table({"a": np.arange(rows, dtype=np.float64), "b": ["x" * (n % 7) for n in range(rows)]})
    assert from_ipc(ipc_bytes(table)) == table


def test_lists_of_texts_of_several_row_groups_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "ROWS_AT_ONCE", 2)
    paths = [["main", f"kernel {n}"] for n in range(5)]
    write_table(tmp_path / "models.parquet", pa.table({"callpath": lists_of_texts(paths)}))
    assert read_table((tmp_path / "models.parquet").read_bytes())["callpath"].to_pylist() == paths
