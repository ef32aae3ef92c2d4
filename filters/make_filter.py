"""A filter made from profiles: which regions are kept, verified rules, what it does, and the evidence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from filters.correction import OTHER_RUNS, contradiction_of_times
from filters.decision import Decision, Motive, override_notices
from filters.event_cost import EventCost, calibrated, usual_cost, visited
from filters.evidence import FilterRegions, RunEvidence, by_hand, evidence_from_profile
from filters.explanation import FilterEvidence, costly_at_largest_scale, filter_evidence
from filters.filter_effect import FilterEffect, Memory, estimate_plain_time, measurable, predict, trace_memory
from filters.filter_options import ACCEPTABLE, Application, Budget, FilterRequest, Instrumenter
from filters.instrumentation import filtered_at_run_time
from filters.known_plain import KnownPlain, joined, plain_by_pair, plain_by_run_time
from filters.overhead_budget import BudgetOutcome, decide_by_budget
from filters.paper_rule import decide_by_paper
from filters.scorep_format.rule_files import FilterRules, kept
from filters.scorep_format.writer import merge_filters, write_filter
from ingest.arrays import BoolArray
from ingest.cpp_names import parse_signature, short_list, short_name
from ingest.discovery import Run
from ingest.errors import InputError
from ingest.number_text import percent
from ingest.profile import Profile
from ingest.readers import read_profile
from ingest.reading.packed import open_regular
from ingest.run_settings import not_instrumented

_GCC_OPTION = "-finstrument-functions-exclude-function-list="
_LOCAL = re.compile(r"[{}]|\(anonymous|<lambda")
_TAU_UNNAMEABLE = re.compile(r"[#?\"\n]")
_XRAY_NAME = re.compile(r"[\w.$]+", re.ASCII)
GIVEN_SPREAD = 0.1  # of the logarithm of a cost that is given
_GENERATOR = "made by pipeline"


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterResult:
    """A made filter."""

    text: str  # the content of the file; one for Score-P is verified against all regions
    decision: Decision
    application: Application  # where the filter is to be applied
    prediction: FilterEffect  # its effect on the run of the largest scale
    memory: Memory  # what a trace of that run needs without and with the filter
    evidence: FilterEvidence  # all of it, and how the budget was spent, if there was one
    usage: str = ""  # how other instrumenters than Score-P use the file; FILE stands for its path

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should know, one sentence each."""
        return self.evidence.notices


@dataclass(frozen=True)
class SeriesCalibration:
    """What a series of runs says about overhead; `plain` is of the first repetition of the largest scale."""

    cost: EventCost
    plain: KnownPlain


def make_filter(
    runs: Sequence[Run], request: FilterRequest, series: SeriesCalibration | None = None
) -> FilterResult:
    """Decide which regions are worth measuring, from runs, the largest scale last, and write the filter.

    `series` is what all runs of the series say about overhead; None if they are not a series or have little.
    """
    largest = runs[-1].reader.read(runs[-1].path)
    if reason := not_instrumented(largest.attributes):
        raise InputError(f"no filter is made: {reason}", where=str(runs[-1].path))
    evidence = [evidence_from_profile(run.reader.read(run.path)) for run in runs[:-1]]
    evidence.append(evidence_from_profile(largest))
    cost, known = _calibration(evidence[-1], request) if series is None else (series.cost, series.plain)
    request, unclear = _with_measurable_growth(evidence[-1], request, cost, known)
    made = _decide(evidence, request, cost, known)
    decision, predictions = made.decision, made.predictions
    text, usage, about_file = _written(decision, request)
    recorded = decision.recorded_regions(len(evidence) - 1)
    if made.application is Application.COMPILE_TIME:
        recorded = recorded | by_hand(largest.regions)
    memory = Memory(*trace_memory(largest, np.stack([np.ones_like(recorded), recorded])))
    contradicted = "" if series else contradiction_of_times(visited(evidence[-1]), known)
    notices = [
        *([f"by the plain time given {contradicted}: {OTHER_RUNS}"] if contradicted else []),
        *costly_at_largest_scale(decision, predictions[-1]),
        *override_notices(decision, request.overrides),
        *_protection_notices(decision, unclear),
        *about_file,
    ]
    return FilterResult(
        text=text,
        decision=decision,
        application=made.application,
        prediction=predictions[-1],
        memory=memory,
        evidence=filter_evidence(decision, predictions, made.outcome, notices=notices, memory=memory),
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
        if reason == Motive.GROWING
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
    run, known = visited(largest), []
    cost = None
    if request.reduced is not None:
        profile = read_profile(request.reduced)
        fewer = visited(evidence_from_profile(profile))
        at_run_time = filtered_at_run_time(profile.source, profile.attributes)
        plain, cost = plain_by_pair(run, fewer, profile.source, at_run_time=at_run_time)
        known.append(plain)
    if request.event_cost is not None:
        cost = calibrated(request.event_cost, GIVEN_SPREAD, "given")
    if request.baseline is not None:
        seconds, wall = np.array([request.baseline]), np.array([largest.wall])
        known.append(plain_by_run_time(run, seconds, wall, "--baseline-time"))
    return cost or usual_cost(run), joined(known)


@dataclass(frozen=True, eq=False)
class _Made:
    """A decision, where it is applied, how a budget was spent, and the effects on the runs."""

    decision: Decision
    application: Application
    outcome: BudgetOutcome | None
    predictions: list[FilterEffect]


def _decide(
    evidence: Sequence[RunEvidence], request: FilterRequest, cost: EventCost, known: KnownPlain | None
) -> _Made:
    """Decide by the rule that is asked for; by a budget if that of the paper would leave much overhead."""

    def effects(decision: Decision) -> list[FilterEffect]:
        last = len(evidence) - 1
        return [
            predict(run, decision.recorded(i), cost, known if i == last else None)
            for i, run in enumerate(evidence)
        ]

    def within(budget: Budget, *, with_growing: bool = False) -> tuple[Decision, BudgetOutcome]:
        asked = request.overrides
        return decide_by_budget(
            evidence, budget, overrides=asked, cost=cost, known=known, with_growing=with_growing
        )

    if isinstance(request.rule, Budget):
        decision, outcome = within(request.rule)
        return _Made(decision, outcome.applied, outcome, effects(decision))
    decision = decide_by_paper(evidence, request.rule, request.overrides, cost=cost, known=known)
    by_rule = effects(decision)
    left = {applied: max(one.dilation.at(applied).value for one in by_rule) - 1.0 for applied in Application}
    asked = (request.applied,) if request.applied else tuple(Application)
    for applied in asked:
        if left[applied] <= ACCEPTABLE:
            return _Made(decision, applied, None, by_rule)
    if request.rule.paper_exact:
        return _Made(decision, asked[0], None, by_rule)
    shares = " and ".join(f"{percent(share)} at {applied.value}" for applied, share in left.items())
    notices = [
        f"the rule of the paper alone would leave an overhead of {shares}, so regions are selected within "
        f"{percent(ACCEPTABLE)}: --max-overhead sets another budget, --paper-exact keeps to the rule"
    ]
    decision, outcome = within(Budget(ACCEPTABLE, request.applied), with_growing=True)
    if not outcome.met:
        decision, outcome = within(Budget(ACCEPTABLE, request.applied))
    if not outcome.met:  # keeping nothing else would measure nothing
        least = outcome.largest
        decision, outcome = within(Budget(least + ACCEPTABLE, outcome.applied))
        notices.append(
            f"what must be recorded and, at run time, the hooks of rejected visits take {percent(least)}, so "
            f"regions are selected within {percent(ACCEPTABLE)} beyond that"
        )
    decision = replace(decision, notices=(*notices, *decision.notices))
    return _Made(decision, outcome.applied, outcome, effects(decision))


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
    file = write_filter(decision.regions, decision.kept, request.layout, (_GENERATOR, decision.method))
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
    """Return the content of a filter file, also bytes that are not UTF-8; InputError if it is unreadable."""
    try:
        with TextIOWrapper(open_regular(path), "utf-8", "surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error


def predict_filter(profile: Profile, rules: FilterRules, request: FilterRequest) -> FilterEffect:
    """Predict the effect of any filter on a run, with the cost of an event that was requested."""
    run = evidence_from_profile(profile)
    recorded = kept(rules, run.regions)[run.tree.region]
    return predict(run, recorded, *_calibration(run, request))


@dataclass(frozen=True)
class FunctionList:
    """A list of functions in the language of an instrumenter."""

    text: str
    # displayed names of the functions that it does not decide as intended: the instrumenter's language cannot
    # name them without affecting others
    left: tuple[str, ...]
    usage: str  # how to use the file, with FILE for its path


def list_functions(regions: FilterRegions, kept: BoolArray, instrumenter: Instrumenter) -> FunctionList:
    """List the functions that the compiler instrumented and were called; `kept`, bool[R], are measured."""
    compiler = np.array([paradigm == "compiler" for paradigm in regions.table.paradigm], dtype=np.bool_)
    write = {Instrumenter.TAU: _tau, Instrumenter.GCC: _gcc, Instrumenter.XRAY: _xray}[instrumenter]
    listed = compiler & regions.called
    names = list(zip(regions.table.name, regions.table.mangled, strict=True))
    wanted = [names[i] for i in np.flatnonzero(listed & kept).tolist()]
    return write(wanted, [names[i] for i in np.flatnonzero(listed & ~kept).tolist()])


def _gcc(kept: list[tuple[str, str]], dropped: list[tuple[str, str]]) -> FunctionList:
    """Write a response file without functions that have no name of their own (lambdas, anonymous namespaces).

    GCC looks for the entries anywhere in the qualified name without parameters; commas in an entry are
    escaped.
    """
    protected = "\n".join(parse_signature(name).without_parameters for name, _ in kept)
    entries, left = [], []
    for name, _ in dropped:
        entry = short_name(name)
        if entry not in name or _LOCAL.search(name) or entry in protected:
            left.append(name)
        else:
            entries.append(entry.replace(",", "\\,"))
    option = _GCC_OPTION + ",".join(dict.fromkeys(entries))
    quoted = option.replace("\\", "\\\\").replace('"', '\\"')
    text = f'"{quoted}"\n' if entries else ""
    return FunctionList(text, tuple(left), "g++ -finstrument-functions @FILE ...")


def _tau(kept: list[tuple[str, str]], dropped: list[tuple[str, str]]) -> FunctionList:
    """Write a select file with the shorter of the two lists; `#` is TAU's wildcard."""
    verb, listed, others = (
        ("INCLUDE", kept, dropped) if len(kept) <= len(dropped) else ("EXCLUDE", dropped, kept)
    )
    avoided = "\n".join(name for name, _ in others)
    whole = {name for name, _ in others}
    entries, left = [], []
    for name, _ in listed:
        beginning = f"{short_name(name)}("
        clear = beginning in name and beginning not in avoided
        if clear and not _TAU_UNNAMEABLE.search(beginning) and not _LOCAL.search(name):
            entries.append(f'"#{beginning}#"')
        elif name not in whole and not _TAU_UNNAMEABLE.search(name):
            entries.append(name)
        else:
            left.append(name)
    lines = [f"BEGIN_{verb}_LIST", *dict.fromkeys(entries), f"END_{verb}_LIST"] if listed else []
    text = "".join(f"{line}\n" for line in lines)
    return FunctionList(text, tuple(left), "tau_cxx.sh -optTauSelectFile=FILE ...")


def _xray(kept: list[tuple[str, str]], dropped: list[tuple[str, str]]) -> FunctionList:
    """Write an attribute list of mangled names, escaped for globs and regular expressions alike."""
    lines, left = [], []
    for section, listed in (("always", kept), ("never", dropped)):
        lines.append(f"[{section}]")
        for name, mangled in listed:
            if _XRAY_NAME.fullmatch(mangled):
                lines.append("fun:" + re.sub(r"[.$]", r"\\\g<0>", mangled))
            else:
                left.append(name)
    text = "".join(f"{line}\n" for line in lines)
    return FunctionList(text, tuple(left), "clang++ -fxray-instrument -fxray-attr-list=FILE ...")
