"""Tables of what stands behind port models: port loads, four models compared, time over threads."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.projection.ports.comparisons import ModelComparison
from pipeline.projection.ports.threads import PortLoads, ThreadTimes
from pipeline.report.tables.data_table import DataTable, amounts, estimates, words
from pipeline.wording.quantities import number, percent


def loads_json(found: Sequence[PortLoads]) -> dict[str, Any]:
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
    """Return one row per port, with the cycles of each class that it executes.

    Args:
        document: what `loads_json` returns.
    """
    rows = document["port_loads"]
    kinds = dict.fromkeys(kind for row in rows for kind in row["classes"])
    columns = [
        words("port", (f"{row['term']} {row['port']}" for row in rows)),
        *(amounts(kind, (row["classes"].get(kind, 0.0) for row in rows)) for kind in kinds),
        amounts("all", (row["cycles"] for row in rows)),
    ]
    return DataTable(columns=columns)


def comparisons_json(found: Mapping[str, ModelComparison]) -> dict[str, Any]:
    """Return mean, standard deviation and worst |relative error| of each model as plain data."""
    return {
        "models": [
            {
                "term": name,
                "model": model,
                "variants": len(comparison.targets),
                "mean": number(mean),
                "deviation": number(deviation),
                "worst": number(worst),
            }
            for name, comparison in found.items()
            for model, (mean, deviation, worst) in comparison.summary().items()
        ]
    }


def comparisons_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per term and model, with its errors on left-out variants.

    Args:
        document: what `comparisons_json` returns.
    """
    rows = document["models"]
    columns = [
        words("model", (f"{row['term']} {row['model']}" for row in rows)),
        amounts("variants", (row["variants"] for row in rows), show=str),
        *(amounts(key, (row[key] for row in rows), show=percent) for key in ("mean", "deviation", "worst")),
    ]
    return DataTable(columns=columns)


def threads_json(found: Sequence[ThreadTimes]) -> dict[str, Any]:
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
            }
            for one in found
            for k, threads in enumerate(one.node.threads.tolist())
        ]
    }


def threads_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per term and number of threads.

    Args:
        document: what `threads_json` returns.
    """
    rows = document["threads"]
    columns = [
        words("loop", (row["term"] for row in rows)),
        amounts("threads", (row["threads"] for row in rows), show=str),
        *estimates(rows, "s"),
        words("limited_by", (row["limited_by"] for row in rows)),
    ]
    return DataTable(columns=columns)
