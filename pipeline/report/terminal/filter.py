"""What a filter does, in the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from filters.decision import Decision
from filters.explanation import DroppedRegion, dropped_regions
from filters.filter_effect import Dilation, FilterEffect
from filters.filter_options import Application
from filters.memory import Memory
from filters.overhead_budget import BudgetOutcome
from ingest.profile import Profile
from pipeline.report.filter_json import simulation_counts
from pipeline.report.terminal.tables import Column, named_table
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import count, figure, percent, quantity, shorten_middle, size

STAGES = (
    (None, "no filter"),
    (Application.RUN_TIME, "at run time"),
    (Application.COMPILE_TIME, "at compile time"),
)
COUNTS = {
    "callpaths": "call paths",
    "regions": "regions called",
    "visits": "visits",
    "time": "time in core-s",
}
DROPPED_SHOWN = 5
INCLUDED = (
    "It includes recorded visits and, at run time, the hooks of rejected ones; what is instrumented can no "
    "longer be inlined, which took a further 1 to 3 % where it was measured (LULESH)."
)


def effect_sentence(decision: Decision, prediction: FilterEffect) -> str:
    """Say in one sentence what a filter does to the run of the largest scale."""
    called = decision.regions.called
    if not called.any():
        return "nothing to filter: the profile has no compiler-instrumented or user regions"
    left = prediction.recorded / prediction.visits if prediction.visits else 1.0
    before, after = (percent(prediction.dilation(a).value - 1.0) for a in (None, Application.RUN_TIME))
    overhead = f"{after} with and without" if before == after else f"{before} without, {after} with"
    return (
        f"keeps {int((decision.kept & called).sum())} of {int(called.sum())} filterable regions, "
        f"{percent(left)} of {count(prediction.visits)} visits and "
        f"{percent(prediction.coverage)} of the computing time; "
        f"instrumentation overhead: {overhead} the filter"
    )


def show_effect(
    out: Console, decision: Decision, prediction: FilterEffect, budget: BudgetOutcome | None
) -> None:
    """Print visits, overhead and dilation without the filter, at run time and at compile time."""
    out.print(Text(f"Filter: {effect_sentence(decision, prediction)}"), soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("recorded visits", "overhead", "dilation", "range"):
        table.add_column(name, justify="right", no_wrap=True)
    for applied, name in STAGES:
        visits = prediction.recorded_visits(applied)
        overhead = quantity(prediction.overhead(applied), "core-s")
        dilation = prediction.dilation(applied)
        table.add_row(name, count(visits), overhead, dilation_text(dilation.value), _range(dilation))
    out.print(table)
    if budget is not None:
        _show_budget(out, budget)
    dropped = dropped_regions(decision, prediction, count=DROPPED_SHOWN)
    if dropped:
        _show_dropped(out, dropped)


def dilation_text(value: float) -> str:
    """Write a dilation: four decimals below two, where 1.0030 is 0.3 % of overhead."""
    return f"{value:.4f}" if value < 2.0 else figure(value)


def with_range(dilation: Dilation) -> str:
    """Write a dilation and the range in which it lies."""
    return f"{dilation_text(dilation.value)} ({_range(dilation)})"


def _range(dilation: Dilation) -> str:
    return f"{dilation_text(dilation.low)} .. {dilation_text(dilation.high)}"


def _show_budget(out: Console, budget: BudgetOutcome) -> None:
    verdict = "met" if budget.met else "not met"
    out.print(
        f"Budget {percent(budget.budget.overhead)} {verdict}, applied at {budget.applied.value}: predicted "
        f"{percent(max(budget.overhead))}; "
        f"the selection is within {percent(budget.packing.gap)} of the optimum",
        soft_wrap=True,
    )
    out.print(INCLUDED, soft_wrap=True)


def _show_dropped(out: Console, dropped: tuple[DroppedRegion, ...]) -> None:
    out.print("Largest dropped regions; their time is attributed to the caller:")
    heirs = [shown_name(region.attributed_to) if region.attributed_to else "none" for region in dropped]
    columns = [
        Column(header="share", cells=[percent(region.share) for region in dropped]),
        Column(header="visits", cells=[count(region.visits) for region in dropped]),
        Column(
            header="attributed to",
            cells=[shorten_middle(heir, out.width // 3) for heir in heirs],
            justify="left",
        ),
    ]
    names = [shown_name(region.region) for region in dropped]
    table = named_table(
        "region", lambda width: [shorten_middle(name, width) for name in names], columns, width=out.width
    )
    out.print(table)


def _simulated(key: str, value: float) -> str:
    return figure(value, 5) if key == "time" else f"{value:,.0f}"


def show_memory(out: Console, before: Memory, after: Memory) -> None:
    """Print the trace memory of a process before and after."""
    out.print(
        f"Trace memory per process: {size(before.max_buf)}, with the filter {size(after.max_buf)}; "
        f"SCOREP_TOTAL_MEMORY={-(-after.total_memory // 2**20)}M",
        soft_wrap=True,
    )


def show_simulation(out: Console, before: Profile, after: Profile, prediction: FilterEffect) -> None:
    """Print what a profile would look like under a filter: exact counts of regions, call paths and visits."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("measured", "with the filter"):
        table.add_column(name, justify="right", no_wrap=True)
    counts = [simulation_counts(profile) for profile in (before, after)]
    for key, title in COUNTS.items():
        table.add_row(title, *(_simulated(key, found[key]) for found in counts))
    out.print(table)
    if prediction.by_hand:
        out.print(
            f"At compile time {prediction.by_hand:,.0f} more visits are recorded, of regions instrumented "
            "by hand.",
            soft_wrap=True,
        )
    for applied, name in STAGES:
        out.print(f"predicted dilation, {name}: {with_range(prediction.dilation(applied))}", soft_wrap=True)
    out.print("The times include the overhead that the filter would remove.", style="dim")
