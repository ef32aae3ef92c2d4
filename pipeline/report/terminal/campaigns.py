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
    """Print the runs in their order, of several rounds the last ones; then what they cost."""
    rounds = len(summary.rounds)
    runs = [run for run in summary.runs if summary.question is None or run.round == rounds]
    show_table(out, runs_table(runs[:limit]))
    if len(runs) > limit:
        show_sentence(out, f"{counted(len(runs) - limit, 'more run')}: see --limit")
    if summary.question is None:
        _show(out, [order_sentence(summary), cost_sentence(summary)])
        return
    show_rounds(out, summary)
    if not summary.ending:
        show_sentence(out, "The next round follows from what this one says: `pipeline campaign loop`")


def show_status(out: Console, summary: ShownCampaign) -> None:
    """Print how many runs of every scale are in which state, what they took, and why runs failed."""
    show_table(out, scales_table(summary))
    _show(out, status_sentences(summary))
    _show_failed(out, [run for run in summary.runs if run.status == "failed"])
    show_sentence(out, f"{done_sentence(summary)} {cost_sentence(summary)}")


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
