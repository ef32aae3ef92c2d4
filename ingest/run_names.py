"""How runs are named: `hpcg.p4.n32.r1` is repetition 1 with p = 4 and n = 32.

The convention is Extra-P's: ``<name>.<param><value>[.<param><value>...][.r<repetition>]``. Also read are
names without the leading name (``p4.n100.r1``), parameters without dots between them (``x10y1z1``), and
decimals with a point or a comma (``x20.5.y20,5``). Unlike Extra-P, which takes the text between the first dot
and the first ``.r``, this keeps both parameters of ``prefix.p4.res100.r1`` and of ``p4.n100.r1``.
"""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingest.errors import RunNameError

HOW_TO_NAME = (
    "name runs like 'hpcg.p4.n32.r1', or list them as [[run]] in pipeline.toml:"
    " `pipeline inspect DIR --propose` writes such a list"
)

PROCESSES = "p"
"""What the number of processes is called unless names call it something else."""

PROCESS_PARAMETERS = frozenset(
    ("mpi", "np", "nprocs", "nranks", "ntasks", PROCESSES, "proc", "processes", "procs", "ranks", "tasks")
)
"""Names, in lower case, whose numbers count processes."""

COUNTERS = frozenset(
    ("experiment", "job", "measurement", "profile", "rep", "repetition", "report", "run", "trial")
)
"""Names whose numbers count runs: they are no parameters."""

REPETITIONS = frozenset(("r", "rep", "repeat", "repetition", "trial"))
"""Names in names of runs whose numbers count the repetitions of a measurement."""

IDENTIFIERS = COUNTERS | frozenset(
    ("attempt", "id", "jobid", "part", "pid", "repeat", "restart", "seed", "segment", "slurm", "try")
)
"""Names in names of runs whose numbers count or identify runs, or parts of one: they are no parameters."""

VERSION_NAME = re.compile(
    r"(?:-v(?:ersion)?[0-9]+(?:\.[0-9]+)*|[-_][0-9]+(?:\.[0-9]+){2,})(?![0-9])", re.IGNORECASE
)
"""A version in the name of a run, ``eam-v1.p320`` or ``app-1.2.1``: no parameter, perhaps the kind."""

_JOB_FILE = re.compile(r"(?<=[^\W_])\.(?:[oe]|p[oe])[0-9]+(?:[.-][0-9]+)?$", re.IGNORECASE)
"""The end of the name of a job's output by PBS or SGE, with the number in an array: ``.o1201997.3``."""

_DATE = re.compile(
    r"(?<![0-9])20[0-9]{2}([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[-_.T]?[0-2][0-9][-_:.h]?[0-5][0-9](?:[-_:.m]?[0-5][0-9]s?)?)?(?![0-9])"
)

_REPETITION = re.compile(r"(?:^|[._-])r([0-9]{1,9})$")
_TIMES = re.compile(r"(?<=[0-9])x[0-9]+(?![0-9]|[^\W\d_])", re.IGNORECASE)  # as in 4x2, not 4x2y1
_PAIR = re.compile(
    r"(?P<name>[^\W\d_](?:[^\W\d]*[^\W\d_])?(?:-[^\W\d]*[^\W\d_])*)"  # letters at both ends, no digit
    r"(?P<value>[0-9]+(?:[.,][0-9]+)?)"
    r"(?P<gap>[.,_-]*)"
)


@dataclass(frozen=True)
class RunSpec:
    """A run as the configuration lists it, which takes precedence over names."""

    path: Path  # a profile or the folder of a run; relative paths start at the searched directory
    parameters: Mapping[str, float]  # names and values; every run lists the same names
    repetition: int | None = None  # None to number it automatically
    # what describes it, by name, such as the machine
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunName:
    """The parts of a run's name."""

    prefix: str  # the leading name, empty if there is none
    # names and values, in the order of the name; empty where only a repetition is given
    parameters: tuple[tuple[str, float], ...]
    repetition: int | None  # the number after ``.r``, None if there is none

    def values(self) -> tuple[float, ...]:
        """Return the values of the parameters."""
        return tuple(value for _, value in self.parameters)

    def __str__(self) -> str:
        """Return what was understood, such as ``p=4, n=32, repetition 1``."""
        parts = [f"{name}={value:.15g}" for name, value in self.parameters]
        parts += [] if self.repetition is None else [f"repetition {self.repetition}"]
        return ", ".join(parts) or "no parameters"


def without_job_number(name: str) -> str:
    """Return the name of a file without the number that a scheduler gave its job: ``melt.o1201997``."""
    return _JOB_FILE.sub("", name)


def without_dates(name: str) -> str:
    """Return a name without dates and times of day: ``melt`` for ``melt_2026-01-10_12-30``."""
    return (
        re.sub(r"^[-_.]+|[-_.]+$|(?<=[-_.])[-_.]+", "", _DATE.sub("", name)) if _DATE.search(name) else name
    )


def parse_run_name(name: str) -> RunName:
    """Read the name of a run; RunNameError, which says what was understood, if a part of it means nothing."""
    name = without_dates(name)
    if (version := VERSION_NAME.search(name)) and not _pairs(name[: version.start()])[0]:
        with suppress(RunNameError):
            run = parse_run_name(name[: version.start()] + name[version.end() :])
            if run.parameters:
                return replace(run, prefix=run.prefix + version[0])
    match = _REPETITION.search(name)
    body, repetition = (name[: match.start()], int(match[1])) if match else (name, None)
    prefix, dot, rest = body.partition(".")
    whole, unread = _pairs(body)
    if name and not unread:
        return _checked(name, _without_leading_word(whole, repetition))
    after, unread_after = _pairs(rest)
    if dot and after and not unread_after:
        return _checked(name, RunName(prefix, after, repetition))
    if match and not dot:
        return RunName(body, (), repetition)
    if dot and len(unread_after) < len(unread):  # report the reading that got further
        whole, unread = after, unread_after
    raise _error(name, RunName("", whole, repetition), unread)


def named_parameters(name: str) -> dict[str, float]:
    """Return the parameters in the name of a run; nothing if it has none or cannot be read."""
    try:
        return dict(parse_run_name(name).parameters)
    except RunNameError:
        return {}


def _pairs(text: str) -> tuple[tuple[tuple[str, float], ...], str]:
    """Read parameters with their values from the start of a text; return them and what is left unread."""
    pairs: list[tuple[str, float]] = []
    position = 0
    while (match := _PAIR.match(text, position)) and not _TIMES.match(text, position):
        pairs.append((match["name"], float(match["value"].replace(",", "."))))
        position = match.end()
    return tuple(pairs), text[position:]


def _without_leading_word(pairs: tuple[tuple[str, float], ...], repetition: int | None) -> RunName:
    """Return a name whose first parameter may have the leading name before it: ``lu-p4``, ``lu_p4``."""
    if not pairs:
        return RunName("", (), repetition)
    (first, value), *others = pairs
    prefix, _, last = first.rpartition("-") if "-" in first else first.rpartition("_")
    if not prefix or ("-" not in first and last.lower() not in PROCESS_PARAMETERS | IDENTIFIERS):
        prefix, last = "", first
    return RunName(prefix, ((last, value), *others), repetition)


def _checked(name: str, run: RunName) -> RunName:
    """Refuse readings that are certainly wrong."""
    names = [parameter for parameter, _ in run.parameters]
    if repeated := next((p for p in names if names.count(p) > 1), None):
        raise RunNameError(
            f"the parameter '{repeated}' occurs twice in the run name", where=name, hint=HOW_TO_NAME
        )
    if counter := next((p for p in names if p.lower() in IDENTIFIERS), None):
        raise RunNameError(
            f"'{counter}' in the run name counts runs, it is not a parameter", where=name, hint=HOW_TO_NAME
        )
    exponent = re.search(r"[0-9][eE][0-9]", name)
    if exponent and {"e", "E"}.intersection(names):
        raise RunNameError(
            f"'{exponent[0]}' in the run name may be a power of ten or a parameter 'e'",
            where=name,
            hint="write the number out, as in 'n100000', or put a dot before the parameter",
        )
    if not all(math.isfinite(value) for _, value in run.parameters):
        raise RunNameError("a value in the run name is too large", where=name)
    return run


def _error(name: str, run: RunName, unread: str) -> RunNameError:
    understood = f"understood {run}" if str(run) != "no parameters" else "nothing understood"
    rest = f"cannot read '{unread}' as a parameter and its value" if unread else "no parameter in it"
    return RunNameError(f"run name not understood: {understood}, {rest}", where=name, hint=HOW_TO_NAME)
