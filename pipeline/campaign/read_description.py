"""Reading `campaign.toml`: every error names file, line and key."""

import math
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from ingest.errors import RunNameError, UsageError
from ingest.options import Declaration
from ingest.run_names import PROCESS_PARAMETERS, parse_run_name
from pipeline.campaign.description import (
    Campaign,
    CampaignApplication,
    CampaignQuestion,
    Input,
    Launcher,
    LauncherName,
    Measurement,
    Point,
    Scheduler,
    SchedulerName,
    Settings,
    Tool,
    resources,
)
from pipeline.campaign.placeholders import FILTER, OTHERS, placeholders, require_known, value_in_name
from pipeline.config.option_readers import parse_budget, read_targets
from pipeline.config.toml_file import Table, read_toml, unknown_hint
from pipeline.questions.planning.question import Quantity

CAMPAIGN_FILE = "campaign.toml"
MOST_RUNS = 10_000
VALUES_PER_DOUBLING = 4
PILOT = "pilot"

_TABLES = ("campaign", "application", "scales", "launcher", "measurement", "scheduler", "question")
_FROM_1 = Declaration(help="", least=1)
_FROM_0 = Declaration(help="", least=0)
_SHARE = Declaration(help="", least=0.001)
_RANGE = re.compile(r"([0-9]{1,15})\.\.([0-9]{1,15})", re.ASCII)
_LEADING_NAME = re.compile(r"[A-Za-z_](?:[\w-]*[A-Za-z_])?", re.ASCII)

Value = TypeVar("Value")


def read_campaign(path: Path) -> Campaign:
    """Read a description of a campaign.

    Raises:
        UsageError: it cannot be read, a key is unknown, missing or invalid, or a placeholder is unknown.
    """
    if not path.is_file():
        hint = "write one with `pipeline campaign init`"
        raise UsageError("no such file", where=str(path), hint=hint)
    file = read_toml(path)
    file.check_keys(_TABLES)
    whole, scales_table = file.table("campaign"), file.table("scales")
    whole.check_keys(("repetitions", "seed", "budget", "profiles", "results", "work"))
    asked = bool(file.table("question").content)
    scales = _scales(scales_table, ranges=asked)
    folder = path.resolve().parent
    campaign = Campaign(
        path=path.resolve(),
        application=_application(file.table("application"), scales, folder),
        scales=scales,
        repetitions=_given(whole, "repetitions", int, 5, _FROM_1),
        seed=_given(whole, "seed", int, None, _FROM_0),
        launcher=_launcher(file.table("launcher"), scales),
        measurement=_measurement(file.table("measurement"), folder),
        scheduler=_scheduler(file.table("scheduler"), scales),
        profiles=folder / _given(whole, "profiles", str, "profiles"),
        results=folder / _given(whole, "results", str, "results"),
        work=folder / _given(whole, "work", str, "work"),
        question=_question(file.table("question"), scales),
        budget=_budget(whole),
    )
    _check_whole(campaign, file)
    return campaign


def _given(
    table: Table,
    key: str,
    kind: Any,  # noqa: ANN401
    default: Value,
    declared: Declaration | None = None,
) -> Any:  # noqa: ANN401
    return table.value(key, kind, declared) if key in table.content else default


def _texts(table: Table, key: str) -> tuple[str, ...]:
    """Read a list of texts; none if it is missing."""
    found = table.content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise table.error(key, f"{found!r} is not a list of texts", f'write {key} = ["..."]')
    if any("\0" in one or "\n" in one for one in found):
        raise table.error(key, "a text has several lines", "write one text per line")
    return tuple(found)


def _checked(table: Table, key: str, check: Callable[[], Value]) -> Value:
    """Return what a check returns; its error becomes that of a key."""
    try:
        return check()
    except UsageError as error:
        raise table.error(key, error.what, error.hint) from error


def _scales(table: Table, *, ranges: bool) -> dict[str, tuple[float, ...]]:
    if not table.content:
        raise table.error("scales", "is missing", "write [scales] with p = [1, 2, 4, 8, 16]")
    return {name: _values(table, name, ranges=ranges) for name in table.content}


def _values(table: Table, name: str, *, ranges: bool) -> tuple[float, ...]:
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


def _values_of_range(table: Table, name: str, text: str) -> list[int]:
    """Return whole numbers between two ends: doublings of processes, else four to a doubling."""
    ends = _RANGE.fullmatch(text)
    low, high = (int(ends[1]), int(ends[2])) if ends else (0, 0)
    if not 1 <= low < high:
        what, hint = f"{text!r} is not a range of whole numbers from 1", f'write {name} = "8..32"'
        raise table.error(name, what, hint)
    steps = 1 if name.lower() in PROCESS_PARAMETERS else VALUES_PER_DOUBLING
    count = math.ceil(math.log2(high / low) * steps)
    return sorted({high, *(min(high, round(low * 2 ** (step / steps))) for step in range(count))})


def _application(table: Table, scales: Mapping[str, tuple[float, ...]], folder: Path) -> CampaignApplication:
    table.check_keys(("name", "command", "prepare", "inputs", "collect"))
    name = table.text("name") if "name" in table.content else "app"
    if not _LEADING_NAME.fullmatch(name):
        raise table.error(
            "name", f"invalid name {name!r}", "write letters, without digits or dots at its end"
        )
    command = _command(table)
    for key, texts in (("command", command), ("prepare", _texts(table, "prepare"))):
        for text in texts:
            _checked(table, key, lambda text=text: require_known(text, (*scales, *OTHERS)))  # type: ignore[misc]
    inputs = _texts(table, "inputs")
    for one in inputs:
        if not (folder / one).exists():
            raise table.error("inputs", f"{one} does not exist", f"paths are relative to {folder}")
    return CampaignApplication(
        name=name,
        command=(_program(command[0], folder), *command[1:]),
        prepare=_texts(table, "prepare"),
        inputs=tuple(Input(folder / one, one.endswith("/")) for one in inputs),
        collect=_inside(table, "collect"),
    )


def _command(table: Table) -> tuple[str, ...]:
    """Read a command as one text or as a list of words."""
    if isinstance(table.content.get("command"), list):
        words = _texts(table, "command")
    else:
        try:
            words = tuple(shlex.split(table.text("command")))
        except ValueError as error:
            raise table.error("command", f"is not a command: {error}", "close the quotes") from error
    if not words:
        raise table.error("command", "is empty", 'write command = "./solver {n}"')
    return words


def _program(word: str, folder: Path) -> str:
    """Return the program that the first word of a command names: one beside the description, or as it is."""
    beside = folder / word
    return str(beside) if "/" in word and beside.is_file() else word


def _inside(table: Table, key: str) -> tuple[str, ...]:
    """Read patterns of files, which lie in the working directory."""
    patterns = _texts(table, key)
    for one in patterns:
        if PurePosixPath(one).is_absolute() or ".." in PurePosixPath(one).parts:
            hint = "write a pattern relative to the working directory of the run"
            raise table.error(key, f"{one} lies outside of the working directory", hint)
    return patterns


def _launcher(table: Table, scales: Mapping[str, tuple[float, ...]]) -> Launcher:
    table.check_keys(("program", "options", "processes", "threads"))
    counted = [name for name in scales if name.lower() in PROCESS_PARAMETERS]
    launcher = Launcher(
        program=_given(table, "program", LauncherName, "none"),
        options=_texts(table, "options"),
        processes=_count(table, "processes", f"{{{counted[0]}}}" if counted else "1", scales),
        threads=_count(table, "threads", "1", scales),
    )
    for text in launcher.options:
        _checked(table, "options", lambda text=text: require_known(text, (*scales, *OTHERS)))  # type: ignore[misc]
    return launcher


def _count(table: Table, key: str, default: str, scales: Mapping[str, tuple[float, ...]]) -> str:
    """Read a number or a placeholder that stands for whole numbers."""
    if key not in table.content and default.isdecimal():
        return default
    found = table.content.get(key, default)
    text = str(found)
    name = next(iter(placeholders(text)), "")
    if name and text == f"{{{name}}}" and isinstance(found, str):
        _checked(table, key, lambda: require_known(text, (*scales, *OTHERS)))
        if name in scales and all(value.is_integer() for value in scales[name]):
            return text
    elif isinstance(found, int) and not isinstance(found, bool) and found >= 1:
        return text
    what = f"{found!r} is not a whole number from 1 or a parameter of whole numbers"
    raise table.error(key, what, f'write {key} = 4 or {key} = "{{p}}"')


def _measurement(table: Table, folder: Path) -> Measurement:
    table.check_keys(("tool", "filter", "rebuild", "environment"))
    environment = table.table("environment")
    for name, value in environment.content.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) or not isinstance(value, str):
            raise environment.error(
                name, "is not a variable with a text", 'write SCOREP_TOTAL_MEMORY = "64M"'
            )
    tool = _given(table, "tool", Tool, "none")
    pilot_filter = table.content.get("filter") == PILOT
    filter_file = folder / table.text("filter") if "filter" in table.content and not pilot_filter else None
    if (filter_file is not None or pilot_filter) and tool != "score-p":
        raise table.error("filter", f"{tool} takes no filter of Score-P", 'write tool = "score-p"')
    if filter_file is not None and not filter_file.is_file():
        raise table.error("filter", f"{filter_file} does not exist", "write one with `pipeline filter`")
    rebuild = table.text("rebuild") if "rebuild" in table.content else ""
    if rebuild and not pilot_filter:
        raise table.error("rebuild", "is for a filter from the pilot", f'write filter = "{PILOT}"')
    _checked(table, "rebuild", lambda: require_known(rebuild, (FILTER,)))
    return Measurement(
        tool=tool,
        environment=dict(environment.content),
        filter=filter_file,
        pilot_filter=pilot_filter,
        rebuild=rebuild,
    )


def _scheduler(table: Table, scales: Mapping[str, tuple[float, ...]]) -> Scheduler:
    table.check_keys(("kind", "time", "options", "cores_per_node", "one_at_a_time", "scale"))
    return Scheduler(
        kind=_given(table, "kind", SchedulerName, "shell"),
        settings=_settings(table),
        at_scales=tuple(_at_scale(one, scales) for one in table.tables("scale")),
        cores_per_node=_given(table, "cores_per_node", int, None, _FROM_1),
        one_at_a_time=_given(table, "one_at_a_time", bool, True),
    )


def _settings(table: Table) -> Settings:
    time = table.text("time") if "time" in table.content else None
    if time is not None and not re.fullmatch(r"[0-9:-]+", time, re.ASCII):
        raise table.error("time", f"invalid time limit {time!r}", 'write time = "01:30:00"')
    return Settings(time=time, options=_texts(table, "options"))


def _at_scale(table: Table, scales: Mapping[str, tuple[float, ...]]) -> tuple[Point, Settings]:
    table.check_keys(("time", "options", *scales))
    where = {name: table.number(name) for name in scales if name in table.content}
    for name, value in where.items():
        if value not in scales[name]:
            known = ", ".join(map(value_in_name, scales[name]))
            raise table.error(name, f"{value:g} is not a scale of {name}", f"the scales are {known}")
    return where, _settings(table)


def _question(table: Table, scales: Mapping[str, tuple[float, ...]]) -> CampaignQuestion | None:
    table.check_keys(("at", "quantity", "width"))
    if not table.content:
        return None
    if "at" not in table.content:
        raise table.error("at", "is missing", 'write at = "p=4096"')
    (at,) = _checked(table, "at", lambda: read_targets([table.content["at"]], table.path.parent))
    for name in at:
        if name not in scales:
            raise table.error("at", f"unknown parameter {name}", unknown_hint(name, tuple(scales)))
    missing = [name for name, values in scales.items() if name not in at and len(values) > 1]
    if missing:
        raise table.error("at", f"has no {', '.join(missing)}", "give every parameter of [scales] a value")
    at = {name: at.get(name, values[0]) for name, values in scales.items()}
    width = _given(table, "width", float, CampaignQuestion.width, _SHARE)
    return CampaignQuestion(at=at, quantity=_given(table, "quantity", Quantity, "efficiency"), width=width)


def _budget(table: Table) -> float | None:
    """Return core-seconds."""
    if "budget" not in table.content:
        return None
    return _checked(table, "budget", lambda: parse_budget(str(table.content["budget"])))


def _check_whole(campaign: Campaign, file: Table) -> None:
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
    if math.prod(map(len, campaign.scales.values())) * campaign.repetitions > MOST_RUNS:
        raise scales.error("scales", f"more than {MOST_RUNS:,} runs", "choose fewer scales or repetitions")
    for point in campaign.points:
        resources(launcher, point)
    _check_question(campaign, file.table("question"))
    folders = [folder.resolve() for folder in (campaign.profiles, campaign.results, campaign.work)]
    if len(set(folders)) < len(folders):
        what = "profiles, results and work are not three folders"
        raise file.table("campaign").error("work", what, "choose another name")


def _check_question(campaign: Campaign, table: Table) -> None:
    """Refuse to ask for an efficiency if the number of cores does not vary."""
    cores = {resources(campaign.launcher, point).cores for point in campaign.points}
    asked = campaign.question and campaign.question.quantity
    if asked in ("efficiency", "speedup") and len(cores) == 1:
        what = f"{asked} compares numbers of processes or threads, and all runs have the same"
        raise table.error("quantity", what, 'write quantity = "time"')
