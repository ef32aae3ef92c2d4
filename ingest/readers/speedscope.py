"""speedscope's JSON: stacks with weights, or events that open and close frames, in any unit.

The format is that of https://www.speedscope.app/file-format-schema.json: ``shared.frames`` lists the
functions, each of ``profiles`` is a thread or a process. The first versions had ``frames`` at the top. Time
within the range of an evented profile in which no frame is open is idle: it is in no sum.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import LARGEST, Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_text, writable
from ingest.reading.json_values import load_json
from ingest.reading.packed import plain_name
from ingest.reading.stacks import NO_SECONDS, SAMPLES, TIME_METRIC, UNKNOWN, Stacks
from ingest.units import SECONDS

_BYTES = Metric("bytes", "bytes")
_MAX_PROFILES = 1 << 16
_MAX_KNOWN_STACKS = 1 << 16

_PROCESS = re.compile(r"\bprocess:?\s+(\d{1,18})", re.IGNORECASE | re.ASCII)


def matches(path: Path) -> bool:
    """Return whether a file is a JSON object that names the schema, or has an ending that says so."""
    start = head(path, READER.head_bytes)
    if not start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return False
    return plain_name(path).name.endswith(".speedscope.json") or b"speedscope.app/file-format-schema" in start


def _read(path: Path) -> Profile:
    content = load_json(read_text(path, READER.max_bytes), str(path))
    try:
        return _profile(content, str(path))
    except ValueError as error:
        raise InputError(str(error), where=str(path), hint="is the file truncated?") from error


def _profile(content: object, source: str) -> Profile:
    top = _mapping(content, "the file")
    shared = top.get("shared")
    frames = _list((shared if isinstance(shared, dict) else top).get("frames"), "frames")
    names, files = _functions(frames)
    profiles = _list(top.get("profiles"), "profiles")
    if len(profiles) > _MAX_PROFILES:
        raise ValueError(f"{len(profiles)} profiles")
    stacks, notices, stated = Stacks(), list[str](), 0.0
    regions = [stacks.callpaths.regions.setdefault(name, len(stacks.callpaths.regions)) for name in names]
    for number, entry in enumerate(profiles):
        one = _mapping(entry, f"profile {number}")
        metric, scale = _weights(one.get("unit"))
        location = stacks.location(_process(one.get("name")), number)
        values = stacks.of(metric)
        stacks_of = _sampled if one.get("type") == "sampled" else _evented
        try:
            for node, value in stacks_of(one, regions, stacks):
                values[location, node] += value * scale
        except ValueError as error:
            raise ValueError(f"profile {number}: {error}") from error
        stated += max(_number(one.get("endValue", 0)) - _number(one.get("startValue", 0)), 0.0) * scale
    metrics = list(stacks.values)
    text = f"{stacks.total(metrics[0]):.15g} {metrics[0].unit}" if metrics else "nothing"
    if len(metrics) == 1 and stated > 0:
        share = 100 * stacks.total(metrics[0]) / stated
        text += f" = {share:.2f} % of the stated range of {stated:.15g}"
    else:
        text += ", no total is stated"
    if SAMPLES in stacks.values:
        notices.append(NO_SECONDS)
    generator = top.get("exporter")
    return stacks.built(source).profile(
        generator[:100] if isinstance(generator, str) and generator else "speedscope",
        f"{len(profiles)} {'profile' if len(profiles) == 1 else 'profiles'} with {text}",
        files=files,
        notices=notices,
    )


def _functions(frames: list[object]) -> tuple[list[str], dict[str, tuple[str, int]]]:
    names: list[str] = []
    files: dict[str, tuple[str, int]] = {}
    for number, entry in enumerate(frames):
        frame = _mapping(entry, f"frame {number}")
        name, file, line = frame.get("name"), frame.get("file"), frame.get("line")
        text = _text(name) or UNKNOWN
        names.append(text)
        known = isinstance(line, int) and 0 <= line < 1 << 31
        files.setdefault(text, (_text(file), line if known and isinstance(line, int) else -1))
    return names, files


def _sampled(
    profile: Mapping[str, object], regions: list[int], stacks: Stacks
) -> Iterator[tuple[int, float]]:
    """Yield nodes and weights of samples, each a list of frames from the outermost to the innermost."""
    samples, stated = _list(profile.get("samples"), "samples"), profile.get("weights")
    weights = [1] * len(samples) if stated is None else _list(stated, "weights")
    if len(weights) != len(samples):
        raise ValueError(f"{len(samples)} samples have {len(weights)} weights")
    nodes = stacks.callpaths.nodes
    known: dict[str, int] = {}  # most stacks occur again
    for sample, weight in zip(samples, weights, strict=True):
        text = repr(sample)
        node = known.get(text, ROOT)
        if node == ROOT:
            for frame in _list(sample, "a sample"):
                node = nodes.setdefault((node, _region(frame, regions)), len(nodes))
            if len(known) < _MAX_KNOWN_STACKS:
                known[text] = node
        if node != ROOT:  # an empty stack is idle time
            yield node, _number(weight)


def _evented(
    profile: Mapping[str, object], regions: list[int], stacks: Stacks
) -> Iterator[tuple[int, float]]:
    """Yield nodes and the time between events, which belongs to the innermost frame that is open."""
    open_: list[tuple[int, int]] = []  # region and node
    nodes, before = stacks.callpaths.nodes, None
    for entry in _list(profile.get("events"), "events"):
        event = _mapping(entry, "an event")
        at, region = _number(event.get("at")), _region(event.get("frame"), regions)
        if before is not None and at < before:
            raise ValueError(f"an event at {at:.15g} follows one at {before:.15g}")
        if open_ and before is not None:
            yield open_[-1][1], at - before
        before = at
        if event.get("type") == "O":
            key = open_[-1][1] if open_ else ROOT, region
            open_.append((region, nodes.setdefault(key, len(nodes))))
        elif event.get("type") == "C" and open_ and open_[-1][0] == region:
            open_.pop()
        else:
            raise ValueError(f"an event at {at:.15g} closes a frame that is not the innermost open one")
    if open_:
        raise ValueError(f"{len(open_)} frames are not closed")


def _weights(unit: object) -> tuple[Metric, float]:
    """Return what the values of a profile are, samples if no unit is stated, and what to multiply them by."""
    if unit is None or unit == "none":
        return SAMPLES, 1.0
    if isinstance(unit, str) and unit in SECONDS:
        return TIME_METRIC, SECONDS[unit]
    if unit == _BYTES.name:
        return _BYTES, 1.0
    raise ValueError(f"the unit {str(unit)[:30]!r} is not known")


def _process(name: object) -> int:
    """Return the number of the process, as some write it into the name of a profile, or 0."""
    match = _PROCESS.search(name) if isinstance(name, str) else None
    return int(match[1]) if match else 0


def _region(frame: object, regions: list[int]) -> int:
    if not isinstance(frame, int) or isinstance(frame, bool) or not 0 <= frame < len(regions):
        raise ValueError(f"the frame {str(frame)[:30]} is not in the list of frames")
    return regions[frame]


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -LARGEST < value < LARGEST:
        raise ValueError(f"not a number: {str(value)[:30]}")
    return float(value)


def _text(value: object) -> str:
    return writable(value) if isinstance(value, str) else ""


def _list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{what}: a list is missing")
    return value


def _mapping(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not an object")
    return value


READER = ProfileReader(
    name="speedscope",
    pattern="*.speedscope.json",
    matches=matches,
    read=_read,
    fallback=1,
    max_bytes=1 << 29,
    head_bytes=1 << 16,
)
