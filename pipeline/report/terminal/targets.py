"""The whole program at the targets, with how far each lies beyond the measured range."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console

from pipeline.questions.runtime.trust import extrapolation_text
from pipeline.report.terminal.sentences import show_sentence
from pipeline.wording.quantities import display_unit, figure, point_text, value_text

WARNINGS = {
    "far": " (far: check it with a run in between)",
    "very far": " (very far: nothing measured supports it)",
}
STYLES = {"far": "yellow", "very far": "bold red"}


def show_targets(out: Console, summary: Mapping[str, Any]) -> None:
    """Print one sentence per target: the total with its interval, and how far it lies beyond the range."""
    total = summary["total"]
    for prediction in total["predictions"]:
        factor, unit = display_unit(total["unit"], abs(prediction["value"]))
        value, lower, upper = (figure(prediction[key] * factor) for key in ("value", "lower", "upper"))
        text = f"At {point_text(prediction['at'])}: {value} {unit}".rstrip() + f" [{lower} .. {upper}]"
        far, style = beyond(summary, prediction["at"])
        show_sentence(out, f"{text}{far and ', '}{far}.", style)


def show_far_targets(out: Console, summary: Mapping[str, Any]) -> None:
    """Print one warning per target that lies far beyond the measured range."""
    for text, style in _far_targets(summary):
        show_sentence(out, f"{text}.", style)


def far_target_sentences(summary: Mapping[str, Any]) -> list[str]:
    """Return one warning per target that lies far beyond the measured range."""
    return [text for text, _ in _far_targets(summary)]


def _far_targets(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a sentence and its style per target that lies far beyond the measured range."""
    for target in summary["targets"]:
        far, style = beyond(summary, target["at"])
        if style:
            yield f"{point_text(target['at'])}: {far}", style


def limits_sentence(runtime: Mapping[str, Any], *, predicted: bool) -> str:
    """Say where a program is fastest and up to where it is efficient; empty if neither is known.

    Args:
        runtime: of a summary.
        predicted: whether to say limits that are predicted.
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
            f"At least {value_text(100 * efficient['threshold'])} % efficient up to "
            f"{point_text(efficient['point'])}{more}{_origin(efficient['measured'])}."
        )
    return " ".join(sentences)


def _origin(measured: bool) -> str:
    return "" if measured else " (predicted)"


def beyond(summary: Mapping[str, Any], at: Mapping[str, float]) -> tuple[str, str]:
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
    text = f"{value_text(float(f'{factor:.3g}'))} times beyond the measured range{WARNINGS.get(reach, '')}"
    return text, STYLES.get(reach, "")
