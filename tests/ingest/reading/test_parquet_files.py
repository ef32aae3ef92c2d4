"""Parquet files from anywhere: bombs are refused before they fill the memory, whatever the footer says."""

import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reading.parquet_files import BombError, held_by_pages, open_parquet, plain_texts

MANY, LONG = 30_000_000, "x" * 90_000_000
MOST_MEGABYTES = 200  # of a process that imports Arrow
READ = """
import sys
from pathlib import Path
from ingest.reading.parquet_files import open_parquet, plain_texts
content = Path(sys.argv[1]).read_bytes()
try:
    plain_texts(open_parquet(content).read(use_threads=False), len(content))
except ValueError as error:
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    print(type(error).__name__, int(status["VmHWM"].split()[0]) // 1024)
"""


def content_of(columns, **how):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd", **how)
    return sink.getvalue()


def varint(number, length=0):
    """A whole number as Thrift writes it, in at least so many bytes."""
    number, found = number << 1, []
    while number > 127 or len(found) < length - 1:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def understated(content):
    """A file whose footer says that its columns hold hardly any bytes."""
    metadata = pq.ParquetFile(pa.BufferReader(content)).metadata
    at = len(content) - 8 - metadata.serialized_size
    footer = content[at:]
    group = metadata.row_group(0)
    for size in (group.total_byte_size, group.column(0).total_uncompressed_size):
        footer = footer.replace(varint(size), varint(100, len(varint(size))))
    return content[:at] + footer


BOMBS = {
    "numbers": lambda: content_of({"a": pa.repeat(1, MANY)}),
    "a long text": lambda: content_of({"a": [LONG]}),
    "an understated text": lambda: understated(content_of({"a": [LONG]}, use_dictionary=False)),
    "lists": lambda: content_of(
        {"a": pa.ListArray.from_arrays(pa.array([0, MANY], pa.int32()), pa.repeat(1, MANY))}
    ),
    "one text in all rows": lambda: content_of({"a": pa.repeat("x" * 20_000, 50_000).dictionary_encode()}),
    "one text in all lists": lambda: content_of(
        {
            "a": pa.ListArray.from_arrays(
                pa.array(range(50_001), pa.int32()), pa.repeat("x" * 20_000, 50_000).dictionary_encode()
            )
        }
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_little_memory(tmp_path, name):
    file = tmp_path / "a.parquet"
    file.write_bytes(BOMBS[name]())
    assert file.stat().st_size < 1_000_000
    done = subprocess.run([sys.executable, "-c", READ, file], capture_output=True, text=True, check=True)
    kind, megabytes = done.stdout.split()
    assert kind == "BombError" and int(megabytes) < MOST_MEGABYTES


def test_what_a_footer_understates_is_counted():
    honest = content_of({"a": ["x" * 1_000_000]}, use_dictionary=False)
    lying = understated(honest)
    sizes = [
        pq.ParquetFile(pa.BufferReader(one)).metadata.row_group(0).total_byte_size for one in (honest, lying)
    ]
    assert sizes[1] == 100 < sizes[0]
    held = held_by_pages(honest)
    assert held == held_by_pages(lying) and held.size > 1_000_000 and held.values == 1


@given(
    st.lists(st.text("abc") | st.none(), max_size=30),
    st.sampled_from(["1.0", "2.0"]),
    st.sampled_from([10, 1 << 20]),
)
def test_texts_come_back_as_they_were_written(rows, version, page):
    table = pa.table(
        {
            "text": pa.array(rows, pa.string()),
            "list": pa.array([[row, "z"] for row in rows], pa.list_(pa.string())),
            "number": pa.array(range(len(rows)), pa.int64()),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, data_page_version=version, data_page_size=page, write_page_index=True)
    content = sink.getvalue()
    file = open_parquet(content)
    assert plain_texts(file.read(use_threads=False), len(content)).to_pydict() == table.to_pydict()
    assert held_by_pages(content).values >= 4 * len(rows)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_damage_is_one_of_the_errors_that_are_said(at, value):
    content = bytearray(content_of({"a": [1.0, 2.0] * 50, "b": ["x", "y"] * 50}))
    content[at % len(content)] = value
    try:
        read = open_parquet(bytes(content)).read(use_threads=False)
        assert pc.count(plain_texts(read, len(content)).column(0)).as_py() <= 100
    except BombError as error:
        assert "\n" not in str(error)
    except (OSError, pa.ArrowException, LookupError, ValueError):
        pass
