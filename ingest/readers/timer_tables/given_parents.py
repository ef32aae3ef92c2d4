"""Timers of which nothing says how they nest, put below the parents that the user names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.readers.timer_tables.timer_kind import WHOLE, Placed, Timer

MAX_DEPTH = 100
ALL = "*"  # stands for all timers that are not named


def nested(placed: Placed, parents: Mapping[str, str]) -> Placed:
    """Put overlapping timers below their parents; the rest of a parent is what its children leave.

    A timer is placed if its parents lead to the whole run (an empty name) or to a timer that overlaps
    nothing; all others stay as they are.

    Args:
        placed: the timers; those that overlap nothing have exclusive values.
        parents: name of the parent by name of the timer, ``*`` for all others.
    """
    loose = [timer for timer in placed.timers if timer.overlapping]
    if not parents or not loose:
        return placed
    fixed = [timer for timer in placed.timers if not timer.overlapping]
    if not fixed:
        fixed = [Timer(path=(WHOLE,), seconds=_whole(placed, loose))]
    roots = {timer.path: timer for timer in fixed}
    places = {id(timer): _place(timer, loose, roots, parents) for timer in loose}
    moved = {places[id(t)]: t for t in loose if places[id(t)]}
    below: dict[tuple[str, ...], float] = {}
    for path, timer in moved.items():
        below[path[:-1]] = below.get(path[:-1], 0.0) + timer.seconds
    inside = [
        replace(timer, path=path, overlapping=False, seconds=timer.seconds - below.get(path, 0.0))
        for path, timer in moved.items()
    ]
    owners = [replace(timer, seconds=timer.seconds - below.get(timer.path, 0.0)) for timer in fixed]
    others = [timer for timer in loose if not places[id(timer)]]
    known = {timer.path[-1] for timer in placed.timers}
    unknown = sorted((set(parents) | set(parents.values())) - known - {"", ALL})
    notices = [f"timers.toml names timers that are not in the table: {', '.join(unknown)}"] if unknown else []
    return replace(placed, timers=(*owners, *inside, *others), notices=(*placed.notices, *notices))


def _whole(placed: Placed, loose: Sequence[Timer]) -> float:
    return placed.total if placed.total is not None else max(timer.seconds for timer in loose)


def _place(
    timer: Timer,
    loose: Sequence[Timer],
    roots: Mapping[tuple[str, ...], Timer],
    parents: Mapping[str, str],
) -> tuple[str, ...]:
    """Return the path of a timer from a root down, empty if its parents lead to none."""
    group = timer.path[:-1]
    siblings = {other.path[-1] for other in loose if other.path[:-1] == group}
    chain = [timer.path[-1]]
    while len(chain) <= MAX_DEPTH:
        parent = parents.get(chain[0], parents.get(ALL))
        if parent is None:
            return ()
        if parent == "":
            above = group if group in roots else next(iter(roots)) if len(roots) == 1 else ()
            return (*above, *chain) if above else ()
        if (*group, parent) in roots:
            return (*group, parent, *chain)
        if parent not in siblings:
            return ()
        chain.insert(0, parent)
    return ()
