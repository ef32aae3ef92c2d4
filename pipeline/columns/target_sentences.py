"""Sentences on targets and limits: the total there, and how far beyond the measured range they lie."""

from collections.abc import Iterator, Mapping

from pipeline.columns.summary import Summary
from pipeline.questions.runtime.figures import SECONDS_PER_HOUR
from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.wording.quantities import estimate_of, point_text, quantity, times

_WARNINGS = {
    "far": " (far: check it with a run in between)",
    "very far": " (very far: nothing measured supports it)",
}
_MORE = 1.01  # held over used cores, from which on both are said
_STYLES = {"far": "yellow", "very far": "bold red"}


def target_totals(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield a target with its total and how far it lies beyond, and its style: ``p = 32: 320 core-s ...``."""
    total = summary.total or {"predictions": ()}
    for prediction in total["predictions"]:
        far, style = beyond(summary, prediction["at"])
        text = f"{point_text(prediction['at'])}: {estimate_of(prediction, total['unit'])}"
        yield f"{text}{_of_nodes(summary, prediction['at'])}{far and ', '}{far}", style


def _of_nodes(summary: Summary, at: Mapping[str, float]) -> str:
    """Say what a run costs if its nodes have more cores than it uses; empty if they have not."""
    for found in summary.runtime.at if summary.runtime else ():
        effort, hours = found.effort, found.core_hours
        if found.point == at and effort and hours:
            held, used = (hours.value or 0.0) * SECONDS_PER_HOUR, effort.value or 0.0
            return f"; its nodes cost {quantity(held, 'core-s')}" if held > _MORE * used else ""
    return ""


def far_targets(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield a warning and its style per target that lies far beyond the measured range."""
    for target in summary.targets:
        far, style = beyond(summary, target.at)
        if style:
            yield f"{point_text(target.at)}: {far}", style


def beyond(summary: Summary, at: Mapping[str, float]) -> tuple[str, str]:
    """Say how far a point lies beyond the measured range, and in which style.

    Both are empty inside the range; the style is empty up to a factor of 4.
    """
    factor = 1.0
    for name, value in at.items():
        measured = [point[name] for point in summary.points]
        if value > 0 and min(measured) > 0:
            factor = max(factor, value / max(measured), min(measured) / value)
    if factor <= 1:
        return "", ""
    reach = extrapolation_text(factor)
    return f"{times(factor)} beyond the measured range{_WARNINGS.get(reach, '')}", _STYLES.get(reach, "")
