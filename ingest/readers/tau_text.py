"""TAU's text profiles: a file ``profile.<node>.<context>.<thread>`` for each thread of execution.

With several metrics there is a folder ``MULTI__<metric>`` of such files for each. A file begins with the
number of functions, then has a row for each: ``"name" calls subroutines exclusive inclusive 0 GROUP="..."``.
"""

import html
import math
import re
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers.tau_profile import MAX_VALUES, TauData, tau_profile
from ingest.readers.textfile import read_text

MAX_BYTES = 256 << 20
MAX_ATTRIBUTES = 256
SINGLE_METRIC = "TIME"  # what a file measures that names no metric

_FILE = re.compile(r"profile\.([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")
_FOLDER = re.compile(r"MULTI__(.+)")
_HEADER = re.compile(r"\s*([0-9]{1,9})\s+templated_functions(?:_MULTI_(\S+))?\s*$")
_GROUP = re.compile(r'GROUP="([^"]*)"')
_ATTRIBUTE = re.compile(r"<attribute><name>([^<]*+)</name><value>([^<]*+)</value></attribute>")

Row: TypeAlias = tuple[str, float, float, str]  # name, calls, exclusive, group
Content: TypeAlias = tuple[str, list[Row], dict[str, str]]  # metric, rows, metadata


def matches(path: Path) -> bool:
    """Return whether a directory holds such files, or folders of them."""
    try:
        return path.is_dir() and any(
            _FILE.fullmatch(entry.name) or (_FOLDER.fullmatch(entry.name) and entry.is_dir())
            for entry in path.iterdir()
        )
    except OSError:
        return False


def files(path: Path) -> list[Path]:
    """Return the files of all threads and metrics."""
    return [file for folder in _folders(path) for file in _files(folder).values()]


def read(path: Path) -> Profile:
    """Read the files of a directory: one location each; times come in seconds.

    Raises:
        InputError: where a file is missing or damaged.
    """
    folders = _folders(path)
    threads_of = [_files(folder) for folder in folders]
    for folder, found in zip(folders, threads_of, strict=True):
        if list(found) != list(threads_of[0]) or not found:
            raise InputError("not the same threads as in the other metrics", where=str(folder))
    content = [[_read_file(file) for file in found.values()] for found in threads_of]
    names = dict.fromkeys(row[0] for threads in content for _, rows, _ in threads for row in rows)
    functions = {name: i for i, name in enumerate(names)}
    shape = (len(folders), len(functions), len(threads_of[0]))
    if int(np.prod(shape)) > MAX_VALUES:
        raise InputError(f"too large to hold: {shape[1]} functions on {shape[2]} threads", where=str(path))
    calls, exclusive = np.zeros(shape[1:]), np.zeros(shape)
    groups = [""] * len(functions)
    for metric, threads in enumerate(content):
        for location, (_, rows, _) in enumerate(threads):
            at = [functions[row[0]] for row in rows]
            calls[at, location] = [row[1] for row in rows]
            exclusive[metric, at, location] = [row[2] for row in rows]
            for i, row in zip(at, rows, strict=True):
                groups[i] = groups[i] or row[3]
    return tau_profile(
        TauData(
            source=str(path),
            functions=list(functions),
            groups=groups,
            metrics=[threads[0][0] for threads in content],
            locations=np.array(list(threads_of[0]), dtype=np.int64),
            calls=calls,
            exclusive=exclusive,
            attributes=content[0][0][2],
        )
    )


def _folders(path: Path) -> list[Path]:
    """Return the folders of the metrics; the directory itself where there is one metric."""
    folders = (entry for entry in path.iterdir() if _FOLDER.fullmatch(entry.name) and entry.is_dir())
    return sorted(folders) or [path]


def _files(folder: Path) -> dict[tuple[int, int, int], Path]:
    found = {}
    for entry in folder.iterdir():
        if match := _FILE.fullmatch(entry.name):
            found[int(match[1]), int(match[2]), int(match[3])] = entry
    return dict(sorted(found.items()))


def _read_file(file: Path) -> Content:
    """Read one file."""
    lines = read_text(file, MAX_BYTES).split("\n")
    header = _HEADER.match(lines[0])
    if header is None:
        raise InputError("line 1: not the header of a TAU profile", where=str(file))
    number = int(header[1])
    start = 2 if len(lines) > 1 and lines[1].startswith("#") else 1
    rows = [_row(line, at, file) for at, line in enumerate(islice(lines, start, start + number), start + 1)]
    if len(rows) < number:
        raise InputError(f"holds {len(rows)} of its {number} functions: it is truncated", where=str(file))
    attributes = islice(_ATTRIBUTE.finditer(lines[1] if start == 2 else ""), MAX_ATTRIBUTES)
    named = {html.unescape(match[1]): html.unescape(match[2]) for match in attributes}
    return header[2] or named.get("Metric Name", SINGLE_METRIC), rows, named


def _row(line: str, at: int, file: Path) -> Row:
    """Take a row apart from its end, as names may hold quotes: the group, the numbers, the name."""
    head, mark, tail = line.rstrip().rpartition("GROUP=")
    group = _GROUP.fullmatch(mark + tail)
    rest = head.rstrip() if group else line.rstrip()
    name, _, numbers = rest.rpartition('"')
    try:
        calls, _, exclusive, *_ = map(float, numbers.split())
    except ValueError:
        pass
    else:
        if name.startswith('"') and math.isfinite(calls) and math.isfinite(exclusive):
            return name[1:], calls, exclusive, group[1] if group else ""
    raise InputError(f"line {at}: not a row of a TAU profile: is it truncated?", where=str(file))
