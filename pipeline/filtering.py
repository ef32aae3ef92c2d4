"""The filter stage: from profiles to a proven Score-P filter file with its evidence beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filters.decision import Decision, decide_by_paper
from filters.evidence import evidence_from_profile
from filters.layout import Form, Layout
from filters.paper_rule import PaperRule
from filters.summary import evidence_json
from filters.wishes import Wishes
from filters.writer import write_filter
from ingest.discovery import Run
from ingest.errors import InputError
from pipeline.report.quantities import figure, percent
from pipeline.store.atomic import write_json, write_text

GENERATOR = "made by pipeline"


@dataclass(frozen=True, eq=False)
class FilterResult:
    """A written filter.

    Attributes:
        text: the content of the filter file, proven against all regions.
        evidence: why each region is kept or dropped, as plain data.
        effect: one sentence for the user.
    """

    text: str
    evidence: dict[str, Any]
    effect: str


def make_filter(
    runs: Sequence[Run],
    rule: PaperRule,
    wishes: Wishes | None = None,
    form: Form = Form.SHORTER,
) -> FilterResult:
    """Decide by the rule of the paper and write the filter.

    Args:
        runs: the runs to decide from, the largest scale last.
        rule: the numbers of the rule.
        wishes: what to keep or to drop whatever the rule says.
        form: include list or exclude list.

    Raises:
        InputError: where a run has no visits or no time.
        FilterError: where the file would not decide a region as intended.
    """
    evidence = [evidence_from_profile(run.reader.read(run.path)) for run in runs]
    decision = decide_by_paper(evidence, rule, wishes)
    header = (GENERATOR, decision.method)
    file = write_filter(decision.regions, decision.kept, Layout(form), header)
    return FilterResult(file.text, evidence_json(decision), effect_of(decision))


def effect_of(decision: Decision) -> str:
    """Say in one sentence what the filter does to the last run."""
    last = len(decision.runs) - 1
    run, measured = decision.runs[last], decision.recorded(last)
    called = decision.regions.called
    if not called.any():
        return "nothing to filter: the profile has no compiler-instrumented or user regions"
    visits, time = run.visits.sum(), run.time.sum()
    left = run.visits[measured].sum() / visits if visits > 0 else 1.0
    share = run.time[measured].sum() / time if time > 0 else 1.0
    return (
        f"keeps {int((decision.kept & called).sum())} of {int(called.sum())} filterable regions, "
        f"{percent(left)} of {figure(visits)} visits and {percent(share)} of the time at the largest scale"
    )


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
        raise InputError("no profile to make a filter from", mend="give a profile or a directory of runs")
    return tuple(first[parameters] for parameters in sorted(first))
