"""Totals among kernels: called so, or equal to the sum of the others in every run."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from ingest.number_text import value_text
from ingest.profile import LARGEST
from ingest.readers.timer_tables.timer_kind import REST
from ingest.tables.headings import NAMES
from ingest.tables.run_numbering import NumberedRows
from ingest.tables.table_rows import TIME, TableRows
from ingest.tables.time_columns import STATE_IT

EQUAL = 0.02  # how far a total may differ from the sum of its parts
LEAST_REST = 0.005  # of a total, that is kept as time outside its parts

_WHOLE = frozenset((*NAMES["totals"], *NAMES["times"], *NAMES["wall"]))


def without_total(table: NumberedRows, source: str) -> tuple[Sequence[TableRows], tuple[str, ...]]:
    """Put the time outside all parts in the place of a total, and say so; nothing if there is none.

    Raises:
        InputError: the parts of what is called a total are more than it, or nothing shows whether what equals
            the sum of the others is one.
    """
    time, key = np.nan_to_num(table.column(TIME)), table.run
    if len(table.tree) < 2 or (table.tree.parent >= 0).any() or (np.abs(time) > LARGEST).any():
        return table.rows, ()
    ranks = [rows.rank for rows in table.rows if rows.rank is not None]
    if len(ranks) == len(table.rows):
        rank = np.concatenate(ranks)
        key = np.unique(key * (int(rank.max()) + 2) + rank, return_inverse=True)[1]
    names = [table.names[region] for region in table.tree.region.tolist()]
    node, *same = _totals(names, table.node, key, time, source)
    if node < 0:
        return table.rows, ()
    at, again = table.node == node, np.isin(table.node, same)
    total = np.bincount(key[at], time[at], minlength=int(key.max()) + 1)[key]
    rest = total - np.bincount(key, np.where(at | again, 0.0, time))[key]
    wrong = (at & (rest < -EQUAL * total)) | (again & (np.abs(time - total) > EQUAL * total))
    if wrong.any():
        row = int(wrong.argmax())
        other = f"{names[table.node[row]]} {value_text(time[row])} s" if again[row] else ""
        other = other or f"its parts {value_text(total[row] - rest[row])} s"
        what = f"{table.place(row)}: {names[node]} is {value_text(total[row])} s, {other}"
        raise InputError(what, where=source, hint=f"which is the time? {STATE_IT}")
    kept = bool((rest[at] > LEAST_REST * total[at]).any()) or bool((at | again).all())
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
    equal = np.bincount(node[np.abs(2 * time - sums) <= EQUAL * time], minlength=size) == runs
    larger = np.bincount(node[share < 0.5 - EQUAL / 4], minlength=size) == 0
    words = [re.sub(r"[\W_]+", "", name.lower()) for name in names]
    longest = np.zeros(runs)
    np.maximum.at(longest, key, time)
    leads = np.bincount(node[time >= (1 - EQUAL) * longest[key]], minlength=size) > 0  # FDS has a part WALL
    called = [i for i, word in enumerate(words) if word in _WHOLE]
    called = called if leads[called].any() else []
    called = called or [i for i, word in enumerate(words) if word in NAMES["sums"] and larger[i]][:1]
    if called or size < 3 or runs < 2 or not equal.any():
        return sorted(called, key=lambda i: not equal[i]) or [-1]
    least, most = np.full(size, np.inf), np.zeros(size)
    np.minimum.at(least, node, share)
    np.maximum.at(most, node, share)
    if (most - least <= EQUAL * most).all():  # all kernels scale alike
        what = f"'{names[int(equal.argmax())]}' is the sum of the others, by chance or as their total"
        raise InputError(what, where=source, hint=f"call it total, or {STATE_IT}")
    return [int(equal.argmax())]
