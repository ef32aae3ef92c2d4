"""Runs from the rows of tables; or a series, if nothing says how many locations the times are of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, places_in_groups
from ingest.calltree import CallPath, CallPaths, CallTree, CallTreeBuilder
from ingest.errors import InputError, one_line
from ingest.experiment import TIME, VISITS
from ingest.number_text import value_text
from ingest.profile import (
    LARGEST,
    MAX_LOCATIONS,
    LocationTable,
    Metric,
    MetricKind,
    Profile,
    RegionTable,
    ValuesInMemory,
)
from ingest.readers.timer_tables.timer_kind import REST, Statistic
from ingest.run_settings import GENERATOR, MAX_SHOWN, METADATA, STATISTIC, TABLE_SETTING
from ingest.series import MAX_NAMES, MAX_VALUES, MeasuredSeries, split_callpath
from ingest.table_mapping import TableMapping
from ingest.tables.headings import COLUMN_NAMES
from ingest.tables.slurm_jobs import JOB_ENERGY, JOB_MEMORY
from ingest.tables.table_columns import STATE_IT
from ingest.tables.table_rows import TableRows
from ingest.units import RATE_METRIC

_MOST_APART = 1.5  # ratio of times of repetitions of which a number only says which run it is
_MOST_DIFFERENT = 0.9  # of the runs, that have other values of such a number


@dataclass(frozen=True, eq=False, kw_only=True)
class _NumberedRows:
    """N rows of all tables together, with the run and the call path of each."""

    source: str
    mapping: TableMapping
    parameters: tuple[str, ...]  # D of them
    rows: tuple[TableRows, ...]
    file: IntArray  # int64[N], index into `rows`
    index: IntArray  # int64[N], number of the row in its table
    points: FloatArray  # float64[P, D], the points, sorted by the first parameter, then the next
    run: IntArray  # int64[N], index of the run
    point_of: IntArray  # int64[run], index of its point
    repetition: IntArray  # int64[run], from 1 at each point
    node: IntArray  # int64[N], call path
    rank: IntArray  # int64[N], 0 for tables that state none
    tree: CallTree  # the call paths of all runs, in preorder
    names: tuple[str, ...]

    @property
    def ranked(self) -> bool:
        """Whether all tables state ranks."""
        return all(rows.rank is not None for rows in self.rows)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics of all tables."""
        return tuple(dict.fromkeys(name for rows in self.rows for name in rows.values))

    def column(self, name: str) -> FloatArray:
        """Return a metric or another column of numbers of all rows, NaN for tables without it."""
        return np.concatenate(
            [
                rows.values[name] if name in rows.values else np.full(len(rows.row), np.nan)
                for rows in self.rows
            ]
        )

    def place(self, row: int) -> str:
        """Return where a row stands, with its file if there are several."""
        rows = self.rows[self.file[row]]
        text = rows.frame.place(int(rows.row[self.index[row]]))
        return text if len(self.rows) == 1 else f"{rows.frame.source}, {text}"


_EQUAL = 0.02  # how far a total may differ from the sum of its parts
_LEAST_REST = 0.005  # of a total, that is kept as time outside its parts

_WHOLE = frozenset((*COLUMN_NAMES["totals"], *COLUMN_NAMES["times"], *COLUMN_NAMES["wall"]))
_MAX_ROLES = 200  # characters of the sentence on the columns
_MAX_ALL_LOCATIONS = 1 << 26  # of all runs together
_STATISTICS = {"mean": Statistic.MEAN, "sum": Statistic.SUM, "maximum": Statistic.MAXIMUM}
_UNITS = {TIME: "s", VISITS: "occ", JOB_MEMORY: "B", JOB_ENERGY: "J"}
_KINDS = {JOB_MEMORY: MetricKind.MAXIMUM}


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRun:
    """One run of a table."""

    parameters: tuple[float, ...]  # values in the order of the study's parameters
    repetition: int  # numbered from 1 at each point
    profile: Profile  # what was measured; its source names the table and the run


@dataclass(frozen=True, eq=False)
class TableStudy:
    """What tables hold."""

    parameters: tuple[str, ...]
    # sorted by parameters and repetition; none if the number of locations is unknown
    runs: tuple[TableRun, ...]
    series: MeasuredSeries | None  # the values as they are, if it is
    damaged: tuple[tuple[str, str], ...]  # name of a run that cannot be used, and why
    notices: tuple[str, ...]  # one sentence for everything doubtful, and what was decided on the columns
    roles: str = ""  # the sentence on the columns, empty if each says itself what it is


def make_study(
    tables: Sequence[TableRows], mapping: TableMapping, source: str, only: tuple[str, str] | None = None
) -> TableStudy:
    """Make runs of the rows of tables that are read as one study.

    A run is what has the same parameters and repetition. One with a cell that is missing, negative or not a
    number is left out. A kernel without a row in a run counts as zero there, as in profiles. With `only`,
    metadata and its value, those runs alone are wanted that state it.
    """
    parameters = tables[0].parameters
    for rows in tables:
        if set(rows.parameters) != set(parameters):
            raise InputError(
                f"the tables do not agree on their parameters: {', '.join(rows.parameters)} here,"
                f" {', '.join(parameters)} in {tables[0].frame.source}",
                where=rows.frame.source,
                hint="give all the same columns, or name one as file in [table] of pipeline.toml",
            )
    total: Sequence[str] = ()
    table = _number_rows(tables, mapping, source)
    if not mapping.inclusive and not mapping.value:
        tables, total = _without_total(table)
        table = _number_rows(tables, mapping, source) if total else table
    bad = _bad_runs(table)
    unknown = bool(np.isnan(np.concatenate([rows.locations for rows in tables])).all())
    said = one_line("; ".join(dict.fromkeys([*(role for rows in tables for role in rows.roles), *total])))
    roles = (said if len(said) <= _MAX_ROLES else f"{said[: _MAX_ROLES - 3]}...",) if said else ()
    if unknown:
        series = _as_series(table, bad, roles)
        return TableStudy(parameters, (), series, (), series.notices, "".join(roles))
    study = _as_runs(table, bad, only)
    return replace(study, notices=(*roles, *study.notices), roles="".join(roles))


def _as_runs(table: _NumberedRows, bad: dict[int, str], only: tuple[str, str] | None) -> TableStudy:
    locations, mapping = _locations(table, bad), table.mapping
    stored = {name: _dense(table, name) for name in table.metrics}
    ranks = table.rank if table.ranked else None
    used = [run for run in range(len(table.point_of)) if run not in bad]
    names = [_name(table, run) for run in range(len(table.point_of))]
    if not used:
        first = next(iter(bad))
        more = f" (and {len(bad) - 1} more runs that cannot be used)" if len(bad) > 1 else ""
        raise InputError(
            f"{bad[first]}{more}", where=table.source, hint="fill in the cell, or delete the rows of the run"
        )
    if sum(int(locations[run]) for run in used) > _MAX_ALL_LOCATIONS:
        raise InputError("more locations than any study has", where=table.source)
    described, notices = _metadata(table)
    if only is not None and only[0] in described:
        name, value = only
        used = [run for run in used if described[name][run] == value]
    notices += (*_of_rates(table), *_gaps(table, used), *_mixed(table, used, described))
    runs = []
    for run in used:
        values, where = _values(table, run, stored, ranks, int(locations[run]))
        process = _processes(table, run, int(locations[run]))
        attributes = {GENERATOR: TABLE_SETTING} | {
            METADATA + name: texts[run] for name, texts in described.items()
        }
        if where is None:
            what = _STATISTICS[mapping.statistic].value
            attributes[STATISTIC] = f"{what} ({int(process[-1]) + 1} processes)" if len(process) else what
        runs.append(
            TableRun(
                parameters=tuple(table.points[table.point_of[run]].tolist()),
                repetition=int(table.repetition[run]),
                profile=_profile(names[run], table, values, process, attributes),
            )
        )
    return TableStudy(
        parameters=table.parameters,
        runs=tuple(runs),
        series=None,
        damaged=tuple((names[run], one_line(what)) for run, what in sorted(bad.items())),
        notices=notices,
    )


def _locations(table: _NumberedRows, bad: dict[int, str]) -> FloatArray:
    """Return the number of locations per run; runs in which it is missing, odd or not the same are bad."""
    stated = np.concatenate([rows.locations for rows in table.rows])
    size = len(table.point_of)
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    with np.errstate(invalid="ignore"):  # a run with a gap has none
        np.minimum.at(least, table.run, stated)
        np.maximum.at(most, table.run, stated)
    first = np.full(size, len(stated))
    np.minimum.at(first, table.run, np.arange(len(stated)))
    odd = ~((least == most) & (least >= 1) & (least <= MAX_LOCATIONS) & (least == np.floor(least)))
    for run in np.flatnonzero(odd).tolist():
        value, where = least[run], table.place(int(first[run]))
        if np.isnan(value):
            bad.setdefault(run, f"{where}: the number of locations is not stated")
        elif value != most[run]:
            bad.setdefault(
                run, f"{where}: the run has both {value_text(value)} and {value_text(most[run])} locations"
            )
        else:
            bad.setdefault(run, f"{where}: {value_text(value)} locations")
    return least


def _dense(table: _NumberedRows, name: str) -> FloatArray:
    values = table.column(name)
    if not (np.abs(values[np.isfinite(values)]) < LARGEST).all():
        raise InputError(f"a value of {name} is too large", where=table.source)
    return np.nan_to_num(values)


def _values(
    table: _NumberedRows, run: int, stored: Mapping[str, FloatArray], ranks: IntArray | None, locations: int
) -> tuple[dict[str, FloatArray], IntArray | None]:
    """Return float64[n, location] per metric, and the locations of its rows if they state ranks."""
    rows = np.flatnonzero(table.run == run)
    nodes = table.node[rows]
    where = None
    if ranks is not None and len(found := np.unique(ranks[rows])) <= locations:
        where = np.searchsorted(found, ranks[rows])
    found_values, mapping = {}, table.mapping
    for name, column in stored.items():
        share = locations if mapping.statistic == "sum" and where is None else 1
        dense = np.zeros((len(table.tree), 1 if where is None else locations))
        there = np.zeros(dense.shape, dtype=np.bool_)
        at = (nodes, np.zeros_like(nodes) if where is None else where)
        np.add.at(dense, at, column[rows] / share)
        there[at] = True
        if mapping.inclusive and name == TIME:
            # callers without a row have the sum of their callees
            tree = table.tree
            for node in range(len(tree) - 1, 0, -1):
                caller = int(tree.parent[node])
                if caller >= 0:
                    dense[caller] += np.where(there[caller], 0.0, dense[node])
        found_values[name] = np.broadcast_to(dense, (len(table.tree), locations))
    return found_values, where


def _processes(table: _NumberedRows, run: int, locations: int) -> IntArray:
    """Return the process of each location: as many processes as stated, if they fit."""
    row = int(np.flatnonzero(table.run == run)[0])
    process = table.rows[table.file[row]].process[table.index[row]]
    if np.isfinite(process) and process >= 1 and locations % process == 0:
        return np.repeat(np.arange(int(process)), locations // int(process))
    return np.arange(locations)


def _profile(
    source: str,
    table: _NumberedRows,
    values: Mapping[str, FloatArray],
    process: IntArray,
    attributes: Mapping[str, str],
) -> Profile:
    return Profile(
        source=source,
        tree=table.tree,
        regions=RegionTable.named(table.names, ("",) * len(table.names)),
        locations=LocationTable.of_threads(process, places_in_groups(process)),
        metrics=tuple(
            Metric(
                name,
                _UNITS.get(name, ""),
                MetricKind.INCLUSIVE
                if table.mapping.inclusive and name == TIME
                else _KINDS.get(name, MetricKind.EXCLUSIVE),
            )
            for name in values
        ),
        load=ValuesInMemory(table.tree, values),
        attributes=attributes,
    )


def _name(table: _NumberedRows, run: int) -> str:
    point = zip(table.parameters, table.points[table.point_of[run]].tolist(), strict=True)
    text = ", ".join(f"{name} = {value:.15g}" for name, value in point)
    return f"{table.source} ({text}, repetition {table.repetition[run]})"


def _metadata(table: _NumberedRows) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return per name what describes each run, and notices on columns that are not read.

    Of the unknown columns of numbers, those that have one value in each run describe it.
    """
    import pandas as pd

    found: dict[str, list[str]] = {}
    left_out = []
    for name in dict.fromkeys(n for rows in table.rows for n in (*rows.described, *rows.unknown)):
        texts = _column_of(table.rows, name)
        codes, found_texts = pd.factorize(texts)
        stated = found_texts != ""
        least, most = np.full(len(table.point_of), len(stated)), np.full(len(table.point_of), -1)
        there = stated[codes]
        np.minimum.at(least, table.run[there], codes[there])
        np.maximum.at(most, table.run[there], codes[there])
        if (least >= most).all():
            of_run = np.append(found_texts, "")[most].tolist()
            found[one_line(name)] = [one_line(text)[:200] for text in of_run]
        else:
            left_out.append(
                f"the column '{name}' is not read: name it in [table] of pipeline.toml if it matters"
            )
    return found, tuple(map(one_line, left_out))


def _of_rates(table: _NumberedRows) -> tuple[str, ...]:
    """Say which rates times were made from."""
    rates = {text for rows in table.rows for text in set(rows.described.get(RATE_METRIC, ()))}
    return tuple(
        one_line(f"times and costs are those of one unit of work, from {rate}") for rate in sorted(rates)
    )


def _mixed(
    table: _NumberedRows, used: Sequence[int], described: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Say in which metadata runs of the same point differ, if it may be a dimension: if values recur."""
    notices = []
    for name, texts in described.items():
        of_point: dict[int, set[str]] = {}
        for run in used:
            of_point.setdefault(int(table.point_of[run]), set()).add(texts[run])
        values = set().union(*of_point.values())
        if max(map(len, of_point.values())) > 1 and 2 * len(values) <= len(used) and len(of_point) > 1:
            shown = ", ".join(sorted(values)[:MAX_SHOWN])
            what = f"runs of the same parameters differ in '{name}' ({shown}) and count as repetitions"
            notices.append(one_line(f"{what}; --group-by {name} separates them"))
    return tuple(notices)


def _gaps(table: _NumberedRows, used: Sequence[int]) -> tuple[str, ...]:
    there = np.zeros((len(table.tree), len(table.point_of)), dtype=np.bool_)
    there[table.node, table.run] = True
    kernels = there.any(axis=1)
    partly = int((kernels & ~there[:, used].all(axis=1)).sum())
    if not partly:
        return ()
    subject, verb = ("1 kernel has", "counts") if partly == 1 else (f"{partly} kernels have", "count")
    return (f"{subject} no row in some of the runs and {verb} as zero there",)


def _as_series(table: _NumberedRows, bad: dict[int, str], roles: tuple[str, ...]) -> MeasuredSeries:
    """Take the values as they are; cells without a valid one count as not measured."""
    metrics, source = table.metrics, table.source
    shape = (len(table.tree), len(table.points), int(table.repetition.max()))
    if int(np.prod(shape)) * len(metrics) > MAX_VALUES:
        raise InputError("too large for memory", where=source, hint="split the file")
    values = {}
    for name in metrics:
        column = table.column(name)
        column = np.where(np.abs(column) < LARGEST, column, np.nan)
        if name == TIME:
            column = np.where(column < 0, np.nan, column)
        values[name] = np.full(shape, np.nan)
        values[name][table.node, table.point_of[table.run], table.repetition[table.run] - 1] = column
    if not np.isfinite(values[TIME]).any():
        what = next(iter(bad.values()), "it has no time")
        raise InputError(what, where=source)
    if table.mapping.inclusive:
        flat = values[TIME].reshape(len(table.tree), -1)
        values[TIME] = table.tree.exclusive(np.nan_to_num(flat)).reshape(shape)
    described, not_read = _metadata(table)
    notices = (*roles, *not_read, *_of_rates(table))
    notices += tuple(one_line(f"{what}; it counts as not measured") for what in bad.values())
    notices += (
        "the number of locations is not stated, so there is no effort: name a column of processes (p) or"
        " locations",
    )
    return MeasuredSeries(
        source=source,
        parameters=table.parameters,
        points=table.points,
        callpaths=CallPaths.of(table.tree, table.names),
        metrics=tuple(Metric(name, _UNITS.get(name, "")) for name in metrics),
        values=values,
        notices=notices,
        stated={METADATA + name: texts[0] for name, texts in described.items() if len(set(texts)) == 1},
    )


def _without_total(table: _NumberedRows) -> tuple[Sequence[TableRows], tuple[str, ...]]:
    """Put the time outside all parts in the place of a total, and say so; nothing if there is none.

    Refused is a total that its parts exceed, and what equals the sum of the others if nothing shows that it
    is one.
    """
    time, key = np.nan_to_num(table.column(TIME)), table.run
    if len(table.tree) < 2 or (table.tree.parent >= 0).any() or (np.abs(time) > LARGEST).any():
        return table.rows, ()
    if table.ranked:
        key = np.unique(key * (int(table.rank.max()) + 2) + table.rank, return_inverse=True)[1]
    names = [table.names[region] for region in table.tree.region.tolist()]
    node, *same = _totals(names, table.node, key, time, table.source)
    if node < 0:
        return table.rows, ()
    at, again = table.node == node, np.isin(table.node, same)
    total = np.bincount(key[at], time[at], minlength=int(key.max()) + 1)[key]
    rest = total - np.bincount(key, np.where(at | again, 0.0, time))[key]
    wrong = (at & (rest < -_EQUAL * total)) | (again & (np.abs(time - total) > _EQUAL * total))
    if wrong.any():
        row = int(wrong.argmax())
        other = f"{names[table.node[row]]} {value_text(time[row])} s" if again[row] else ""
        other = other or f"its parts {value_text(total[row] - rest[row])} s"
        what = f"{table.place(row)}: {names[node]} is {value_text(total[row])} s, {other}"
        raise InputError(what, where=table.source, hint=f"which is the time? {STATE_IT}")
    kept = bool((rest[at] > _LEAST_REST * total[at]).any()) or bool((at | again).all())
    tables, start = [], 0
    for rows in table.rows:
        part = slice(start, start := start + len(rows.row))
        tables.append(
            _with_rest(rows, at[part], np.maximum(rest[part], 0.0)).only(~again[part] & (kept | ~at[part]))
        )
    return tables, (
        f"{names[node]}: the whole, the others its parts" + (f", {REST} the rest" if kept else ""),
    )


def _with_rest(rows: TableRows, at: BoolArray, rest: FloatArray) -> TableRows:
    """Return rows whose totals, bool[N], are the time outside all parts."""
    totals = set(rows.kernel[at].tolist())
    names = tuple(REST if i in totals else name for i, name in enumerate(rows.kernels))
    values = {
        name: np.where(at, rest if name == TIME else np.nan, column) for name, column in rows.values.items()
    }
    return replace(rows, kernels=names, values=values)


def _totals(names: Sequence[str], node: IntArray, key: IntArray, time: FloatArray, source: str) -> list[int]:
    """Return the call path of the total and those called so, too; -1 if there is none."""
    size, runs = len(names), int(key.max()) + 1
    sums = np.bincount(key, time)[key]
    share = time / np.where(sums > 0, sums, 1.0)
    equal = np.bincount(node[np.abs(2 * time - sums) <= _EQUAL * time], minlength=size) == runs
    larger = np.bincount(node[share < 0.5 - _EQUAL / 4], minlength=size) == 0
    words = [re.sub(r"[\W_]+", "", name.lower()) for name in names]
    longest = np.zeros(runs)
    np.maximum.at(longest, key, time)
    leads = np.bincount(node[time >= (1 - _EQUAL) * longest[key]], minlength=size) > 0  # FDS has a part WALL
    called = [i for i, word in enumerate(words) if word in _WHOLE]
    called = called if leads[called].any() else []
    called = called or [i for i, word in enumerate(words) if word in COLUMN_NAMES["sums"] and larger[i]][:1]
    if called or size < 3 or runs < 2 or not equal.any():
        return sorted(called, key=lambda i: not equal[i]) or [-1]
    least, most = np.full(size, np.inf), np.zeros(size)
    np.minimum.at(least, node, share)
    np.maximum.at(most, node, share)
    if (most - least <= _EQUAL * most).all():  # all kernels scale alike
        what = f"'{names[int(equal.argmax())]}' is the sum of the others, by chance or as their total"
        raise InputError(what, where=source, hint=f"call it total, or {STATE_IT}")
    return [int(equal.argmax())]


def _number_rows(tables: Sequence[TableRows], mapping: TableMapping, source: str) -> _NumberedRows:
    """Find the runs: rows with the same parameters and repetition are of one."""
    parameters = tables[0].parameters
    columns = [[rows.parameters.index(name) for name in parameters] for rows in tables]
    points, point = _unique_rows(
        np.concatenate([rows.points[:, order] for rows, order in zip(tables, columns, strict=True)])
    )
    builder, separator = CallTreeBuilder(), mapping.separator
    nodes = []
    for rows in tables:
        used = np.bincount(rows.kernel, minlength=len(rows.kernels)) > 0
        added = [builder.add(_path(k, separator)) if used[i] else -1 for i, k in enumerate(rows.kernels)]
        nodes.append(np.array(added)[rows.kernel])
    place, tree, names = builder.build()
    if int(tree.depth.sum()) > MAX_NAMES:
        raise InputError("its call paths are too long for memory", where=source, hint="shorten them")
    node = place[np.concatenate(nodes)]
    file = np.repeat(np.arange(len(tables)), [len(rows.row) for rows in tables])
    index = np.concatenate([np.arange(len(rows.row)) for rows in tables])
    rank = np.concatenate(
        [np.zeros(len(rows.row), np.int64) if rows.rank is None else rows.rank for rows in tables]
    )
    label = _apart(tables, point, _labels(tables, point, node, rank), node, rank)
    key, run = np.unique(point * (int(label.max()) + 1) + label, return_inverse=True)
    of_point = key // (int(label.max()) + 1)
    starts = np.searchsorted(of_point, of_point)
    found = _NumberedRows(
        source=source,
        mapping=mapping,
        parameters=parameters,
        rows=tuple(tables),
        file=file,
        index=index,
        points=points,
        run=run,
        point_of=of_point,
        repetition=np.arange(len(key)) - starts + 1,
        node=node,
        rank=rank,
        tree=tree,
        names=names,
    )
    _refuse_twice(found)
    return found


def _unique_rows(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different rows in their order, and which each is; much faster than `np.unique` of rows."""
    code = np.zeros(len(values), dtype=np.int64)
    for column in values.T:
        found, of_column = np.unique(column, return_inverse=True)
        code = np.unique(code * len(found) + of_column, return_inverse=True)[1]
    first = np.full(int(code.max()) + 1, len(code))
    np.minimum.at(first, code, np.arange(len(code)))
    return values[first], code


def _path(kernel: str | CallPath, separator: str) -> CallPath:
    if isinstance(kernel, tuple):
        return kernel
    if separator == "->":
        return split_callpath(kernel)
    if not separator:
        return (kernel,)
    return tuple(filter(None, (name.strip() for name in kernel.split(separator)))) or (kernel,)


def _labels(tables: Sequence[TableRows], point: IntArray, node: IntArray, rank: IntArray) -> IntArray:
    """Number what distinguishes the runs of a point: as stated, or by the order in which kernels repeat."""
    if all(rows.repetition is not None for rows in tables):
        texts = np.concatenate([rows.repetition for rows in tables])
        found = dict.fromkeys(texts.tolist())
        ordered = sorted(
            found, key=lambda text: (not text.isdecimal(), int(f"0{text}"[:18]) if text.isdecimal() else 0)
        )
        number = {text: i for i, text in enumerate(ordered)}
        return np.array([number[text] for text in texts.tolist()], dtype=np.int64)
    order = np.lexsort([np.arange(len(point)), rank, node, point])
    keys = np.column_stack([point, node, rank])[order]
    first = np.append(True, (np.diff(keys, axis=0) != 0).any(axis=1))
    starts = np.flatnonzero(first)
    label = np.empty(len(point), dtype=np.int64)
    label[order] = np.arange(len(point)) - starts[np.cumsum(first) - 1]
    return label


def _apart(
    tables: Sequence[TableRows], point: IntArray, label: IntArray, node: IntArray, rank: IntArray
) -> IntArray:
    """Number runs apart that have the same repetition but are described differently, such as by machines."""
    for name in dict.fromkeys(name for rows in tables for name in rows.described):
        key = np.column_stack([point, label, node, rank])
        order = np.lexsort(key.T[::-1])
        same = np.flatnonzero((np.diff(key[order], axis=0) == 0).all(axis=1))
        if not len(same):
            break
        texts = _column_of(tables, name)
        if (texts[order[same]] != texts[order[same + 1]]).any():
            codes = np.unique(texts, return_inverse=True)[1]
            label = np.unique(codes * (int(label.max()) + 1) + label, return_inverse=True)[1]
    return label


def _column_of(tables: Sequence[TableRows], name: str) -> "np.ndarray[Any, Any]":
    """Return the texts of a column that describes runs or is not known, empty for tables without it."""
    return np.concatenate(
        [
            rows.described.get(name, rows.unknown.get(name, np.full(len(rows.row), "", dtype=object)))
            for rows in tables
        ]
    )


def _refuse_twice(table: _NumberedRows) -> None:
    """Refuse two rows of one kernel in one run, or numbers that vary between what seem to be repetitions."""
    stated = all(rows.repetition is not None for rows in table.rows)
    keys = [table.point_of[table.run], table.node, table.rank] + ([table.run] if stated else [])
    order = np.lexsort([np.arange(len(table.run)), *reversed(keys)])
    same = np.flatnonzero((np.diff(np.column_stack(keys)[order], axis=0) == 0).all(axis=1))
    if not len(same):
        return
    first, second = int(order[same[0]]), int(order[same[0] + 1])
    varied = _varied(table, order[same], order[same + 1])
    if not stated and not varied:
        return
    kernel = table.rows[table.file[second]].kernels[
        table.rows[table.file[second]].kernel[table.index[second]]
    ]
    hint = "number the runs in a column called repetition"
    if varied:
        hint = f"they differ in '{varied}': name it under parameters, metadata or repetition in [table]"
    raise InputError(
        f"{table.place(second)}: '{kernel}' stands there again for the same run as in {table.place(first)}"
        if stated
        else f"{table.place(second)}: the same parameters and kernel '{kernel}' as in {table.place(first)}",
        where=table.rows[table.file[second]].frame.source,
        hint=hint,
    )


def _varied(table: _NumberedRows, one: IntArray, two: IntArray) -> str:
    """Return the name of an unknown column of numbers that differs between rows of the same kernel.

    One that is different in nearly all runs although repetitions take as long says which run it is.
    """
    time, runs = table.column(TIME), len(table.point_of)
    with np.errstate(all="ignore"):
        alike = bool((np.abs(np.log(time[one] / time[two])) < np.log(_MOST_APART)).all())
    for name in dict.fromkeys(name for rows in table.rows for name in rows.unknown):
        texts = _column_of(table.rows, name)
        if (texts[one] != texts[two]).any() and not (
            alike and len(set(texts.tolist())) >= _MOST_DIFFERENT * runs
        ):
            return name
    return ""


def _bad_runs(table: _NumberedRows) -> dict[int, str]:
    """Return for each run with an invalid cell what is wrong with the first of them."""
    found: dict[int, str] = {}
    start = 0
    for rows in table.rows:
        for row, what in rows.bad:
            run = int(table.run[start + row])
            if run not in found:
                found[run] = f"{rows.frame.place(int(rows.row[row]))}: {what}"
        start += len(rows.row)
    return found
