"""Tables of loops on processor cores: what limits them, port loads, models compared, time over threads.

They are made of what the functions named ``..._json`` here and in `pipeline.report.ports_table` return.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from pipeline.columns.cells import DataTable
from pipeline.columns.column import ESTIMATE, EXACT, FIGURE, SHARE, TEXTS, Column, Row, filled
from pipeline.projection.ports.comparisons import MODELS, CounterPair, ModelComparison
from pipeline.projection.ports.threads import PortLoads, ThreadTimes
from pipeline.wording.quantities import number, signed_percent

Rows: TypeAlias = Sequence[Row]
BOUNDS = ("ports", "front end")


def loops_table(report: Mapping[str, Any]) -> DataTable:
    """Return one row per loop and processor."""
    rows = [
        {**loop[key], "loop": loop["number"]}
        for loop in report["loops"]
        for key in ("on", "from")
        if loop[key] is not None
    ]
    columns: list[Column[Any]] = [
        Column(key="loop", kind=EXACT),
        Column(key="processor"),
        Column(key="cycles", kind=FIGURE),
        *(Column(key=f"bounds.{bound}", name=bound.replace(" ", "_"), kind=FIGURE) for bound in BOUNDS),
        Column(key="limit"),
        Column(key="busiest_ports", kind=TEXTS),
        Column(key="bottleneck"),
    ]
    return filled(columns, rows, notes=report["notices"])


class PortLoadJson(TypedDict):
    """Cycles per iteration of a port."""

    term: str
    port: str
    cycles: float
    classes: Annotated[dict[str, float], "by class of instructions"]


class PortLoadsJson(TypedDict):
    """The loads of ports, of every loop that a port model predicts."""

    port_loads: list[PortLoadJson]


class ModelErrorJson(TypedDict):
    """The relative errors of a model on variants that were left out."""

    term: str
    model: str
    variants: int
    mean: float
    deviation: float
    worst: float


class PredictedVariantJson(TypedDict):
    """A variant as measured, and as each model predicted it."""

    term: str
    variant: str
    measured: float
    predicted: dict[str, float | None]


class ModelErrorsJson(TypedDict):
    """Models compared."""

    targets: list[PredictedVariantJson]
    models: list[ModelErrorJson]


class CounterPairJson(TypedDict):
    """Correlation of a counter with the loss of efficiency, in the mini-app and in the target."""

    term: str
    counter: str
    mini: float | None
    target: float | None
    alike: bool
    strong: bool


class CounterPairsJson(TypedDict):
    """Counters compared."""

    counters: list[CounterPairJson]


class ThreadTimeJson(TypedDict):
    """Seconds with a number of threads, with an interval."""

    term: str
    threads: int
    value: float
    lower: float
    upper: float
    limited_by: Literal["memory", "ports"]
    measured: float | None
    error: Annotated[float | None, "of the value, relative to what was measured"]


class ThreadTimesJson(TypedDict):
    """Times of loops over threads."""

    threads: list[ThreadTimeJson]


def loads_json(found: Sequence[PortLoads]) -> PortLoadsJson:
    """Return port loads as plain data: cycles per iteration by port and class."""
    return {
        "port_loads": [
            {
                "term": one.name,
                "port": port,
                "cycles": number(sum(row)),
                "classes": {
                    kind: number(value) for kind, value in zip(one.portmap.classes, row, strict=True) if value
                },
            }
            for one in found
            for port, row in zip(one.portmap.ports, one.cycles.tolist(), strict=True)
        ]
    }


def loads_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per port, with the cycles of each class that it executes."""
    rows = document["port_loads"]
    kinds = dict.fromkeys(kind for row in rows for kind in row["classes"])
    columns: list[Column[Any]] = [
        Column(key="port", values=lambda rows: (f"{row['term']} {row['port']}" for row in rows)),
        *(Column(key=kind, kind=FIGURE, values=partial(_cycles_of, kind)) for kind in kinds),
        Column(key="cycles", name="all", kind=FIGURE),
    ]
    return filled(columns, rows)


def _cycles_of(kind: str, rows: Rows) -> list[float]:
    return [row["classes"].get(kind, 0.0) for row in rows]


def comparisons_json(found: Mapping[str, ModelComparison]) -> ModelErrorsJson:
    """Return errors of each model: mean, standard deviation and worst, and of every variant."""
    return {
        "targets": [
            {
                "term": name,
                "variant": variant,
                "measured": number(comparison.measured[k]),
                "predicted": {
                    model: None if math.isnan(value) else number(value)
                    for model, value in zip(MODELS, comparison.predicted[:, k].tolist(), strict=True)
                },
            }
            for name, comparison in found.items()
            for k, (group, variant) in enumerate(comparison.targets)
            if group == name
        ],
        "models": [
            {
                "term": name,
                "model": model,
                "variants": sum(group == name for group, _ in comparison.targets),
                "mean": number(mean),
                "deviation": number(deviation),
                "worst": number(worst),
            }
            for name, comparison in found.items()
            for model, (mean, deviation, worst) in comparison.summary(name).items()
        ],
    }


def comparisons_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per term and model, with its errors on left-out variants."""
    columns: list[Column[Any]] = [
        Column(key="model", values=lambda rows: (f"{row['term']} {row['model']}" for row in rows)),
        Column(key="variants", kind=EXACT),
        *(Column(key=key, kind=SHARE) for key in ("mean", "deviation", "worst")),
    ]
    return filled(columns, document["models"])


def counters_json(found: Mapping[str, Sequence[CounterPair]]) -> CounterPairsJson:
    """Return correlations of counters with the loss of efficiency as plain data, largest difference first."""
    return {
        "counters": [
            {
                "term": name,
                "counter": pair.name,
                "mini": None if math.isnan(pair.first) else number(pair.first),
                "target": None if math.isnan(pair.second) else number(pair.second),
                "alike": pair.alike,
                "strong": pair.strong,
            }
            for name, pairs in found.items()
            for pair in pairs
        ]
    }


def counters_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per counter, with its correlation in the mini-app and in the target."""
    columns: list[Column[Any]] = [
        Column(key="term", name="loop"),
        Column(key="counter"),
        Column(key="mini", name="mini-app", kind=FIGURE),
        Column(key="target", kind=FIGURE),
    ]
    return filled(columns, document["counters"])


def threads_json(found: Sequence[ThreadTimes]) -> ThreadTimesJson:
    """Return run times over threads as plain data, in seconds, with what limits them."""
    return {
        "threads": [
            {
                "term": one.name,
                "threads": threads,
                "value": number(one.scaling.seconds.value[k]),
                "lower": number(one.scaling.seconds.lower[k]),
                "upper": number(one.scaling.seconds.upper[k]),
                "limited_by": "memory" if one.scaling.memory_bound[k] else "ports",
                "measured": None if one.node.measured is None else number(one.node.measured[k]),
                "error": None
                if one.node.measured is None
                else number(one.scaling.seconds.value[k] / one.node.measured[k] - 1),
            }
            for one in found
            for k, threads in enumerate(one.node.threads.tolist())
        ]
    }


def threads_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per term and number of threads."""
    columns: list[Column[Any]] = [
        Column(key="term", name="loop"),
        Column(key="threads", kind=EXACT),
        Column(key="value", kind=ESTIMATE, unit="s", values=lambda rows: rows),
        Column(key="limited_by"),
    ]
    if any(row["measured"] is not None for row in document["threads"]):
        columns += [
            Column(key="measured", kind=FIGURE, unit="s"),
            Column(key="error", kind=SHARE, write=signed_percent),
        ]
    return filled(columns, document["threads"])
