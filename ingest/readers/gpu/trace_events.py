"""Chrome's trace events: JSON that many profilers write, for chrome://tracing and Perfetto.

The file is an object with ``traceEvents``, or the list of events alone, whose closing bracket may be missing.
An event of phase ``X`` has a begin and a duration, of phases ``B`` and ``E`` it is one of both ends of what
nests in its thread; ``M`` names processes and threads. Times are microseconds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.readers.gpu.timeline import MAX_TIME
from ingest.reading.files import head, read_bytes, writable

MAX_BYTES = 1 << 30
HEAD_BYTES = 1 << 16
MICROSECOND = 1000.0  # in nanoseconds
UNNAMED = "[unnamed]"

Event = dict[str, Any]


@dataclass(frozen=True)
class TraceFile:
    """A file of events.

    Attributes:
        top: what the file says beside the events.
    """

    top: Mapping[str, object]
    events: Sequence[Event]

    def of_phase(self, phase: str) -> list[Event]:
        """Return the events of a phase."""
        return [event for event in self.events if event.get("ph") == phase]

    def process_names(self) -> dict[str, str]:
        """Return the names of processes by their numbers, which are texts in some events of one file."""
        return {pid: name for (pid, _), name in self._names("process_name").items()}

    def thread_names(self) -> dict[tuple[str, str], str]:
        """Return the names of threads by the numbers of their process and their own, as texts."""
        return self._names("thread_name")

    def _names(self, what: str) -> dict[tuple[str, str], str]:
        named = (event for event in self.of_phase("M") if event.get("name") == what)
        return {
            (str(event.get("pid")), str(event.get("tid"))): str(args.get("name"))
            for event in named
            if isinstance(args := event.get("args"), dict)
        }


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file, inflated if it is compressed; nothing if it cannot be read."""
    return head(path, HEAD_BYTES).lstrip()


def has_events(path: Path) -> bool:
    """Return whether a file begins as one of trace events does."""
    start = beginning(path)
    if start.startswith(b"{"):
        return b'"traceEvents"' in start
    return start.startswith(b"[") and b'"ph"' in start and b'"ts"' in start


def load(path: Path) -> TraceFile:
    """Read a file of events."""
    where = str(path)
    content = read_bytes(path, MAX_BYTES)
    try:
        found = _parsed(content.decode("utf-8-sig"))
    except (RecursionError, ValueError) as error:
        raise InputError(f"damaged JSON ({error})", where=where, hint="is the file truncated?") from error
    top = found if isinstance(found, dict) else {}
    events = top.get("traceEvents") if isinstance(found, dict) else found
    if not isinstance(events, list):
        raise InputError("a list of trace events is missing", where=where)
    return TraceFile(top, [event for event in events if type(event) is dict])


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Make one error of what events with other entries than expected raise."""
    try:
        yield
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        what = f"an event is not understood ({type(error).__name__}: {error})"
        raise InputError(what, where=str(path), hint="is the file damaged?") from error


def paired(events: Sequence[Event]) -> tuple[list[Event], int]:
    """Make events of phase ``X`` from those of phases ``B`` and ``E``.

    Args:
        events: in the order of the file, which is that of time within each thread.

    Returns:
        The events, and the number of begins and ends that have no other end.
    """
    open_: dict[tuple[object, object], list[Event]] = {}
    found: list[Event] = []
    alone = 0
    for event in events:
        phase = event.get("ph")
        if phase == "B":
            open_.setdefault((event.get("pid"), event.get("tid")), []).append(event)
        elif phase == "E":
            begun = open_.get((event.get("pid"), event.get("tid")))
            if begun:
                begin = begun.pop()
                found.append({**begin, "ph": "X", "dur": float(event["ts"]) - float(begin["ts"])})
            else:
                alone += 1
    return found, alone + sum(map(len, open_.values()))


def times(events: Sequence[Event]) -> tuple[IntArray, IntArray]:
    """Return begin and end of events, int64[n] each, in nanoseconds."""
    begin = whole([event["ts"] for event in events], MICROSECOND)
    return begin, begin + whole([event.get("dur", 0) for event in events], MICROSECOND)


def whole(values: Sequence[object], scale: float = 1.0) -> IntArray:
    """Return numbers, or texts of them, as whole numbers of another unit."""
    numbers: FloatArray = np.array(values, dtype=np.float64)
    if not (abs(numbers) < MAX_TIME / scale).all():
        raise ValueError("not a time, or too large")
    return np.rint(numbers * scale).astype(np.int64)


def numbered(values: Sequence[Any]) -> IntArray:
    """Return numbers of processes or threads; names get negative ones that no process has."""
    known: dict[Any, int] = {}
    for value in set(values):
        text = str(value)
        known[value] = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -2 - len(known)
    return np.array([known[value] for value in values], dtype=np.int64)


def names_of(events: Sequence[Event]) -> list[str]:
    """Return the names of events."""
    names = [str(event.get("name")) for event in events]
    texts = {name: writable(name) or UNNAMED for name in set(names)}
    return [texts[name] for name in names]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        if not text.lstrip().startswith("["):
            raise
        return json.loads(text.rstrip().rstrip(",") + "]")
