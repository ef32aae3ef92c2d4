"""Tables of what was measured and what to measure next: inspection and advice."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.report.tables.data_table import (
    NAME_WIDTH,
    Column,
    DataTable,
    amounts,
    parameters,
    quantities,
    shares,
    words,
)
from pipeline.report.terminal.inspection import COUNTS, facts
from pipeline.wording.quantities import callpath_text, number, value_text

NOTHING_TO_GAIN = "No measurement within the budget would narrow the interval of the total noticeably."


def inspection_table(found: Mapping[str, Any]) -> DataTable:
    """Return one row per run, or the row of a series file.

    Args:
        found: what `pipeline.stages.inspect.inspect_path` returns; totals become columns.
    """
    columns = _series(found) if "series" in found else _runs(found)
    return DataTable(columns=columns, notes=facts(found))


def _series(found: Mapping[str, Any]) -> list[Column]:
    series = found["series"]
    return [
        words("path", [found["path"]]),
        words("format", [series["format"]]),
        words("parameters", [" ".join(found["parameters"])]),
        *(amounts(name, [series[name]], show=value_text) for name in ("points", "repetitions", "callpaths")),
        words("metrics", [" ".join(series["metrics"])]),
    ]


def _runs(found: Mapping[str, Any]) -> list[Column]:
    runs = found["runs"]
    points = [dict(zip(found["parameters"], run["at"], strict=True)) for run in runs]
    totals = dict.fromkeys(name for run in runs for name in run["totals"])
    return [
        words("path", (run["path"] for run in runs)),
        words("format", (run["format"] for run in runs)),
        *parameters(found["parameters"], points),
        *(amounts(name, (run[name] for run in runs), show=value_text) for name in COUNTS),
        *(amounts(f"total {name}", (_total(run, name) for run in runs)) for name in totals),
    ]


def _total(run: Mapping[str, Any], metric: str) -> float | None:
    return number(run["totals"][metric]) if metric in run["totals"] else None


def advice_table(
    plans: Sequence[tuple[Mapping[str, float], Sequence[Mapping[str, Any]]]], names: Sequence[str]
) -> DataTable:
    """Return one row per target and measurement, those of a target in the order to measure them.

    Args:
        plans: targets, and for each what `pipeline.report.summary.advice_summary` returns.
        names: of the parameters.
    """
    steps = [(target, step) for target, plan in plans for step in plan]
    targets = [{f"target {name}": value for name, value in target.items()} for target, _ in steps]
    columns = [
        *parameters((f"target {name}" for name in names), targets),
        *parameters(names, [step["at"] for _, step in steps]),
        amounts("repetitions", (step["repetitions"] for _, step in steps), show=value_text),
        quantities("cost", (step["cost"] for _, step in steps), "core-s"),
        shares("relative_width_after", (step["relative_width_after"] for _, step in steps)),
        shares("reduction", (step["reduction"] for _, step in steps)),
        _clarified([step for _, step in steps]),
    ]
    return DataTable(columns=columns, notes=[NOTHING_TO_GAIN] if not all(plan for _, plan in plans) else [])


def _clarified(steps: Sequence[Mapping[str, Any]]) -> Column:
    """Return the kernel about which each measurement says most; empty if there is none."""
    first = [step["settles"][0]["callpath"] if step["settles"] else [] for step in steps]
    shown = [callpath_text(path, NAME_WIDTH) if path else "" for path in first]
    return words("clarifies", ("/".join(path) for path in first), shown)
