"""What a filter should have done and what it did, in the terminal."""

from collections.abc import Sequence

from rich.console import Console

from filters.filter_effect import FilterEffect, MeasuredEffect
from filters.filter_options import Application
from filters.filter_verification import TOLERANCE, CallPathDifference, Verification
from pipeline.columns.filter_effects import (
    differences_table,
    disagreements,
    measured_effect_table,
    verification_table,
)
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import percent, quantity, value_text

DIFFERENCES_SHOWN = 10


def show_verification(
    out: Console, verifications: Sequence[Verification], prediction: FilterEffect, effect: MeasuredEffect
) -> None:
    """Print prediction beside measurement, the call paths that differ, and the verdict.

    Args:
        out: where to.
        verifications: one per measurement point, the largest scale last.
        prediction: of the largest scale.
        effect: what both profiles of the largest scale show.
    """
    if len(verifications) > 1:
        out.print(terminal_table(verification_table(verifications), out.width))
    last = verifications[-1]
    out.print(terminal_table(measured_effect_table(last, prediction, effect), out.width))
    out.print(_plain_sentence(effect), soft_wrap=True)
    _show_differences(out, last.differences())
    _show_verdict(out, verifications)
    _show_cost(out, effect)


def _plain_sentence(effect: MeasuredEffect) -> str:
    if effect.plain is None:
        return "No measured dilation: give the time without instrumentation as --baseline-time."
    if effect.given:
        return f"Measured dilation: run time over the plain run time given, {quantity(effect.plain, 's')}."
    assumed = "" if effect.applied is Application.RUN_TIME else ", if the filter was applied at compile time"
    return (
        f"Measured dilation: over a plain computing time of {quantity(effect.plain, 'core-s')}, from both "
        f"profiles{assumed}."
    )


def _show_differences(out: Console, differences: Sequence[CallPathDifference]) -> None:
    if not differences:
        return
    shown = differences[:DIFFERENCES_SHOWN]
    out.print("Call paths that differ, with their share of the visits:")
    out.print(terminal_table(differences_table(shown), out.width))
    if len(differences) > len(shown):
        out.print(f"and {len(differences) - len(shown)} more")


def _show_verdict(out: Console, verifications: Sequence[Verification]) -> None:
    """Say whether the visits agree; runs that were not measured under the filter are named with reasons."""
    others = disagreements(verifications)
    for text in others:
        out.print(f"{text}.", soft_wrap=True, markup=False)
    largest = max(one.deviation for one in verifications)
    if largest == 0.0:
        out.print("The recorded visits are those predicted, call path by call path.")
    elif not others:
        out.print(
            f"The visits agree within {percent(TOLERANCE)}: at most {percent(largest)} differ.",
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
