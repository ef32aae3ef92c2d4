"""What a filter should have done and what it did, in the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from filters.filter_effect import FilterEffect, MeasuredEffect
from filters.filter_options import Application
from filters.filter_verification import TOLERANCE, CallPathDifference, Verification
from pipeline.report.terminal.filter import STAGES, dilation_text, with_range
from pipeline.report.terminal.tables import SHORTEST_CALLPATH, Column, named_table
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import ELLIPSIS, figure, percent, quantity

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
        _show_points(out, verifications)
    last = verifications[-1]
    _show_effect(out, last, prediction, effect)
    _show_differences(out, last.differences())
    _show_verdict(out, verifications)
    _show_cost(out, effect)


def _show_points(out: Console, verifications: Sequence[Verification]) -> None:
    """Print one row per measurement point."""
    columns = [
        Column(header="predicted", cells=[_whole(one.expected.sum()) for one in verifications]),
        Column(header="measured", cells=[_whole(one.measured.sum()) for one in verifications]),
        Column(header="differing", cells=[_share(one.deviation) for one in verifications]),
    ]
    sources = [one.reduced for one in verifications]
    table = named_table(
        "visits of", lambda width: [_end(source, width) for source in sources], columns, width=out.width
    )
    out.print(table)


def _show_effect(out: Console, one: Verification, prediction: FilterEffect, effect: MeasuredEffect) -> None:
    """Print visits, call paths and dilation, predicted and measured."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("predicted", "measured"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("recorded visits", _whole(one.expected.sum()), _whole(one.measured.sum()))
    table.add_row("call paths", _whole((one.expected > 0).sum()), _whole((one.measured > 0).sum()))
    measured = {None: effect.without, effect.applied: effect.under}
    for applied, name in STAGES:
        value = measured.get(applied)
        table.add_row(
            f"dilation, {name}",
            with_range(prediction.dilation(applied)),
            "" if value is None else dilation_text(value),
        )
    out.print(table)
    out.print(_plain_sentence(effect), soft_wrap=True)


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
    columns = [
        Column(header="share", cells=[percent(found.share) for found in shown]),
        Column(header="predicted", cells=[_whole(found.expected) for found in shown]),
        Column(header="measured", cells=[_whole(found.measured) for found in shown]),
        Column(header="differs", cells=[found.kind for found in shown], justify="left", dispensable=1),
    ]
    out.print("Call paths that differ, with their share of the visits:")
    table = named_table(
        "call path",
        lambda width: distinct_texts([found.callpath for found in shown], width),
        columns,
        width=out.width,
        shortest=SHORTEST_CALLPATH,
    )
    out.print(table)
    if len(differences) > len(shown):
        out.print(f"and {len(differences) - len(shown)} more")


def _show_verdict(out: Console, verifications: Sequence[Verification]) -> None:
    """Say whether the visits agree; runs that were not measured under the filter are named with reasons."""
    others = [one for one in verifications if not one.agrees]
    for one in others:
        text = f"{one.reduced} was not measured under this filter: {'; '.join(one.reasons())}."
        out.print(text, soft_wrap=True, markup=False)
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
        f"Cost of a recorded visit, learned from both: {figure(1e9 * effect.event_cost)} ns; for the next "
        f"filter: --event-cost {effect.event_cost:.3g}",
        soft_wrap=True,
    )


def _whole(number: float) -> str:
    return f"{number:,.0f}"


def _share(share: float) -> str:
    return "none" if share == 0.0 else percent(share)


def _end(path: str, width: int) -> str:
    return path if len(path) <= width else ELLIPSIS + path[len(path) - width + 1 :]
