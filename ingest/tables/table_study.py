"""Runs from the rows of tables; or a series, if nothing says how many locations the times are of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray, places_in_groups
from ingest.callpaths import CallPaths
from ingest.calltree import CallTree
from ingest.errors import InputError, one_line
from ingest.number_text import value_text
from ingest.profile import LARGEST, LocationTable, Metric, MetricKind, Profile, RegionTable, ValuesInMemory
from ingest.readers.timer_tables.timer_kind import Statistic
from ingest.run_settings import GENERATOR, MAX_SHOWN, METADATA, STATISTIC, TABLE
from ingest.series import MAX_VALUES, Series
from ingest.table_mapping import TableMapping
from ingest.tables.run_numbering import NumberedRows, bad_runs, column_of, number_rows
from ingest.tables.slurm_jobs import ENERGY, MEMORY
from ingest.tables.table_rows import TIME, VISITS, TableRows
from ingest.tables.totals import without_total
from ingest.work_rates import RATE

MAX_ROLES = 200  # characters of the sentence on the columns
MAX_LOCATIONS = 1 << 21
MAX_ALL_LOCATIONS = 1 << 26  # of all runs together
STATISTICS = {"mean": Statistic.MEAN, "sum": Statistic.SUM, "maximum": Statistic.MAXIMUM}
UNITS = {TIME: "s", VISITS: "occ", MEMORY: "B", ENERGY: "J"}
KINDS = {MEMORY: MetricKind.MAXIMUM}


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRun:
    """One run of a table.

    Attributes:
        parameters: values in the order of the study's parameters.
        repetition: numbered from 1 at each point.
        profile: what was measured; its source names the table and the run.
    """

    parameters: tuple[float, ...]
    repetition: int
    profile: Profile


@dataclass(frozen=True, eq=False)
class TableStudy:
    """What tables hold.

    Attributes:
        runs: sorted by parameters and repetition; none if the number of locations is unknown.
        series: the values as they are, if it is.
        damaged: name of a run that cannot be used, and why.
        notices: one sentence for everything doubtful, and what was decided on the columns.
        roles: the sentence on the columns, empty if each says itself what it is.
    """

    parameters: tuple[str, ...]
    runs: tuple[TableRun, ...]
    series: Series | None
    damaged: tuple[tuple[str, str], ...]
    notices: tuple[str, ...]
    roles: str = ""


def make_study(
    tables: Sequence[TableRows], mapping: TableMapping, source: str, only: tuple[str, str] | None = None
) -> TableStudy:
    """Make runs of the rows of tables that are read as one study.

    A run is what has the same parameters and repetition. One with a cell that is missing, negative or not a
    number is left out. A kernel without a row in a run counts as zero there, as in profiles.

    Args:
        only: metadata and its value, if only runs that state it are wanted.

    Raises:
        InputError: the tables do not have the same parameters, a row stands twice, or no run is left.
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
    table = number_rows(tables, mapping.separator, source)
    if not mapping.inclusive and not mapping.value:
        tables, total = without_total(table, source)
        table = number_rows(tables, mapping.separator, source) if total else table
    bad = bad_runs(table)
    unknown = bool(np.isnan(np.concatenate([rows.locations for rows in tables])).all())
    said = one_line("; ".join(dict.fromkeys([*(role for rows in tables for role in rows.roles), *total])))
    roles = (said if len(said) <= MAX_ROLES else f"{said[: MAX_ROLES - 3]}...",) if said else ()
    if unknown:
        series = _as_series(table, parameters, bad, mapping, source, roles)
        return TableStudy(parameters, (), series, (), series.notices, "".join(roles))
    study = _as_runs(table, parameters, bad, mapping, source, only)
    return replace(study, notices=(*roles, *study.notices), roles="".join(roles))


def _as_runs(
    table: NumberedRows,
    parameters: tuple[str, ...],
    bad: dict[int, str],
    mapping: TableMapping,
    source: str,
    only: tuple[str, str] | None,
) -> TableStudy:
    locations = _locations(table, bad)
    metrics = list(dict.fromkeys(name for rows in table.rows for name in rows.values))
    stored = {name: _dense(table, name, mapping, source) for name in metrics}
    ranks = _ranks(table)
    used = [run for run in range(len(table.point_of)) if run not in bad]
    names = [_name(table, parameters, run, source) for run in range(len(table.point_of))]
    if not used:
        first = next(iter(bad))
        more = f" (and {len(bad) - 1} more runs that cannot be used)" if len(bad) > 1 else ""
        raise InputError(
            f"{bad[first]}{more}", where=source, hint="fill in the cell, or delete the rows of the run"
        )
    if sum(int(locations[run]) for run in used) > MAX_ALL_LOCATIONS:
        raise InputError("more locations than any study has", where=source)
    described, notices = _metadata(table)
    if only is not None and only[0] in described:
        name, value = only
        used = [run for run in used if described[name][run] == value]
    notices += (*_of_rates(table), *_gaps(table, used), *_mixed(table, used, described))
    runs = []
    for run in used:
        values, where = _values(table, run, stored, ranks, int(locations[run]), mapping)
        process = _processes(table, run, int(locations[run]))
        attributes = {GENERATOR: TABLE} | {METADATA + name: texts[run] for name, texts in described.items()}
        if where is None:
            what = STATISTICS[mapping.statistic].value
            attributes[STATISTIC] = f"{what} ({int(process[-1]) + 1} processes)" if len(process) else what
        runs.append(
            TableRun(
                parameters=tuple(table.points[table.point_of[run]].tolist()),
                repetition=int(table.repetition[run]),
                profile=_profile(names[run], table, values, process, attributes, mapping),
            )
        )
    return TableStudy(
        parameters=parameters,
        runs=tuple(runs),
        series=None,
        damaged=tuple((names[run], one_line(what)) for run, what in sorted(bad.items())),
        notices=notices,
    )


def _locations(table: NumberedRows, bad: dict[int, str]) -> FloatArray:
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


def _ranks(table: NumberedRows) -> IntArray | None:
    columns = [rows.rank for rows in table.rows]
    return None if any(column is None for column in columns) else np.concatenate(columns)  # type: ignore[arg-type]


def _dense(table: NumberedRows, name: str, mapping: TableMapping, source: str) -> FloatArray:
    values = table.column(name)
    if not (np.abs(values[np.isfinite(values)]) < LARGEST).all():
        raise InputError(f"a value of {name} is too large", where=source)
    return np.nan_to_num(values)


def _values(
    table: NumberedRows,
    run: int,
    stored: Mapping[str, FloatArray],
    ranks: IntArray | None,
    locations: int,
    mapping: TableMapping,
) -> tuple[dict[str, FloatArray], IntArray | None]:
    """Return float64[n, location] per metric, and the locations of its rows if they state ranks."""
    rows = np.flatnonzero(table.run == run)
    nodes = table.node[rows]
    where = None
    if ranks is not None and len(found := np.unique(ranks[rows])) <= locations:
        where = np.searchsorted(found, ranks[rows])
    found_values = {}
    for name, column in stored.items():
        share = locations if mapping.statistic == "sum" and where is None else 1
        dense = np.zeros((len(table.tree), 1 if where is None else locations))
        there = np.zeros(dense.shape, dtype=np.bool_)
        at = (nodes, np.zeros_like(nodes) if where is None else where)
        np.add.at(dense, at, column[rows] / share)
        there[at] = True
        if mapping.inclusive and name == TIME:
            _fill_callers(table.tree, dense, there)
        found_values[name] = np.broadcast_to(dense, (len(table.tree), locations))
    return found_values, where


def _fill_callers(tree: CallTree, values: FloatArray, there: Any) -> None:  # noqa: ANN401
    """Give callers without a row the sum of their callees."""
    for node in range(len(tree) - 1, 0, -1):
        caller = int(tree.parent[node])
        if caller >= 0:
            values[caller] += np.where(there[caller], 0.0, values[node])


def _processes(table: NumberedRows, run: int, locations: int) -> IntArray:
    """Return the process of each location: as many processes as stated, if they fit."""
    row = int(np.flatnonzero(table.run == run)[0])
    process = table.rows[table.file[row]].process[table.index[row]]
    if np.isfinite(process) and process >= 1 and locations % process == 0:
        return np.repeat(np.arange(int(process)), locations // int(process))
    return np.arange(locations)


def _profile(
    source: str,
    table: NumberedRows,
    values: Mapping[str, FloatArray],
    process: IntArray,
    attributes: Mapping[str, str],
    mapping: TableMapping,
) -> Profile:
    return Profile(
        source=source,
        tree=table.tree,
        regions=RegionTable.named(table.names, ("",) * len(table.names)),
        locations=LocationTable.of_threads(process, places_in_groups(process)),
        metrics=tuple(
            Metric(
                name,
                UNITS.get(name, ""),
                MetricKind.INCLUSIVE
                if mapping.inclusive and name == TIME
                else KINDS.get(name, MetricKind.EXCLUSIVE),
            )
            for name in values
        ),
        load=ValuesInMemory(table.tree, values),
        attributes=attributes,
    )


def _name(table: NumberedRows, parameters: Sequence[str], run: int, source: str) -> str:
    point = zip(parameters, table.points[table.point_of[run]].tolist(), strict=True)
    text = ", ".join(f"{name} = {value:.15g}" for name, value in point)
    return f"{source} ({text}, repetition {table.repetition[run]})"


def _metadata(table: NumberedRows) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return per name what describes each run, and notices on columns that are not read.

    Of the unknown columns of numbers, those that have one value in each run describe it.
    """
    import pandas as pd

    found: dict[str, list[str]] = {}
    left_out = []
    for name in dict.fromkeys(n for rows in table.rows for n in (*rows.described, *rows.unknown)):
        texts = column_of(table.rows, name)
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


def _of_rates(table: NumberedRows) -> tuple[str, ...]:
    """Say which rates times were made from."""
    rates = {text for rows in table.rows for text in set(rows.described.get(RATE, ()))}
    return tuple(
        one_line(f"times and costs are those of one unit of work, from {rate}") for rate in sorted(rates)
    )


def _mixed(
    table: NumberedRows, used: Sequence[int], described: Mapping[str, Sequence[str]]
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


def _gaps(table: NumberedRows, used: Sequence[int]) -> tuple[str, ...]:
    there = np.zeros((len(table.tree), len(table.point_of)), dtype=np.bool_)
    there[table.node, table.run] = True
    kernels = there.any(axis=1)
    partly = int((kernels & ~there[:, used].all(axis=1)).sum())
    if not partly:
        return ()
    subject, verb = ("1 kernel has", "counts") if partly == 1 else (f"{partly} kernels have", "count")
    return (f"{subject} no row in some of the runs and {verb} as zero there",)


def _as_series(
    table: NumberedRows,
    parameters: tuple[str, ...],
    bad: dict[int, str],
    mapping: TableMapping,
    source: str,
    roles: tuple[str, ...],
) -> Series:
    """Take the values as they are; cells without a valid one count as not measured."""
    metrics = list(dict.fromkeys(name for rows in table.rows for name in rows.values))
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
    if mapping.inclusive:
        flat = values[TIME].reshape(len(table.tree), -1)
        values[TIME] = table.tree.exclusive(np.nan_to_num(flat)).reshape(shape)
    described, not_read = _metadata(table)
    notices = (*roles, *not_read, *_of_rates(table))
    notices += tuple(one_line(f"{what}; it counts as not measured") for what in bad.values())
    notices += (
        "the number of locations is not stated, so there is no effort: name a column of processes (p) or"
        " locations",
    )
    return Series(
        source=source,
        parameters=parameters,
        points=table.points,
        callpaths=CallPaths.of(table.tree, table.names),
        metrics=tuple(Metric(name, UNITS.get(name, "")) for name in metrics),
        values=values,
        notices=notices,
        stated={METADATA + name: texts[0] for name, texts in described.items() if len(set(texts)) == 1},
    )
