"""The terminal tables of `pipeline inspect`."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.report.names import shorten_middle


def show_inspection(out: Console, found: Mapping[str, Any]) -> None:
    """Print what a path holds.

    Args:
        out: where to.
        found: ``parameters``, ``runs`` or ``series``, and ``skipped``, from `pipeline.stages.inspect`.
    """
    out.print(f"Parameters: {', '.join(found['parameters']) or 'none'}")
    if "series" in found:
        series = found["series"]
        out.print(
            f"{series['format']}: {series['points']} points, up to {series['repetitions']} repetitions, "
            f"{series['callpaths']} call paths, metrics {', '.join(series['metrics'])}"
        )
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("run", no_wrap=True)
    table.add_column("format", no_wrap=True)
    for name in (*found["parameters"], "rep", "call paths", "regions", "processes", "locations"):
        table.add_column(name, justify="right", no_wrap=True)
    width = max(24, out.width - 60)
    for run in found["runs"]:
        values = [f"{value:g}" for value in run["at"]]
        counts = [str(run[key]) for key in ("repetition", "callpaths", "regions", "processes", "locations")]
        table.add_row(Text(shorten_middle(run["path"], width)), run["format"], *values, *counts)
    out.print(table)
    _show_totals(out, found)
    _show_metrics(out, found)


def _show_totals(out: Console, found: Mapping[str, Any]) -> None:
    """Print the sum of every metric of every run, where sums were asked for."""
    totals = [(run["path"], name, total) for run in found["runs"] for name, total in run["totals"].items()]
    table = Table(box=None, pad_edge=False)
    table.add_column("run", no_wrap=True)
    table.add_column("metric", no_wrap=True)
    table.add_column("total", justify="right", no_wrap=True)
    for path, name, total in totals:
        table.add_row(Text(shorten_middle(path, max(24, out.width - 60))), Text(name), f"{total:.10g}")
    if totals:
        out.print(table)


def _show_metrics(out: Console, found: Mapping[str, Any]) -> None:
    """Print each set of metrics and each notice once, with the number of runs it holds for."""
    for title, key in (("Metrics", "metrics"), ("Note", "notices")):
        texts: dict[str, int] = {}
        for run in found["runs"]:
            for text in [", ".join(run[key])] if key == "metrics" else run[key]:
                texts[text] = texts.get(text, 0) + 1
        for text, count in texts.items():
            runs = "" if count == len(found["runs"]) else f" ({count} runs)"
            out.print(Text(f"{title}{runs}: {text}"), soft_wrap=True)
