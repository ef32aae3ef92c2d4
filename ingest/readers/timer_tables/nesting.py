"""Which timers lie inside which: what is known of a program, and what the user names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ingest.readers.timer_tables.timer_kind import WHOLE, Placed, Timer, TimerTable, compiled

MAX_DEPTH = 100  # of timers below parents
ALL = "*"  # stands for all timers that are not named
ROUNDING = 0.02  # relative: what lies inside a timer may be longer by so much, since values are rounded
MAX_SHOWN = 3  # timers in a notice

Path: TypeAlias = tuple[str, ...]
Parents: TypeAlias = Mapping[str, Sequence[str]]
"""By the name of a timer those that may hold it, the first that is there does; empty for the whole run."""


def nested(placed: Placed, kind: TimerTable, named: Mapping[str, str]) -> Placed:
    """Put overlapping timers below their parents; the rest of a parent is what its children leave.

    A timer is placed if its parents lead to the whole run (an empty name) or to a timer that overlaps
    nothing; all others stay as they are. What does not fit into its parent lies elsewhere, too, and stays.

    Args:
        named: the parent by name of the timer, ``*`` for all others, as the user says; it counts more than
            what is known of the program.
    """
    loose = [timer for timer in placed.timers if timer.overlapping]
    parents = _known(kind, loose) | {name: (parent,) for name, parent in named.items()}
    fixed = [timer for timer in placed.timers if not timer.overlapping]
    if not parents or not loose or not (fixed or named):
        return placed
    if not fixed:
        fixed = [Timer(path=(WHOLE,), seconds=_whole(placed, loose))]
    roots = {timer.path: timer for timer in fixed}
    names: dict[Path, set[str]] = {}
    for timer in loose:
        names.setdefault(timer.path[:-1], set()).add(timer.path[-1])
    order = {name: place for place, name in enumerate(parents)}
    ways = [(_place(timer, names[timer.path[:-1]], roots, parents), timer) for timer in loose]
    ways = sorted(ways, key=lambda way: (len(way[0]), order.get(way[1].path[-1], len(order))))
    inside, outside = _fitting(roots, [way for way in ways if way[0]])
    below: dict[Path, float] = {}
    for path, timer in inside.items():
        below[path[:-1]] = below.get(path[:-1], 0.0) + timer.seconds
    timers = [
        replace(timer, path=path, overlapping=False, seconds=timer.seconds - below.get(path, 0.0))
        for path, timer in {**roots, **inside}.items()
    ]
    others = [*outside, *(timer for path, timer in ways if not path)]
    return replace(
        placed, timers=(*timers, *others), notices=(*placed.notices, *_notices(placed, named, outside))
    )


def _known(kind: TimerTable, loose: Sequence[Timer]) -> dict[str, Sequence[str]]:
    """Return what is known of the program, without what other timers in the table make doubtful."""
    names = {timer.path[-1] for timer in loose}
    doubtful = {
        name
        for name, pattern in kind.doubtful.items()
        if any(compiled(pattern).search(other) for other in names)
    }
    return {name: parents for name, parents in kind.parents.items() if name not in doubtful}


def _whole(placed: Placed, loose: Sequence[Timer]) -> float:
    return placed.total if placed.total is not None else max(timer.seconds for timer in loose)


def _place(timer: Timer, siblings: set[str], roots: Mapping[Path, Timer], parents: Parents) -> Path:
    """Return the path of a timer from a root down, empty if its parents lead to none."""
    group = timer.path[:-1]
    chain = [timer.path[-1]]
    while len(chain) <= MAX_DEPTH:
        some = parents.get(chain[0], parents.get(ALL, ()))
        found = (one for one in some if one == "" or (*group, one) in roots or one in siblings)
        parent = next(found, None)
        if parent is None:
            return ()
        if parent == "":
            above = group if group in roots else next(iter(roots)) if len(roots) == 1 else ()
            return (*above, *chain) if above else ()
        if (*group, parent) in roots:
            return (*group, parent, *chain)
        chain.insert(0, parent)
    return ()


def _fitting(
    roots: Mapping[Path, Timer], ways: Sequence[tuple[Path, Timer]]
) -> tuple[dict[Path, Timer], list[Timer]]:
    """Return the timers that fit into their parents by their paths, and the others.

    Rounding apart: what is longer than its parent by less is shortened.

    Args:
        ways: parents before their children, and siblings in the order in which they are to be placed.
    """
    inside: dict[Path, Timer] = {}
    outside: list[Timer] = []
    left = {path: timer.seconds for path, timer in roots.items()}
    for path, timer in ways:
        space = left.get(path[:-1])
        whole = inside.get(path[:-1]) or roots.get(path[:-1])
        if space is None or whole is None or timer.seconds > space + ROUNDING * whole.seconds:
            outside.append(timer)
            continue
        seconds = min(timer.seconds, max(space, 0.0)) if timer.seconds > 0 else timer.seconds
        inside[path] = replace(timer, seconds=seconds)
        left[path], left[path[:-1]] = seconds, space - seconds
    return inside, outside


def _notices(placed: Placed, named: Mapping[str, str], outside: Sequence[Timer]) -> list[str]:
    known = {timer.path[-1] for timer in placed.timers}
    unknown = sorted((set(named) | set(named.values())) - known - {"", ALL})
    notices = [f"timers.toml names timers that are not in the table: {', '.join(unknown)}"] if unknown else []
    if outside:
        shown = ", ".join(dict.fromkeys(timer.path[-1] for timer in outside[:MAX_SHOWN]))
        more = f" and {len(outside) - MAX_SHOWN} more" if len(outside) > MAX_SHOWN else ""
        notices.append(f"timers that do not fit into what should hold them are in no sum: {shown}{more}")
    return notices
