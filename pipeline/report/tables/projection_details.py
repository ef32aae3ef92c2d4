"""Tables of what stands behind a projection: sensitivities, and the strategies for vector loops."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.projection.expressions.evaluation import Sensitivity
from pipeline.projection.vector_loops.vector_loop import STRATEGIES
from pipeline.projection.vector_loops.vector_loop_term import StrategyTimes
from pipeline.report.tables.data_table import DataTable, amounts, for_programs, words
from pipeline.wording.quantities import figure, number

_DIGITS = 5
_SHOWN_FROM = 5e-4  # of an elasticity: less than a change of 0.1 % for one of 100 %


def sensitivities_json(found: Sequence[Sensitivity]) -> dict[str, Any]:
    """Return sensitivities as plain data, the strongest first."""
    return {
        "sensitivities": [
            {"name": s.name, "elasticity": number(s.elasticity), "derivative": number(s.derivative)}
            for s in found
        ]
    }


def sensitivities_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per value that the total depends on noticeably.

    Args:
        document: what `sensitivities_json` returns.
    """
    rows = [row for row in document["sensitivities"] if abs(row["elasticity"] or 0.0) >= _SHOWN_FROM]
    elasticity = amounts(
        "elasticity", (row["elasticity"] for row in rows), show=lambda value: f"{value:+.3f} %"
    )
    columns = [
        words("value", (row["name"] for row in rows)),
        elasticity.headed("change for 1 %"),
        for_programs(amounts("derivative", (row["derivative"] for row in rows))),
    ]
    return DataTable(columns=columns)


def strategies_json(loops: Sequence[StrategyTimes]) -> dict[str, Any]:
    """Return the times of vector loops by strategy as plain data, in seconds.

    An error is (measured - predicted) / measured: positive if the prediction is too short.
    """
    return {
        "loops": [
            {
                "loop": loop.name,
                "measured": None if loop.measured is None else number(loop.measured),
                "predicted": {name: number(value) for name, value in loop.predicted.items()},
                "error": None
                if loop.measured is None
                else {name: number(1 - value / loop.measured) for name, value in loop.predicted.items()},
            }
            for loop in loops
        ]
    }


def strategies_table(document: Mapping[str, Any]) -> DataTable:
    """Return one row per loop, with a column per strategy and, if any was measured, one per error.

    Args:
        document: what `strategies_json` returns.
    """
    loops = document["loops"]
    columns = [words("loop", (loop["loop"] for loop in loops))]
    for name in STRATEGIES:
        times = (loop["predicted"][name] for loop in loops)
        columns.append(amounts(name, times, "s", show=lambda value: figure(value, _DIGITS)))
    if any(loop["measured"] is not None for loop in loops):
        columns.append(amounts("measured", (loop["measured"] for loop in loops), "s"))
        for name in STRATEGIES:
            errors = (loop["error"] and loop["error"][name] for loop in loops)
            columns.append(
                amounts(f"{name}_error", errors, show=lambda value: f"{100 * value:+.1f} %").headed(
                    f"{name} error"
                )
            )
    return DataTable(columns=columns)
