"""What `campaign.toml` describes: records that declare its keys, and what a run at a scale needs.

Texts have placeholders: ``{p}`` stands for the value of parameter p in a run. Only a name in braces is one:
``${HOME}`` and ``{a,b}`` are left to the shell, and ``{{p}}`` stands for ``{p}`` itself.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias

from ingest.errors import UsageError
from ingest.options import option
from ingest.toml_table import unknown_hint
from pipeline.config.option_readers import Target, parse_budget, read_positive_share
from pipeline.questions.planning.plan import Quantity

Point: TypeAlias = Target
"""Values of the parameters by name."""

BY_HAND = "by hand"
"""As command that rebuilds the program: the user does."""

Tool: TypeAlias = Literal["score-p", "openfoam", "tau", "caliper", "none"]
LauncherName: TypeAlias = Literal["srun", "mpirun", "none"]
SchedulerName: TypeAlias = Literal["slurm", "pbs", "shell"]

REPETITION = "repetition"
RUN = "run"
FOLDER = "folder"
FILTER_KEY = "filter"
OTHERS = (REPETITION, RUN, FOLDER)
"""Placeholders beside the parameters: the number of the repetition, the name of the run, the folder of
`campaign.toml`."""

_PLACEHOLDER = re.compile(r"\{(\{[^\W\d](?:[^\W\d]|-)*\})\}|(?<!\$)\{([^\W\d](?:[^\W\d]|-)*)\}")


@dataclass(frozen=True)
class Input:
    """A file or folder that every run gets a copy of; of a folder perhaps only its content."""

    path: Path
    content_only: bool


def read_texts(value: object, folder: Path) -> tuple[str, ...]:
    """Read a list of texts of one line each."""
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise UsageError(f"{value!r} is not a list of texts", hint='write ["..."]')
    if any("\0" in one or "\n" in one for one in value):
        raise UsageError("a text has several lines", hint="write one text per line")
    return tuple(value)


def _read_time(value: object, folder: Path) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9:-]+", value, re.ASCII):
        raise UsageError(f"invalid time limit {value!r}", hint='write time = "01:30:00"')
    return value


def _read_budget(value: object, folder: Path) -> float:
    return parse_budget(str(value))


@dataclass(frozen=True, kw_only=True)
class CampaignApplication:
    """The program to measure; `command` are its words, with placeholders."""

    name: str = option("app", "Leading name of the runs.")
    command: tuple[str, ...]
    prepare: tuple[str, ...] = option(
        (), "Lines of the shell before it, with placeholders; their time is not measured.", read=read_texts
    )
    inputs: tuple[Input, ...] = ()
    collect: tuple[str, ...] = option(
        (), "Patterns of files that a run must have written, relative to its directory.", read=read_texts
    )


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """What starts the processes; `processes` and `threads` are numbers or one placeholder."""

    program: LauncherName = option("none", "What starts the processes.")
    options: tuple[str, ...] = option((), "Its further options.", read=read_texts)
    processes: str = "1"
    threads: str = "1"


@dataclass(frozen=True, kw_only=True)
class PilotFilter:
    """How the filter is made from the pilot."""

    max_overhead: float | None = option(
        None, "Its overhead budget, such as 5%.", read=read_positive_share, metavar="SHARE"
    )


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """How the program is measured.

    Attributes:
        filter: a Score-P filter file; None without one.
        pilot_filter: whether a filter is to be made from the pilot.
        max_overhead: its overhead budget as a share of the plain computing time; None for the default.
        rebuild: command of the shell that builds the program with a new filter, with the placeholder
            ``{filter}``; `BY_HAND` if the user does, empty if the filter acts at run time.
        plain: words of the command that runs a build without instrumentation, with placeholders; empty
            without one.
        environment: variables for the tool.
    """

    tool: Tool = option("none", "What measures.")
    filter: Path | None = None
    pilot_filter: bool = False
    max_overhead: float | None = None
    rebuild: str = ""
    plain: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the scheduler is asked for."""

    time: str | None = option(None, "Limit of a run, as the scheduler writes it.", read=_read_time)
    options: tuple[str, ...] = option((), "Further options.", read=read_texts)


@dataclass(frozen=True, kw_only=True)
class Scheduler(Settings):
    """Where runs are started; `at_scales` are further settings of runs at some values."""

    kind: SchedulerName = option("shell", "The scheduler; shell is this machine.")
    cores_per_node: int | None = option(None, "What a job may use of a node, to ask for nodes.", least=1)
    one_at_a_time: bool = option(True, "A run waits for the one before it.")
    at_scales: tuple[tuple[Point, Settings], ...] = ()


@dataclass(frozen=True, kw_only=True)
class CampaignQuestion:
    """What the campaign is to answer at the target scale `at`."""

    at: Point
    quantity: Quantity = option("efficiency", "What is asked there.")
    width: float = option(0.2, "Wanted width of its 90 % interval, relative to its value.", least=0.001)


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A whole campaign.

    Attributes:
        path: of `campaign.toml`; relative paths start from its folder.
        application, launcher, measurement, scheduler: its parts.
        scales: values of every parameter. All combinations are run; with a question, those that help.
        profiles: where the measured runs are collected; what `pipeline run` reads.
        results: where `pipeline run` writes, for campaigns in rounds.
        work: where runs are prepared and started.
        question: None if none is asked.
    """

    path: Path
    application: CampaignApplication
    scales: Mapping[str, tuple[float, ...]]
    launcher: Launcher
    measurement: Measurement
    scheduler: Scheduler
    profiles: Path
    results: Path
    work: Path
    question: CampaignQuestion | None = None
    repetitions: int = option(5, "Of a scale; with a question, at most that many at first.", least=1)
    seed: int | None = option(None, "Of the order of runs; by default one is drawn.", least=0)
    budget: float | None = option(None, "Core-seconds that all runs may cost.", read=_read_budget)

    @property
    def in_rounds(self) -> bool:
        """Whether later runs depend on what earlier ones say."""
        return self.question is not None or self.measurement.pilot_filter

    @property
    def pilot_profiles(self) -> Path:
        """Where runs are collected that were measured before a filter is made."""
        return self.profiles.with_name(f"{self.profiles.name}-pilot")

    @property
    def plain_runs(self) -> Path:
        """Where runs without instrumentation are collected."""
        return self.profiles.with_name(f"{self.profiles.name}-plain")

    @property
    def plain_times(self) -> Path:
        """The table of their times, which ``--baseline-time`` takes."""
        return self.work / "plain.csv"

    @property
    def outlying_profiles(self) -> Path:
        """Where outlying runs are set aside."""
        return self.profiles.with_name(f"{self.profiles.name}-outlying")

    @property
    def pilot_filter(self) -> Path:
        """The Score-P filter file that is made from the pilot, if one is."""
        return self.work / "filter" / f"{self.application.name}.filter"

    @property
    def filter(self) -> Path | None:
        """The Score-P filter file of its runs: the user's, or the one that the pilot gives."""
        return self.pilot_filter if self.measurement.pilot_filter else self.measurement.filter

    @property
    def points(self) -> list[Point]:
        """All combinations of the scales."""
        return [dict(zip(self.scales, values, strict=True)) for values in product(*self.scales.values())]


@dataclass(frozen=True)
class Resources:
    """Processes of a run, and threads of each."""

    processes: int
    threads: int

    @property
    def cores(self) -> int:
        """Cores that the run holds."""
        return self.processes * self.threads


def point_values(point: Point) -> dict[str, str]:
    """Return what the placeholders of the parameters stand for at a point."""
    return {name: value_in_name(value) for name, value in point.items()}


def resources(launcher: Launcher, point: Point) -> Resources:
    """Return what a run at a point needs.

    Raises:
        ValueError: processes or threads are not a whole number from 1 there.
    """
    values = point_values(point)
    processes, threads = (int(fill(text, values)) for text in (launcher.processes, launcher.threads))
    if min(processes, threads) < 1:
        raise ValueError("below 1")
    return Resources(processes, threads)


def settings_at(scheduler: Scheduler, point: Point) -> Settings:
    """Return the settings of the scheduler for runs at a point."""
    time, options = scheduler.time, scheduler.options
    for where, settings in scheduler.at_scales:
        if all(point[name] == value for name, value in where.items()):
            time, options = settings.time or time, (*options, *settings.options)
    return Settings(time=time, options=options)


def placeholders(text: str) -> set[str]:
    """Return the names in the placeholders of a text."""
    return {found[2] for found in _PLACEHOLDER.finditer(text) if found[2]}


def require_known(text: str, known: Iterable[str]) -> None:
    """Refuse placeholders that nothing stands for.

    Raises:
        UsageError: with the placeholder and the nearest known one.
    """
    known = tuple(known)
    for name in sorted(placeholders(text)):
        if name not in known:
            hint = f"{unknown_hint(name, known)}; for the text itself write {{{{{name}}}}}"
            raise UsageError(f"unknown placeholder {{{name}}}", hint=hint)


def value_in_name(value: float) -> str:
    """Write the value of a parameter without an exponent, as run names have it: ``1048576``, ``0.05``."""
    text = f"{value:.15f}".rstrip("0").rstrip(".")
    return text or "0"


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values instead of its placeholders, all of which are known."""
    return _PLACEHOLDER.sub(lambda found: found[1] or values[found[2]], text)
