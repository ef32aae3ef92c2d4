"""What `campaign.toml` describes: records, and the resources that a run at a scale needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias

from pipeline.campaign.placeholders import fill, value_in_name
from pipeline.questions.planning.question import Quantity

Point: TypeAlias = Mapping[str, float]
"""Values of the parameters by name."""

BY_HAND = "by hand"
"""As command that rebuilds the program: the user does."""

Tool: TypeAlias = Literal["score-p", "openfoam", "tau", "caliper", "none"]
LauncherName: TypeAlias = Literal["srun", "mpirun", "none"]
SchedulerName: TypeAlias = Literal["slurm", "pbs", "shell"]


@dataclass(frozen=True)
class Input:
    """A file or folder that every run gets a copy of; of a folder perhaps only its content."""

    path: Path
    content_only: bool


@dataclass(frozen=True, kw_only=True)
class CampaignApplication:
    """The program to measure.

    Attributes:
        name: leading name of the runs.
        command: its words, with placeholders.
        prepare: lines of the shell before it, with placeholders; their time is not measured.
        inputs: what is copied into the working directory of a run.
        collect: patterns of files that a run must have written, relative to its working directory.
    """

    name: str
    command: tuple[str, ...]
    prepare: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    collect: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """What starts the processes; `processes` and `threads` are numbers or one placeholder."""

    program: LauncherName = "none"
    options: tuple[str, ...] = ()
    processes: str = "1"
    threads: str = "1"


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """How the program is measured.

    Attributes:
        tool: that measures.
        environment: variables for it.
        filter: a Score-P filter file; None without one.
        pilot_filter: whether a filter is to be made from the pilot.
        rebuild: command of the shell that builds the program with a new filter, with the placeholder
            ``{filter}``; `BY_HAND` if the user does, empty if the filter acts at run time.
    """

    tool: Tool = "none"
    environment: Mapping[str, str] = field(default_factory=dict)
    filter: Path | None = None
    pilot_filter: bool = False
    rebuild: str = ""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the scheduler is asked for: a time limit as it writes them, and further options."""

    time: str | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scheduler:
    """Where runs are started.

    Attributes:
        kind: the scheduler.
        settings: of all runs.
        at_scales: further settings of runs at these values; options are added, the last time counts.
        cores_per_node: what a job may use of a node; None to leave nodes to the scheduler.
        one_at_a_time: whether a run waits for the one before it.
    """

    kind: SchedulerName = "shell"
    settings: Settings = field(default_factory=Settings)
    at_scales: tuple[tuple[Point, Settings], ...] = ()
    cores_per_node: int | None = None
    one_at_a_time: bool = True


@dataclass(frozen=True, kw_only=True)
class CampaignQuestion:
    """What the campaign is to answer: a quantity at a target scale, with an interval of a wanted width.

    Attributes:
        at: the target.
        quantity: what is asked there.
        width: wanted width of its 90 % interval, relative to its value.
    """

    at: Point
    quantity: Quantity = "efficiency"
    width: float = 0.2


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A whole campaign.

    Attributes:
        path: of `campaign.toml`; relative paths start from its folder.
        application, launcher, measurement, scheduler: its parts.
        scales: values of every parameter. All combinations are run; with a question, those that help.
        repetitions: of every combination; with a question, at most that many in a first series.
        seed: of the order of runs; None to draw one.
        profiles: where the measured runs are collected; what `pipeline run` reads.
        results: where `pipeline run` writes, for campaigns in rounds.
        work: where runs are prepared and started.
        question: None if none is asked.
        budget: core-seconds that all runs may cost; None without a limit.
    """

    path: Path
    application: CampaignApplication
    scales: Mapping[str, tuple[float, ...]]
    repetitions: int
    launcher: Launcher
    measurement: Measurement
    scheduler: Scheduler
    profiles: Path
    results: Path
    work: Path
    seed: int | None = None
    question: CampaignQuestion | None = None
    budget: float | None = None

    @property
    def in_rounds(self) -> bool:
        """Whether later runs depend on what earlier ones say."""
        return self.question is not None or self.measurement.pilot_filter

    @property
    def pilot_profiles(self) -> Path:
        """Where runs are collected that were measured before a filter is made."""
        return self.profiles.with_name(f"{self.profiles.name}-pilot")

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
    time, options = scheduler.settings.time, scheduler.settings.options
    for where, settings in scheduler.at_scales:
        if all(point[name] == value for name, value in where.items()):
            time, options = settings.time or time, (*options, *settings.options)
    return Settings(time=time, options=options)
