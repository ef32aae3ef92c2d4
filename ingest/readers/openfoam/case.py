"""OpenFOAM's built-in profiling (ESI versions, ``profiling { active true; }`` in controlDict).

Every process writes a dictionary of triggers with ``id``, ``parentId``, ``description``, ``calls``,
``totalTime`` and ``childTime`` in wall seconds, counted from the start of the run. The iterations of linear
solvers come from the log beside it, if there is one: a line per solution, such as
``smoothSolver:  Solving for Ux, Initial residual = 1, Final residual = 2.5e-06, No Iterations 12``; of a
vector it is a line per component, or one line with the numbers of all components in brackets.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import ROOT, CallTreeBuilder
from ingest.errors import InputError
from ingest.number_text import value_text
from ingest.profile import LocationTable, Profile, RegionTable, ValuesInMemory, require_summable
from ingest.readers import ProfileReader
from ingest.readers.openfoam.log import ITERATIONS, SolverRun, read_solver_runs
from ingest.reading.files import read_text
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC

_MAX_DEPTH = 64  # of dictionaries in each other

_TOKEN = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*+)"|(?P<mark>[{};])|(?P<word>[^\s"{};]+)|(?P<open>".*)',  # never closed
    re.DOTALL,
)
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)

FoamDictionary: TypeAlias = "dict[str, str | FoamDictionary]"
_ROUNDING = 1e-5  # relative: times are printed with six digits, and their differences carry the rounding

_PROCESSOR = re.compile(r"processor([0-9]{1,9})")
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
    try:
        return path.is_dir() and any(_times(folder) for folder in _process_folders(path))
    except OSError:
        return False


def files(path: Path) -> list[Path]:
    """Return the profiling files and logs of a case, without the fields beside them, which can be huge."""
    profiling = [file for folder in _process_folders(path) for file in _times(folder).values()]
    return [*profiling, *_log_files(path)]


def read(path: Path) -> Profile:
    """Read a case directory: one location per process, exclusive wall seconds and calls per call path.

    Call paths of only some processes count zero on the others. ``time.run() CASE`` (in parallel
    ``time.run() CASEprocessorN``) is read as the region ``time.run()``: with the name of the case, call paths
    would not match between processes and runs.
    """
    chosen, notices = _last_profiling(path)
    callpaths = CallTreeBuilder()
    rows: list[tuple[int, int, float, float]] = []
    hosts: dict[str, None] = {}
    negative = 0
    for location, file in enumerate(chosen):
        content = parse_dictionary(read_text(file, READER.max_bytes), str(file))
        triggers = _triggers(content, str(file))
        hosts[_host(content)] = None
        nodes = _place(triggers, callpaths, str(file))
        for number, trigger in triggers.items():
            own = trigger.total - trigger.child
            negative += own < -_ROUNDING * trigger.total
            rows.append((nodes[number], location, max(own, 0.0), trigger.calls))
    if negative:
        notices.append(f"{negative} negative exclusive times were read as zero")
    require_summable(np.array(rows)[:, 2:], "the times and calls", str(path))
    attributes = {"generator": "OpenFOAM profiling", "hosts": ", ".join(filter(None, hosts))}
    profile = _profile(str(path), callpaths, np.array(rows), attributes, tuple(notices))
    return _with_iterations(profile, path)


def _with_iterations(profile: Profile, case: Path) -> Profile:
    """Add the iterations of linear solvers; every process takes them all.

    A solver with several call paths has none, since the log does not say which of them it means.
    """
    names = [profile.regions.name[region] for region in profile.tree.region.tolist()]
    counts, notices = solver_iterations(case)
    values = {metric.name: profile.load(metric) for metric in profile.metrics}
    iterations = np.zeros(values[VISITS_METRIC.name].shape)
    for field, count in counts.items():
        region = iterating_region(field, names)
        if region is not None and names.count(region) == 1:
            iterations[names.index(region)] += count
    metrics = profile.metrics
    if iterations.any():
        metrics, values = (*metrics, ITERATIONS), values | {ITERATIONS.name: iterations}
    load = ValuesInMemory(profile.tree, values)
    return replace(profile, metrics=metrics, load=load, notices=(*profile.notices, *notices))


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
    values = {metric.name: np.zeros((len(tree), size)) for metric in (TIME_METRIC, VISITS_METRIC)}
    np.add.at(values[TIME_METRIC.name], (place[node], location), rows[:, 2])
    np.add.at(values[VISITS_METRIC.name], (place[node], location), rows[:, 3])
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable.named(names, ("user",) * len(names)),
        locations=LocationTable.of_threads(np.arange(size), np.zeros(size, dtype=np.int64)),
        metrics=(TIME_METRIC, VISITS_METRIC),
        load=ValuesInMemory(tree, values),
        attributes=attributes,
        notices=notices,
    )


def _triggers(content: FoamDictionary, where: str) -> dict[int, _Trigger]:
    """Return the triggers by their id, in the order of the ids, which is that of the first calls."""
    profiling = content.get("profiling")
    if not isinstance(profiling, dict):
        raise InputError("it contains no dictionary 'profiling'", where=where)
    found: dict[int, _Trigger] = {}
    for name, entry in profiling.items():
        if isinstance(entry, dict):
            found[int(_number(entry, "id", name, where))] = _trigger(entry, name, where)
    if not found:
        raise InputError("the dictionary 'profiling' contains no trigger", where=where)
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
        raise InputError(f"{name}: '{key}' is not a number", where=where, hint="is the file truncated?")
    return value


def _place(triggers: Mapping[int, _Trigger], callpaths: CallTreeBuilder, where: str) -> dict[int, int]:
    nodes: dict[int, int] = {}
    for start in triggers:
        chain: dict[int, None] = {}  # from the trigger up to the first caller that has a node
        at: int | None = start
        while at is not None and at not in nodes:
            if at in chain or at not in triggers:
                what = "is its own caller" if at in chain else "is a caller but missing"
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


def _last_profiling(case: Path) -> tuple[list[Path], list[str]]:
    """Choose the profiling files of the last time that all processes wrote.

    Returns:
        One file per process in the order of their numbers, and notices on other times.
    """
    folders = _process_folders(case)
    times = [_times(folder) for folder in folders]
    if missing := [folder.name for folder, found in zip(folders, times, strict=True) if not found]:
        raise InputError(
            f"no profiling below {missing[0]} ({len(missing)} of {len(folders)} processes have none)",
            where=str(case),
            hint="was the run interrupted? measure the case again or leave it out",
        )
    common = set(times[0]).intersection(*times)
    if not common:
        raise InputError("the processes wrote their profiling at different times", where=str(case))
    last = max(common)
    notices = (
        [f"profiling of {len(common)} times: the last, {value_text(last)}, is read"]
        if len(common) > 1
        else []
    )
    if max(max(found) for found in times) > last:
        notices.append(
            f"profiling later than {value_text(last)} was not written by all processes and is not read"
        )
    return [found[last] for found in times], notices


def _process_folders(case: Path) -> list[Path]:
    """Return the folders of the times: those of the processes in their order, or the case itself."""
    numbered = [(int(m[1]), p) for p in case.iterdir() if (m := _PROCESSOR.fullmatch(p.name)) and p.is_dir()]
    parallel = [folder for _, folder in sorted(numbered)]
    return parallel if any(_times(folder) for folder in parallel) else [case]


def _times(folder: Path) -> dict[float, Path]:
    found = {}
    for entry in folder.iterdir():
        time = _time(entry.name)
        if time is not None and (file := entry / "uniform" / "profiling").is_file():
            found[time] = file
    return found


def _time(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


_REGIONS = ("lduMatrix::smoother.", "lduMatrix::solver.", "fvMatrix::solve.")
"""Beginnings of the regions of a solver, before the name of the field; the first iterates if there is one."""

_COMPONENTS = ("x", "y", "z")


def _log_files(case: Path) -> list[Path]:
    """Return what may be the logs of a case: ``log``, ``log.icoFoam``, ``icoFoam.log``."""
    found = (entry for entry in case.iterdir() if entry.name.startswith("log") or entry.suffix == ".log")
    return sorted(entry for entry in found if entry.is_file())


def solver_iterations(case: Path) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """Sum the iterations over a run.

    Returns:
        Iterations by field, components of vectors apart, such as ``p`` and ``Ux``, and notices. Nothing if no
        log has any, or several have.
    """
    counts: dict[Path, dict[str, int]] = {}
    notices: list[str] = []
    for file in _log_files(case):
        try:
            runs = read_solver_runs(file)
        except InputError as error:
            notices.append(f"{file.name} is not read ({error.what})")
            continue
        if found := _iterations(runs):
            counts[file] = found
    if len(counts) > 1:
        names = ", ".join(file.name for file in counts)
        notices.append(f"{len(counts)} logs have solver iterations ({names}), so none is read")
        return {}, tuple(notices)
    return next(iter(counts.values()), {}), tuple(notices)


def iterating_region(field: str, regions: Collection[str]) -> str | None:
    """Return the region in which the solver of a field iterates; None if the profiling has none."""
    wholes = (field, field[:-1]) if field[-1:] in _COMPONENTS else (field,)
    names = (f"{beginning}{whole}" for whole in wholes for beginning in _REGIONS)
    return next((name for name in names if name in regions), None)


def _iterations(runs: Sequence[SolverRun]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for run in runs:
        for name, field in run.fields.items():
            counts[name] = counts.get(name, 0) + field.iterations
    return counts


READER = ProfileReader(
    name="OpenFOAM",
    pattern="<time>/uniform/profiling",
    matches=matches,
    read=read,
    files=files,
    max_bytes=256 << 20,
)


def parse_dictionary(text: str, where: str) -> FoamDictionary:
    """Parse a dictionary file.

    Strings come without their quotes; several words before a semicolon are joined by blanks; of a keyword
    that occurs twice the last value counts. Directives and macros are kept as if they were entries.
    """
    text = _COMMENT.sub(_blank, text)
    root: FoamDictionary = {}
    stack = [root]
    words: list[str] = []
    for kind, token, position in _tokens(text):
        if kind != "mark":
            words.append(token)
        elif token == "{":
            child: FoamDictionary = {}
            stack[-1][" ".join(words)] = child
            stack.append(child)
            words = []
        elif token == ";":
            if words:
                stack[-1][words[0]] = " ".join(words[1:])
            words = []
        elif len(stack) == 1 or words:
            raise _error("unexpected closing brace", text, position, where)
        else:
            stack.pop()
        if len(stack) > _MAX_DEPTH:
            raise _error(f"dictionaries nested deeper than {_MAX_DEPTH}", text, position, where)
    if len(stack) > 1:
        raise _error("the file ends inside a dictionary: it is truncated", text, len(text), where)
    return root


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    for match in _TOKEN.finditer(text):
        yield str(match.lastgroup), match[match.lastgroup or 0], match.start()


def _blank(match: re.Match[str]) -> str:
    """Replace a comment by the line breaks in it, so that line numbers stay right; keep strings."""
    return match[0] if match[0].startswith('"') else " " + "\n" * match[0].count("\n")


def _error(what: str, text: str, position: int, where: str) -> InputError:
    line = text.count("\n", 0, position) + 1
    return InputError(f"line {line}: {what}", where=where)
