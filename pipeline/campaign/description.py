"""What `campaign.toml` describes: records that declare its keys, their reading, and what a run needs.

Every error names file, line and key.

Texts have placeholders: ``{p}`` stands for the value of parameter p in a run. Only a name in braces is one:
``${HOME}`` and ``{a,b}`` are left to the shell, and ``{{p}}`` stands for ``{p}`` itself.
"""

import math
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Literal, TypeAlias

from ingest.errors import RunNameError, UsageError
from ingest.number_text import value_text
from ingest.options import option
from ingest.run_names import PROCESS_PARAMETERS, parse_run_name
from ingest.toml_table import TomlTable, read_toml, unknown_hint
from pipeline.config.option_readers import Target, parse_budget, read_positive_share, read_targets
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
    """How the program is measured."""

    tool: Tool = option("none", "What measures.")
    filter: Path | None = None
    pilot_filter: bool = False
    # its overhead budget as a share of the plain computing time; None for the default
    max_overhead: float | None = None
    # command of the shell that builds the program with a new filter, with the placeholder ``{filter}``;
    # `BY_HAND` if the user does, empty if the filter acts at run time
    rebuild: str = ""
    # words of the command that runs a build without instrumentation, with placeholders; empty without one
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
    """A whole campaign."""

    path: Path  # of `campaign.toml`; relative paths start from its folder
    application: CampaignApplication
    # values of every parameter. All combinations are run; with a question, those that help
    scales: Mapping[str, tuple[float, ...]]
    launcher: Launcher
    measurement: Measurement
    scheduler: Scheduler
    profiles: Path  # where the measured runs are collected; what `pipeline run` reads
    results: Path  # where `pipeline run` writes, for campaigns in rounds
    work: Path  # where runs are prepared and started
    question: CampaignQuestion | None = None
    repetitions: int = option(5, "Of a scale; with a question, at most that many at first.", least=1)
    seed: int | None = option(None, "Of the order of runs; by default one is drawn.", least=0)
    budget: float | None = option(
        None, "Core-seconds that all runs may cost.", read=lambda value, _: parse_budget(str(value))
    )

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
    """Return what a run at a point needs; ValueError unless processes and threads are whole, from 1 on."""
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
    """Refuse placeholders that nothing stands for: UsageError, with the nearest known one."""
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


CAMPAIGN_FILE = "campaign.toml"
_MOST_RUNS = 10_000
_VALUES_PER_DOUBLING = 4
_PILOT = "pilot"

_TABLES = ("campaign", "application", "scales", "launcher", "measurement", "scheduler", "question")
_FOLDERS = ("profiles", "results", "work")
_RANGE = re.compile(r"([0-9]{1,15})\.\.([0-9]{1,15})", re.ASCII)
_LEADING_NAME = re.compile(r"[A-Za-z_](?:[\w-]*[A-Za-z_])?", re.ASCII)

Scales: TypeAlias = Mapping[str, tuple[float, ...]]


def read_campaign(path: Path) -> Campaign:
    """Read a description of a campaign.

    UsageError if it cannot be read, a key is unknown, missing or invalid, or a placeholder is unknown.
    """
    if not path.is_file():
        hint = "write one with `pipeline campaign init`"
        raise UsageError("no such file", where=str(path), hint=hint)
    file = read_toml(path, UsageError)
    file.check_keys(_TABLES)
    whole, folder = file.table("campaign"), path.resolve().parent
    given = whole.options(Campaign, beside=_FOLDERS)
    folders = {name: whole.value(name, str) if name in whole.content else name for name in _FOLDERS}
    table = file.table("scales")
    ranges = bool(file.table("question").content)
    if not table.content:
        raise table.error("scales", "is missing", "write [scales] with p = [1, 2, 4, 8, 16]")
    scales = {name: _values(table, name, ranges=ranges) for name in table.content}
    campaign = Campaign(
        **given,
        path=path.resolve(),
        application=_application(file.table("application"), scales, folder),
        scales=scales,
        launcher=_launcher(file.table("launcher"), scales),
        measurement=_measurement(file.table("measurement"), scales, folder),
        scheduler=_scheduler(file.table("scheduler"), scales),
        question=_question(file.table("question"), scales),
        profiles=folder / folders["profiles"],
        results=folder / folders["results"],
        work=folder / folders["work"],
    )
    _check_whole(campaign, file)
    return campaign


def _check_placeholders(table: TomlTable, key: str, texts: Iterable[str], known: Iterable[str]) -> None:
    with table.errors_of(key):
        for text in texts:
            require_known(text, known)


def _values(table: TomlTable, name: str, *, ranges: bool) -> tuple[float, ...]:
    found = table.content[name]
    if isinstance(found, str):
        if not ranges:
            hint = f"write [question], or the values: {name} = [1, 2, 4]"
            raise table.error(name, "a range is for campaigns that choose scales for a question", hint)
        found = _values_of_range(table, name, found)
    values = found if isinstance(found, list) else [found]
    numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if not values or len(numbers) < len(values) or not all(1e-9 <= one <= 1e15 for one in numbers):
        raise table.error(name, f"{found!r} is not a list of numbers above 0", f"write {name} = [1, 2, 4]")
    if len(set(numbers)) < len(numbers):
        raise table.error(name, "a value occurs twice", "say with repetitions how often each is measured")
    for one in numbers:
        try:
            read = parse_run_name(f"x.{name}{value_in_name(one)}").parameters
        except RunNameError:
            read = ()
        if read != ((name, float(one)),):
            hint = "parameters have letters only, and values at most 15 digits"
            raise table.error(name, f"{name} = {one!r} cannot be written in the name of a run", hint)
    return tuple(map(float, numbers))


def _values_of_range(table: TomlTable, name: str, text: str) -> list[int]:
    """Return whole numbers between two ends: doublings of processes, else four to a doubling."""
    ends = _RANGE.fullmatch(text)
    low, high = (int(ends[1]), int(ends[2])) if ends else (0, 0)
    if not 1 <= low < high:
        what, hint = f"{text!r} is not a range of whole numbers from 1", f'write {name} = "8..32"'
        raise table.error(name, what, hint)
    steps = 1 if name.lower() in PROCESS_PARAMETERS else _VALUES_PER_DOUBLING
    count = math.ceil(math.log2(high / low) * steps)
    return sorted({high, *(min(high, round(low * 2 ** (step / steps))) for step in range(count))})


def _application(table: TomlTable, scales: Scales, folder: Path) -> CampaignApplication:
    given = table.options(CampaignApplication, beside=("command", "inputs"))
    if "name" in given and not _LEADING_NAME.fullmatch(given["name"]):
        hint = "write letters, without digits or dots at its end"
        raise table.error("name", f"invalid name {given['name']!r}", hint)
    command, inputs = _command(table, "command", scales, folder), _texts(table, "inputs")
    _check_placeholders(table, "prepare", given.get("prepare", ()), (*scales, *OTHERS))
    for one in inputs:
        if not (folder / one).exists():
            raise table.error("inputs", f"{one} does not exist", f"paths are relative to {folder}")
    for pattern in map(PurePosixPath, given.get("collect", ())):
        if pattern.is_absolute() or ".." in pattern.parts:
            hint = "write a pattern relative to the working directory of the run"
            raise table.error("collect", f"{pattern} lies outside of the working directory", hint)
    return CampaignApplication(
        **given, command=command, inputs=tuple(Input(folder / one, one.endswith("/")) for one in inputs)
    )


def _texts(table: TomlTable, key: str) -> tuple[str, ...]:
    with table.errors_of(key):
        return read_texts(table.content.get(key, []), table.path.parent)


def _command(table: TomlTable, key: str, scales: Scales, folder: Path) -> tuple[str, ...]:
    """Read a command as one text or as a list of words, with placeholders."""
    if isinstance(table.content.get(key), list):
        words = _texts(table, key)
    else:
        try:
            words = tuple(shlex.split(table.text(key)))
        except ValueError as error:
            raise table.error(key, f"is not a command: {error}", "close the quotes") from error
    if not words:
        raise table.error(key, "is empty", f'write {key} = "./solver {{n}}"')
    _check_placeholders(table, key, words, (*scales, *OTHERS))
    word = words[0]
    beside = "/" in word and not Path(word).is_absolute() and (folder / word).is_file()
    return (f"{{{FOLDER}}}/{Path(word)}" if beside else word, *words[1:])


def _launcher(table: TomlTable, scales: Scales) -> Launcher:
    given = table.options(Launcher, beside=("processes", "threads"))
    _check_placeholders(table, "options", given.get("options", ()), (*scales, *OTHERS))
    counted = [name for name in scales if name.lower() in PROCESS_PARAMETERS]
    processes = _count(table, "processes", f"{{{counted[0]}}}" if counted else "1", scales)
    return Launcher(**given, processes=processes, threads=_count(table, "threads", "1", scales))


def _count(table: TomlTable, key: str, default: str, scales: Scales) -> str:
    """Read a number or a placeholder that stands for whole numbers."""
    if key not in table and default.isdecimal():
        return default
    found = table.content.get(key, default)
    text = str(found)
    name = next(iter(placeholders(text)), "")
    if name and text == f"{{{name}}}" and isinstance(found, str):
        _check_placeholders(table, key, [text], (*scales, *OTHERS))
        if name in scales and all(value.is_integer() for value in scales[name]):
            return text
    elif isinstance(found, int) and not isinstance(found, bool) and found >= 1:
        return text
    what = f"{found!r} is not a whole number from 1 or a parameter of whole numbers"
    raise table.error(key, what, f'write {key} = 4 or {key} = "{{p}}"')


def _measurement(table: TomlTable, scales: Scales, folder: Path) -> Measurement:
    given = table.options(Measurement, beside=("filter", "rebuild", "plain", "environment"))
    environment = table.table("environment")
    for name, value in environment.content.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) or not isinstance(value, str):
            hint = 'write SCOREP_TOTAL_MEMORY = "64M"'
            raise environment.error(name, "is not a variable with a text", hint)
    asked, max_overhead = table.content.get("filter"), None
    if isinstance(asked, dict):
        max_overhead = table.table("filter").options(PilotFilter).get("max_overhead")
    pilot_filter = asked == _PILOT or isinstance(asked, dict)
    filter_file = folder / table.text("filter") if "filter" in table and not pilot_filter else None
    tool = given.get("tool", Measurement.tool)
    if (filter_file is not None or pilot_filter) and tool != "score-p":
        raise table.error("filter", f"{tool} takes no filter of Score-P", 'write tool = "score-p"')
    if filter_file is not None and not filter_file.is_file():
        raise table.error("filter", f"{filter_file} does not exist", "write one with `pipeline filter`")
    rebuild = table.text("rebuild", "")
    if rebuild and not pilot_filter:
        raise table.error("rebuild", "is for a filter from the pilot", f'write filter = "{_PILOT}"')
    _check_placeholders(table, "rebuild", [rebuild], (FILTER_KEY, FOLDER))
    return Measurement(
        **given,
        environment=dict(environment.content),
        filter=filter_file,
        pilot_filter=pilot_filter,
        max_overhead=max_overhead,
        rebuild=rebuild,
        plain=_command(table, "plain", scales, folder) if "plain" in table else (),
    )


def _scheduler(table: TomlTable, scales: Scales) -> Scheduler:
    given = table.options(Scheduler, beside=("scale",))
    return Scheduler(**given, at_scales=tuple(_at_scale(one, scales) for one in table.tables("scale")))


def _at_scale(table: TomlTable, scales: Scales) -> tuple[Point, Settings]:
    given = table.options(Settings, beside=tuple(scales))
    where = {name: table.number(name) for name in scales if name in table}
    for name, value in where.items():
        if value not in scales[name]:
            known = ", ".join(map(value_in_name, scales[name]))
            raise table.error(
                name, f"{value_text(value)} is not a scale of {name}", f"the scales are {known}"
            )
    return where, Settings(**given)


def _question(table: TomlTable, scales: Scales) -> CampaignQuestion | None:
    given = table.options(CampaignQuestion, beside=("at",))
    if not table.content:
        return None
    if "at" not in table:
        raise table.error("at", "is missing", 'write at = "p=4096"')
    with table.errors_of("at"):
        (at,) = read_targets([table.content["at"]], table.path.parent)
    for name in at:
        if name not in scales:
            raise table.error("at", f"unknown parameter {name}", unknown_hint(name, tuple(scales)))
    missing = [name for name, values in scales.items() if name not in at and len(values) > 1]
    if missing:
        raise table.error("at", f"has no {', '.join(missing)}", "give every parameter of [scales] a value")
    return CampaignQuestion(**given, at={name: at.get(name, values[0]) for name, values in scales.items()})


def _check_whole(campaign: Campaign, file: TomlTable) -> None:
    """Refuse what only the whole description shows."""
    application, launcher = campaign.application, campaign.launcher
    texts = (
        *application.command,
        *application.prepare,
        *launcher.options,
        *((launcher.processes,) if launcher.program != "none" else ()),
        launcher.threads,
    )
    used = set().union(*map(placeholders, texts))
    scales = file.table("scales")
    for name in campaign.scales:
        if name not in used and len(campaign.scales[name]) > 1:
            hint = f"write {{{name}}} into command or prepare, or choose a launcher for processes"
            raise scales.error(name, "no run depends on it", hint)
    if math.prod(map(len, campaign.scales.values())) * campaign.repetitions > _MOST_RUNS:
        raise scales.error("scales", f"more than {_MOST_RUNS:,} runs", "choose fewer scales or repetitions")
    if campaign.measurement.plain and (not campaign.in_rounds or campaign.measurement.tool == "none"):
        what, hint = "is for instrumented runs in rounds", 'write tool = "score-p" and filter = "pilot"'
        raise file.table("measurement").error("plain", what, hint)
    for point in campaign.points:
        resources(launcher, point)
    _check_question(campaign, file.table("question"))
    folders = [folder.resolve() for folder in (campaign.profiles, campaign.results, campaign.work)]
    if len(set(folders)) < len(folders):
        what = "profiles, results and work are not three folders"
        raise file.table("campaign").error("work", what, "choose another name")


def _check_question(campaign: Campaign, table: TomlTable) -> None:
    """Refuse to ask for an efficiency if the number of cores does not vary."""
    cores = {resources(campaign.launcher, point).cores for point in campaign.points}
    asked = campaign.question and campaign.question.quantity
    if asked in ("efficiency", "speedup") and len(cores) == 1:
        what = f"{asked} compares numbers of processes or threads, and all runs have the same"
        raise table.error("quantity", what, 'write quantity = "time"')
