"""The filter stage: from profiles to a filter file with its evidence, and what it did once it was applied."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from filters.evidence import evidence_from_profile
from filters.filter_effect import measured_effect
from filters.filter_options import Application, Budget, FilterRequest, Form, Instrumenter, Layout, Overrides
from filters.filter_verification import simulate, verify
from filters.instrumentation import FILTER_ATTRIBUTE, filtered_at_run_time
from filters.make_filter import FilterResult, SeriesCalibration, make_filter, predict_filter, read_filter
from filters.scorep_format.rule_files import FilterRules, parse
from ingest.discovery import Discovery, Run
from ingest.errors import InputError, UsageError
from ingest.locate import Located, locate
from ingest.readers import find_profile_reader
from ingest.record_codec import document
from ingest.run_names import RunSpec
from ingest.run_settings import not_instrumented
from pipeline.columns.filter_effects import ProfileCounts, SimulatedFilter, VerifiedFilter
from pipeline.config.options import FilterOptions, Options
from pipeline.questions.analysis import Analysis, default_target, look_ahead
from pipeline.report.terminal.filter import need_of_filter
from pipeline.stages.ingest import Ingested, ingest, skipped_entry
from pipeline.stages.model import metric_to_model, modelled
from pipeline.stages.overhead import calibration_of, true_times
from pipeline.store.atomic import write_json, write_text


def filter_request(options: FilterOptions, growing: tuple[str, ...] = ()) -> FilterRequest:
    """Translate the options of a filter, and names of growing regions to protect, into what filters take.

    UsageError if the options exclude each other.
    """
    if options.paper_exact and options.max_overhead is not None:
        raise UsageError("a budget replaces the rule of the paper", where="--paper-exact", hint="give one")
    if options.to != "scorep" and options.merge is not None:
        raise UsageError("only Score-P's filters can be merged", where="--merge", hint="omit --to")
    applied = None if options.applied is None else Application(options.applied.replace("-", " "))
    return FilterRequest(
        rule=options if options.max_overhead is None else Budget(options.max_overhead, applied),
        applied=applied,
        overrides=Overrides(options.protect, options.drop, growing if options.protect_growing else ()),
        layout=Layout(Form(options.form), options.whole_files),
        instrumenter=Instrumenter(options.to),
        merge=options.merge,
        event_cost=options.event_cost,
        baseline=None if isinstance(options.baseline_time, Path) else options.baseline_time,
        reduced=None if _of_series(options.calibrate) else options.calibrate,
    )


def _of_series(path: Path | None) -> bool:
    """Return whether a path is a directory of runs: these have been used for the whole series before."""
    return path is not None and path.is_dir() and find_profile_reader(path) is None


def store_filter(path: Path, result: FilterResult) -> None:
    """Write the filter file and its evidence next to it, as FILE.json."""
    write_text(path, result.text)
    write_json(path.with_name(path.name + ".json"), document(result.evidence))


def filter_of_path(path: Path, options: Options) -> tuple[FilterResult, tuple[Mapping[str, str], ...]]:
    """Make a filter from a profile or from a directory of runs, and say which runs could not be read.

    A study with parameters is modelled first, so that the regions that grow are protected.
    """
    located = locate(path, options.runs, options.table, options.parameter)
    runs = _runs(located)
    growing: tuple[str, ...] = ()
    series: SeriesCalibration | None = None
    skipped: tuple[Mapping[str, str], ...] = ()
    if isinstance(located.found, Discovery) and located.found.parameters:
        read = true_times(ingest(located, options.metric, options.processes), options)
        runs, skipped = read.widest, tuple(skipped_entry(entry) for entry in read.damaged)
        growing = growing_regions(modelled(read, options, metric_to_model(read, options)))
        series = calibration_of(read.experiment) if read.widest == read.runs else None
    else:
        _require_no_series(options.filter)
    return make_filter(runs_to_filter(runs), filter_request(options.filter, growing), series), skipped


def _require_no_series(given: FilterOptions) -> None:
    """Refuse what is known of the runs of a series where one run is looked at."""
    if given.calibrate is not None and _of_series(given.calibrate):
        what = "is a directory of runs, but the filter is made from one"
        raise UsageError(what, where=str(given.calibrate), hint="give one of them")
    if isinstance(given.baseline_time, Path):
        what = "is a table of run times, but one run is looked at"
        raise UsageError(what, where=str(given.baseline_time), hint="give its seconds")


def _runs(located: Located) -> tuple[Run, ...]:
    return located.found.runs if isinstance(located.found, Discovery) else ()


def runs_at(path: Path, explicit: Sequence[RunSpec] = ()) -> tuple[Run, ...]:
    """Return the runs at a path, none if it is the file of a series."""
    return _runs(locate(path, explicit))


def simulate_filter(path: Path, rules: Path, options: Options) -> SimulatedFilter:
    """Return what a filter would do to the profile of the largest scale at a path."""
    _require_no_series(options.filter)
    request = filter_request(options.filter)
    run = runs_to_filter(runs_at(path, options.runs))[-1]
    before = run.reader.read(run.path)
    found = parse(read_filter(rules), where=str(rules))
    after = simulate(before, found)
    return SimulatedFilter(
        filter=str(rules),
        source=before.source,
        filter_digest=after.attributes[FILTER_ATTRIBUTE],
        measured=ProfileCounts.of(before),
        simulated=ProfileCounts.of(after),
        prediction=predict_filter(before, found, request),
        notices=after.notices,
    )


def runs_to_filter(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Choose one run per measurement point, the largest scale last; InputError if there is none."""
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
        return f"none - {reason}"
    largest = runs_to_filter(read.widest)[-1:] if read.runs else ()
    if reason := next(filter(None, (reasons.get(str(run.path)) for run in largest)), ""):
        return f"none - {reason}"
    if not read.runs or not {"time", "visits"} <= metrics:
        return "none - it needs measured visits and times"
    request = filter_request(options.filter, growing_regions(analysis))
    series = calibration_of(read.experiment) if read.widest == read.runs else None
    result = make_filter(largest, request, series)
    store_filter(path, result)
    return need_of_filter(result)


def verify_filter(path: Path, second: Path, options: Options, rules: Path | None = None) -> VerifiedFilter:
    """Compare a profile or a directory of runs with another one that was measured under a filter.

    The filter is that of a file, or the one that the options make from the first path.
    """
    if rules is not None:
        _require_no_series(options.filter)
    request = filter_request(options.filter)
    found, name, applied, skipped = _applied_rules(path, options, rules)
    points = []
    for pair in _pairs(runs_at(path, options.runs), runs_at(second)):
        full, reduced = (run.reader.read(run.path) for run in pair)
        points.append(verify(full, reduced, found))
    if request.applied is not None:
        applied = request.applied
    elif (by_hand := points[-1].at_compile_time) is not None:
        applied = Application.COMPILE_TIME if by_hand else Application.RUN_TIME
    elif filtered_at_run_time(reduced.source, reduced.attributes):
        applied = Application.RUN_TIME
    prediction = predict_filter(full, found, request)
    measured = measured_effect(
        evidence_from_profile(full),
        evidence_from_profile(reduced),
        prediction,
        applied=applied,
        baseline=request.baseline,
    )
    return VerifiedFilter(
        filter=name,
        agrees=all(one.agrees for one in points),
        points=tuple(points),
        prediction=prediction,
        measured=measured,
        skipped=skipped,
    )


def _applied_rules(
    path: Path, options: Options, rules: Path | None
) -> tuple[FilterRules, str, Application | None, tuple[Mapping[str, str], ...]]:
    """Return the filter, what to call it, where it is applied if that is known, and the skipped runs."""
    if rules is not None:
        return parse(read_filter(rules), where=str(rules)), str(rules), None, ()
    if Instrumenter(options.filter.to) is not Instrumenter.SCOREP:
        raise UsageError("only Score-P's filters can be verified", where="--verify", hint="omit --to")
    made, skipped = filter_of_path(path, options)
    return parse(made.text), f"made from {path} ({made.decision.method})", made.application, skipped


def _pairs(without: Sequence[Run], under: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Pair runs of the same measurement point; a single run of each is a pair whatever its name says."""
    first, second = runs_to_filter(without), runs_to_filter(under)
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    by_point = {run.parameters: run for run in second}
    pairs = [(run, by_point[run.parameters]) for run in first if run.parameters in by_point]
    if not pairs:
        raise InputError(
            "no measurement point is in both",
            where=str(second[0].path),
            hint="measure the same runs under the filter, or give one profile of each",
        )
    return pairs
