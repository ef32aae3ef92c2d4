"""Measurement advice as a person and as a program reads it."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.models.kernels import Kernels
from pipeline.models.planning.advice import Advice
from pipeline.report.names import callpath_text
from pipeline.report.numbers import number
from pipeline.report.quantities import figure, percent

NAME_WIDTH = 44


def show_advice(out: Console, plan: Sequence[Advice], parameters: Sequence[str], kernels: Kernels) -> None:
    """Print what to measure next, the most telling per core-second first."""
    if not plan:
        out.print("Nothing that the budget allows would narrow the interval of the total noticeably.")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("measure", "repetitions", "cost core-s", "interval then", "narrower by"):
        table.add_column(name, justify="right" if name != "measure" else "left", no_wrap=True)
    table.add_column("tells most about", overflow="fold")
    for advice in plan:
        table.add_row(
            ", ".join(f"{n} = {v:g}" for n, v in zip(parameters, advice.point, strict=True)),
            str(advice.repetitions),
            figure(advice.cost),
            f"±{percent(advice.width / 2)}",
            percent(advice.reduction),
            Text(_first_settled(advice, kernels)),
        )
    out.print(table)
    out.print(f"In all {figure(sum(advice.cost for advice in plan))} core-s, in this order.")


def _first_settled(advice: Advice, kernels: Kernels) -> str:
    if not advice.settles:
        return ""
    first = advice.settles[0]
    name = callpath_text(kernels.callpaths[first.kernel], NAME_WIDTH)
    return f"{name}: {' or '.join(first.rivals)}" if first.rivals else name


def advice_json(plan: Sequence[Advice], parameters: Sequence[str], kernels: Kernels) -> list[dict[str, Any]]:
    """Return the plan as plain data, in its order."""
    return [
        {
            "at": {n: number(v) for n, v in zip(parameters, advice.point, strict=True)},
            "repetitions": advice.repetitions,
            "cost": number(advice.cost),
            "relative_width_after": number(advice.width),
            "reduction": number(advice.reduction),
            "settles": [
                {
                    "callpath": list(kernels.callpaths[settled.kernel]),
                    "share": number(settled.share),
                    "rivals": list(settled.rivals),
                }
                for settled in advice.settles
            ],
        }
        for advice in plan
    ]
