"""Quantum ESPRESSO's clocks below those that called them, by the headings and names that the log prints."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from ingest.readers.timer_tables.log import duration, timer
from ingest.readers.timer_tables.timer_kind import Facts, Placed, Timer, TimerRow, TimerTable

_CALLED_BY = "Called by "
_EXCESS = 1.02  # times of callees over that of their caller, from which they are also called elsewhere
_MOVED = re.compile(r"\d+h\s*(\d+)m")  # minutes of the processor, then hours of the wall
_ROUNDING = 60.0  # seconds: from one hour on, whole minutes are printed


def quantum_espresso(rows: Sequence[TimerRow], facts: Facts, kind: TimerTable) -> Placed:
    """Put clocks below their callers; those whose caller is not known or took less than they overlap."""
    program = facts.get("_program", "")
    rows, moved = _in_their_columns(rows, facts.get("version", ""))
    block = _headed_by_repeated(_last_block(rows, program))
    clocks = {(row.group, row.name): _seconds(row) for row in block if row.name != program}
    total = next((_seconds(row) for row in reversed(block) if row.name == program), None)
    seconds = {name: value.seconds for (_, name), value in clocks.items()}
    parents = {}
    for group, name in clocks:
        if group == "" or group.startswith(_CALLED_BY):
            parents[name] = _caller(group.removeprefix(_CALLED_BY), name, seconds)
    whole = program or "whole run"
    seconds[""] = total.seconds if total else sum(seconds[n] for n, above in parents.items() if above == "")
    doubtful = _too_long(parents, seconds)
    timers, overlapping = [Timer(path=(whole,), seconds=seconds[""])], []
    for (_, name), clock in clocks.items():
        if path := _path(name, parents, doubtful):
            timers.append(replace(clock, path=(whole, *path)))
        else:
            overlapping.append(replace(clock, overlapping=True))
    notices = moved + tuple(
        f"the clocks below '{above or whole}' took longer than it did: they are also called elsewhere"
        for above in sorted(doubtful)
    )
    return Placed(timers=(*timers, *overlapping), total=total.seconds if total else None, notices=notices)


def _in_their_columns(rows: Sequence[TimerRow], version: str) -> tuple[list[TimerRow], tuple[str, ...]]:
    """Correct wall times from one hour on in version 6.3, by the line below or else by the processor time."""
    found: list[TimerRow] = []
    for row in rows:
        if version.startswith("6.3") and (moved := _MOVED.fullmatch(row.values.get("wall", ""))):
            found.append(replace(row, values={**row.values, "wall": row.values["cpu"], "hours": moved[1]}))
        elif row.name:
            found.append(row)
        elif found and (hours := found[-1].values.get("hours")):
            wall = f"{hours}h{row.values['minutes']}m"
            found[-1] = replace(found[-1], values={**found[-1].values, "wall": wall})
    moved_any = any("hours" in row.values for row in found)
    return found, ("wall times from one hour on, which pw.x 6.3 prints wrongly, are corrected",) * moved_any


def _last_block(rows: Sequence[TimerRow], program: str) -> Sequence[TimerRow]:
    """Return the clocks that were printed last, with the line of the program, which comes first or last."""
    totals = [i for i, row in enumerate(rows) if row.name == program]
    if not totals:
        return rows
    if "first" in rows[totals[-1]].values:  # versions before 4.1
        return rows[totals[-1] :]
    return rows[totals[-2] + 1 if len(totals) > 1 else 0 : totals[-1] + 1]


def _headed_by_repeated(rows: Sequence[TimerRow]) -> list[TimerRow]:
    """Put clocks below the one that was printed again above them, if no heading says who called them."""
    printed: set[str] = set()
    headed, caller, heading = [], "", ""
    for row in rows:
        caller, heading = (caller if row.group == heading else ""), row.group
        if row.group.startswith(_CALLED_BY) or row.group.endswith("routines"):
            headed.append(row)
        elif row.name in printed:
            caller = row.name
        else:
            headed.append(replace(row, group=f"{_CALLED_BY}{caller}" if caller else ""))
        printed.add(row.name)
    return headed


def _seconds(row: TimerRow) -> Timer:
    text = row.values.get("wall") or row.values.get("cpu") or ""
    return timer(row, seconds=duration(text, f"the time of '{row.name[:80]}'"))


def _caller(group: str, name: str, known: dict[str, float]) -> str | None:
    """Return who called a clock: the name before its colon, the heading, the program, or None if unknown."""
    above, colon, _ = name.partition(":")
    potential = f"{group}:pot"  # calls all others that are called by h_psi
    if group == "h_psi" and potential in known and name not in (potential, "h_psi:init"):
        return potential
    if colon and above in known and above != name:
        return above
    if not group:
        return ""
    return next((other for other in known if other != name and fnmatchcase(other, group)), None)


def _too_long(parents: dict[str, str | None], seconds: dict[str, float]) -> set[str]:
    """Return the callers whose callees together took clearly longer than they did."""
    below: dict[str, float] = {}
    for name, above in parents.items():
        if above is not None:
            below[above] = below.get(above, 0.0) + seconds[name]
    return {
        name
        for name, total in below.items()
        if total > _EXCESS * seconds[name] + (_ROUNDING if seconds[name] >= 3600 else 0.05)
    }


def _path(name: str, parents: dict[str, str | None], doubtful: set[str]) -> tuple[str, ...]:
    """Return the callers of a clock from the program down, itself last; empty if they are not known."""
    path = [name]
    while len(path) <= len(parents):
        above = parents.get(path[0])
        if above is None or above in doubtful:
            return ()
        if above == "":
            return tuple(path)
        path.insert(0, above)
    return ()
