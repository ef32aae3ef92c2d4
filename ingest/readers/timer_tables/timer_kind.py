"""How a program prints its timers: what a description of a kind of log says.

A description is a file of data, `kinds/<program>.toml`: the line at which a table starts, the forms of its
headers and rows, the headings that rows stand under, the lines that state processes, threads, steps, settings
and the total, what a value is of the processes, and which function of `log_tables` says which timer is a part
of which. A further table of the same program is one of its ``variants``: what they have other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ingest.toml_table import TomlTable, read_toml

Facts: TypeAlias = Mapping[str, str]
"""What a log states, by name: `processes`, `threads`, `nodes`, `cores`, `steps`, `total`, and settings."""

OVERLAPPING_TIMERS = "(overlapping timers)"
"""The region of timers that lie inside others, or around them, in a way that the log does not say."""

REST = "(outside all timers)"
"""The region of the time that the program states and no row has."""

MAX_PHASES = 16
"""Tables of one log that are kept apart. More are added, or only the first counts: see `Choice`."""

WHOLE_RUN = "(whole run)"
"""The region of all time, if no timer is known to hold it."""


class Statistic(Enum):
    """What a printed value is of the values of all processes."""

    SUM = "sum over processes"
    MEAN = "mean of processes"
    MAXIMUM = "maximum of processes: a bound"
    ONE = "one process: an estimate"
    MEAN_AND_MAXIMUM = "totals: mean of processes, rows: mean, at most the maximum of processes, a bound"


class Choice(Enum):
    """Which of the tables in one log count.

    Cumulative tables are printed repeatedly: the last counts if it continues the first. If the timers were
    reset in between all are added; if the later ones are of other runs, the first counts. Tables that stand
    for a whole program each are those of runs of it: the first counts, the others are in no sum.
    """

    LAST = "last"
    EACH = "each"
    PROGRAMS = "programs"
    CUMULATIVE = "cumulative"


@lru_cache(maxsize=1 << 10)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first needed."""
    return re.compile(pattern)


@dataclass(frozen=True)
class LogLine:
    """A line of a log."""

    text: str  # what the line contains; the log is searched for it, which is fast
    pattern: str  # searched for in such lines; its named groups are facts
    first: bool = False  # whether a fact is what the first such line states, not the last

    @cached_property
    def content(self) -> bytes:
        """The text, as logs have it."""
        return self.text.encode()


@dataclass(frozen=True, kw_only=True)
class RowForm:
    """The form of the rows below a header."""

    # pattern of a whole row, with a group `name`; other named groups are columns. A group `values` holds
    # the values of `columns`
    row: str
    # pattern of the header, matched from its start with blanks squeezed to one and the line below it
    # appended; empty if such rows have none
    header: str = ""
    # what the values of a row are, from left to right; empty to take the words of the header. Rows may lack
    # columns on the left
    columns: tuple[str, ...] = ()
    separator: str = ""  # what separates values; empty for blanks
    begun: str = ""  # pattern of the first line of a row that goes on in the next one; empty if none does


@dataclass(frozen=True, kw_only=True)
class TimerRow:
    """A row as it is printed."""

    group: str  # the heading it stands under
    name: str
    values: Mapping[str, str]
    indent: int = 0  # blanks before the name


@dataclass(frozen=True, kw_only=True)
class Timer:
    """A timer in its place among the others."""

    path: tuple[str, ...]  # names from the root down
    seconds: float  # the value, as `TimerTable.statistic` and `TimerTable.inclusive` say
    calls: float | None = None  # calls of a process, None if not stated
    least: float | None = None  # smallest value of a process, None if not stated
    most: float | None = None  # largest value of a process, None if not stated
    overlapping: bool = False  # whether it lies inside or around others; it then counts in no sum

    def plus(self, other: "Timer") -> "Timer":
        """Return the sum of two timers; what one of them lacks the sum lacks, too."""
        return replace(
            self,
            seconds=self.seconds + other.seconds,
            calls=_sum(self.calls, other.calls),
            least=_sum(self.least, other.least),
            most=_sum(self.most, other.most),
        )


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, kw_only=True)
class Placed:
    """The timers of a table."""

    timers: Sequence[Timer]
    # what the program states as its total, in the measure of the timers; None if it states none
    total: float | None = None
    facts: Facts = field(default_factory=dict)  # what it states, or was found out from the rows
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TimerTable:
    """How one program prints its timers.

    Facts named ``processes``, ``threads`` (of a process), ``nodes``, ``cores`` (of all nodes), ``steps``,
    ``total`` and ``rate`` (a number, then its unit or that of `rate_unit`) have a meaning; a log that states
    ``_serial`` and no processes is of one; steps go from ``_first_step`` to ``last_step``. Others that begin
    with an underscore are for `place`; all others are settings, which should be the same in all runs.
    """

    name: str  # of the program, as users know it
    # the line at which a table starts; only this program has it, and it is how logs are recognised
    begin: LogLine
    # the line that shows that a log without a table is one of this program that was interrupted
    program: LogLine | None = None
    # what shows that there are rows, if `begin` is only the start of a run; else `begin` does
    mark: LogLine | None = None
    # the line that only a run that came to its end prints, for programs with timers on the way
    ended: LogLine | None = None
    # the line at the start of each run that has a table: behind the last table it has none
    started: LogLine | None = None
    end: str = ""  # pattern of the first line after a table; if not given, it reaches to the next table
    # forms of rows; if some have no header, the first of these is that of the rows above any header
    forms: tuple[RowForm, ...] = ()
    header: str = ""  # pattern of everything that looks like a header: one that no form knows is refused
    heading: str = ""  # pattern of a line with a group `group`: the rows below stand under it
    within: tuple[str, ...] = ()  # patterns of lines of a table that state facts
    # lines with a group `group` or `name` that are headings and rows instead of `forms`, for programs that
    # print each timer where it ends
    scattered: tuple[LogLine, ...] = ()
    # lines anywhere in the log that state facts; the first of these lines that states a fact counts
    facts: tuple[LogLine, ...] = ()
    # lines anywhere in the log that state what memory the process that takes most has (group ``memory``),
    # all processes have (``mean``, ``total``), in which ``unit``, and in which words (``source``); of each
    # the largest that the first of these lines states counts
    memory: tuple[LogLine, ...] = ()
    # lines at the start of a log with the ``number`` of the partition that wrote it, or their ``count`` in
    # the log of all of them, which has no table
    partitions: tuple[LogLine, ...] = ()
    place: str  # the function of `log_tables` that puts rows in their places
    statistic: Statistic  # what a value is of the processes
    inclusive: bool = False  # whether a value contains those of the timers below it
    choice: Choice = Choice.LAST  # which tables of a log count
    rest: bool = False  # whether the stated total minus all timers is a timer, too
    rest_row: str = ""  # name of the timer that the program prints for the rest; then there is no other
    per_thread: bool = False  # whether values are sums over the threads of the processes
    communication: str = ""  # pattern of the names of timers of communication
    output: str = ""  # pattern of the names of timers of input and output
    # of several kinds that a log shows, the one with the smallest number reads it: programs come before the
    # libraries that they use
    precedence: int = 0
    # what the rows under a heading are: ``ignored``, ``named`` by it, or below it, which is one of their
    # ``parents``; empty if it says nothing
    under_headings: Literal["", "ignored", "named", "parents"] = ""
    renamed: Mapping[str, str] = field(default_factory=dict)  # names of rows and what they are called instead
    skipped: tuple[str, ...] = ()  # names of rows that are no timers
    last_row: str = ""  # the row after which all others are left out
    overlapping: tuple[str, ...] = ()  # names of rows that lie inside or around others, ``*`` for all
    # sets of names: the first set that occurs holds all other timers
    wholes: tuple[tuple[str, ...], ...] = ()
    each_call: bool = False  # whether each row is one call, which are added
    # whether rows repeat with their sums so far, so that the last of each name counts; its columns that are
    # no times are facts
    running: bool = False
    unit: float = 1.0  # seconds of the unit that values are printed in
    rate_unit: str = ""  # unit of the stated rate, if it does not stand behind it
    # facts that the calls of timers state, and the names of these timers
    counted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sizes: tuple[str, ...] = ()  # facts that are sizes of the problem, the one that says most first
    total_row: str = ""  # the row whose column ``total`` is the total
    # of overlapping timers by name those that may hold it, the first that is there does; an empty name is
    # the whole run or the group. The surest come first
    parents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # names of timers, and patterns of others beside which it is not known what holds them
    doubtful: Mapping[str, str] = field(default_factory=dict)


_LINES = ("begin", "program", "mark", "ended", "started")


@cache
def timer_kinds() -> tuple[TimerTable, ...]:
    """Return all kinds, the first of which whose mark is in a log reads it."""
    found = sorted((Path(__file__).parent / "kinds").glob("*.toml"))
    kinds = [_kind(table) for file in found for table in _variants(read_toml(file))]
    return tuple(sorted(kinds, key=lambda kind: kind.precedence))


def _variants(table: TomlTable) -> Iterator[TomlTable]:
    """Yield the kind of a file and its variants, each with all keys."""
    usual = table.without("variants")
    yield usual
    for variant in table.tables("variants"):
        yield replace(variant, content={**usual.content, **variant.content})


def _kind(table: TomlTable) -> TimerTable:
    table.check_keys([field.name for field in fields(TimerTable)])
    read: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in table.content.items()
    }
    read |= {name: LogLine(*table.content[name]) for name in _LINES if name in table}
    for name in ("facts", "scattered", "memory", "partitions"):
        read[name] = tuple(LogLine(*line) for line in table.content.get(name, ()))
    read["forms"] = tuple(
        RowForm(columns=tuple(form.text("columns", "").split()), **form.without("columns").content)
        for form in table.tables("forms")
    )
    read["statistic"] = Statistic[table.text("statistic").upper()]
    read["choice"] = Choice[table.text("choice", "last").upper()]
    return TimerTable(**read)
