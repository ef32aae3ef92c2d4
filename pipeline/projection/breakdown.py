"""Parts that add up: the median of a sum is not the sum of the medians of its parts."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Path: TypeAlias = tuple[str, ...]


def adding_up(
    values: Mapping[Path, float], variances: Mapping[Path, float], total: float | None
) -> dict[Path, float]:
    """Return the values of all parts, moved so that every group is the sum of its parts.

    What is missing is given to the innermost parts in proportion to their variance, so that what is known
    well hardly moves.

    Args:
        values: by path; a shorter path is the group of those that begin with it.
        variances: of the innermost parts at least.
        total: what the outermost parts have to add up to; None if they need not, then each keeps its value.
    """
    innermost = [path for path in values if not any(_within(other, path) for other in values)]
    moved: dict[Path, float] = {}
    if total is not None:
        moved |= _moved(innermost, values, variances, total)
    else:
        for group in (path for path in values if len(path) == 1):
            parts = [path for path in innermost if path[:1] == group]
            moved |= _moved(parts, values, variances, values[group])
    return {
        path: moved[path] if path in moved else sum(moved[part] for part in innermost if _within(part, path))
        for path in values
    }


def _within(path: Path, group: Path) -> bool:
    return len(path) > len(group) and path[: len(group)] == group


def _moved(
    parts: Sequence[Path], values: Mapping[Path, float], variances: Mapping[Path, float], target: float
) -> dict[Path, float]:
    missing = target - sum(values[part] for part in parts)
    spread = sum(variances[part] for part in parts)
    if not spread:
        return {part: values[part] for part in parts}
    return {part: values[part] + missing * variances[part] / spread for part in parts}
