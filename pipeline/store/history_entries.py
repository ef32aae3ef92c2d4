"""The entries of a history that can be compared, as arrays of kernels and entries."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from pipeline.gate.kernel_values import ROUNDING, KernelId, Scope
from pipeline.gate.trends import Entries, by_share, entries_text
from pipeline.store.history_file import numbered_kernels, numbered_texts
from pipeline.wording.quantities import counted

MOST_KERNELS = 500  # those of the largest shares
LARGEST = 1e100  # values beyond it, or below its inverse, were not measured
TEXTS = ("label", "commit", "machine", "metric", "unit")
SAME = ("metric", "unit", "at")  # what entries that can be compared have in common


def comparable(table: pa.Table, machine: str = "") -> Entries:
    """Return the entries that can be compared with the newest one, of a machine if one is named.

    They have the same metric, point and machine; entries whose machine is unknown count as of the same one.

    Raises:
        InputError: there is no such entry, or what the columns hold is not what a history has.
    """
    try:
        return _comparable(table, machine)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, pa.ArrowException) as error:
        raise InputError(f"the history has an entry that cannot be understood ({error})") from error


def _comparable(table: pa.Table, machine: str) -> Entries:
    label, first_rows = numbered_texts(table["label"])
    heads = [head | {name: head[name] or "" for name in TEXTS} for head in table.take(first_rows).to_pylist()]
    if not heads:
        raise InputError("the history has no entries", hint="add one with `pipeline history add`")
    newest = next((head for head in reversed(heads) if machine in ("", head["machine"])), None)
    if newest is None:
        known = sorted({head["machine"] for head in heads} - {""})
        raise InputError(
            f"no entry of machine '{machine}'",
            where="--machine",
            hint=f"machines of the history: {', '.join(known) or 'none is known'}",
        )
    chosen = [n for n, head in enumerate(heads) if _alike(head, newest)]
    entry = np.full(len(heads), -1)
    entry[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(entry[label] >= 0)
    heads_left_out = [head for head in heads if not _alike(head, newest)]
    return _entries(table.take(rows), entry[label[rows]], [heads[n] for n in chosen], heads_left_out)


def _alike(head: dict[str, Any], newest: dict[str, Any]) -> bool:
    """Tell whether the first rows of two entries belong to entries that can be compared."""
    same = all(head[name] == newest[name] for name in SAME)
    return same and (head["machine"] in ("", newest["machine"]) or not newest["machine"])


def _entries(
    table: pa.Table, entry: IntArray, heads: Sequence[dict[str, Any]], left_out: Sequence[dict[str, Any]]
) -> Entries:
    """Return the entries of a table, from the entry of each row, int64[rows], and the first row of each."""
    newest = heads[-1]
    kernel, kernels = numbered_kernels(table)
    if not any(kernel.level is Scope.TOTAL for kernel in kernels):
        raise ValueError("there is no total")
    shape = len(kernels), len(heads)
    share = _matrix(shape, kernel, entry, _numbers(table, "share"))
    value = _matrix(shape, kernel, entry, _numbers(table, "value"))
    order = by_share(kernels, share)
    order = order[~_of_one_callpath(kernels, value)[order]]
    left = max(len(order) - MOST_KERNELS, 0)
    order = order[:MOST_KERNELS]

    def numbers(name: str, wanted: BoolArray | None = None) -> FloatArray:
        values = _numbers(table, name)
        if wanted is not None:
            values = np.where(wanted, values, np.nan)
        return _matrix(shape, kernel, entry, values)[order]

    def texts(name: str) -> tuple[tuple[str, ...], IntArray]:
        code, firsts = numbered_texts(table[name])
        names = tuple(text or "" for text in table[name].take(firsts).to_pylist())
        found = np.full(shape, -1)
        found[kernel, entry] = np.where(np.array(names)[code] == "", -1, code)
        return names, found[order]

    same_target = pc.equal(table["target"], newest["target"]).to_numpy(zero_copy_only=False).astype(np.bool_)
    growths, growth = texts("growth")
    verdicts, verdict = texts("verdict")
    return Entries(
        labels=tuple(head["label"] for head in heads),
        commits=tuple(head["commit"] for head in heads),
        added=np.array([int(head["added"].timestamp()) for head in heads], dtype=np.int64),
        machine=newest["machine"],
        metric=newest["metric"],
        unit=newest["unit"],
        at=_point(newest["at"]),
        target=_point(newest["target"]),
        kernels=tuple(kernels[k] for k in order.tolist()),
        value=value[order],
        share=share[order],
        predicted=numbers("predicted", same_target),
        lower=numbers("predicted_lower", same_target),
        upper=numbers("predicted_upper", same_target),
        wall_seconds=numbers("predicted_wall_seconds", same_target),
        efficiency=numbers("predicted_efficiency", same_target),
        growths=growths,
        growth=growth,
        verdicts=verdicts,
        verdict=verdict,
        notices=tuple(_notices(newest, left_out, left)),
    )


def _point(text: str) -> dict[str, float]:
    point = {str(name): float(value) for name, value in json.loads(text).items()}
    if not all(0 < value < LARGEST for value in point.values()):
        raise ValueError(f"{text} is not a measurement point")
    return point


def _of_one_callpath(kernels: Sequence[KernelId], value: FloatArray) -> BoolArray:
    """Tell which kernels are regions with the values of a single call path, bool[K]: nothing new."""
    callpaths: dict[str, list[int]] = defaultdict(list)
    for k, kernel in enumerate(kernels):
        if kernel.level is Scope.CALLPATH:
            callpaths[kernel.region].append(k)
    return np.array(
        [
            kernel.level is Scope.REGION
            and any(
                np.allclose(value[k], value[other], rtol=ROUNDING, atol=0, equal_nan=True)
                for other in callpaths[kernel.region]
            )
            for k, kernel in enumerate(kernels)
        ],
        dtype=np.bool_,
    )


def _notices(newest: dict[str, Any], left_out: Sequence[dict[str, Any]], kernels: int) -> list[str]:
    found = []
    others = sum(all(head[name] == newest[name] for name in SAME) for head in left_out)
    if others:
        machines = sorted({head["machine"] for head in left_out} - {newest["machine"], ""})
        found.append(
            f"left out: {entries_text(others)} of other machines ({', '.join(machines)}); `--machine NAME` "
            "shows those of one"
        )
    if len(left_out) > others:
        found.append(f"left out: {entries_text(len(left_out) - others)} of another measured point or metric")
    if kernels:
        found.append(f"left out: {counted(kernels, 'kernel')} of the smallest shares")
    return found


def _numbers(table: pa.Table, name: str) -> FloatArray:
    """Return a column, float64[rows]; NaN for what cannot be a value."""
    values = table[name].combine_chunks().to_numpy(zero_copy_only=False).astype(np.float64)
    size = np.abs(values)
    return np.where((size == 0) | ((size > 1 / LARGEST) & (size < LARGEST)), values, np.nan)


def _matrix(shape: tuple[int, int], kernel: IntArray, entry: IntArray, values: FloatArray) -> FloatArray:
    found = np.full(shape, np.nan)
    found[kernel, entry] = values
    return found
