"""Sentences on targets and limits: the total there, and how far beyond the measured range they lie."""

from collections.abc import Iterator, Mapping

from pipeline.columns.summary import Rows, Summary
from pipeline.questions.runtime.figures import SECONDS_PER_HOUR
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.lines import JOIN
from pipeline.wording.quantities import (
    display_unit,
    estimate_of,
    figure,
    percent,
    point_text,
    quantity,
    times,
)

_WARNINGS = {
    "far": " (far: check it with a run in between)",
    "very far": " (very far: nothing measured supports it)",
}
_NAMED, _NAME_WIDTH = 3, 32  # kernels in a sentence
_MORE = 1.01  # held over used cores, from which on both are said
_STYLES = {"far": "yellow", "very far": "bold red"}


def target_totals(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield a target with its total and how far it lies beyond, and its style: ``p = 32: 320 core-s ...``."""
    total = summary.total or {"predictions": ()}
    for prediction in total["predictions"]:
        far, style = beyond(summary, prediction["at"])
        text = f"{point_text(prediction['at'])}: {estimate_of(prediction, total['unit'])}"
        yield f"{text}{_of_nodes(summary, prediction['at'])}{far and ', '}{far}", style


def total_sentences(summary: Summary, by: str) -> Iterator[tuple[str, str]]:
    """Yield the total at each target, its wall time, what takes most of it, and a style."""
    for n, prediction in enumerate(summary.total["predictions"] if summary.total else ()):
        assert summary.total is not None
        at, unit = prediction["at"], summary.total["unit"]
        text = f"Total {estimate_of(prediction, unit)}"
        for scale in summary.scales:
            if scale.point == at and not scale.measured and (wall := scale.wall_seconds):
                text += f", wall time {estimate_of(vars(wall), 's')}"
        far, style = beyond(summary, at)
        rows = sorted(summary.rows(by), key=lambda row: -(row["predictions"][n]["value"] or 0.0))[:_NAMED]
        factor, _ = display_unit(unit, prediction["value"])
        most = zip(
            _names(rows), (figure(row["predictions"][n]["value"] * factor) for row in rows), strict=True
        )
        named = ", ".join(f"{name}{JOIN}{value}" for name, value in most)
        yield f"{text} at {point_text(at)}{far and f', {far}'}; most in {named}.", style


def share_sentence(summary: Summary, by: str) -> str:
    """Say which kernels take most at the last target, and what they take now; empty without a sum."""
    known = [row for row in summary.rows(by) if row["share_at_target"] is not None]
    rows = sorted(known, key=lambda row: -row["share_at_target"])[:_NAMED]
    if not rows or summary.total is None or not summary.targets:
        return ""
    prediction = summary.total["predictions"][-1]
    shares = [percent(row["share_at_target"]) for row in rows]
    first, *others = (f"{name}{JOIN}{share}" for name, share in zip(_names(rows), shares, strict=True))
    then, now = (percent(sum(row[key] for row in rows)) for key in ("share_at_target", "share_measured"))
    together = f"; together {then}, now {now}" if others else f"; now {now}"
    named = ", ".join([first.replace(JOIN, f" takes{JOIN}", 1), *others])
    total = f"{estimate_of(prediction, summary.total['unit'])}"
    return f"At {point_text(prediction['at'])} {named} of {total}{together}."


def _names(rows: Rows) -> list[str]:
    return distinct_texts([row["callpath"] for row in rows], _NAME_WIDTH)


def _of_nodes(summary: Summary, at: Mapping[str, float]) -> str:
    """Say what a run costs if its nodes have more cores than it uses; empty if they have not."""
    for found in summary.scales:
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
    """Say how far a target lies beyond the measured range, and in which style.

    Both are empty inside the range; the style is empty up to a factor of 4.
    """
    target = next(one for one in summary.targets if one.at == at)
    if target.extrapolation <= 1:
        return "", ""
    far = f"{times(target.extrapolation)} beyond the measured range"
    return f"{far}{_WARNINGS.get(target.reach, '')}", _STYLES.get(target.reach, "")
