"""All stages in order: ingest, model, filter, report; their results go to the results directory."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from ingest.discovery import Discovery
from ingest.errors import InputError, UsageError
from ingest.locate import Located, locate
from ingest.readers import SeriesReader
from ingest.record_codec import document, restored
from ingest.run_settings import SETTING, described_as, metadata_of, stated
from ingest.tables.table_files import TableSource
from pipeline.columns.published import Published
from pipeline.columns.summary import Summary
from pipeline.config.options import Options
from pipeline.execution.executors import ProgressDisplay, choose_executor, no_progress
from pipeline.models.kernel_locations import study_locations
from pipeline.questions.groups import matching_nothing
from pipeline.report.summary import leading, summarise
from pipeline.stages.filter import store_filter_of_study
from pipeline.stages.ingest import Ingested, ingest, skipped_entry, with_parameter
from pipeline.stages.model import (
    forecast_at,
    metric_to_model,
    modelled,
    modelled_beside,
    most_listed,
    require_additive,
)
from pipeline.stages.overhead import true_times
from pipeline.stages.report import page_of
from pipeline.stages.selection import focused, selected
from pipeline.store.atomic import write_json, write_text
from pipeline.store.cache import ProfileCache
from pipeline.store.freshness import dependencies, remembered_inputs, unchanged
from pipeline.store.generation import finish, new_generation, open_result, publish
from pipeline.store.lock import Notify, only_writer
from pipeline.store.results import EVIDENCE, FILTER, REPORT, SUMMARY, run_provenance, write_analysis
from pipeline.store.stored_locations import abridged, write_locations


@dataclass(frozen=True, eq=False, kw_only=True)
class RunResult:
    """The result of `pipeline run`."""

    summary: Summary
    filter_effect: str  # one sentence on the instrumentation filter
    # path and reason of everything that should have been a run but could not be read
    damaged: Sequence[Mapping[str, str]]
    notices: Sequence[str]  # one sentence per doubt about the runs
    reused: bool  # whether nothing had changed, so that the stored result is returned


@dataclass
class Stopwatch:
    """Wall seconds per stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 4)


def run(
    directory: Path,
    options: Options,
    progress: ProgressDisplay = no_progress,
    notify: Notify = lambda _: None,
    located: Located | None = None,
) -> RunResult:
    """Turn a directory of profiles into a results directory, holding its lock throughout.

    `located` are some of the runs there, if not all of them are to be read.
    """
    stopwatch = Stopwatch()
    with stopwatch.stage("locate"):
        located = located or locate(directory, options.runs, options.table, options.parameter)
    calibrations = (options.filter.baseline_time, options.filter.calibrate)
    configuration = dependencies(options, located, calibrations)
    with only_writer(options.out, notify):
        finish(options.out)
        cache = ProfileCache(options.out, notify)
        inputs = remembered_inputs(located, cache.digests)
        if inputs is not None and unchanged(options.out, configuration, inputs):
            return _stored(options.out)
        with stopwatch.stage("ingest"):
            executor = choose_executor(options.engine, options.scheduler, options.processes, notify)
            read = ingest(
                located,
                options.metric,
                progress=progress,
                cache=cache,
                executor=executor,
                excluded=options.exclude_metrics,
            )
        if unchanged(options.out, configuration, read.inputs):
            return _stored(options.out)
        with stopwatch.stage("overhead"):
            read = with_parameter(true_times(read, options))
        with new_generation(options.out) as folder:
            _compute(directory, options, read, configuration, stopwatch, folder)
        cache.tidy(read.inputs)
    return _stored(options.out, reused=False)


def _compute(
    directory: Path,
    options: Options,
    read: Ingested,
    configuration: Mapping[str, Any],
    stopwatch: Stopwatch,
    folder: Path,
) -> None:
    """Run the stages after ingest, and publish their results when all of them are in the folder."""
    whole, read = read, selected(read, options)
    with stopwatch.stage("model"):
        analysis = modelled(read, options, metric_to_model(read, options))
        require_additive(analysis)
        others = modelled_beside(read, options, analysis)
    with stopwatch.stage("filter"):
        effect = store_filter_of_study(folder / FILTER, whole, analysis, options)
    with stopwatch.stage("report"):
        measured = study_locations(analysis.experiment, analysis.metric)
        locations = write_locations(folder, measured) if measured else ()
        ungrouped = matching_nothing(analysis.callpaths.kernels, options.groups)
        notices = (*read.experiment.notices, *abridged(measured, locations), *ungrouped)
        ahead = forecast_at(analysis, options.at, options.min_efficiency, others, options.expectations)
        summary = summarise(ahead, notices, most=most_listed(options))
        write_json(folder / SUMMARY, document(focused(summary, options.focus, options.without)))
        del summary  # of large studies it takes as much memory as everything else
        write_analysis(folder, analysis, others, leading(ahead))
    provenance = run_provenance(
        analysis,
        seconds=stopwatch.seconds,
        command=f"pipeline run {directory}",
        configuration=configuration,
        filter=effect,
        inputs=[asdict(file) for file in read.inputs],
        damaged=[skipped_entry(entry) for entry in read.damaged],
        beside=[skipped_entry(entry) for entry in read.beside],
        notices=notices,
    )
    with stopwatch.stage("page"):
        made = (folder / EVIDENCE).is_file()
        evidence = json.loads((folder / EVIDENCE).read_bytes()) if made else None
        write_text(folder / REPORT, page_of(ahead, provenance, evidence, locations=locations))
    publish(folder, provenance)


def _stored(out: Path, *, reused: bool = True) -> RunResult:
    stored = open_result(out)
    summary, provenance = restored(Summary, json.loads(stored.read(SUMMARY))), stored.provenance
    return RunResult(
        summary=summary,
        filter_effect=provenance["filter"],
        damaged=provenance["damaged"],
        notices=provenance["notices"],
        reused=reused,
    )


_FLAG = "--group-by"
_MOST_GROUPS = 50
_MAX_NAME = 60  # characters of a folder
_NOT_STATED = "(not stated)"


@dataclass(frozen=True, kw_only=True)
class RunGroups:
    """A study per value of some metadata."""

    exact_numbers: ClassVar[bool] = True

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
    groups = _group_runs(locate(path, options.runs, options.table, options.parameter), name)
    folders = _folder_names(groups)
    return {
        value: run(path, replace(options, out=options.out / folders[value]), progress, notify, located)
        for value, located in groups.items()
    }


def _group_runs(located: Located, name: str) -> dict[str, Located]:
    """Separate runs by a value that they state, in the order of the values.

    UsageError if no run states it, or there are too many values.
    """
    found = located.found
    if isinstance(found, SeriesReader):
        raise UsageError("a series file does not describe runs", where=_FLAG, hint="give profiles or a table")
    if isinstance(found, TableSource):
        attributes = [run.profile.attributes for run in found.read().runs]
    else:
        attributes = _attributes(found)
    values = [described_as(of_run, name) for of_run in attributes]
    if not any(values):
        described = [[*metadata_of(one), *stated(one, SETTING)] or list(one) for one in attributes]
        names = sorted({key for keys in described for key in keys})
        hint = f"they state {', '.join(names[:12])}" if names else "they state nothing"
        raise UsageError(f"no run states '{name}'", where=_FLAG, hint=hint)
    different = sorted({value or _NOT_STATED for value in values})
    if len(different) > _MOST_GROUPS:
        raise UsageError(f"'{name}' has {len(different)} values", where=_FLAG, hint="group by one with fewer")

    def of_value(value: str) -> Discovery | TableSource:
        if isinstance(found, TableSource):
            return replace(found, only=(name, "" if value == _NOT_STATED else value))
        runs = (one for one, its in zip(found.runs, values, strict=True) if (its or _NOT_STATED) == value)
        return replace(found, runs=tuple(runs))

    return {value: Located(located.path, of_value(value)) for value in different}


def compared_groups(path: Path, options: Options, text: str) -> list[tuple[tuple[str, Located], ...]]:
    """Choose the groups of runs to compare: the two that are named, or each of the others with the first.

    The text is the name of the metadata, such as ``machine``, or also the two values: ``machine=alps,daint``.
    Returns descriptions, such as ``machine = alps``, each with the runs. UsageError if no run states it,
    there are not two values, or values that are named do not occur.
    """
    located = locate(path, options.runs, options.table, options.parameter)
    name, _, wanted = text.partition("=")
    groups = _group_runs(located, name.strip())
    values = list(groups)
    if len(values) < 2:
        raise UsageError(f"all runs state {name} = {values[0]}", where=_FLAG, hint="two values are compared")
    pairs = [(values[0], other) for other in values[1:]]
    if wanted:
        pairs = [(a, b) for a in values for b in values if a != b and f"{a},{b}" == wanted.strip()]
        if not pairs:
            hint = f"write two of {', '.join(values)} with a comma between them"
            raise UsageError(f"no runs of '{wanted}'", where=_FLAG, hint=hint)
    return [tuple((f"{name} = {value}", groups[value]) for value in pair) for pair in pairs]


def _attributes(found: Discovery) -> list[Mapping[str, str]]:
    attributes: list[Mapping[str, str]] = []
    for run_ in found.runs:
        try:
            attributes.append(run_.described(run_.reader.read(run_.path).attributes))
        except InputError:  # it is reported when its group is read
            attributes.append({})
    return attributes


def _folder_names(values: Mapping[str, object]) -> dict[str, str]:
    """Return a folder name per value: its letters, digits and dots; numbered if two are the same."""
    names: dict[str, str] = {}
    for value in values:
        kept = "".join(c if c.isalnum() or c in "._+-" else "-" for c in value).strip(".-")[:_MAX_NAME]
        name, number = kept or "group", 2
        while name in names.values():
            name, number = f"{kept or 'group'}-{number}", number + 1
        names[value] = name
    return names
