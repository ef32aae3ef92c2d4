"""Pages of the gallery: tables and figures of a paper, published beside ours, from commands of `pipeline`."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from pipeline.report.projection_plots import image

ROOT = Path(__file__).parents[2]
MADE = (
    "Made by `python -m tools.gallery`, which a test repeats; the commands are what it asked, and their "
    "answers are "
    "the figures."
)
SIZE = (7.0, 3.6)  # inches


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Lines over a common axis or, if `bars`, groups of bars side by side.

    Attributes:
        x: of all lines; of bars their labels.
        lines: values by name, as many as there are `x`; NaN for one that is not known.
    """

    title: str
    across: str
    up: str
    x: Sequence[Any]
    lines: Mapping[str, Sequence[float]]
    bars: bool = False
    logarithmic: bool = False


@dataclass(frozen=True, kw_only=True)
class Item:
    """A table or figure.

    Attributes:
        title: with what it is called in the paper and, if other data stand in, the word "stand-in".
        commands: what `pipeline` is asked, without the name of the program.
        note: what was not published, or what does not agree.
        rows: cells below `columns`.
        chart: the picture.
    """

    title: str
    commands: Sequence[str]
    note: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    chart: Chart | None = None


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A page: `missing` has what is not there by name, with the reason."""

    number: str
    title: str
    items: Callable[[], Sequence[Item]]
    missing: Mapping[str, str]


@cache
def asked(command: str) -> dict[str, Any]:
    """Return what a command of `pipeline` answers with `--json -`; run in the root of the repository."""
    arguments = [sys.executable, "-m", "pipeline", *shlex.split(command), "--json", "-"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def part(projection: Mapping[str, Any], *path: str) -> float:
    """Return the value of a part of a projection."""
    return next(float(line["value"]) for line in projection["breakdown"] if line["path"] == list(path))


def written(paper: Paper) -> dict[str, bytes]:
    """Return the files of a paper's page by name: the page and its pictures."""
    files: dict[str, bytes] = {}
    text = f"# {paper.title}\n\n{MADE}\n\n"
    items = paper.items()
    for number, item in enumerate(items, 1):
        text += f"## {item.title}\n\n{item.note}\n\n"
        if item.commands:
            text += "```bash\n" + "".join(f"pipeline {command}\n" for command in item.commands) + "```\n\n"
        if item.rows:
            text += _table(item.columns, item.rows) + "\n"
        if item.chart is not None:
            name = f"{paper.number}-{number}.svg"
            files[name] = image(_drawn(item.chart), "svg")
            text += f"![{item.chart.title}]({name})\n\n"
    if paper.missing:
        text += "## Not there\n\n" + _table(("what", "why"), list(paper.missing.items())) + "\n"
    files[f"paper-{paper.number}.md"] = f"{text.rstrip()}\n".encode()
    return files


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _drawn(chart: Chart) -> Figure:
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    for number, (name, values) in enumerate(chart.lines.items()):
        if chart.bars:
            width = 0.8 / len(chart.lines)
            at = [place + (number + 0.5) * width - 0.4 for place in range(len(chart.x))]
            axes.bar(at, values, width, label=name)
        else:
            axes.plot(chart.x, values, marker="o", markersize=3, linewidth=1.2, label=name)
    if chart.bars:
        axes.set_xticks(range(len(chart.x)), [str(each) for each in chart.x])
    if chart.logarithmic:
        axes.set_yscale("log")
    axes.set_title(chart.title, fontsize="medium")
    axes.set_xlabel(chart.across)
    axes.set_ylabel(chart.up)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize="x-small", frameon=False)
    return figure
