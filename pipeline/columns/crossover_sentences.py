"""Crossovers as summary.json has them, and how they are put into words: where, and seen or how sure."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.columns.scales import known
from pipeline.questions.crossovers import Crossover
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import figure, interval_text, point_text, probability_text, value_text

CERTAIN = 0.995  # probability that is written as over 99 %


def crossover_json(found: Crossover, parameter: str) -> dict[str, Any]:
    """Return what summary.json says of a crossover besides the names; None for what is not known."""
    first, last = found.between
    return {
        "at": {parameter: known(found.at)},
        "measured": found.measured,
        "seen": found.seen,
        "between": [known(first), None if last == float("inf") else known(last)],
        "probability": known(found.probability),
    }


def crossover_place(row: Mapping[str, Any]) -> str:
    """Say where one kernel overtakes another: ``between p = 4 and 8``, ``at p = 45.0 [20.0 .. 90.0]``."""
    ((name, at),) = row["at"].items()
    first, last = row["between"]
    if row["seen"]:
        return f"between {point_text({name: first})} and {value_text(last)}"
    interval = f"{figure(first)} or later" if last is None else interval_text(first, last)
    return f"at {visible(name)} = {figure(at)} [{interval}]"


def crossover_certainty(row: Mapping[str, Any], horizon: Mapping[str, float]) -> str:
    """Say whether it was seen or is predicted, and how sure that is: ``predicted, 78 % by p = 128``.

    Args:
        row: of summary.json.
        horizon: up to where it was looked for.
    """
    probability = row["probability"]
    if probability is None:
        return "seen, not repeated" if row["seen"] else "predicted"
    text = "over 99 %" if probability > CERTAIN else probability_text(probability)
    return f"seen, {text} sure" if row["seen"] else f"predicted, {text} by {point_text(horizon)}"


def crossover_sentence(row: Mapping[str, Any], over: str, past: str, horizon: Mapping[str, float]) -> str:
    """Say which kernel overtakes which, where, and how sure that is, given their names."""
    place = crossover_place(row)
    certainty = crossover_certainty(row, horizon)
    return f"{place[0].upper()}{place[1:]} {over} overtakes {past} ({certainty})"


def leading_crossovers(found: Sequence[Mapping[str, Any]], limit: int) -> list[Mapping[str, Any]]:
    """Return so many crossovers in their order: the likeliest ahead, half of them if many were seen."""
    ahead = sorted((one for one in found if not one["seen"]), key=lambda one: -(one["probability"] or 0.0))
    seen = [one for one in found if one["seen"]]
    likely = ahead[: max((limit + 1) // 2, limit - len(seen))]
    chosen = [*likely, *reversed(seen)][:limit]
    return [one for one in found if any(one is other for other in chosen)]


def horizon_of(summary: Mapping[str, Any], parameter: str) -> dict[str, float]:
    """Return up to which scale crossovers were looked for: the last target, at least what was measured."""
    scales = [point[parameter] for point in summary["points"]]
    return {parameter: max(*scales, *(target["at"][parameter] for target in summary["targets"][-1:]))}
