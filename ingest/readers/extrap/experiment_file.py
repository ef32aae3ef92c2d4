"""Extra-P 4 experiment files (``.extra-p``).

A zip archive with ``experiment.json`` and, if single values were kept, ``values/<n>.vals`` and
``values/<n>.indx``: a sequence of arrays in NumPy's own format, and the position of each.
"""

import math
import re
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.readers import SeriesReader
from ingest.readers.extrap.extrap_json import from_tree
from ingest.reading.files import head
from ingest.reading.json_values import JsonRecord, json_list, measured_values, parse_json
from ingest.reading.packed import inflation_limit
from ingest.series import MeasuredSeries

_MAX_QUOTED = 120  # characters of an error, which may quote the archive
_CONTENT = "experiment.json"

_VALUES_MAGIC = b"Extra-P VALUES\0\0"
_INDEX_MAGIC = b"Extra-P INDEX\0\0\0"
_ARRAY_MAGIC = b"\x93NUMPY\x01\x00"
_ARRAY_HEADER = re.compile(  # as NumPy writes it; its own reader takes more, by way of Python's parser
    rb"\{'descr': '([<>|][fiu][1248])', 'fortran_order': (True|False), 'shape': \(([0-9 ,]{1,80})\), \}\s*"
)


def _matches(path: Path) -> bool:
    """Return whether a file is a zip archive called ``.extra-p``."""
    return path.suffix.lower() == ".extra-p" and head(path).startswith(b"PK")


def _read(path: Path) -> MeasuredSeries:
    """Read the measurements of an experiment, not its models.

    If the experiment has no single values, the mean of every point is its only value.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _series(_Archive(archive, str(path)))
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, UnicodeError) as error:
        raise InputError(f"damaged archive: {str(error)[:_MAX_QUOTED]}", where=str(path)) from error


@dataclass(frozen=True)
class _Archive:
    file: zipfile.ZipFile
    source: str

    def error(self, what: str) -> InputError:
        return InputError(what, where=self.source)

    def member(self, name: str) -> bytes:
        try:
            info = self.file.getinfo(name)
        except KeyError:
            raise self.error(f"the archive contains no '{name}'") from None
        limit = inflation_limit(info.compress_size, READER.max_bytes)
        if info.file_size > limit:
            raise self.error(f"'{name}' is larger than {limit >> 20} MiB")
        with self.file.open(name) as stream:
            return stream.read(info.file_size)


def _series(archive: _Archive) -> MeasuredSeries:
    where = archive.source
    try:
        text = archive.member(_CONTENT).decode("utf-8")
    except UnicodeDecodeError as error:
        raise archive.error(f"'{_CONTENT}' is not UTF-8 text") from error
    values, averaged = _Values(archive), list[str]()

    def repetitions(record: JsonRecord, what: str) -> list[float]:
        if record.content.get("values") is None:
            averaged.append(what)
            return measured_values(
                JsonRecord(record.content, "a measurement", where).value("mean"), "a mean", where
            )
        place = json_list(record.content["values"], "the position of values", where)
        if len(place) != 2 or any(type(number) is not int or number < 0 for number in place):
            raise InputError("the position of values should be two numbers", where=where)
        return values.read(place[0], place[1])

    series = from_tree(JsonRecord.of(parse_json(text, where), _CONTENT, where), "coordinate", repetitions)
    notice = f"{len(averaged)} points have no single repetitions: their mean is used instead"
    return replace(series, notices=(notice, *series.notices)) if averaged else series


@dataclass
class _Values:
    """The single values, read from the archive chunk by chunk; one chunk is kept in memory."""

    archive: _Archive
    chunks: dict[int, tuple[bytes, IntArray]] = field(default_factory=dict)
    layouts: dict[bytes, tuple[np.dtype[np.generic], tuple[int, ...]]] = field(default_factory=dict)

    def read(self, chunk: int, number: int) -> list[float]:
        """Return the repetitions; if locations were stored separately, their mean per repetition."""
        data, starts = self._chunk(chunk)
        if number >= len(starts):
            raise self.archive.error(f"chunk {chunk} has no values {number}")
        array = self._array(data, int(starts[number]))
        return [float(value) for value in array.reshape(len(array), -1).mean(axis=1)]

    def _chunk(self, chunk: int) -> tuple[bytes, IntArray]:
        if chunk not in self.chunks:
            data, index = (self.archive.member(f"values/{chunk}.{end}") for end in ("vals", "indx"))
            start = len(_INDEX_MAGIC) + 8
            whole = len(index) >= start and len(index) % 8 == 0
            if not (whole and data.startswith(_VALUES_MAGIC) and index.startswith(_INDEX_MAGIC)):
                raise self.archive.error(f"the values of the chunk {chunk} are damaged")
            self.chunks.clear()
            self.chunks[chunk] = data, np.frombuffer(index[start:], dtype="<u8").astype(np.int64)
        return self.chunks[chunk]

    def _array(self, data: bytes, start: int) -> FloatArray:
        """Return an array in NumPy's format, version 1: magic, length of the header, header, numbers."""
        begin = start + len(_ARRAY_MAGIC) + 2
        length = int.from_bytes(data[begin - 2 : begin], "little")
        header = data[begin - 2 : begin + length]
        if start < 0 or data[start : begin - 2] != _ARRAY_MAGIC or len(header) < length + 2:
            raise self.archive.error("a stored array of values is damaged")
        if header not in self.layouts:
            self.layouts[header] = self._layout(header)
        dtype, shape = self.layouts[header]
        count, first = math.prod(shape), begin + length
        if not count or first + count * dtype.itemsize > len(data):
            raise self.archive.error("a stored array of values is empty or truncated")
        return np.frombuffer(data, dtype, count, first).astype(np.float64).reshape(shape)

    def _layout(self, header: bytes) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
        match = _ARRAY_HEADER.fullmatch(header, 2)
        sizes = [size for size in match[3].split(b",") if size.strip()] if match else []
        if match is None or not all(map(bytes.isdigit, map(bytes.strip, sizes))) or not sizes:
            raise self.archive.error("a stored array of values is damaged, or not of numbers")
        if match[2] == b"True" and len(sizes) > 1:
            raise self.archive.error("an array of values is stored by columns")
        try:
            return np.dtype(match[1].decode()), tuple(map(int, sizes))
        except TypeError as error:
            raise self.archive.error(f"a stored array of values has the type {match[1]!r}") from error


READER = SeriesReader(
    name="Extra-P experiment", pattern="*.extra-p", matches=_matches, read=_read, max_bytes=1 << 29
)
