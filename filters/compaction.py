"""Patterns with wildcards that stand for many names and match none that they must not."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from filters.patterns import escape

SMALLEST_GROUP = 3
SHORTEST_PREFIX = 6


@dataclass(frozen=True)
class Abridged:
    """One pattern and the names it stands for."""

    pattern: str
    names: tuple[str, ...]


def abridge(wanted: Sequence[str], forbidden: Sequence[str]) -> list[Abridged]:
    """Write names as few patterns.

    Names that share a beginning with which no forbidden name begins become one pattern: all that they have in
    common, and a star. That needs at least `SMALLEST_GROUP` names with `SHORTEST_PREFIX` common characters;
    all other names stand for themselves.

    Args:
        wanted: names to be matched, without repetition.
        forbidden: names that no pattern may match.

    Returns:
        patterns in the order of their names; each wanted name belongs to exactly one.
    """
    found: list[Abridged] = []
    for _, group in groupby(_safe_beginnings(wanted, forbidden), key=lambda pair: pair[0]):
        names = tuple(name for _, name in group)
        common = names[0][: _shared(names[0], names[-1])]
        if len(names) >= SMALLEST_GROUP and len(common) >= SHORTEST_PREFIX:
            found.append(Abridged(_star(common), names))
        else:
            found += [Abridged(escape(name), (name,)) for name in names]
    return found


def _safe_beginnings(wanted: Sequence[str], forbidden: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each wanted name, in order, with its shortest beginning that is none of a forbidden name.

    In sorted order only the nearest forbidden name on each side can share more than others. A name that is
    itself the beginning of a forbidden one has no such beginning; it is paired with all of itself and a
    line break, which no name contains.
    """
    ranked = sorted(
        [(name, False) for name in wanted] + [(name, True) for name in set(forbidden) - set(wanted)]
    )
    shared = [0] * len(ranked)
    for order in (range(len(ranked)), range(len(ranked) - 1, -1, -1)):
        nearest = ""
        for i in order:
            name, banned = ranked[i]
            if banned:
                nearest = name
            elif nearest:
                shared[i] = max(shared[i], _shared(name, nearest) + 1)
    return [
        (name[: shared[i]] if shared[i] <= len(name) else name + "\n", name)
        for i, (name, banned) in enumerate(ranked)
        if not banned
    ]


def _star(common: str) -> str:
    """Return the pattern for a beginning: the tail that `escape` gives to a final backslash is not needed."""
    return escape(common + "x")[:-1] + "*"


def _shared(one: str, other: str) -> int:
    """Return the length of the common beginning of two names."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
