"""Folded stacks, the input of flame graphs: ``main;solve;dot 12``, one line per stack and its value.

As `stackcollapse` scripts, py-spy, async-profiler, bpftrace and others write them. Frames are listed from the
outermost to the innermost; the value is what follows the last blank, since names contain blanks.
"""

import re
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, head_lines, lines_of
from ingest.reading.stacks import NO_SECONDS, SAMPLES, UNKNOWN, Stacks, skipped_lines

_VALUE = re.compile(r"\d{1,18}(?:\.\d{0,18})?(?:[eE][+-]?\d{1,2})?", re.ASCII)


def matches(path: Path) -> bool:
    """Return whether most lines at the beginning of a file are stacks, most of them of several frames."""
    if b";" not in head(path, READER.head_bytes):
        return False
    lines = [line for line in head_lines(path, READER.head_bytes) if line.strip()]
    if 4 * sum(";" in line for line in lines) <= len(lines):
        return False  # half of a half has frames
    stacks = [line for line in lines if _is_stack(line)]
    return 2 * len(stacks) > len(lines) and 2 * sum(";" in line for line in stacks) > len(stacks)


def read(path: Path) -> Profile:
    """Read the stacks of a file as samples of one location."""
    stacks = Stacks()
    location = stacks.location(0, 0)
    samples, add = stacks.of(SAMPLES), stacks.callpaths.add
    invalid: list[int] = []
    valid = two_values = 0
    for number, line in enumerate(lines_of(path), start=1):
        stack, _, value = line.rstrip().rpartition(" ")
        if _VALUE.fullmatch(value) and (stack := stack.strip()):
            samples[location, add(_frames(stack))] += float(value)
            valid += 1
            two_values += stack[-1].isdecimal() and _is_stack(stack)
        elif line.strip():
            invalid.append(number)
    if two_values == valid > 0:
        what = "two values per line: the difference of two profiles"
        raise InputError(what, where=str(path), hint="give the two profiles that were compared")
    notices = skipped_lines(invalid, valid, "not a stack with its value", str(path))
    reconciled = f"{stacks.total(SAMPLES):.15g} samples in {valid} stacks, no total is stated"
    return stacks.built(str(path)).profile("folded stacks", reconciled, notices=(NO_SECONDS, *notices))


def _frames(stack: str) -> list[str]:
    frames = stack.split(";")
    return frames if all(frames) else [frame or UNKNOWN for frame in frames]


def _is_stack(line: str) -> bool:
    stack, _, value = line.rstrip().rpartition(" ")
    return bool(stack.strip() and _VALUE.fullmatch(value))


READER = ProfileReader(
    name="folded stacks",
    pattern="*.folded",
    matches=matches,
    read=read,
    fallback=2,
    precedence=1,
    head_bytes=1 << 18,
)
