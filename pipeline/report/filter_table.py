"""What a filter does, for the terminal."""

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from filters.budget import BudgetOutcome
from filters.decision import Decision
from filters.explanation import dropped_regions
from filters.memory import Memory
from filters.options import Application
from filters.overhead import Dilation, Prediction
from ingest.cpp_names import short_name
from ingest.profile import Profile
from pipeline.report.names import shorten_middle
from pipeline.report.quantities import count, figure, percent, size

STAGES = (
    (None, "no filter"),
    (Application.RUN_TIME, "at run time"),
    (Application.COMPILE_TIME, "at compile time"),
)
NAME_WIDTH = 48


def effect_sentence(decision: Decision, prediction: Prediction) -> str:
    """Say in one sentence what a filter does to the run of the largest scale."""
    called = decision.regions.called
    if not called.any():
        return "nothing to filter: the profile has no compiler-instrumented or user regions"
    left = prediction.recorded / prediction.visits if prediction.visits else 1.0
    return (
        f"keeps {int((decision.kept & called).sum())} of {int(called.sum())} filterable regions, "
        f"{percent(left)} of {count(prediction.visits)} visits and "
        f"{percent(prediction.coverage)} of the computing time; measuring takes "
        f"{percent(_share(prediction, Application.RUN_TIME))} instead of {percent(_share(prediction, None))}"
    )


def _share(prediction: Prediction, applied: Application | None) -> float:
    return prediction.dilation(applied).value - 1.0


def show_effect(
    out: Console, decision: Decision, prediction: Prediction, budget: BudgetOutcome | None
) -> None:
    """Print visits, overhead and dilation without the filter, at run time and at compile time."""
    out.print(Text(f"Filter: {effect_sentence(decision, prediction)}"), soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("recorded visits", "overhead core-s", "dilation", "range"):
        table.add_column(name, justify="right", no_wrap=True)
    for applied, name in STAGES:
        visits = prediction.visits if applied is None else prediction.recorded
        dilation = prediction.dilation(applied)
        table.add_row(name, count(visits), figure(prediction.overhead(applied)), *_dilation(dilation))
    out.print(table)
    if budget is not None:
        _show_budget(out, budget)
    _show_given_up(out, decision, prediction)


def _dilation(dilation: Dilation) -> tuple[str, str]:
    value, low, high = (
        f"{x:.4f}" if x < 2.0 else f"{x:.3g}" for x in (dilation.value, dilation.low, dilation.high)
    )
    return value, f"{low} .. {high}"


def _show_budget(out: Console, budget: BudgetOutcome) -> None:
    verdict = "met" if budget.met else "not met"
    out.print(
        f"Budget {percent(budget.budget.overhead)} {verdict}, applied at {budget.applied.value}: predicted "
        f"{percent(max(budget.overhead))}; the choice is within {percent(budget.packing.gap)} of the best",
        soft_wrap=True,
    )


def _show_given_up(out: Console, decision: Decision, prediction: Prediction) -> None:
    lost = dropped_regions(decision, prediction, count=5)
    if not lost:
        return
    out.print("Given up, their time is told of the caller:")
    table = Table(box=None, pad_edge=False)
    table.add_column("region", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("visits", justify="right", no_wrap=True)
    table.add_column("told of", no_wrap=True)
    for entry in lost:
        heir = short_name(entry.attributed_to) if entry.attributed_to else "nobody"
        names = (shorten_middle(short_name(entry.region), NAME_WIDTH), shorten_middle(heir, NAME_WIDTH))
        table.add_row(Text(names[0]), percent(entry.share), count(entry.visits), Text(names[1]))
    out.print(table)


def show_memory(out: Console, before: Memory, after: Memory) -> None:
    """Print the trace memory of a process before and after."""
    out.print(
        f"Trace memory per process: {size(before.max_buf)}, with the filter {size(after.max_buf)}; "
        f"SCOREP_TOTAL_MEMORY={-(-after.total_memory // 2**20)}M",
        soft_wrap=True,
    )


def show_simulation(out: Console, before: Profile, after: Profile, prediction: Prediction) -> None:
    """Print what a profile would look like under a filter: regions, call paths, visits and time."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("measured", "under the filter"):
        table.add_column(name, justify="right", no_wrap=True)
    for title, values in (
        ("call paths", (len(before.tree), len(after.tree))),
        ("regions called", tuple(len(np.unique(p.tree.region)) for p in (before, after))),
        ("visits", tuple(float(p.values("visits").sum()) for p in (before, after))),
    ):
        table.add_row(title, *(count(value) for value in values))
    seconds = (float(p.values("time").sum()) for p in (before, after))
    table.add_row("time in core-s", *(figure(value, 5) for value in seconds))
    out.print(table)
    for applied, name in STAGES:
        value, limits = _dilation(prediction.dilation(applied))
        out.print(f"predicted dilation, {name}: {value} ({limits})", soft_wrap=True)
    out.print("the time shown still holds the overhead that the filter would save", style="dim")
