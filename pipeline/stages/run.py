"""The stages in order: ingest, model, filter, report; their results go to the results directory."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.config.filter_options import filter_request
from pipeline.config.options import Options, reuse_key
from pipeline.execution.choice import choose_executor
from pipeline.models.analysis import Analysis
from pipeline.report.filter_table import effect_sentence
from pipeline.stages.filter import (
    growing_regions,
    make_filter,
    runs_to_filter,
    store_filter,
)
from pipeline.stages.ingest import Ingested, Watch, ingest, locate, remembered_inputs, skipped_entry
from pipeline.stages.model import modelled, outlooks, summary_ahead, target_points
from pipeline.stages.read_profiles import unwatched
from pipeline.stages.report import report_analysis
from pipeline.store.atomic import sweep, write_json
from pipeline.store.cache import Cache
from pipeline.store.lock import only_writer
from pipeline.store.results import (
    FILTER,
    SUMMARY,
    Provenance,
    discard,
    provenance_content,
    read_provenance,
    unchanged,
    write_analysis,
    write_provenance,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class RunResult:
    """What `pipeline run` has to tell.

    Attributes:
        summary: the content of summary.json.
        filter_effect: one sentence on the instrumentation filter.
        damaged: path and reason of everything that should have been a run but could not be read.
        notices: one sentence for everything doubted.
        reused: nothing had changed, so the stored result is shown.
    """

    summary: Mapping[str, Any]
    filter_effect: str
    damaged: Sequence[Mapping[str, str]]
    notices: Sequence[str]
    reused: bool


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
    watch: Watch = unwatched,
    tell: Callable[[str], None] = lambda _: None,
) -> RunResult:
    """Turn a directory of profiles into a results directory, of which no other run is a writer meanwhile.

    Args:
        directory: the runs.
        options: what the user decided.
        watch: shows progress while runs are read.
        tell: takes what the user should know at once, a sentence each: it does not change the result.

    Raises:
        PipelineError: where inputs cannot be read, nothing can be modelled or results cannot be written.
    """
    stopwatch = Stopwatch()
    with stopwatch.stage("locate"):
        located = locate(directory, options.runs)
    configuration = reuse_key(options)
    with only_writer(options.out, tell):
        sweep(options.out)
        cache = Cache(options.out, tell)
        inputs = remembered_inputs(located, cache)
        if inputs is not None and unchanged(options.out, configuration, inputs):
            return _stored(options.out)
        with stopwatch.stage("ingest"):
            work = choose_executor(options.engine, options.scheduler, options.processes, tell)
            read = ingest(located, options.metric, watch=watch, cache=cache, work=work)
        if unchanged(options.out, configuration, read.inputs):
            return _stored(options.out)
        result = _compute(directory, options, read, stopwatch)
        cache.tidy(read.inputs)
    return result


def _compute(directory: Path, options: Options, read: Ingested, stopwatch: Stopwatch) -> RunResult:
    """Run the stages behind the first one and store their results; run.json tells that all are there."""
    with stopwatch.stage("model"):
        analysis = modelled(read, options, options.metric)
    discard(options.out)
    with stopwatch.stage("filter"):
        effect = _filter(read, analysis, options)
    notices = read.experiment.notices
    with stopwatch.stage("report"):
        targets = target_points(analysis, options.at)
        ahead = outlooks(analysis, targets)
        summary = summary_ahead(analysis, targets, ahead, notices)
        write_analysis(options.out, analysis)
        write_json(options.out / SUMMARY, summary)
    provenance = _provenance(directory, options, read, analysis, effect, stopwatch.seconds)
    told, efficiency = provenance_content(provenance), summary["efficiency"]
    with stopwatch.stage("page"):
        report_analysis(options.out, analysis, targets, told, efficiency, ahead)
    write_provenance(options.out, provenance)
    return RunResult(
        summary=summary, filter_effect=effect, damaged=provenance.damaged, notices=notices, reused=False
    )


def _filter(read: Ingested, analysis: Analysis, options: Options) -> str:
    """Write the filter of the largest scale, which keeps what is going to grow, and say what it does."""
    metrics = {metric.name for metric in read.experiment.metrics}
    if not read.runs or not {"time", "visits"} <= metrics:
        return "none, since no visits and times were measured"
    request = filter_request(options.filter, growing_regions(analysis))
    result = make_filter(runs_to_filter(read.runs)[-1:], request)
    store_filter(options.out / FILTER, result)
    return effect_sentence(result.decision, result.prediction)


def _provenance(
    directory: Path,
    options: Options,
    read: Ingested,
    analysis: Analysis,
    effect: str,
    seconds: Mapping[str, float],
) -> Provenance:
    decision = analysis.decision
    return Provenance(
        command=f"pipeline run {directory}",
        configuration=reuse_key(options),
        decision={
            "scaling": decision.scaling.value,
            "parameter": decision.parameter,
            "reason": decision.reason,
        },
        filter=effect,
        inputs=read.inputs,
        damaged=tuple(skipped_entry(entry) for entry in read.damaged),
        beside=tuple(skipped_entry(entry) for entry in read.beside),
        notices=read.experiment.notices,
        seconds=seconds,
    )


def _stored(out: Path) -> RunResult:
    told = read_provenance(out)
    summary = json.loads((out / SUMMARY).read_text(encoding="utf-8"))
    return RunResult(
        summary=summary,
        filter_effect=told["filter"],
        damaged=told["damaged"],
        notices=told["notices"],
        reused=True,
    )
