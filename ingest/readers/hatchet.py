"""Hatchet's dictionaries, as JSON or as Python writes them, and what Triton's Proton writes of that form.

A list of roots ``{"frame": {"name": ...}, "metrics": {"time": 1.5, "time (inc)": 4.0}, "children": [...]}``.
Values are exclusive but for those called ``(inc)``; a unit may stand in brackets: ``time (ns)``. Proton's
``device_type`` and ``device_id`` say that the values are those of a kernel on an accelerator.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import CPU, Metric, Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_text, writable
from ingest.reading.json_values import json_list, json_object, load_json
from ingest.reading.stacks import TIME_METRIC, UNKNOWN, VISITS_METRIC, Stacks
from ingest.region_class import GPU_KERNEL

_MAX_LITERAL_BYTES = 1 << 24  # Python's parser needs some hundred times as much memory
_NO_UNIT = "no unit is stated: times are read as seconds"

_SECONDS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_METRIC = re.compile(r"(?P<name>[^()]{1,80}?)\s*(?:\((?P<unit>[^()]{1,20})\))?")
_NO_SUMS = re.compile(r"nid|rank|thread|line|_hatchet_nid|device_.*|.*\b(?:avg|min|max|mean|std)\b.*|.*%.*")
_COUNTS = frozenset(("count", "calls", "visits"))
_INCLUSIVE = "inc"

Node = Mapping[str, object]


@dataclass(kw_only=True)
class _Tree:
    stacks: Stacks = field(default_factory=Stacks)
    # by metric and location the inclusive values of nodes, of which those of callees are taken
    inclusive: dict[Metric, dict[tuple[int, int], float]] = field(default_factory=dict)
    kernels: set[str] = field(default_factory=set)  # functions that ran on accelerators
    without_unit: bool = False  # whether a time has no unit


def matches(path: Path) -> bool:
    """Return whether a file begins as a list of frames."""
    start = head(path).lstrip()
    return start.startswith(b"[") and any(
        all(quote + key + quote in start for key in (b"frame", b"name")) for quote in (b'"', b"'")
    )


def _read(path: Path) -> Profile:
    """Read all frames: those of accelerators are on the devices that are stated."""
    where = str(path)
    tree = _Tree()
    tree.stacks.location(0, 0)  # the host is there, whether or not it was measured
    pending = [(ROOT, json_object(root, "a root", where)) for root in reversed(_roots(path))]
    while pending:
        caller, node = pending.pop()
        if "frame" not in node:
            continue  # Proton describes the devices behind the roots
        frame = json_object(node["frame"], "a frame", where)
        name = writable(str(frame.get("name") or frame.get("function") or UNKNOWN).strip()) or UNKNOWN
        place = tree.stacks.callpaths.callee(caller, name)
        _add(tree, place, name, json_object(node.get("metrics") or {}, "'metrics'", where))
        children = json_list(node.get("children") or [], "'children'", where)
        pending += [(place, json_object(child, "a frame", where)) for child in reversed(children)]
    _subtract_callees(tree)
    stacks = tree.stacks
    if not stacks.values:
        raise InputError("no number in it that adds up", where=where)
    first = next(iter(stacks.values))
    total = f"{first.name} {stacks.total(first):.15g} {first.unit}, no total is stated"
    return stacks.built(where).profile(
        "Hatchet",
        total,
        paradigms=dict.fromkeys(tree.kernels, GPU_KERNEL),
        notices=[_NO_UNIT] if tree.without_unit else [],
    )


def _roots(path: Path) -> list[Any]:
    text = read_text(path, READER.max_bytes)
    start = text.lstrip()[:1000]
    if '"frame"' in start or "'frame'" not in start:
        return json_list(load_json(text, str(path)), "the file", str(path))
    if len(text) > _MAX_LITERAL_BYTES:
        raise InputError("too large for a literal of Python", where=str(path), hint="write it with json.dump")
    try:
        return json_list(ast.literal_eval(text.strip()), "the file", str(path))
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        raise InputError(f"not a literal of Python: {error}", where=str(path)) from error


def _add(tree: _Tree, node: int, name: str, metrics: Node) -> None:
    """Add the values of a frame; inclusive ones only where the exclusive ones are not stated."""
    device = _device(metrics)
    if device != CPU:
        tree.kernels.add(name)
    here = tree.stacks.location(0, 0 if device == CPU else 1, device)
    for key, value in metrics.items():
        found = _METRIC.fullmatch(str(key))
        if found is None or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if _NO_SUMS.fullmatch(found["name"].lower()):
            continue
        unit = found["unit"] or ""
        metric, factor = _metric(found["name"], unit)
        tree.without_unit |= metric == TIME_METRIC and unit not in _SECONDS
        if unit != _INCLUSIVE:
            tree.stacks.of(metric)[here, node] += factor * value
        elif found["name"] not in metrics:
            of_metric = tree.inclusive.setdefault(metric, {})
            of_metric[here, node] = of_metric.get((here, node), 0.0) + factor * value


def _metric(name: str, unit: str) -> tuple[Metric, float]:
    """Return the metric that a name and its unit stand for, and the factor to its unit."""
    if name in _COUNTS:
        return VISITS_METRIC, 1.0
    if unit in _SECONDS or name == TIME_METRIC.name:
        return Metric(name, "s"), _SECONDS.get(unit, 1.0)
    return Metric(name, unit if unit and unit != _INCLUSIVE else "occ"), 1.0


def _device(metrics: Node) -> int:
    """Return the number of the accelerator, or `CPU`."""
    if metrics.get("device_type") in (None, "", "CPU", "cpu"):
        return CPU
    number = str(metrics.get("device_id", "0"))
    return int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0


def _subtract_callees(tree: _Tree) -> None:
    """Make inclusive values exclusive: from each frame's, those of its callees are taken."""
    above = {node: caller for (caller, _), node in tree.stacks.callpaths.nodes.items()}
    for metric, values in tree.inclusive.items():
        own = tree.stacks.of(metric)
        for (here, node), value in values.items():
            own[here, node] += value
            caller = above[node]
            if (here, caller) in values:
                own[here, caller] -= value


READER = ProfileReader(
    name="Hatchet",
    pattern="*.hatchet, *.json",
    matches=matches,
    read=_read,
    fallback=1,
    precedence=1,
    max_bytes=1 << 28,
)
