"""What is said of a study that is shown as it would be after changes."""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.columns.model_json import point_json
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.what_if import Effect
from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.quantities import estimate_text, percent, point_text, quantity


def effect_sentences(changes: Sequence[str], found: Effect, parameters: Sequence[str]) -> Iterator[str]:
    """Say what changes do at each point: wall time and efficiency then, and what takes most then."""
    for place, (name, share) in enumerate(zip(found.largest, found.share.tolist(), strict=True)):
        at = point_text(point_json(parameters, found.points[place]))
        parts = [f"{shown_name(name)} takes most then, {percent(share)}"]
        efficiency = _value(found.after.of_scaling, place)
        if np.isfinite(efficiency):
            parts.insert(0, f"{percent(efficiency)} efficient instead of {_efficiency(found, place)}")
        wall = found.after.wall
        if np.isfinite(wall.value[place]):
            value, lower, upper = (float(end[place]) for end in (wall.value, wall.lower, wall.upper))
            before = quantity(_value(found.before.wall, place), "s")
            parts.insert(0, f"{estimate_text(value, lower, upper, 's')} of wall time instead of {before}")
        yield f"as if {visible(', '.join(changes))}, at {at}: {'; '.join(parts)}"


def _efficiency(found: Effect, place: int) -> str:
    return percent(_value(found.before.of_scaling, place))


def _value(of: Estimate, place: int) -> float:
    return float(of.value[place])
