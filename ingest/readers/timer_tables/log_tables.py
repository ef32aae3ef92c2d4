"""Tables of timers in logs: from the text to rows, as a description says."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from pathlib import Path

from ingest.cpp_names import short_list
from ingest.errors import InputError
from ingest.readers.timer_tables.log import (
    Found,
    Log,
    count,
    groups_of,
    known,
    last_facts,
    overflows,
    stated_memory,
)
from ingest.readers.timer_tables.placements import PLACEMENTS, in_grid
from ingest.readers.timer_tables.timer_kind import (
    MAX_PHASES,
    Choice,
    Facts,
    Placed,
    RowForm,
    Timer,
    TimerRow,
    TimerTable,
    compiled,
)
from ingest.run_settings import stopped, what_stops

_SECONDS = ("seconds", "wall", "walltotal", "cycles", "core", "mean", "stamp", "cpu")  # the first counts
_MAX_COPY = 1 << 18  # bytes of a table and what follows it that are compared with others

_MAX_TABLE = 1 << 20  # bytes within which a table ends
_ONE_RUN = "run 1 is the one that counts, a log of each would be a run of its own"
_PARENTHESES = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, kw_only=True)
class ReadTable:
    """One table of a log."""

    placed: Placed
    facts: Facts


@dataclass(frozen=True)
class LogTables:
    """The tables in a log, read one by one."""

    log: Log
    kind: TimerTable  # how it prints them
    path: Path

    def read(self) -> tuple[list[ReadTable], tuple[str, ...]]:
        """Return the tables that count, and notices on the others."""
        begins = list(self.log.find(self.kind.begin))
        stops = [found.start for found in begins[1:]] + [len(self.log.content)] * bool(begins)
        stated = {**last_facts(self.log, self.kind.facts), **stated_memory(self.log, self.kind.memory)}
        places = list(zip(begins, stops, strict=True))
        if self.kind.choice is Choice.EACH:
            places = self._without_copies(places)
        forwards = (table for place in places if (table := self._table(*place, stated)))
        backwards = (table for place in reversed(places) if (table := self._table(*place, stated)))
        notices: tuple[str, ...] = ()
        if self.kind.choice is Choice.LAST:
            found = [table] if (table := next(backwards, None)) else []
            several = sum(map(self._has_rows, places))
            if several > 1:
                notices = (f"{several} tables of timers in it: the last is read",)
        elif self.kind.choice is not Choice.CUMULATIVE:
            programs = self.kind.choice is Choice.PROGRAMS
            found = _distinct(forwards, MAX_PHASES + 1 if programs else None)
            if programs and len(found) > 1:
                number = f"{len(found)}" if len(found) <= MAX_PHASES else f"more than {MAX_PHASES}"
                notices = (f"{number} runs of the program in one log: {_ONE_RUN}",)
        else:
            found, notices = _continued(next(forwards, None), next(backwards, None), forwards)
        if not found:
            stated = last_facts(self.log, (self.kind.begin, *self.kind.facts))
            raise InputError(f"{self._stopped(stated)}: no table of timers in it", where=str(self.path))
        ended, started = self.kind.ended, self.kind.started
        last = begins[-1].start
        if (
            (ended and not next(self.log.find(ended), None))
            or (started and next(self.log.find(started, last), None))
            or self._torn(last)
        ):
            notices = (*notices, "the log ends before the run: these are its timers up to there")
            found[-1] = replace(
                found[-1], facts={**found[-1].facts, "_stopped": self._stopped(found[-1].facts)}
            )
        return found, notices

    def _torn(self, begin: int) -> bool:
        """Return whether the run was killed while it printed its last table."""
        if not self.kind.end or not what_stops(self.log.content):
            return False
        end = re.compile(self.kind.end.encode(), re.MULTILINE)
        return end.search(self.log.content[begin : begin + _MAX_TABLE]) is None

    def _stopped(self, facts: Facts) -> str:
        """Say of which program a log without an end is, and on how many processes it ran."""
        processes = count({**in_grid(facts), **facts}, "processes")
        return stopped(self.kind.name, processes, self.log.content)

    def _without_copies(self, places: Sequence[tuple[Found, int]]) -> list[tuple[Found, int]]:
        """Leave out small tables that are copies of others to the letter, without reading them."""
        kept: dict[bytes | int, tuple[Found, int]] = {}
        for begin, stop in places:
            small = stop - begin.start <= _MAX_COPY
            kept.setdefault(
                bytes(self.log.content[begin.start : stop]).strip() if small else stop, (begin, stop)
            )
        return list(kept.values())

    def _table(self, begin: Found, stop: int, log_facts: Facts) -> ReadTable | None:
        rows = self._scattered(begin, stop) if self.kind.scattered else None
        facts: dict[str, str] = {}
        if rows is None:
            facts, rows = self._below_headers(begin, stop)
        facts = {**log_facts, **begin.facts, **facts}
        lost = dict.fromkeys(row.name for row in rows if overflows(_time_in(row)))
        totals = [facts.get("total", ""), *(row.values.get("total", "") for row in rows)]
        rows = [row for row in rows if row.name not in lost]
        if "_serial" in facts:
            facts.setdefault("processes", "1")
        try:
            something = rows or not self.kind.scattered
            placed = PLACEMENTS[self.kind.place](rows, facts, self.kind) if something else Placed(timers=())
            if placed.total is None and (lost or any(map(overflows, totals))):
                raise InputError("the total is unknown: a time is too large for its column (****)")
        except InputError as error:
            raise InputError(error.what, where=str(self.path), hint=error.hint) from error
        text = f"times too large for their columns, ****, are unknown: {short_list(list(lost))}"
        placed = replace(placed, notices=(*placed.notices, *([text] if lost else ())))
        return ReadTable(placed=placed, facts={**facts, **placed.facts}) if placed.timers else None

    def _has_rows(self, place: tuple[Found, int]) -> bool:
        """Return whether there is anything to read in a table, without reading it."""
        rows = [line for line in self.kind.scattered if "?P<name>" in line.pattern]
        return not rows or any(next(self.log.find(line, place[0].start, place[1]), None) for line in rows)

    def _scattered(self, begin: Found, stop: int) -> list[TimerRow]:
        """Read rows that stand anywhere, each found by its text."""
        lines = (self.log.find(line, begin.start, stop) for line in self.kind.scattered)
        rows = _rows_of(merge(*lines, key=lambda line: line.start))
        return _added_calls(rows) if self.kind.each_call else list(rows)

    def _below_headers(self, begin: Found, stop: int) -> tuple[dict[str, str], list[TimerRow]]:
        """Read the rows of a table line by line, and the facts that its lines state."""
        kind, lines = self.kind, list(self._lines(begin.start, stop))
        facts: dict[str, str] = {}
        rows: list[TimerRow] = []
        group = ""
        columns: tuple[str, ...] = ()
        form = next((form for form in kind.forms if not form.header), None)
        for number, line in enumerate(lines):
            if not line.strip():
                continue
            for pattern in kind.within:
                if match := compiled(pattern).search(line):
                    facts |= {name: value for name, value in match.groupdict().items() if value is not None}
            if kind.heading and (match := compiled(kind.heading).search(line)):
                group = (match["group"] or "").strip()
            elif kind.header and compiled(kind.header).search(line):
                form = _form_below(kind, line, lines[number + 1] if number + 1 < len(lines) else "")
                if form is None:
                    place = self.log.line_number(begin.start) + number
                    raise InputError(
                        f"line {place}: a header of {kind.name} that is not known: {line.strip()[:120]}",
                        where=str(self.path),
                        hint="please report it with a sample of the table",
                    )
                columns = form.columns or _words(line)
            elif form is not None and (
                row := _row(form, columns, lines[max(number - 1, 0) : number + 1], group)
            ):
                rows.append(row)
        return facts, rows

    def _lines(self, start: int, stop: int) -> Iterator[str]:
        lines = self.log.lines(start, stop)
        yield next(lines, "")
        for line in lines:
            if self.kind.end and compiled(self.kind.end).search(line):
                return
            yield line


def _rows_of(lines: Iterable[Found]) -> Iterator[TimerRow]:
    group = ""
    for found in lines:
        facts = dict(found.facts)
        group = facts.pop("group", group).strip()
        if "name" in facts:
            yield TimerRow(group=group, name=facts.pop("name").strip(), values=facts)


def _added_calls(calls: Iterable[TimerRow]) -> list[TimerRow]:
    """Add the rows of a timer, each of which is a call; the sum is unknown if one of them is."""
    sums: dict[tuple[str, str], list[float]] = {}
    lost: dict[tuple[str, str], str] = {}
    for call in calls:
        text = call.values.get("seconds", "")
        added = sums.setdefault((call.group, call.name), [0.0, 0.0])
        added[0] += known(text) or 0.0
        added[1] += known(text) is not None
        if overflows(text):
            lost[call.group, call.name] = text
    return [
        TimerRow(group=at[0], name=at[1], values={"seconds": lost.get(at, repr(total)), "calls": repr(count)})
        for at, (total, count) in sums.items()
        if count or at in lost
    ]


def _time_in(row: TimerRow) -> str:
    return next((row.values[column] for column in _SECONDS if column in row.values), "")


def _form_below(kind: TimerTable, line: str, below: str) -> RowForm | None:
    """Return the form of the rows below a header, None if it is not known."""
    squeezed = " ".join(f"{line} {below}".split())
    return next((form for form in kind.forms if form.header and compiled(form.header).match(squeezed)), None)


def _words(header: str) -> tuple[str, ...]:
    """Return the words of a header after that of the names; what is in parentheses belongs to a word."""
    return tuple(_PARENTHESES.sub(" ", header).split()[1:])


def _row(form: RowForm, columns: Sequence[str], last: Sequence[str], group: str) -> TimerRow | None:
    """Read a row from the last of two lines; it may have begun in the one before."""
    line = last[-1]
    if form.begun and compiled(form.begun).search(last[0]):
        line = last[0].rstrip() + line
    named = groups_of(compiled(form.row), line)
    if named is None:
        return None
    name = named.pop("name").strip()
    if "values" in named:
        text = named.pop("values")
        if form.separator:
            cells = text.strip().strip(form.separator).split(form.separator)
            values = [
                f"{cell.strip()} ".split(" ")[0].rstrip("s%") for cell in cells
            ]  # without units and ranks
        else:
            values = (text if form.columns else _PARENTHESES.sub(" ", text)).split()
        if len(values) > len(columns) or (len(values) < len(columns) and not form.columns):
            return None
        named |= dict(zip(columns[len(columns) - len(values) :], values, strict=True))
    return TimerRow(group=group, name=name, values=named, indent=len(line) - len(line.lstrip(" |")))


def _distinct(tables: Iterator[ReadTable], most: int | None) -> list[ReadTable]:
    """Return the first tables that differ; what is behind them is not read."""
    seen: set[tuple[tuple[tuple[str, ...], float], ...]] = set()
    found = []
    for table in tables:
        content = tuple((timer.path, timer.seconds) for timer in table.placed.timers)
        if content not in seen:
            seen.add(content)
            found.append(table)
        if len(found) == most:
            break
    return found


def _continued(
    first: ReadTable | None, last: ReadTable | None, others: Iterator[ReadTable]
) -> tuple[list[ReadTable], tuple[str, ...]]:
    """Choose among tables that a run prints repeatedly.

    A table that goes on counting has all timers of those before and a total that is not smaller. One that
    lost timers and has a larger total comes from another run. All others were reset, and are added.
    """
    if first is None or last is None:
        return [], ()
    before, after = first.placed, last.placed
    grown = (after.total or 0.0) >= (before.total or 0.0)
    paths = {timer.path for timer in after.timers}
    if grown and all(timer.path in paths for timer in before.timers):
        return [last], ()
    rest = list(others)
    if grown:
        return [first], (f"tables of timers that seem to be of other runs are not read: {len(rest)}",)
    return [added_tables([first, *rest])], (f"{len(rest) + 1} tables of timers, reset in between, are added",)


def added_tables(tables: Sequence[ReadTable]) -> ReadTable:
    """Add tables timer by timer."""
    timers: dict[tuple[tuple[str, ...], bool], Timer] = {}
    for table in tables:
        for timer in table.placed.timers:
            key = timer.path, timer.overlapping
            timers[key] = timers[key].plus(timer) if key in timers else timer
    totals = [table.placed.total for table in tables]
    total = None if None in totals else float(sum(value or 0.0 for value in totals))
    placed = replace(tables[-1].placed, timers=tuple(timers.values()), total=total)
    facts = {name: text for name, text in tables[-1].facts.items() if name != "rate"}  # that of one table
    return ReadTable(placed=placed, facts=facts)
