import json

import numpy as np
import pyarrow as pa
import pytest

from ingest.errors import InputError
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.store import history_file as module
from pipeline.store.history_file import SCHEMA, comparable

TOTAL = KernelId(Scope.TOTAL, ("total",))
DEFAULTS = {
    "added": 1_800_000_000,
    "metric": "effort",
    "unit": "core-s",
    "growth": "p",
    "verdict": "",
    "overhead": "measured",
    "recorded": "",
    "commit": "",
    "predicted_lower": 1.0,
    "predicted_upper": 3.0,
    "wall_seconds": 0.5,
    "predicted_wall_seconds": 0.25,
    "efficiency": 0.9,
    "predicted_efficiency": 0.8,
}


def rows(label, values, at=8, target=32, machine="m", **given):
    """Rows of one entry; kernels by name, `main/f` for a call path, `f` for a region."""
    found = []
    for name, value in values.items():
        kernel = TOTAL if name == "total" else KernelId(Scope.REGION, (name,))
        if "/" in name:
            kernel = KernelId(Scope.CALLPATH, tuple(name.split("/")))
        found.append(
            DEFAULTS
            | {"label": label, "level": kernel.level.value, "callpath": list(kernel.callpath)}
            | {"at": at if isinstance(at, str) else json.dumps({"p": float(at)})}
            | {"target": json.dumps({"p": float(target)})}
            | {"value": value, "share": value / values["total"], "predicted": 2 * value, "machine": machine}
            | given
        )
    return found


def table(*entries):
    return pa.Table.from_pylist([row for entry in entries for row in entry], schema=SCHEMA)


def test_entries_become_arrays_of_kernels_and_entries():
    found = comparable(
        table(
            rows("c0", {"total": 10.0, "main/f": 4.0, "main/g": 6.0}),
            rows("c1", {"total": 12.0, "main/g": 7.0, "main/h": 5.0}, verdict="regression", commit="ab"),
        )
    )
    assert found.kernels == (TOTAL, *(KernelId(Scope.CALLPATH, ("main", name)) for name in "ghf"))
    nan = np.nan
    assert np.array_equal(found.value, [[10, 12], [6, 7], [nan, 5], [4, nan]], equal_nan=True)
    assert np.array_equal(found.predicted, 2 * found.value, equal_nan=True)
    assert found.share[1].tolist() == [0.6, 7 / 12]
    assert (found.labels, found.commits, found.machine) == (("c0", "c1"), ("", "ab"), "m")
    assert (found.metric, found.unit, found.at, found.target) == ("effort", "core-s", {"p": 8}, {"p": 32})
    assert found.added.tolist() == [1_800_000_000] * 2
    assert [found.growths[n] if n >= 0 else None for n in found.growth[3].tolist()] == ["p", None]
    assert [found.verdicts[n] if n >= 0 else None for n in found.verdict[1].tolist()] == [None, "regression"]
    assert found.wall_seconds[0].tolist() == [0.25, 0.25] and found.efficiency[0].tolist() == [0.8, 0.8]
    assert found.lower[0].tolist() == [1, 1] and found.upper[0].tolist() == [3, 3]
    assert found.notices == ()


def test_only_entries_like_the_newest_count_and_the_others_are_named():
    entries = (
        rows("small", {"total": 1.0}, at=4),
        rows("old", {"total": 10.0}, machine=""),
        rows("visits", {"total": 1.0}, metric="visits"),
        rows("other", {"total": 9.0}, machine="laptop"),
        rows("new", {"total": 12.0}),
    )
    found = comparable(table(*entries))
    assert found.labels == ("old", "new")
    assert found.notices == (
        "left out: 1 entry of other machines (laptop); `--machine NAME` shows those of one",
        "left out: 2 entries of another measured point or metric",
    )
    chosen = comparable(table(*entries), "laptop")
    assert (chosen.labels, chosen.machine) == (("old", "other"), "laptop")
    with pytest.raises(InputError, match=r"no entry of machine 'x'.*laptop, m"):
        comparable(table(*entries), "x")
    with pytest.raises(InputError, match="none is known"):
        comparable(table(rows("old", {"total": 1.0}, machine="")), "x")


def test_predictions_of_another_target_are_unknown():
    found = comparable(table(rows("a", {"total": 10.0}, target=64), rows("b", {"total": 10.0})))
    for values in (found.predicted, found.lower, found.upper, found.wall_seconds, found.efficiency):
        assert np.isnan(values[0, 0]) and np.isfinite(values[0, 1])
    assert found.value[0].tolist() == [10, 10]


def test_a_region_of_one_call_path_is_left_out():
    values = {"total": 10.0, "f": 4.0, "main/f": 4.0, "g": 6.0, "main/g": 2.0, "main/h/g": 4.0}
    found = comparable(table(rows("a", values), rows("b", values)))
    names = {kernel.text for kernel in found.kernels}
    assert names == {"total", "main/f", "g", "main/g", "main/h/g"}
    sometimes = comparable(table(rows("a", values), rows("b", values | {"f": 5.0})))
    assert "f" in {kernel.text for kernel in sometimes.kernels}


def test_names_with_separators_stay_apart():
    paths = [["a b", "c"], ["a", "b c"], ["a", "b", "c"]]
    made = [
        rows("x", {"total": 1.0})[0] | {"level": "callpath", "callpath": path, "value": float(n + 1)}
        for n, path in enumerate(paths)
    ]
    found = comparable(table(rows("x", {"total": 1.0}), made))
    by_path = {kernel.callpath: found.value[k, 0] for k, kernel in enumerate(found.kernels)}
    assert by_path == {("total",): 1, **{tuple(path): n + 1 for n, path in enumerate(paths)}}


def test_the_smallest_kernels_of_very_many_are_left_out(monkeypatch):
    monkeypatch.setattr(module, "_MOST_KERNELS", 3)
    found = comparable(table(rows("a", {"total": 10.0} | {f"main/k{n}": float(n) for n in range(1, 5)})))
    assert [kernel.text for kernel in found.kernels] == ["total", "main/k4", "main/k3"]
    assert found.notices == ("left out: 2 kernels of the smallest shares",)


def test_what_cannot_be_a_value_is_unknown():
    values = [1.0, np.inf, 1e300, 1e-300, None, 0.0]
    made = [rows(f"c{n}", {"total": 1.0}, value=value) for n, value in enumerate(values)]
    found = comparable(table(*made))
    assert np.array_equal(found.value[0], [1, *[np.nan] * 4, 0], equal_nan=True)


def test_missing_texts_are_empty():
    found = comparable(table(rows(None, {"total": 1.0}, machine=None, unit=None, commit=None)))
    assert (found.labels, found.commits, found.unit, found.machine) == (("",), ("",), "", "")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (table(), "has no entries"),
        (table(rows("a", {"total": 1.0}, level="x")), "cannot be understood .*'x' is not a valid"),
        (table(rows("a", {"total": 1.0}, at="[8]")), "cannot be understood"),
        (table(rows("a", {"total": 1.0}, at='{"p": 0}')), "is not a measurement point"),
        (table(rows("a", {"main/f": 1.0, "total": 1.0})[:1]), "cannot be understood .there is no total"),
        (table(rows("a", {"total": 1.0}, callpath=None)), "cannot be understood"),
        (table(rows("a", {"total": 1.0}, added=None)), "cannot be understood"),
    ],
)
def test_what_no_history_has_is_refused(made, message):
    with pytest.raises(InputError, match=message):
        comparable(made)
