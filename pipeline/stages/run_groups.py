"""Runs grouped by what describes them, such as the machine: one study per value."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from ingest.discovery import Discovery
from ingest.errors import InputError, UsageError
from ingest.locate import Located, locate
from ingest.readers import SeriesReader
from ingest.run_settings import SETTING, described_as, metadata_of, stated
from ingest.tables.table_files import TableSource
from pipeline.columns.json_schema import Published
from pipeline.config.options import Options
from pipeline.execution.executors import ProgressDisplay, no_progress
from pipeline.stages.run import RunResult, run
from pipeline.store.lock import Notify

FLAG = "--group-by"
MOST_GROUPS = 50
MAX_NAME = 60  # characters of a folder
NOT_STATED = "(not stated)"


class GroupsJson(TypedDict):
    """A study per value of some metadata."""

    by: Annotated[str, "the metadata"]
    studies: dict[str, Annotated[dict[str, Any], Published(name="summary")]]


def run_groups(
    path: Path,
    options: Options,
    name: str,
    progress: ProgressDisplay = no_progress,
    notify: Notify = lambda _: None,
) -> dict[str, RunResult]:
    """Make one study per value of some metadata of the runs, each in a folder called after it."""
    groups = group_runs(locate(path, options.runs, options.table, options.parameter), name)
    folders = folder_names(groups)
    return {
        value: run(path, replace(options, out=options.out / folders[value]), progress, notify, located)
        for value, located in groups.items()
    }


def group_runs(located: Located, name: str) -> dict[str, Located]:
    """Separate runs by a value that they state, in the order of the values.

    Raises:
        UsageError: no run states it, or there are too many values.
    """
    found = located.found
    if isinstance(found, SeriesReader):
        raise UsageError("a series file does not describe runs", where=FLAG, hint="give profiles or a table")
    if isinstance(found, TableSource):
        attributes = [run.profile.attributes for run in found.read().runs]
    else:
        attributes = _attributes(found)
    values = [described_as(of_run, name) for of_run in attributes]
    if not any(values):
        names = sorted({key for of_run in attributes for key in _names(of_run)})
        hint = f"they state {', '.join(names[:12])}" if names else "they state nothing"
        raise UsageError(f"no run states '{name}'", where=FLAG, hint=hint)
    different = sorted({value or NOT_STATED for value in values})
    if len(different) > MOST_GROUPS:
        raise UsageError(f"'{name}' has {len(different)} values", where=FLAG, hint="group by one with fewer")

    def of_value(value: str) -> Discovery | TableSource:
        if isinstance(found, TableSource):
            return replace(found, only=(name, "" if value == NOT_STATED else value))
        runs = (one for one, its in zip(found.runs, values, strict=True) if (its or NOT_STATED) == value)
        return replace(found, runs=tuple(runs))

    return {value: Located(located.path, of_value(value)) for value in different}


def compared_groups(path: Path, options: Options, text: str) -> list[tuple[tuple[str, Located], ...]]:
    """Choose the groups of runs to compare: the two that are named, or each of the others with the first.

    The text is the name of the metadata, such as ``machine``, or also the two values: ``machine=alps,daint``.

    Returns:
        Pairs of a description, such as ``machine = alps``, and the runs.

    Raises:
        UsageError: no run states it, there are not two values, or values that are named do not occur.
        PipelineError: the runs cannot be found.
    """
    located = locate(path, options.runs, options.table, options.parameter)
    name, _, wanted = text.partition("=")
    groups = group_runs(located, name.strip())
    values = list(groups)
    if len(values) < 2:
        raise UsageError(f"all runs state {name} = {values[0]}", where=FLAG, hint="two values are compared")
    pairs = [(values[0], other) for other in values[1:]]
    if wanted:
        pairs = [(a, b) for a in values for b in values if a != b and f"{a},{b}" == wanted.strip()]
        if not pairs:
            hint = f"write two of {', '.join(values)} with a comma between them"
            raise UsageError(f"no runs of '{wanted}'", where=FLAG, hint=hint)
    return [tuple((f"{name} = {value}", groups[value]) for value in pair) for pair in pairs]


def _attributes(found: Discovery) -> list[Mapping[str, str]]:
    attributes: list[Mapping[str, str]] = []
    for run_ in found.runs:
        try:
            attributes.append(run_.described(run_.reader.read(run_.path).attributes))
        except InputError:  # it is reported when its group is read
            attributes.append({})
    return attributes


def _names(attributes: Mapping[str, str]) -> list[str]:
    return [*metadata_of(attributes), *stated(attributes, SETTING)] or list(attributes)


def folder_names(values: Mapping[str, object]) -> dict[str, str]:
    """Return a folder name per value: its letters, digits and dots; numbered if two are the same."""
    names: dict[str, str] = {}
    for value in values:
        kept = "".join(c if c.isalnum() or c in "._+-" else "-" for c in value).strip(".-")[:MAX_NAME]
        name, number = kept or "group", 2
        while name in names.values():
            name, number = f"{kept or 'group'}-{number}", number + 1
        names[value] = name
    return names
