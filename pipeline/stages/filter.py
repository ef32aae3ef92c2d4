"""The filter stage: from profiles to a verified filter file with its evidence beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from filters.decision import Decision, Reason, override_notices
from filters.event_cost import (
    EventCost,
    calibrate_by_leaves,
    calibrate_by_pair,
    calibrated,
    plain_by_baseline,
    plain_by_pair,
    visited,
)
from filters.evidence import RunEvidence, by_hand, evidence_from_profile
from filters.explanation import costly_at_largest_scale, evidence_json
from filters.filter_effect import FilterEffect, estimate_plain_time, measurable, predict
from filters.filter_options import Application, Budget, FilterRequest, Form, Instrumenter, Layout, Overrides
from filters.instrumenters import list_functions
from filters.memory import Memory, trace_memory
from filters.overhead_budget import BudgetOutcome, decide_by_budget
from filters.paper_rule import decide_by_paper
from filters.plain_time import KnownPlain
from filters.scorep_format.rules import FilterRules, kept, parse
from filters.scorep_format.writer import merge_filters, write_filter
from filters.simulation import simulate
from ingest.cpp_names import short_list
from ingest.discovery import Discovery, Run
from ingest.errors import InputError, UsageError
from ingest.locate import Located, locate
from ingest.profile import Profile
from ingest.readers import read_profile
from ingest.run_names import RunSpec
from ingest.run_settings import not_instrumented
from pipeline.config.options import FilterOptions, Options
from pipeline.questions.analysis import Analysis, default_target, look_ahead
from pipeline.stages.ingest import ingest, skipped_entry
from pipeline.stages.model import modelled
from pipeline.stages.overhead import GIVEN_SPREAD, SeriesCalibration, calibration_of, true_times
from pipeline.store.atomic import write_json, write_text

GENERATOR = "made by pipeline"


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterResult:
    """A made filter.

    Attributes:
        text: the content of the file; one for Score-P is verified against all regions.
        decision: which regions are kept and why.
        prediction: its effect on the run of the largest scale.
        budget: how the budget was spent, if there was one.
        memory: what a trace of that run needs without and with the filter.
        evidence: all of it as plain data.
        usage: how other instrumenters than Score-P use the file; FILE stands for its path.
    """

    text: str
    decision: Decision
    prediction: FilterEffect
    budget: BudgetOutcome | None
    memory: tuple[Memory, Memory]
    evidence: dict[str, Any]
    usage: str = ""

    @property
    def application(self) -> Application:
        """The stage of instrumentation at which the filter is applied."""
        return self.budget.applied if self.budget else Application.RUN_TIME

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should know, one sentence each."""
        return tuple(self.evidence["notices"])


def filter_request(options: FilterOptions, growing: tuple[str, ...] = ()) -> FilterRequest:
    """Translate the options of a filter into what the filter stage takes.

    Args:
        options: what the user gave.
        growing: names of regions to protect because their models grow.

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


def make_filter(
    runs: Sequence[Run], request: FilterRequest, series: SeriesCalibration | None = None
) -> FilterResult:
    """Decide which regions are worth measuring and write the filter.

    Args:
        runs: the runs to decide from, the largest scale last.
        request: what the user decided.
        series: what all runs of the series say about overhead; None if they are not a series or have little.

    Raises:
        InputError: a run has no visits or no time, or is a log.
        UsageError: a number is invalid.
        FilterError: the file would not decide a region as intended.
    """
    evidence = [evidence_from_profile(run.reader.read(run.path)) for run in runs[:-1]]
    largest = runs[-1].reader.read(runs[-1].path)
    if reason := not_instrumented(largest.attributes):
        raise InputError(f"no filter is made: {reason}", where=str(runs[-1].path))
    evidence.append(evidence_from_profile(largest))
    cost, known = _calibration(evidence[-1], request) if series is None else (series.cost, series.plain)
    request, unclear = _with_measurable_growth(evidence[-1], request, cost, known)
    decision, outcome = _decide(evidence, request, cost, known)
    predictions = [
        predict(run, decision.recorded(i), cost, known if i == len(evidence) - 1 else None)
        for i, run in enumerate(evidence)
    ]
    content = evidence_json(decision, predictions, outcome)
    content["notices"] += costly_at_largest_scale(decision, predictions[-1])
    text, usage, notices = _written(decision, request)
    content["notices"] += override_notices(decision, request.overrides)
    content["notices"] += [*_protection_notices(decision, unclear), *notices]
    recorded = decision.recorded_regions(len(evidence) - 1)
    if outcome is not None and outcome.applied is Application.COMPILE_TIME:
        recorded = recorded | by_hand(largest.regions)
    unfiltered, filtered = trace_memory(largest, np.stack([np.ones_like(recorded), recorded]))
    content["memory"] = {"unfiltered": vars(unfiltered), "filtered": vars(filtered)}
    return FilterResult(
        text=text,
        decision=decision,
        prediction=predictions[-1],
        budget=outcome,
        memory=(unfiltered, filtered),
        evidence=content,
        usage=usage,
    )


def _with_measurable_growth(
    largest: RunEvidence, request: FilterRequest, cost: EventCost, known: KnownPlain | None
) -> tuple[FilterRequest, tuple[str, ...]]:
    """Return the request without growing regions that are mostly overhead, and their names."""
    growing = request.overrides.growing
    if not growing:  # most requests: spare the estimate of the plain time
        return request, ()
    clear_regions = measurable(largest, estimate_plain_time(largest, cost, known))
    clear_of_overhead = dict(zip(largest.regions.name, clear_regions.tolist(), strict=True))
    clear = tuple(name for name in growing if clear_of_overhead.get(name, True))
    overrides = replace(request.overrides, growing=clear)
    return replace(request, overrides=overrides), tuple(name for name in growing if name not in clear)


def _protection_notices(decision: Decision, unclear: Sequence[str]) -> list[str]:
    """Name the regions that are kept because they grow, and those whose growth is that of the overhead."""
    protected = [
        name
        for name, reason in zip(decision.regions.table.name, decision.reason.tolist(), strict=True)
        if reason == Reason.GROWING
    ]
    found = []
    if protected:
        names = short_list(protected)
        found.append(
            f"kept because their time grows with the scale: {names}; --no-protect-growing lifts this"
        )
    if unclear:
        found.append(f"growing, but mostly instrumentation overhead, so not protected: {short_list(unclear)}")
    return found


def _calibration(largest: RunEvidence, request: FilterRequest) -> tuple[EventCost, KnownPlain | None]:
    """Return the cost of a visit, and the plain computing time of the largest scale if it is known."""
    if request.event_cost is not None:
        cost = calibrated(request.event_cost, GIVEN_SPREAD, "given")
    elif request.reduced is not None:
        reduced = evidence_from_profile(read_profile(request.reduced))
        return calibrate_by_pair(largest, reduced), KnownPlain(plain_by_pair(largest, reduced))
    else:
        cost = calibrate_by_leaves(visited(largest))
    if request.baseline is None:
        return cost, None
    return cost, KnownPlain(plain_by_baseline(largest, request.baseline))


def _decide(
    evidence: Sequence[RunEvidence], request: FilterRequest, cost: EventCost, known: KnownPlain | None
) -> tuple[Decision, BudgetOutcome | None]:
    if isinstance(request.rule, Budget):
        return decide_by_budget(evidence, request.rule, overrides=request.overrides, cost=cost, known=known)
    return decide_by_paper(evidence, request.rule, request.overrides, cost=cost, known=known), None


def _written(decision: Decision, request: FilterRequest) -> tuple[str, str, list[str]]:
    """Return the content of the file, how to use it, and notices about it."""
    if request.instrumenter is not Instrumenter.SCOREP:
        listed = list_functions(decision.regions, decision.kept, request.instrumenter)
        left = (
            [f"left out, since the list cannot name them unambiguously: {', '.join(listed.left)}"]
            if listed.left
            else []
        )
        return listed.text, listed.usage, left
    file = write_filter(decision.regions, decision.kept, request.layout, (GENERATOR, decision.method))
    if request.merge is None or not request.merge.exists():
        return file.text, "", []
    existing = read_filter(request.merge)
    table = decision.regions.table
    merged = merge_filters(existing, file.text, table, file.plan.intended, where=str(request.merge))
    overruled = [name for name, on in zip(table.name, merged.overruled, strict=True) if on]
    notices = (
        [f"rules of {request.merge} override the decision about: {', '.join(overruled)}"] if overruled else []
    )
    return merged.text, "", notices


def read_filter(path: Path) -> str:
    """Return the content of a filter file; bytes that are not UTF-8 survive.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error


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


def predict_filter(profile: Profile, rules: FilterRules, request: FilterRequest) -> FilterEffect:
    """Predict the effect of any filter on a run, with the cost of an event that was requested.

    Raises:
        InputError: the run has no visits or no time.
        UsageError: a number is invalid.
    """
    run = evidence_from_profile(profile)
    recorded = kept(rules, run.regions)[run.tree.region]
    return predict(run, recorded, *_calibration(run, request))


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
