"""Sentences on targets and limits: the total there, and how far beyond the measured range they lie."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.wording.quantities import estimate_of, given_percent, point_text, times

WARNINGS = {
    "far": " (far: check it with a run in between)",
    "very far": " (very far: nothing measured supports it)",
}
STYLES = {"far": "yellow", "very far": "bold red"}

Summary = Mapping[str, Any]


def target_sentences(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield a sentence and its style per target: the total with its interval, how far it lies beyond."""
    total = summary["total"]
    for prediction in total["predictions"] if total else ():
        far, style = beyond(summary, prediction["at"])
        text = f"At {point_text(prediction['at'])}: {estimate_of(prediction, total['unit'])}"
        yield f"{text}{far and ', '}{far}.", style


def far_targets(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield a warning and its style per target that lies far beyond the measured range."""
    for target in summary["targets"]:
        far, style = beyond(summary, target["at"])
        if style:
            yield f"{point_text(target['at'])}: {far}", style


def limits_sentence(runtime: Mapping[str, Any], *, predicted: bool) -> str:
    """Say where a program is fastest and up to where it is efficient; empty if neither is known.

    Limits that are predicted are left out unless `predicted`.
    """
    sentences, parameter = [], runtime["parameter"]
    last = max(entry["point"][parameter] for entry in runtime["at"])
    fastest, efficient = runtime["fastest"], runtime["efficient_up_to"]
    if fastest is not None and (predicted or runtime["fastest_measured"]):
        place = ", the largest scale looked at" if fastest[parameter] >= last else ""
        sentences.append(f"Fastest at {point_text(fastest)}{_origin(runtime['fastest_measured'])}{place}.")
    if efficient["point"] is not None and (predicted or efficient["measured"]):
        more = " or beyond" if efficient["at_the_end"] else ""
        sentences.append(
            f"At least {given_percent(efficient['threshold'])} efficient up to "
            f"{point_text(efficient['point'])}{more}{_origin(efficient['measured'])}."
        )
    return " ".join(sentences)


def _origin(measured: bool) -> str:
    return "" if measured else " (predicted)"


def beyond(summary: Summary, at: Mapping[str, float]) -> tuple[str, str]:
    """Say how far a point lies beyond the measured range, and in which style.

    Both are empty inside the range; the style is empty up to a factor of 4.
    """
    factor = 1.0
    for name, value in at.items():
        measured = [point[name] for point in summary["points"]]
        if value > 0 and min(measured) > 0:
            factor = max(factor, value / max(measured), min(measured) / value)
    if factor <= 1:
        return "", ""
    reach = extrapolation_text(factor)
    return f"{times(factor)} beyond the measured range{WARNINGS.get(reach, '')}", STYLES.get(reach, "")
