"""What a filter does, and what it did, in the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from filters.explanation import dropped_regions
from filters.filter_effect import MeasuredEffect
from filters.filter_verification import CallPathDifference
from filters.make_filter import FilterResult
from filters.memory import Memory
from filters.overhead_budget import BudgetOutcome
from pipeline.columns.filter_effects import (
    STAGES,
    SimulatedFilter,
    VerifiedFilter,
    differences_table,
    disagreements,
    dropped_table,
    effect_table,
    measured_effect_table,
    simulation_table,
    verification_table,
    with_range,
)
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import count, percent, quantity, size, value_text

_DROPPED_SHOWN = 5
_INCLUDED = (
    "It includes recorded visits and, at run time, the hooks of rejected ones; what is instrumented can no "
    "longer be inlined, which took a further 1 to 3 % where it was measured (LULESH)."
)


def effect_sentence(made: FilterResult) -> str:
    """Say in one sentence what a filter does to the run of the largest scale."""
    decision, prediction, applied = made.decision, made.prediction, made.application
    called = decision.regions.called
    if not called.any():
        return "nothing to filter: the profile has no compiler-instrumented or user regions"
    visits = prediction.visits
    left = visits.at(applied) / visits.unfiltered if visits.unfiltered else 1.0
    before, after = (percent(prediction.dilation.at(stage).value - 1.0) for stage in (None, applied))
    overhead = f"{after} with and without" if before == after else f"{before} without, {after} with"
    return (
        f"keeps {int((decision.kept & called).sum())} of {int(called.sum())} filterable regions, "
        f"{percent(left)} of {count(visits.unfiltered)} visits and "
        f"{percent(prediction.coverage)} of the computing time; "
        f"instrumentation overhead: {overhead} the filter at {applied.value}"
    )


def show_effect(out: Console, made: FilterResult) -> None:
    """Print visits, overhead and dilation without the filter, at run time and at compile time."""
    decision, prediction = made.decision, made.prediction
    out.print(Text(f"Filter: {effect_sentence(made)}"), soft_wrap=True)
    out.print(terminal_table(effect_table(prediction), out.width))
    if made.evidence.budget is not None:
        _show_budget(out, made.evidence.budget)
    dropped = dropped_regions(decision, prediction, count=_DROPPED_SHOWN)
    if dropped:
        out.print("Largest dropped regions; their time is attributed to the caller:")
        out.print(terminal_table(dropped_table(dropped), out.width))


def _show_budget(out: Console, budget: BudgetOutcome) -> None:
    verdict = "met" if budget.met else "not met"
    out.print(
        f"Budget {percent(budget.budget.overhead)} {verdict}, applied at {budget.applied.value}: predicted "
        f"{percent(max(budget.predicted))}; "
        f"the selection is within {percent(budget.gap)} of the optimum",
        soft_wrap=True,
    )
    out.print(_INCLUDED, soft_wrap=True)


def show_memory(out: Console, memory: Memory) -> None:
    """Print the trace memory of a process without and with a filter."""
    before, after = memory.unfiltered, memory.filtered
    out.print(
        f"Trace memory per process: {size(before.max_buf)}, with the filter {size(after.max_buf)}; "
        f"SCOREP_TOTAL_MEMORY={-(-after.total_memory // 2**20)}M",
        soft_wrap=True,
    )


def show_simulation(out: Console, found: SimulatedFilter) -> None:
    """Print what a profile would look like under a filter: exact counts of regions, call paths and visits."""
    out.print(terminal_table(simulation_table(found), out.width))
    visits = found.prediction.visits
    if visits.compile_time > visits.run_time:
        out.print(
            f"At compile time {count(visits.compile_time - visits.run_time)} more visits are recorded, of "
            "regions instrumented by hand.",
            soft_wrap=True,
        )
    for applied, name in STAGES:
        dilation = with_range(found.prediction.dilation.at(applied))
        out.print(f"predicted dilation, {name}: {dilation}", soft_wrap=True)
    out.print("The times include the overhead that the filter would remove.", style="dim")


_DIFFERENCES_SHOWN = 10


def show_verification(out: Console, found: VerifiedFilter) -> None:
    """Print prediction and measurement, the call paths that differ, and the verdict."""
    if len(found.points) > 1:
        out.print(terminal_table(verification_table(found.points), out.width))
    last = found.points[-1]
    out.print(terminal_table(measured_effect_table(found), out.width))
    out.print(_plain_sentence(found.measured), soft_wrap=True)
    _show_differences(out, last.differences)
    _show_verdict(out, found)
    if last.agrees:
        _show_cost(out, found.measured)


def _plain_sentence(effect: MeasuredEffect) -> str:
    where = "" if effect.applied is None else f" The filter was applied at {effect.applied.value}."
    plain_time, under = effect.plain_time, effect.dilation.filtered
    if plain_time.given and plain_time.value is not None:
        plain = quantity(plain_time.value, "core-s")
        faster = under is not None and under < 1.0
        doubt = " Under the filter the run took less: the runs scatter by more than it costs." * faster
        return f"Measured dilation: computing time over {plain}, from the run time given.{where}{doubt}"
    ask = "No measured dilation: give the time without instrumentation as --baseline-time."
    if plain_time.value is None:
        return f"{ask}{where}"
    assumed = where or " If the filter was applied at compile time (--applied says it otherwise):"
    plain = quantity(plain_time.value, "core-s")
    return f"{ask}{assumed} Both profiles together show {plain} of plain computing."


def _show_differences(out: Console, differences: Sequence[CallPathDifference]) -> None:
    if not differences:
        return
    shown = differences[:_DIFFERENCES_SHOWN]
    out.print("Call paths that differ, with their share of the visits:")
    out.print(terminal_table(differences_table(shown), out.width))
    if len(differences) > len(shown):
        out.print(f"and {len(differences) - len(shown)} more")


def _show_verdict(out: Console, found: VerifiedFilter) -> None:
    """Say whether the visits agree; runs that were not measured under the filter are named with reasons."""
    others = disagreements(found.points)
    for text in others:
        out.print(f"{text}.", soft_wrap=True, markup=False)
    largest = max(one.deviation for one in found.points)
    if largest == 0.0:
        out.print("The recorded visits are those predicted, call path by call path.")
    elif not others:
        out.print(
            f"The visits agree within {percent(found.tolerance)}: at most {percent(largest)} differ.",
            soft_wrap=True,
        )


def _show_cost(out: Console, effect: MeasuredEffect) -> None:
    if effect.event_cost is None:
        out.print("The two profiles show no cost of a visit.")
        return
    out.print(
        f"Cost of a recorded visit, learned from both: {quantity(effect.event_cost, 's')}; for the next "
        f"filter: --event-cost {value_text(float(f'{effect.event_cost:.2e}'))}",
        soft_wrap=True,
    )
