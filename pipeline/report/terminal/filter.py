"""What a filter does, and what it did, in the terminal."""

from collections.abc import Sequence

from rich.console import Console

from filters.explanation import dropped_regions
from filters.filter_effect import FilterEffect, MeasuredEffect, Memory
from filters.filter_options import ACCEPTABLE, Application
from filters.filter_verification import CallPathDifference
from filters.make_filter import FilterResult
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
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import count, counted, percent, quantity, size, value_text

_DROPPED_SHOWN = 5
_RANGES = (
    "Ranges hold what hooks of rejected visits may cost, and that builds and runs of a program differ: by up "
    "to 18 % either way, nine times out of ten."
)


def effect_sentence(made: FilterResult) -> str:
    """Say in one sentence what a filter does to the run of the largest scale, and whether it is needed."""
    decision, prediction = made.decision, made.prediction
    called = decision.regions.called
    if not called.any():
        return "finds nothing to filter: the profile has no compiler-instrumented or user regions"
    every, drops = int(called.sum()), int((called & ~decision.kept).sum())
    budget = made.evidence.budget
    unneeded = prediction.unneeded and (budget is None or budget.met)  # who asks for less overhead needs one
    return (
        f"drops {drops or 'none'} of {counted(every, 'function')}{_left_out(made) if drops else ''}; "
        f"{_overheads(prediction)}{': you need no filter' if unneeded else ''}"
    )


def _overheads(prediction: FilterEffect) -> str:
    before, rejected, compiled = (percent(prediction.dilation.at(stage).value - 1.0) for stage, _ in STAGES)
    if before == rejected == compiled:
        return f"overhead {before} with and without it"
    if rejected == compiled:
        return f"overhead {before} without it, {compiled} with it"
    return f"overhead {before} without it, {rejected} with it at run time, {compiled} at compile time"


def _left_out(made: FilterResult) -> str:
    visits = made.prediction.visits
    left = visits.at(made.application) / visits.unfiltered if visits.unfiltered else 1.0
    return (
        f", {percent(1.0 - left)} of {count(visits.unfiltered)} visits and "
        f"{percent(1.0 - made.prediction.coverage)} of the computing time"
    )


def need_of_filter(made: FilterResult) -> str:
    """Say in a few words whether a filter is needed, and for what."""
    prediction, called = made.prediction, made.decision.regions.called
    if not called.any():
        return effect_sentence(made)
    if prediction.unneeded:
        return f"not needed, overhead {percent(prediction.dilation.unfiltered.value - 1.0)}"
    return _overheads(prediction)


def show_effect(out: Console, made: FilterResult) -> None:
    """Print visits, overhead and dilation without the filter, at run time and at compile time."""
    decision, prediction = made.decision, made.prediction
    show_sentence(out, f"Filter {effect_sentence(made)}.", "bold")
    out.print(terminal_table(effect_table(prediction), out.width))
    show_sentence(out, _RANGES, "dim")
    if made.evidence.budget is not None:
        _show_budget(out, made.evidence.budget)
    if doubt := _doubt_about_hooks(made):
        show_sentence(out, doubt)
    dropped = dropped_regions(decision, prediction, count=_DROPPED_SHOWN)
    if dropped:
        show_sentence(out, "Largest dropped regions; their time is attributed to the caller:")
        out.print(terminal_table(dropped_table(dropped), out.width))


def _doubt_about_hooks(made: FilterResult) -> str:
    """Advise to compile anew if hooks may leave more overhead at run time than is acceptable; else empty."""
    budget = made.evidence.budget
    limit = ACCEPTABLE if budget is None else budget.budget.overhead
    most, _, compiled = (made.prediction.dilation.at(stage).value - 1.0 for stage, _ in STAGES)
    if made.application is not Application.RUN_TIME or most <= limit or compiled > limit:
        return ""
    return (
        "A rejected visit costs a hundredth of a recorded one to as much: at run time overhead may reach "
        f"{percent(most)}. Where that matters, compile anew with the filter: {percent(compiled)}."
    )


def _show_budget(out: Console, budget: BudgetOutcome) -> None:
    verdict = "met" if budget.met else "not met"
    show_sentence(
        out,
        f"Budget {percent(budget.budget.overhead)} {verdict}, applied at {budget.applied.value}: predicted "
        f"{percent(budget.largest)}; "
        f"the selection is within {percent(budget.gap)} of the optimum",
    )


def show_memory(out: Console, memory: Memory) -> None:
    """Print the trace memory of a process without and with a filter."""
    before, after = memory.unfiltered, memory.filtered
    show_sentence(
        out,
        f"Trace memory per process: {size(before.max_buf)}, with the filter {size(after.max_buf)}; "
        f"SCOREP_TOTAL_MEMORY={-(-after.total_memory // 2**20)}M",
    )


def show_simulation(out: Console, found: SimulatedFilter) -> None:
    """Print what a profile would look like under a filter: exact counts of regions, call paths and visits."""
    out.print(terminal_table(simulation_table(found), out.width))
    visits = found.prediction.visits
    if visits.compile_time > visits.run_time:
        show_sentence(
            out,
            f"At compile time {count(visits.compile_time - visits.run_time)} more visits are recorded, of "
            "regions instrumented by hand.",
        )
    for applied, name in STAGES:
        dilation = with_range(found.prediction.dilation.at(applied))
        show_sentence(out, f"predicted dilation, {name}: {dilation}")
    show_sentence(out, "The times include the overhead that the filter would remove.", "dim")


_DIFFERENCES_SHOWN = 10


def show_verification(out: Console, found: VerifiedFilter) -> None:
    """Print the verdict, prediction and measurement, and the call paths that differ."""
    _show_verdict(out, found)
    show_sentence(out, f"Filter: {found.filter}")
    if len(found.points) > 1:
        out.print(terminal_table(verification_table(found.points), out.width))
    last = found.points[-1]
    out.print(terminal_table(measured_effect_table(found), out.width))
    show_sentence(out, _plain_sentence(found.measured))
    _show_differences(out, last.differences)
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
    show_sentence(out, "Call paths that differ, with their share of the visits:")
    out.print(terminal_table(differences_table(shown), out.width))
    if len(differences) > len(shown):
        out.print(f"and {len(differences) - len(shown)} more")


def _show_verdict(out: Console, found: VerifiedFilter) -> None:
    """Say whether the visits agree; of runs that were not measured under the filter why the last was not."""
    others = disagreements(found.points)
    if len(others) > 1:
        show_sentence(out, f"{len(others)} of {counted(len(found.points), 'run')} disagree:")
    for text in others[-1:]:
        show_sentence(out, f"{text}.")
    largest = max(one.deviation for one in found.points)
    if largest == 0.0:
        show_sentence(out, "The recorded visits are those predicted, call path by call path.")
    elif not others:
        agree = f"The visits agree within {percent(found.tolerance)}"
        show_sentence(out, f"{agree}: at most {percent(largest)} differ.")


def _show_cost(out: Console, effect: MeasuredEffect) -> None:
    if effect.contradiction:
        disturbed = "times of the two runs differ by more than recording, as if one was disturbed"
        show_sentence(out, f"{effect.contradiction}: {disturbed}. Measure both again to learn the cost.")
        return
    if effect.event_cost is None:
        show_sentence(out, "The two profiles show no cost of a visit.")
        return
    cost = quantity(effect.event_cost, "s")
    if effect.learned:
        next_filter = f"for the next filter: --event-cost {value_text(float(f'{effect.event_cost:.2e}'))}"
        show_sentence(out, f"Cost of a recorded visit, learned from both: {cost}; {next_filter}")
        return
    scatter = "no surer than what the first shows alone, since times of runs scatter"
    show_sentence(out, f"Cost of a recorded visit from both: {cost}, {scatter}.")
