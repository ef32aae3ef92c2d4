"""OpenFOAM's built-in profiling (ESI versions, ``profiling { active true; }`` in controlDict).

Every process writes a dictionary of triggers with ``id``, ``parentId``, ``description``, ``calls``,
``totalTime`` and ``childTime`` in wall seconds, counted from the start of the run.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import ROOT, CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory, require_summable
from ingest.readers.foam_dictionary import FoamDictionary, parse_dictionary
from ingest.readers.openfoam_case import has_profiling, profiling_files, written_profiling
from ingest.readers.textfile import read_text

TIME = Metric("time", "s")
VISITS = Metric("visits", "occ")
MAX_BYTES = 64 << 20
ROUNDING = 1e-5  # relative: times are printed with six digits, and their differences carry the rounding

_TIME_LOOP = "time.run()"


@dataclass(frozen=True, kw_only=True)
class _Trigger:
    parent: int | None
    region: str
    calls: float
    total: float
    child: float


def matches(path: Path) -> bool:
    """Return whether a directory is a case that was run with profiling."""
    return path.is_dir() and has_profiling(path)


def files(path: Path) -> list[Path]:
    """Return the profiling files of a case; the fields beside them, which can be huge, are not read."""
    return written_profiling(path)


def read(path: Path) -> Profile:
    """Read a case directory: one location per process, exclusive wall seconds and calls per call path.

    Call paths that only some processes have count zero on the others. ``time.run() CASE`` (in parallel
    ``time.run() CASEprocessorN``) is read as the region ``time.run()``: with the name of the case in it, call
    paths would not match between processes and runs.

    Raises:
        InputError: where a file is missing, truncated, or does not hold what profiling writes.
    """
    chosen, notices = profiling_files(path)
    callpaths = CallTreeBuilder()
    rows: list[tuple[int, int, float, float]] = []
    hosts: dict[str, None] = {}
    negative = 0
    for location, file in enumerate(chosen):
        content = parse_dictionary(read_text(file, MAX_BYTES), str(file))
        triggers = _triggers(content, str(file))
        hosts[_host(content)] = None
        nodes = _place(triggers, callpaths, str(file))
        for number, trigger in triggers.items():
            own = trigger.total - trigger.child
            negative += own < -ROUNDING * trigger.total
            rows.append((nodes[number], location, max(own, 0.0), trigger.calls))
    if negative:
        notices.append(f"{negative} exclusive times below zero were read as zero")
    require_summable(np.array(rows)[:, 2:], "the times and calls", str(path))
    attributes = {"generator": "OpenFOAM profiling", "hosts": ", ".join(filter(None, hosts))}
    return _profile(str(path), callpaths, np.array(rows), attributes, tuple(notices))


def _profile(
    source: str,
    callpaths: CallTreeBuilder,
    rows: FloatArray,
    attributes: Mapping[str, str],
    notices: tuple[str, ...],
) -> Profile:
    """Assemble the profile from rows of node, location, exclusive seconds, calls."""
    place, tree, names = callpaths.build()
    node, location = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    size = int(location[-1]) + 1
    values = {metric.name: np.zeros((len(tree), size)) for metric in (TIME, VISITS)}
    np.add.at(values[TIME.name], (place[node], location), rows[:, 2])
    np.add.at(values[VISITS.name], (place[node], location), rows[:, 3])
    nothing = ("",) * len(names)
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable(
            name=names,
            mangled=names,
            paradigm=("user",) * len(names),
            file=nothing,
            line=np.full(len(names), -1),
        ),
        locations=LocationTable(
            process=np.arange(size), thread=np.zeros(size, dtype=np.int64), cpu=np.ones(size, dtype=np.bool_)
        ),
        metrics=(TIME, VISITS),
        load=ValuesInMemory(tree, values),
        attributes=attributes,
        notices=notices,
    )


def _triggers(content: FoamDictionary, where: str) -> dict[int, _Trigger]:
    """Return the triggers by their id, in the order of the ids, which is that of the first calls."""
    profiling = content.get("profiling")
    if not isinstance(profiling, dict):
        raise InputError("no dictionary 'profiling' in it", where=where)
    found: dict[int, _Trigger] = {}
    for name, entry in profiling.items():
        if isinstance(entry, dict):
            found[int(_number(entry, "id", name, where))] = _trigger(entry, name, where)
    if not found:
        raise InputError("the dictionary 'profiling' holds no trigger", where=where)
    return dict(sorted(found.items()))


def _trigger(entry: FoamDictionary, name: str, where: str) -> _Trigger:
    region = entry.get("description")
    if not isinstance(region, str) or not region:
        raise InputError(f"{name} has no description", where=where)
    return _Trigger(
        parent=int(_number(entry, "parentId", name, where)) if "parentId" in entry else None,
        region=_TIME_LOOP if region.startswith(_TIME_LOOP) else region,
        calls=_number(entry, "calls", name, where),
        total=_number(entry, "totalTime", name, where),
        child=_number(entry, "childTime", name, where),
    )


def _number(entry: FoamDictionary, key: str, name: str, where: str) -> float:
    text = entry.get(key)
    try:
        value = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{name}: '{key}' is no number", where=where, hint="is the file truncated?")
    return value


def _place(triggers: Mapping[int, _Trigger], callpaths: CallTreeBuilder, where: str) -> dict[int, int]:
    """Add the triggers to the call paths and return their nodes, by id."""
    nodes: dict[int, int] = {}
    for start in triggers:
        chain: dict[int, None] = {}  # from the trigger up to the first caller that has a node
        at: int | None = start
        while at is not None and at not in nodes:
            if at in chain or at not in triggers:
                what = "is its own caller" if at in chain else "is named as a caller but missing"
                raise InputError(f"the trigger with id {at} {what}", where=where)
            chain[at] = None
            at = triggers[at].parent
        for number in reversed(chain):
            above = triggers[number].parent
            caller = ROOT if above is None else nodes[above]
            nodes[number] = callpaths.callee(caller, triggers[number].region)
    return nodes


def _host(content: FoamDictionary) -> str:
    system = content.get("sysInfo")
    host = system.get("host") if isinstance(system, dict) else None
    return host if isinstance(host, str) else ""
