"""A campaign in the terminal: its plan, how far it is, and what it answers."""

from collections.abc import Iterable, Sequence

from rich.console import Console

from pipeline.columns.campaigns import (
    ShownCampaign,
    ShownRun,
    answer_sentences,
    cost_sentence,
    done_sentence,
    order_sentence,
    rounds_table,
    runs_table,
    scales_table,
    status_sentences,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import show_table
from pipeline.wording.quantities import counted

_MOST_FAILED = 10


def show_plan(out: Console, summary: ShownCampaign, limit: int) -> None:
    """Print what the runs cost, then those of the last round in their order."""
    rounds = len(summary.rounds)
    if summary.question is None:
        _show(out, [order_sentence(summary), cost_sentence(summary)])
    runs = [run for run in summary.runs if summary.question is None or run.round == rounds]
    show_table(out, runs_table(runs[:limit]))
    if len(runs) > limit:
        show_sentence(out, f"{counted(len(runs) - limit, 'more run')}: see --limit")
    if summary.question is None:
        show_sentence(out, _way_on(summary))
        return
    show_rounds(out, summary)
    if not summary.ending:
        show_sentence(out, "The next round follows from what this one says: `pipeline campaign loop`")


def show_status(out: Console, summary: ShownCampaign) -> None:
    """Print how many runs of every scale are in which state, what they took, and why runs failed."""
    show_sentence(out, f"{done_sentence(summary)} {cost_sentence(summary)}")
    show_table(out, scales_table(summary))
    _show(out, status_sentences(summary))
    _show_failed(out, [run for run in summary.runs if run.status == "failed"])
    show_sentence(out, _way_on(summary))


def _way_on(summary: ShownCampaign) -> str:
    """Say which command comes next; empty while runs are under way, or after the last round."""
    if summary.counts["submitted"] or summary.counts["running"] or summary.ending:
        return ""
    if summary.question is not None:
        return "Next: pipeline campaign loop"
    if summary.counts["planned"]:
        return "Next: pipeline campaign submit"
    if summary.counts["failed"]:
        return "Next: correct what failed, then pipeline campaign submit --failed"
    done = summary.counts["done"] == len(summary.runs)
    return "Next: pipeline run profiles" if done else ""


def show_rounds(out: Console, summary: ShownCampaign) -> None:
    """Print the rounds with what they were to cost and to reach, then the answer."""
    show_table(out, rounds_table(summary))
    show_sentence(out, cost_sentence(summary))
    _show(out, answer_sentences(summary))


def _show(out: Console, sentences: Iterable[str]) -> None:
    for sentence in sentences:
        show_sentence(out, sentence)


def _show_failed(out: Console, failed: Sequence[ShownRun]) -> None:
    for run in failed[:_MOST_FAILED]:
        show_sentence(out, f"{run.name} failed: {run.reason}")
        for line in run.log:
            show_sentence(out, f"  {line}")
    if len(failed) > _MOST_FAILED:
        show_sentence(out, f"{counted(len(failed) - _MOST_FAILED, 'more run')} failed: see --json")
