"""The filter stage: from profiles to a verified filter file with its evidence beside it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from filters.filter_effect import FilterEffect
from filters.filter_options import Application, Budget, FilterRequest, Form, Instrumenter, Layout, Overrides
from filters.filter_verification import simulate
from filters.make_filter import (
    FilterResult,
    SeriesCalibration,
    make_filter,
    predict_filter,
    read_filter,
)
from filters.scorep_format.rule_files import parse
from ingest.discovery import Discovery, Run
from ingest.errors import InputError, UsageError
from ingest.locate import Located, locate
from ingest.profile import Profile
from ingest.run_names import RunSpec
from ingest.run_settings import not_instrumented
from pipeline.config.options import FilterOptions, Options
from pipeline.questions.analysis import Analysis, default_target, look_ahead
from pipeline.report.terminal.filter import effect_sentence
from pipeline.stages.ingest import ingest, skipped_entry
from pipeline.stages.model import modelled
from pipeline.stages.overhead import calibration_of, true_times
from pipeline.stages.usable_runs import Ingested
from pipeline.store.atomic import write_json, write_text


def filter_request(options: FilterOptions, growing: tuple[str, ...] = ()) -> FilterRequest:
    """Translate the options of a filter, and names of growing regions to protect, into what filters take.

    Raises:
        UsageError: the options exclude each other.
    """
    if options.applied is not None and options.max_overhead is None:
        raise UsageError("needs --max-overhead", where="--applied", hint="give the largest overhead allowed")
    if options.paper_exact and options.max_overhead is not None:
        raise UsageError("a budget replaces the rule of the paper", where="--paper-exact", hint="give one")
    if options.to != "scorep" and options.merge is not None:
        raise UsageError("only Score-P's filters can be merged", where="--merge", hint="omit --to")
    if options.event_cost is not None and options.calibrate is not None:
        raise UsageError("the event cost is given twice", where="--event-cost", hint="omit --calibrate")
    applied = None if options.applied is None else Application(options.applied.replace("-", " "))
    return FilterRequest(
        rule=options if options.max_overhead is None else Budget(options.max_overhead, applied),
        overrides=Overrides(options.protect, options.drop, growing if options.protect_growing else ()),
        layout=Layout(Form(options.form), options.abridge, options.whole_files),
        instrumenter=Instrumenter(options.to),
        merge=options.merge,
        event_cost=options.event_cost,
        baseline=_seconds(options.baseline_time),
        reduced=options.calibrate,
    )


def _seconds(baseline: float | Path | None) -> float | None:
    """Return a run time; a file of them has been used for the whole series before."""
    return None if isinstance(baseline, Path) else baseline


def store_filter(path: Path, result: FilterResult) -> None:
    """Write the filter file and its evidence beside it, as FILE.json."""
    write_text(path, result.text)
    write_json(path.with_name(path.name + ".json"), result.evidence)


def filter_of_path(path: Path, options: Options) -> tuple[FilterResult, tuple[Mapping[str, str], ...]]:
    """Make a filter from a profile or from a directory of runs, and say which runs could not be read.

    A study with parameters is modelled first, so that the regions that grow are protected.

    Raises:
        PipelineError: no profile can be read, or as `make_filter` and `filter_request`.
    """
    located = locate(path, options.runs, options.table)
    runs = _runs(located)
    growing: tuple[str, ...] = ()
    series: SeriesCalibration | None = None
    skipped: tuple[Mapping[str, str], ...] = ()
    if isinstance(located.found, Discovery) and located.found.parameters:
        read = true_times(ingest(located, options.metric, options.processes), options)
        runs, skipped = read.widest, tuple(skipped_entry(entry) for entry in read.damaged)
        growing = growing_regions(modelled(read, options, options.metric))
        series = calibration_of(read.experiment) if read.widest == read.runs else None
    return make_filter(runs_to_filter(runs), filter_request(options.filter, growing), series), skipped


def _runs(located: Located) -> tuple[Run, ...]:
    return located.found.runs if isinstance(located.found, Discovery) else ()


def runs_at(path: Path, explicit: Sequence[RunSpec] = ()) -> tuple[Run, ...]:
    """Return the runs at a path, none if it is the file of a series.

    Raises:
        PipelineError: there is nothing to read.
    """
    return _runs(locate(path, explicit))


def simulate_filter(path: Path, rules: Path, options: Options) -> tuple[Profile, Profile, FilterEffect]:
    """Return the profile of the largest scale at a path, the same under a filter, and its predicted effect.

    Raises:
        PipelineError: the profile or the filter cannot be read, or an option is invalid.
    """
    request = filter_request(options.filter)
    run = runs_to_filter(runs_at(path, options.runs))[-1]
    before = run.reader.read(run.path)
    found = parse(read_filter(rules), where=str(rules))
    return before, simulate(before, found), predict_filter(before, found, request)


def runs_to_filter(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Choose one run per measurement point, the largest scale last.

    Raises:
        InputError: there is none.
    """
    first = {run.parameters: run for run in reversed(runs)}
    if not first:
        raise InputError("no profile to make a filter from", hint="give a profile or a directory of runs")
    return tuple(first[parameters] for parameters in sorted(first))


def growing_regions(analysis: Analysis) -> tuple[str, ...]:
    """Return the regions that are future bottlenecks, sorted by name; the filter protects them.

    They grow with a probability of at least 0.9 and have at least 1 % of the total at 4 times the largest
    scale. Nothing is concluded from unreliable models, such as those of fewer than three points.
    """
    outlook = look_ahead(analysis, analysis.regions, default_target(analysis), crossing=False)
    names = analysis.regions.kernels.regions
    future = [name for name, flags in zip(names, outlook.flags, strict=True) if "coming_bottleneck" in flags]
    return tuple(sorted(future))


def store_filter_of_study(path: Path, read: Ingested, analysis: Analysis, options: Options) -> str:
    """Write the filter of the largest scale, which protects future bottlenecks, and describe its effect.

    It is made from the runs that recorded the most: what they did not record, a filter cannot decide on.
    """
    metrics = {metric.name for metric in read.experiment.metrics}
    reasons = {run.source: not_instrumented(run.attributes) for run in read.experiment.runs}
    if not read.runs and (reason := next(filter(None, reasons.values()), "")):
        return f"none: {reason}"
    largest = runs_to_filter(read.widest)[-1:] if read.runs else ()
    if reason := next(filter(None, (reasons.get(str(run.path)) for run in largest)), ""):
        return f"none: {reason}"
    if not read.runs or not {"time", "visits"} <= metrics:
        return "none: it needs measured visits and times"
    request = filter_request(options.filter, growing_regions(analysis))
    series = calibration_of(read.experiment) if read.widest == read.runs else None
    result = make_filter(largest, request, series)
    store_filter(path, result)
    return effect_sentence(result.decision, result.prediction)
