"""What a user can decide about a filter; nothing here takes long to import."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ingest.options import option


@dataclass(frozen=True, kw_only=True)
class PaperRule:
    """The numbers of the rule, with the paper's values as defaults, and whether it has a guard."""

    per_visit: float = option(
        0.25, "Share of call paths to keep, those with the longest time per visit.", least=0, most=1
    )
    total: float = option(
        0.25, "Share of call paths to represent, those with the most total time.", least=0, most=1
    )
    visits: float = option(
        0.5,
        "A call path with more visits than this quantile does not represent itself; 0.5 is the median.",
        least=0,
        most=1,
    )
    paper_exact: bool = option(
        False,
        "Follow the paper to the letter: keep regions even if their visits cost more than they show.",
        commands=("filter",),
    )


ACCEPTABLE = 0.05  # of the plain computing time: overhead that a filter may leave if nothing is asked for


class Application(Enum):
    """Where a filter is applied."""

    RUN_TIME = "run time"
    COMPILE_TIME = "compile time"


@dataclass(frozen=True)
class Budget:
    """How much overhead is allowed."""

    overhead: float  # the largest overhead as a share of the plain computing time, such as 0.05
    # where the filter will be applied; if not given, at run time if the budget allows for the hooks that stay
    # in the code, otherwise at compile time
    applied: Application | None = None
    # what a second below a region is worth compared with a second in it: the region is a part of the call
    # paths of all that is measured below it
    structure: float = 0.1


@dataclass(frozen=True)
class Overrides:
    """What to keep or to drop whatever a rule says: patterns in the language of Score-P's filters.

    Literal names must be escaped first, see `filters.scorep_format.patterns.escape`.
    """

    protect: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()  # regions to leave out, user regions among them; `protect` wins
    # names of regions to keep since their models grow; the other two and a budget win
    growing: tuple[str, ...] = ()


class Form(Enum):
    """Whether the file names what is kept or what is dropped."""

    SHORTER = "shorter"
    INCLUDE = "include"
    EXCLUDE = "exclude"


@dataclass(frozen=True)
class Layout:
    """How a filter file is written."""

    # include list, exclude list, or the one with fewer patterns (the include list if both are equal)
    form: Form = Form.SHORTER
    whole_files: bool = False  # whether an exclude list may name a source file instead of all its regions


class Instrumenter(Enum):
    """Whose language a filter is written in."""

    SCOREP = "scorep"
    TAU = "tau"
    GCC = "gcc"
    XRAY = "xray"


@dataclass(frozen=True, kw_only=True)
class FilterRequest:
    """What a user can decide about a filter."""

    rule: PaperRule | Budget  # the paper's rule, or an overhead budget within which to select regions
    applied: Application | None  # where the filter will be applied; None for where it leaves little overhead
    overrides: Overrides
    layout: Layout
    instrumenter: Instrumenter
    merge: Path | None
    event_cost: float | None  # seconds that recording a visit takes; None for the default or a calibration
    baseline: float | None  # seconds the run takes without instrumentation
    reduced: Path | None  # a profile of the same run with fewer regions, to calibrate the event cost
