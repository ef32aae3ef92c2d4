"""What Extra-P's method says beside the models, as plain data and as a sentence."""

from collections.abc import Sequence
from typing import Any

from pipeline.columns.model_json import point_json
from pipeline.columns.summary import Summary
from pipeline.questions.extra_p import OtherMethod
from pipeline.wording.quantities import number, percent, point_text, quantity


def extra_p_json(found: OtherMethod, parameters: Sequence[str]) -> dict[str, Any]:
    """Return the ``extra_p`` of summary.json."""
    errors = {"held_out_error": found.held_out_error, "own_held_out_error": found.own_error}
    return {
        "at": point_json(parameters, found.point),
        "value": number(found.value),
        "agrees": found.agrees,
        **{name: None if error is None else number(error) for name, error in errors.items()},
    }


def extra_p_sentence(summary: Summary) -> str:
    """Say what Extra-P's method predicts beside the models, and which was better before; empty if unknown."""
    found = summary.extra_p
    if not found or not summary.total:
        return ""
    said = f"{quantity(found['value'], summary.total['unit'])} at {point_text(found['at'])}"
    if found["agrees"]:
        return f"Extra-P's method agrees: {said}."
    errors = [found["held_out_error"], found["own_held_out_error"]]
    before = ""
    if None not in errors:
        other, own = (percent(abs(error)) for error in errors)
        before = f"; without the largest scale it missed that by {other}, these models by {own}"
    return f"Extra-P's method says {said}, outside the interval{before}."
