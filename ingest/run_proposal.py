"""Parameters and repetitions guessed for runs whose names do not follow the convention.

Names may be those of experiment folders: ``scorep-20260101_1200_12345`` (Score-P's default),
``scorep_hpcg_4_sum`` or ``scorep_lulesh_8x2_sum`` (Scalasca: processes, and threads of each), or count runs
(``hpcg_1``, ``hpcg_2``). The profiles know their processes; the numbers in the names give the rest.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from ingest.run_metadata import is_function
from ingest.run_names import COUNTERS, PROCESS_PARAMETERS, PROCESSES

THREADS = "t"
LARGEST_PARAMETER = 10_000_000  # larger numbers in names are dates or identifiers of jobs

_DEFAULT_NAME = re.compile(r"scorep-([0-9]{8})_([0-9]{4})_([0-9]+)")  # date, time, clock of the machine
_NUMBER = re.compile(r"(?P<word>[^\W\d_]*)(?P<gap>[-_.= ]?)(?P<number>[0-9]+(?:[.,][0-9]+)?)")
_REPETITION = "r"
_FREE_NAMES = ("n", "m", "k", "a", "b", "c", "d", "e")

Column = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class DescribedRun:
    """What is known of a run without its parameters.

    Attributes:
        name: of its folders or file, below the directory of all runs.
        processes: number of its processes.
        threads: most CPU locations of a process.
        written: when its profile was written, in seconds.
    """

    name: str
    processes: int
    threads: int
    written: float


@dataclass(frozen=True)
class Proposal:
    """Parameters and repetitions of runs.

    Attributes:
        parameters: per parameter its values, one per run.
        repetitions: per run the number of its repetition, from 1, in the order of time.
        remarks: one sentence on each guess.
    """

    parameters: Mapping[str, Column]
    repetitions: tuple[int, ...]
    remarks: tuple[str, ...]


def propose(runs: Sequence[DescribedRun], metadata: Mapping[str, Column] | None = None) -> Proposal:
    """Guess the parameters and repetitions of runs, at least one.

    Args:
        metadata: parameters that the profiles state, with one value per run; they are taken as they are.
    """
    remarks: list[str] = []
    parameters = dict(metadata or {}) or _guess(runs, remarks)
    points = list(zip(*parameters.values(), strict=True))
    order = sorted(range(len(runs)), key=lambda i: _time(runs[i]))
    numbers = {point: count(1) for point in points}
    repetitions = {i: next(numbers[points[i]]) for i in order}
    if max(repetitions.values()) > 1:
        remarks.append("repetitions are numbered in the order of time")
    return Proposal(parameters, tuple(repetitions[i] for i in range(len(runs))), tuple(remarks))


def _time(run: DescribedRun) -> tuple[str, str, int, float, str]:
    """Sort key: the time in Score-P's default name, or when the profile was written."""
    dated = _DEFAULT_NAME.search(run.name)
    return (dated[1], dated[2], int(dated[3]), 0.0, "") if dated else ("", "", 0, run.written, run.name)


def _guess(runs: Sequence[DescribedRun], remarks: list[str]) -> dict[str, Column]:
    """Guess parameters from the numbers of processes and threads, and from the numbers in the names."""
    processes = tuple(float(run.processes) for run in runs)
    threads = tuple(float(run.threads) for run in runs)
    found: dict[str, Column] = {}
    if len(set(processes)) > 1:
        found[PROCESSES] = processes
        remarks.append(f"{PROCESSES} is the number of processes in the profile")
    if len(set(threads)) > 1 and not is_function(processes, threads):
        found[THREADS] = threads
        remarks.append(f"{THREADS} is the largest number of threads of a process in the profile")
    for word, values in _columns([run.name for run in runs]):
        known = word.lower() in PROCESS_PARAMETERS and PROCESSES in found
        if len(set(values)) == 1 or values in (processes, threads) or known:
            continue
        shown = _listed(values)
        if _is_counter(word, values):
            if word.lower() not in (_REPETITION, *COUNTERS):
                remarks.append(f"the numbers in the names ({shown}) are taken to count the runs")
        elif other := next((name for name, column in found.items() if is_function(column, values)), None):
            remarks.append(f"{word or 'a number'} in the names ({shown}) follows from {other}: left out")
        else:
            name = word or next(free for free in _FREE_NAMES if free not in found)
            if not word:
                remarks.append(f"the numbers in the names ({shown}) are called {name}: write what they are")
            found[name] = values
    if not found:
        found[PROCESSES] = processes
        remarks.append(
            f"all runs have {runs[0].processes} processes, and the names give no parameter:"
            " write what varied as parameters of each run"
        )
    return found


def _listed(values: Column) -> str:
    distinct = sorted(set(values))
    return f"{distinct[0]:.15g} to {distinct[-1]:.15g}"


def _is_counter(word: str, values: Column) -> bool:
    """Return whether a column of numbers counts or identifies runs, so that it is not a parameter."""
    if word:
        return word.lower() in (_REPETITION, *COUNTERS)
    distinct = sorted(set(values))
    consecutive = distinct == [distinct[0] + i for i in range(len(distinct))] and distinct[0] in (0, 1)
    return (consecutive and len(distinct) == len(values)) or distinct[-1] > LARGEST_PARAMETER


def _columns(names: Sequence[str]) -> list[tuple[str, Column]]:
    """Return the numbers that all names have at the same place: what to call them, and one value per run.

    A number is called by the word that it follows without a gap (``n16``), or with one if the word is not the
    name of the program, which is the first word (``hpcg_size_16``); otherwise by the empty text.
    """
    rows = []
    for name in names:
        row: dict[tuple[str, int], tuple[str, float]] = {}
        plain = _DEFAULT_NAME.sub("", name)
        for match in _NUMBER.finditer(plain):
            word, gap = match["word"], match["gap"]
            named = word and word.lower() != "x" and (gap in ("", "=") or _is_key(plain, match.start()))
            value = float(match["number"].replace(",", "."))
            place = sum(1 for known, _ in row if known == word)
            row[word, place] = (word if named else "", value)
        rows.append(row)
    common = [key for key in rows[0] if all(key in row for row in rows)]
    return [(rows[0][key][0], tuple(row[key][1] for row in rows)) for key in common]


def _is_key(name: str, start: int) -> bool:
    """Return whether a word stands after others: the first words name the program."""
    return len(re.findall(r"[^\W\d_]+", name[:start].replace("scorep", ""))) > 0
