"""Runs whose names do not say their parameters: the profiles know them, and the numbers in the names help.

Names may be those of experiment folders: ``scorep-20260101_1200_12345`` (Score-P's default),
``scorep_hpcg_4_sum`` or ``scorep_lulesh_8x2_sum`` (Scalasca: processes, and threads of each), of folders in
folders (``hpcg/ranks_4/rep_1``), or count runs (``hpcg_1``, ``hpcg_2``). The profiles know their processes,
threads and nodes; those numbers in the names that follow from none of these give the rest. Profiles may also
state numbers that describe their runs, such as Adiak's global values in Caliper's.

`metadata.toml` has what users note, such as machine, compiler and commit. It lies next to a profile, in a
folder of the run, or in the directory of the runs, where it holds for all of them. What is nearer to the
profile counts::

    machine = "alps"
    compiler = "gcc 13.2"
    commit = "4f1c2ab"
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from pathlib import Path

from ingest.errors import InputError
from ingest.parameter_roles import is_function, states_size
from ingest.profile import NODES, Profile
from ingest.profile_search import METADATA_FILE, FoundProfile, Skipped, named_by_number
from ingest.reading.files import stamp
from ingest.run_names import (
    IDENTIFIERS,
    PROCESS_PARAMETERS,
    PROCESSES,
    REPETITIONS,
    VERSION_NAME,
    RunName,
    named_parameters,
    without_dates,
)
from ingest.run_settings import processes_text, stated_number, stated_sizes
from ingest.toml_table import read_toml

_Column = tuple[float, ...]
_Point = tuple[float | str, ...]
_THREADS, _NODES = "t", "nodes"
_LARGEST_PARAMETER = 10_000_000  # larger numbers in names are dates or identifiers of jobs
_LEAST_STEP = 8  # sizes that are chosen have a larger common divisor, or are squares or cubes
_LEAST_IDENTIFIER = 1000  # numbers from which on, and within a factor of 2, that all differ identify runs

_DEFAULT_NAME = re.compile(r"scorep-([0-9]{8})_([0-9]{4})_(\w+)")  # date, time, clock of the machine
_FORM = (
    r"(?P<word>[^\W\d_]*)(?P<gap>[-_.= ]?)(?P<number>[0-9]+DECIMALS)"
    r"(?P<unit>[^\W\d_]{2,}(?![^\W_]))?"  # as in 4nodes, but not in n4rep2
)
_VERSION_OR_NUMBER = re.compile(f"(?P<version>{VERSION_NAME.pattern})|[0-9]+([.,][0-9]+)?")
_DECIMAL, _WHOLE = (re.compile(_FORM.replace("DECIMALS", form)) for form in ("(?:[.,][0-9]+)?", ""))
_LETTERS = r"[^\W\d_]"  # before a word: the first words name the program
_COUNTING = IDENTIFIERS | REPETITIONS
_FREE_NAMES = ("n", "m", "k", "a", "b", "c", "d", "e")


@dataclass(frozen=True, kw_only=True)
class DescribedRun:
    """What is known of a run without its parameters."""

    name: str  # of its folders or file, below the directory of all runs
    processes: int  # number of its processes
    threads: int  # most CPU locations of a process
    nodes: int = 0  # number of its nodes, 0 if it is not known
    # of the problem, as the profile states them, the one that says most first
    sizes: Mapping[str, float] = field(default_factory=dict, hash=False)
    written: float  # when its profile was written, in seconds


@dataclass(frozen=True)
class _NamedColumn:
    """The numbers that all names have at one place."""

    word: str  # what they are called there, empty if they only follow each other
    values: _Column  # one per run
    padded: bool  # whether numbers have leading zeros

    @property
    def counting(self) -> bool:
        """Whether the word says that the numbers count runs."""
        return self.word.lower() in _COUNTING

    @property
    def numbering(self) -> bool:
        """Whether numbers that a word names count the runs all the same: ``c00``, ``c01``."""
        first, distinct = min(self.values), set(self.values)
        each = distinct == {first + i for i in range(len(self.values))}
        counts = each and (self.padded or not first) and self.word.lower() not in PROCESS_PARAMETERS
        return counts or distinct == {0}


@dataclass(frozen=True)
class Proposal:
    """Parameters and repetitions of runs."""

    parameters: Mapping[str, _Column]  # per parameter its values, one per run
    # per run the number of its repetition, as named, or from 1 in the order of time
    repetitions: tuple[int, ...]
    remarks: tuple[str, ...]  # one sentence on each guess
    unclear: bool  # whether only numbers vary of which nothing says what they are

    def of(self, runs: Sequence[int]) -> "Proposal":
        """Return the proposal for some of the runs."""
        parameters = {name: tuple(values[i] for i in runs) for name, values in self.parameters.items()}
        return replace(self, parameters=parameters, repetitions=tuple(self.repetitions[i] for i in runs))


def propose(runs: Sequence[DescribedRun], metadata: Mapping[str, _Column] | None = None) -> Proposal:
    """Guess parameters and repetitions of one or more runs; those in `metadata` are taken as they are."""
    remarks: list[str] = []
    names, processes = [run.name for run in runs], tuple(float(run.processes) for run in runs)
    # a point is that of a decimal number, unless only the number before it is that of the processes
    decimal, whole = _named_columns(names), _named_columns(names, _WHOLE)
    stated = [any(column.values == processes for column in columns) for columns in (decimal, whole)]
    columns = whole if stated == [False, True] else decimal
    parameters, unnamed = (dict(metadata), "") if metadata else _guess(runs, columns, remarks)
    texts = [texts_of(run.name) for run in runs]
    kinds = texts if len(set(texts)) < len(texts) else [""] * len(texts)
    points = list(zip(*parameters.values(), kinds, strict=True))
    repetitions = _named_repetitions(columns, points)
    if not repetitions:
        repetitions = _in_order_of_time(runs, points)
        if max(repetitions) > 1:
            remarks.append("repetitions are numbered in the order of time")
    varied = {name for name, values in parameters.items() if len(set(values)) > 1}
    return Proposal(parameters, repetitions, tuple(remarks), unclear=varied == {unnamed})


def numbering_words(names: Sequence[str]) -> tuple[str, ...]:
    """Return the words in names whose numbers only count the runs, such as c of ``c00`` and ``c01``."""
    return tuple(column.word for column in _named_columns(names) if column.word and column.numbering)


def texts_of(name: str) -> str:
    """Return a name without its numbers, but versions, and Score-P's dates: where texts differ, anything may.

    Of a unit behind a number the beginning is left: ``1node`` and ``2nodes`` are the same.
    """
    text = _VERSION_OR_NUMBER.sub(lambda found: found["version"] or "#", _DEFAULT_NAME.sub("", name))
    return re.sub(r"(#[^\W\d_]{4})[^\W\d_]*", r"\1", text)


def _in_order_of_time(runs: Sequence[DescribedRun], points: Sequence[_Point]) -> tuple[int, ...]:
    numbers = {point: count(1) for point in points}
    order = sorted(range(len(runs)), key=lambda i: _time(runs[i]))
    repetitions = {i: next(numbers[points[i]]) for i in order}
    return tuple(repetitions[i] for i in range(len(runs)))


def _time(run: DescribedRun) -> tuple[str, str, str, float, str]:
    """Sort key: the time in Score-P's default name, or when the profile was written."""
    dated = _DEFAULT_NAME.search(run.name)
    return (dated[1], dated[2], dated[3].rjust(32), 0.0, "") if dated else ("", "", "", run.written, run.name)


def _named_repetitions(columns: Sequence[_NamedColumn], points: Sequence[_Point]) -> tuple[int, ...]:
    """Return the numbers in names that count each point's runs from the same first one; empty without."""
    most = max(points.count(point) for point in set(points))
    for column in columns:
        first = min(column.values)
        own = set(zip(points, column.values, strict=True))
        if (
            (not column.word or column.counting)
            and first in (0, 1)
            and max(column.values) < first + most
            and len(own) == len(points)
            and most > 1
            and all(value.is_integer() for value in column.values)
        ):
            return tuple(map(int, column.values))
    return ()


def _guess(
    runs: Sequence[DescribedRun], columns: Sequence[_NamedColumn], remarks: list[str]
) -> tuple[dict[str, _Column], str]:
    """Guess parameters, and which of them no word names, from profiles and from numbers in names."""
    found, known = _stated(runs, remarks)
    unnamed = ""
    for column in sorted(columns, key=lambda column: not column.word):
        if not column.word:
            _add_size(found, runs, remarks)
        word, values = column.word, column.values
        counted = word.lower() in PROCESS_PARAMETERS and PROCESSES in found
        if len(set(values)) == 1 or values in known or counted:
            continue
        shown = f"{min(values):.15g} to {max(values):.15g}"
        if _counts_runs(column, found):
            if not column.counting:
                remarks.append(f"the numbers in the names ({shown}) count the runs")
        elif other := _given_by(values, found):
            remarks.append(f"{word or 'a number'} in the names ({shown}) follows from {other}: left out")
        else:
            name = word or next(free for free in _FREE_NAMES if free not in found)
            if not word:
                unnamed = unnamed or name
                remarks.append(f"the numbers in the names ({shown}) are called {name}: write what they are")
            found[name] = values
    _add_size(found, runs, remarks)
    if not found:
        found[PROCESSES] = known[0]
        remarks.append(
            f"all runs have {processes_text(runs[0].processes)}, and the names give no parameter:"
            " write what varied as parameters of each run"
        )
    return found, unnamed


def _add_size(found: dict[str, _Column], runs: Sequence[DescribedRun], remarks: list[str]) -> None:
    """Add the size that profiles state if it varies between runs that have the same parameters so far."""
    points = list(zip(*found.values(), strict=True)) or [()] * len(runs)
    texts = [texts_of(run.name) for run in runs]
    for name, values in varied_size(points, texts, [run.sizes for run in runs]).items():
        found[name] = values
        remarks.append(f"{name} is stated there")


def _stated(runs: Sequence[DescribedRun], remarks: list[str]) -> tuple[dict[str, _Column], list[_Column]]:
    """Return what varies of the processes, threads and nodes, and all numbers that profiles know of runs."""
    processes = tuple(float(run.processes) for run in runs)
    threads = tuple(float(run.threads) for run in runs)
    nodes = tuple(float(run.nodes) for run in runs)
    cores = tuple(p * t for p, t in zip(processes, threads, strict=True))
    found: dict[str, _Column] = {}
    if len(set(processes)) > 1:
        found[PROCESSES] = processes
        remarks.append(f"{PROCESSES} is the number of processes in the profile")
    if len(set(threads)) > 1 and not is_function(processes, threads):
        found[_THREADS] = threads
        remarks.append(f"{_THREADS} is the largest number of threads of a process in the profile")
    if min(nodes) and not is_function(list(zip(processes, threads, strict=True)), nodes):
        found[_NODES] = nodes
        remarks.append(f"{_NODES} is the number of nodes in the profile")
    return found, [processes, threads, nodes, cores]


def _given_by(values: _Column, found: Mapping[str, _Column]) -> str:
    """Return the parameter that a number follows from, or by which it gives the processes; empty without."""
    processes = found.get(PROCESSES, ())
    for name, of in found.items():
        if is_function(of, values) or processes == tuple(a * b for a, b in zip(of, values, strict=True)):
            return name
    return ""


def _counts_runs(column: _NamedColumn, found: Mapping[str, _Column]) -> bool:
    """Return whether numbers count or identify runs, so that they are no parameter beside those found."""
    if column.counting:
        return True
    values, distinct = column.values, sorted(set(column.values))
    if column.word:
        return column.numbering or identify_runs(values)
    consecutive = distinct == [distinct[0] + i for i in range(len(distinct))]
    each = len(distinct) == len(values)
    points = list(zip(*found.values(), strict=True)) or [()] * len(values)
    once = len(set(zip(points, values, strict=True))) == len(values)  # in each point
    repeated = bool(found) and len(set(points)) < len(points)
    return (
        (consecutive and distinct[0] in (0, 1) and once)
        or (each and repeated)
        or _are_near(values)
        or distinct[-1] > _LARGEST_PARAMETER
    )


def identify_runs(values: Sequence[float]) -> bool:
    """Return whether numbers that a word names are those of jobs: all different, close, and not regular."""
    whole = [int(value) for value in values if value.is_integer()]
    sizes = any(all(round(n ** (1 / power)) ** power == n for n in whole) for power in (2, 3))
    return _are_near(values) and len(whole) == len(values) and math.gcd(*whole) < _LEAST_STEP and not sizes


def _are_near(values: Sequence[float]) -> bool:
    """Return whether numbers are all different, large, and within a factor of 2."""
    return (
        1 < len(set(values)) == len(values)
        and min(values) >= _LEAST_IDENTIFIER
        and max(values) < 2 * min(values)
    )


def _named_columns(names: Sequence[str], form: re.Pattern[str] = _DECIMAL) -> list[_NamedColumn]:
    """Return the numbers that all names have at the same place.

    A number is called by the word that it follows without a gap (``n16``), or with one if the word counts
    runs or is not the name of the program, which is the first word (``hpcg_size_16``); else by the word that
    follows it (``4nodes``); otherwise by the empty text.
    """
    rows = []
    for name in names:
        row: dict[tuple[str, int], tuple[str, str]] = {}
        plain = without_dates(VERSION_NAME.sub("", _DEFAULT_NAME.sub("", name)))
        for match in form.finditer(plain):
            word, gap = match["word"], match["gap"]
            named = word.lower() != "x" and (
                gap in ("", "=")
                or word.lower() in _COUNTING
                or re.search(_LETTERS, plain[: match.start()].replace("scorep", ""))
            )
            place = sum(1 for known, _ in row if known == word)
            row[word, place] = (word if named else "") or match["unit"] or "", match["number"]
        rows.append(row)
    common = [key for key in rows[0] if all(key in row for row in rows)]
    found = []
    for key in common:
        numbers = [row[key][1] for row in rows]
        padded = any(number[0] == "0" and number[1:2].isdigit() for number in numbers)
        values = tuple(float(number.replace(",", ".")) for number in numbers)
        found.append(_NamedColumn(rows[0][key][0], values, padded))
    return found


_CHANGE = "`pipeline inspect DIR --propose` lists the runs to change it"

_HASH = re.compile(r"(?=.*[a-f][0-9]+[a-f])[0-9a-f]{6,}")
_GENERIC = re.compile(r"(profile|summary|scout|trace|remap)[0-9]*")  # names of files that say nothing


@dataclass(frozen=True, kw_only=True)
class Described:
    """What is known of the runs of a directory without their parameters."""

    found: tuple[FoundProfile, ...]  # the profiles that can be read
    runs: tuple[DescribedRun, ...]  # what is known of each
    damaged: tuple[Skipped, ...]  # the other profiles


def describe(found: Sequence[FoundProfile], directory: Path) -> Described:
    """Read what profiles know of their runs; folders and files have names below the directory of all."""
    read: list[tuple[FoundProfile, DescribedRun]] = []
    damaged: list[Skipped] = []
    for profile in found:
        try:
            path, of = profile.path, profile.reader.files
            files = of(path) if of else path.rglob("*") if path.is_dir() else [path]
            read.append((profile, _described(profile, directory, tuple(map(stamp, sorted(files))))))
        except InputError as error:
            damaged.append(Skipped(profile.path, error.what, damaged=True))
    profiles, runs = zip(*read, strict=True) if read else ((), ())
    return Described(found=profiles, runs=runs, damaged=tuple(damaged))


@lru_cache(maxsize=1 << 12)
def _described(found: FoundProfile, directory: Path, stamps: tuple[tuple[int, ...], ...]) -> DescribedRun:
    """Read a profile once for all questions: whether its name is misread, and what it is instead."""
    profile = found.reader.read(found.path)
    process = profile.locations.process[profile.locations.cpu].tolist()
    threads = max(Counter(process).values(), default=1)
    name = found.path.relative_to(directory).with_name(found.stem)
    parts = name.parts[:-1] if _GENERIC.fullmatch(name.name) and len(name.parts) > 1 else name.parts
    return DescribedRun(
        name="/".join(parts),
        processes=_processes(found, profile, len(set(process))),
        threads=threads,
        nodes=len(set(filter(None, profile.locations.node))) or stated_number(profile.attributes, (NODES,)),
        sizes=stated_sizes(profile.attributes),
        written=found.path.stat().st_mtime,
    )


def _processes(found: FoundProfile, profile: Profile, located: int) -> int:
    """Return the number of processes, 0 if neither metadata nor a log state it."""
    if found.reader.processes:
        return found.reader.processes(found.path)
    return stated_number(profile.attributes, METADATA_PROCESSES) or located


def infer(found: Sequence[FoundProfile], directory: Path, *, constant: bool) -> "Metadata | None":
    """Take parameters from profiles, and from the numbers in names that do not follow from them.

    Runs that are all of one point may be wanted, too (`constant`). None if what varied is undecided: the
    profiles do not state their processes, the names contradict them or have parameters that others lack, or
    only numbers vary of which nothing says what they are.
    """
    described = describe(found, directory)
    if len(described.runs) < 2 or not all(run.processes for run in described.runs):
        return None
    lost = _lost(described.runs)
    runs = (replace(run, processes=lost.get(i, run.processes)) for i, run in enumerate(described.runs))
    damaged = (
        Skipped(
            described.found[i].path,
            f"{processes_text(number)} by its name, but the profile has {described.runs[i].processes}",
            damaged=True,
        )
        for i, number in lost.items()
    )
    described = replace(described, runs=tuple(runs), damaged=(*described.damaged, *damaged))
    proposal = propose(described.runs)
    points = list(zip(*proposal.parameters.values(), strict=True))
    texts = {texts_of(run.name) for run in described.runs}
    beside = {profile.path.parent for profile in described.found} == {described.found[0].entry}
    if (
        proposal.unclear
        or (len(set(points)) == 1 and (not constant or len(texts) > 1))
        or (beside and PROCESSES not in proposal.parameters)  # several profiles of one run are repetitions
        or any(min(column) <= 0 and set(column) != {0, 1} for column in proposal.parameters.values())
        or _contradicted(described, proposal, one_text=len(texts) == 1)
    ):
        return None
    notice = f"parameters from the profiles, names do not give them: {'; '.join(proposal.remarks)}; {_CHANGE}"
    kept = [i for i in range(len(described.runs)) if i not in lost]
    proposal = proposal.of(kept)
    return Metadata(
        found=tuple(described.found[i] for i in kept),
        parameters=tuple(proposal.parameters),
        values=tuple(zip(*proposal.parameters.values(), strict=True)),
        repetitions=proposal.repetitions,
        names=tuple(described.runs[i].name for i in kept),
        notices=(notice,),
        damaged=described.damaged,
    )


def _lost(runs: Sequence[DescribedRun]) -> dict[int, int]:
    """Find runs that lack processes: a number in their names has a few more, and as many as others have."""
    processes = [run.processes for run in runs]
    for column in _named_columns([run.name for run in runs]):
        more = [value - count for value, count in zip(column.values, processes, strict=True)]
        few = all(0 <= left <= max(1, value // 8) for left, value in zip(more, column.values, strict=True))
        if few and 0 in more and any(more) and not column.counting and not column.numbering:
            return {i: int(column.values[i]) for i, left in enumerate(more) if left}
    return {}


def misread(names: Sequence[RunName], found: Sequence[FoundProfile], directory: Path) -> bool:
    """Return whether names that follow the convention may mean something else than they seem to.

    That is so if the processes that profiles have vary and no number in the names counts processes, threads,
    or what has as many of them each, such as nodes; or if a parameter that is not called so is their number
    (``n4``, ``n8``). Only the profiles at the ends of each number are read.
    """
    if len({profile.entry for profile in found}) < 2:
        return False
    words = [word.lower() for word, _ in names[0].parameters]
    columns = {
        word: values
        for word, values in zip(words, zip(*(of.values() for of in names), strict=True), strict=True)
        if len(set(values)) > 1
    }
    if not columns:
        named = [value for word, value in names[0].parameters if word.lower() in PROCESS_PARAMETERS]
        return not named or named != [run.processes for run in describe(found[:1], directory).runs]
    logs = all(profile.reader.processes for profile in found)
    if not (logs or any(map(named_by_number, found))) and not PROCESS_PARAMETERS.isdisjoint(columns):
        return False
    ends = {values.index(end) for values in columns.values() for end in (min(values), max(values))}
    runs = describe([found[i] for i in sorted(ends)], directory).runs
    shown = {word: [values[i] for i in sorted(ends)] for word, values in columns.items()}
    return len(runs) == len(ends) and _miscounted(runs, shown)


def _miscounted(runs: Sequence[DescribedRun], columns: Mapping[str, Sequence[float]]) -> bool:
    """Return whether numbers in names are not those of runs, some at least of which differ in processes."""
    processes = [run.processes for run in runs]
    if not all(processes) or len(set(processes)) == 1:
        return False
    if any(list(of) == processes and word not in PROCESS_PARAMETERS for word, of in columns.items()):
        return True
    locations = [run.processes * run.threads for run in runs]
    return not any(_counts(of, counted) for of in columns.values() for counted in (processes, locations))


def _counts(values: Sequence[float], counted: Sequence[int]) -> bool:
    """Return whether all of what numbers count has the same number of processes or locations."""
    ratios = {count / value if value > 0 else 0.0 for count, value in zip(counted, values, strict=True)}
    return len(ratios) == 1 and min(ratios) >= 1


def _contradicted(described: Described, proposal: Proposal, *, one_text: bool) -> bool:
    """Return whether names by the convention have other processes, or do not agree on their parameters."""
    named = [
        {
            name: value
            for part in profile.named_parts
            if not _HASH.fullmatch(part)
            for name, value in named_parameters(VERSION_NAME.sub("", part)).items()
        }
        for profile in described.found
    ]
    if all(named) and not one_text:
        return True
    fixed = len({run.processes for run in described.runs}) == 1
    for i, (own, run) in enumerate(zip(named, described.runs, strict=True)):
        for name, value in own.items():
            counts = name.lower() in PROCESS_PARAMETERS
            constant = len({of.get(name) for of in named}) == 1 and not (counts and fixed)
            if constant or value in (run.processes, run.threads, run.nodes):
                continue
            taken = name in proposal.parameters and proposal.parameters[name][i] == value
            if not taken and (counts or not all(name in of for of in named)):
                return True
    return False


METADATA_PROCESSES = ("jobsize", "mpi.world.size")  # names of their number that Adiak and Caliper use

_Numbers = Sequence[Mapping[str, float]]


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What the profiles of a study, and perhaps their names, say about their parameters."""

    found: tuple[FoundProfile, ...]  # the profiles that could be read
    parameters: tuple[str, ...]
    values: tuple[_Column, ...]  # one row per profile of `found`
    repetitions: tuple[int, ...] = ()  # of each; empty to number them
    names: tuple[str, ...] = ()  # of each, if names gave parameters, too
    notices: tuple[str, ...]  # where the parameters come from, and which numbers are left out
    damaged: tuple[Skipped, ...]  # the profiles that could not be read


def read_metadata(found: Sequence[FoundProfile]) -> Metadata | None:
    """Choose the parameters from the metadata of profiles; None if some have none or no number is in them."""
    described: list[tuple[FoundProfile, Mapping[str, float]]] = []
    damaged: list[Skipped] = []
    asked = [(profile, profile.reader.parameters) for profile in found if profile.reader.parameters]
    for profile, parameters_of in asked if len(asked) == len(found) else ():
        try:
            described.append((profile, parameters_of(profile.path)))
        except InputError as error:
            if len(damaged) + 1 == len(found):
                raise
            damaged.append(Skipped(profile.path, error.what, damaged=True))
    parameters, follows = choose_parameters([numbers for _, numbers in described])
    if not parameters:
        return None
    left_out = [f"{name} is left out: it follows from {other}" for name, other in follows.items()]
    return Metadata(
        found=tuple(profile for profile, _ in described),
        parameters=parameters,
        values=tuple(tuple(numbers[name] for name in parameters) for _, numbers in described),
        notices=(f"parameters from the metadata of the profiles: {', '.join(parameters)}", *left_out),
        damaged=tuple(damaged),
    )


def choose_parameters(numbers: _Numbers) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Choose parameters from the numbers in the metadata of each profile.

    These are the number of processes, and the numbers that every profile has and that are not the same in
    all. Left out is what follows from another of them that has one value in several runs: with 8 processes on
    a node, their number gives that of the nodes. Of numbers that follow from each other the first is taken.
    Returned are the names of the parameters, and per name left out the one it follows from.
    """
    common = set(numbers[0]).intersection(*numbers) if numbers else set()
    processes = [name for name in METADATA_PROCESSES if name in common][:1]
    others = sorted(common.difference(METADATA_PROCESSES))
    columns = {name: tuple(row[name] for row in numbers) for name in (*processes, *others)}
    varied = {name: column for name, column in columns.items() if len(set(column)) > 1 or name in processes}
    order = list(varied)
    follows: dict[str, str] = {}
    for place, name in enumerate(order):
        for other_place, other in enumerate(order):
            if name in processes or other == name or other in follows:
                continue
            mutual = is_function(varied[name], varied[other])
            if mutual and other in processes and states_size(name):
                continue  # `ingest.parameter_roles` decides
            repeated = other in processes or len(set(varied[other])) < len(numbers)
            if is_function(varied[other], varied[name]) and (other_place < place if mutual else repeated):
                follows[name] = other
                break
    return tuple(name for name in order if name not in follows), follows


def varied_size(points: Sequence[_Point], texts: Sequence[str], sizes: _Numbers) -> Mapping[str, _Column]:
    """Return the size of the problem that runs with the same parameters differ in, with its values.

    Points are the other parameters of each run, texts those in its name, which distinguish kinds if one of
    them has several points, sizes those of each run by name, the one that says most first. Nothing if there
    is none, or if several vary that do not follow from each other.
    """
    apart = len(set(zip(texts, points, strict=True))) > len(set(texts)) < len(texts)
    points = [(*point, text if apart else "") for point, text in zip(points, texts, strict=True)]
    columns = {
        name: tuple(run[name] for run in sizes) for name in sizes[0] if all(name in run for run in sizes)
    }
    for name, values in columns.items():
        with_it = [(*point, value) for point, value in zip(points, values, strict=True)]
        if not is_function(points, values) and all(is_function(with_it, of) for of in columns.values()):
            return {name: values}
    return {}


def noted_metadata(directory: Path, profile: Path) -> dict[str, str]:
    """Return what the user notes about a run, by name.

    `directory` is where runs were searched for; or the profile itself, then also the folder above is looked
    at.
    """
    noted: dict[str, str] = {}
    for folder in _folders(directory.absolute(), profile.absolute()):
        file = folder / METADATA_FILE
        if file.is_file():
            noted |= read_toml(file).texts()
    return noted


def _folders(directory: Path, profile: Path) -> Iterator[Path]:
    """Yield the folders that may have a file, from the directory of the runs down to the profile."""
    inside = profile if profile.is_dir() else profile.parent
    top = inside.parent if directory == profile else directory
    if not inside.is_relative_to(top):  # runs that the configuration lists may lie anywhere
        top = inside
    yield top
    for part in inside.relative_to(top).parts:
        top /= part
        yield top
