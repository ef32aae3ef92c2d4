"""The filter stage: from profiles to a proven filter file with its evidence beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from filters.budget import BudgetOutcome, decide_by_budget
from filters.cost import EventCost, calibrate_by_baseline, calibrate_by_pair
from filters.decision import Decision
from filters.evidence import RunEvidence, evidence_from_profile
from filters.evidence_file import evidence_json
from filters.explanation import costly_at_largest_scale
from filters.instrumenters import list_functions
from filters.memory import Memory, trace_memory
from filters.options import Application, Budget, FilterRequest, Instrumenter
from filters.overhead import Prediction, predict
from filters.paper_rule import decide_by_paper
from filters.scorep_format.patterns import escape
from filters.scorep_format.writer import merge_filters, write_filter
from ingest.discovery import Run
from ingest.errors import InputError
from ingest.readers import read_profile
from pipeline.models.analysis import Analysis, default_target, look_ahead
from pipeline.store.atomic import write_json, write_text

GENERATOR = "made by pipeline"


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterResult:
    """A made filter.

    Attributes:
        text: the content of the file, proven against all regions where it is one of Score-P's.
        decision: which regions are kept and why.
        prediction: its effect on the run of the largest scale.
        budget: how the budget was spent, if there was one.
        memory: what a trace of that run needs without and with the filter.
        evidence: all of it as plain data.
        usage: how to use the file, for other instrumenters than Score-P; FILE stands for its path.
    """

    text: str
    decision: Decision
    prediction: Prediction
    budget: BudgetOutcome | None
    memory: tuple[Memory, Memory]
    evidence: dict[str, Any]
    usage: str = ""

    @property
    def application(self) -> Application:
        """Where the filter is meant to be applied."""
        return self.budget.applied if self.budget else Application.RUN_TIME

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should know, a sentence each."""
        return tuple(self.evidence["notices"])


def make_filter(runs: Sequence[Run], request: FilterRequest) -> FilterResult:
    """Decide which regions are worth measuring and write the filter.

    Args:
        runs: the runs to decide from, the largest scale last.
        request: what the user decided.

    Raises:
        InputError: where a run has no visits or no time.
        UsageError: where numbers cannot be meant.
        FilterError: where the file would not decide a region as intended.
    """
    evidence = [evidence_from_profile(run.reader.read(run.path)) for run in runs[:-1]]
    largest = runs[-1].reader.read(runs[-1].path)
    evidence.append(evidence_from_profile(largest))
    cost = _event_cost(evidence[-1], request)
    decision, outcome = _decide(evidence, request, cost)
    predictions = [
        predict(run, decision.recorded(i), cost, request.baseline if i == len(evidence) - 1 else None)
        for i, run in enumerate(evidence)
    ]
    told = evidence_json(decision, predictions, outcome)
    told["notices"] += costly_at_largest_scale(decision, predictions[-1])
    text, usage, notices = _written(decision, request)
    told["notices"] += notices
    recorded = decision.recorded_regions(len(evidence) - 1)
    unfiltered, filtered = trace_memory(largest, np.stack([np.ones_like(recorded), recorded]))
    told["memory"] = {"unfiltered": vars(unfiltered), "filtered": vars(filtered)}
    return FilterResult(
        text=text,
        decision=decision,
        prediction=predictions[-1],
        budget=outcome,
        memory=(unfiltered, filtered),
        evidence=told,
        usage=usage,
    )


def _event_cost(largest: RunEvidence, request: FilterRequest) -> EventCost:
    default = EventCost()
    if request.event_cost is not None:
        filtered = default.filtered * request.event_cost / default.recorded
        return EventCost(request.event_cost, filtered, default.spread, "given")
    if request.reduced is not None:
        return calibrate_by_pair(largest, evidence_from_profile(read_profile(request.reduced)))
    if request.baseline is not None:
        return calibrate_by_baseline(largest, request.baseline)
    return default


def _decide(
    evidence: Sequence[RunEvidence], request: FilterRequest, cost: EventCost
) -> tuple[Decision, BudgetOutcome | None]:
    if isinstance(request.rule, Budget):
        return decide_by_budget(
            evidence, request.rule, overrides=request.overrides, cost=cost, baseline=request.baseline
        )
    return decide_by_paper(evidence, request.rule, request.overrides), None


def _written(decision: Decision, request: FilterRequest) -> tuple[str, str, list[str]]:
    """Return the content of the file, how to use it, and what to know about it."""
    if request.instrumenter is not Instrumenter.SCOREP:
        listed = list_functions(decision.regions, decision.kept, request.instrumenter)
        left = (
            [f"cannot be named in this list, so not decided: {', '.join(listed.left)}"] if listed.left else []
        )
        return listed.text, listed.usage, left
    file = write_filter(decision.regions, decision.kept, request.layout, (GENERATOR, decision.method))
    if request.merge is None or not request.merge.exists():
        return file.text, "", []
    existing = read_filter(request.merge)
    table = decision.regions.table
    merged = merge_filters(existing, file.text, table, file.plan.intended, where=str(request.merge))
    overruled = [name for name, on in zip(table.name, merged.overruled, strict=True) if on]
    told = [f"rules of {request.merge} decide otherwise about: {', '.join(overruled)}"] if overruled else []
    return merged.text, "", told


def read_filter(path: Path) -> str:
    """Return the content of a filter file; bytes that are no UTF-8 survive.

    Raises:
        InputError: where it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error


def store_filter(path: Path, result: FilterResult) -> None:
    """Write the filter file and its evidence beside it, as FILE.json."""
    write_text(path, result.text)
    write_json(path.with_name(path.name + ".json"), result.evidence)


def runs_to_filter(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Choose one run per measurement point, the largest scale last.

    Raises:
        InputError: where there is none.
    """
    first = {run.parameters: run for run in reversed(runs)}
    if not first:
        raise InputError("no profile to make a filter from", hint="give a profile or a directory of runs")
    return tuple(first[parameters] for parameters in sorted(first))


ENOUGH_POINTS = 3


def growing_regions(analysis: Analysis) -> tuple[str, ...]:
    """Return patterns for the regions that are coming bottlenecks, sorted; the filter protects them.

    They grow with a probability of at least 0.9 and have at least 1 % of the total at 4 times the largest
    scale. With fewer than three points nothing is said to grow.
    """
    if len(analysis.experiment.points) < ENOUGH_POINTS:
        return ()
    outlook = look_ahead(analysis, analysis.regions, default_target(analysis))
    names = [path[0] for path in analysis.regions.kernels.callpaths]
    coming = [name for name, flags in zip(names, outlook.flags, strict=True) if "coming_bottleneck" in flags]
    return tuple(sorted(escape(name) for name in coming))
