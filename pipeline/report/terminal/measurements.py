"""Measurements in the terminal: what a path holds, and a campaign: its plan, its cost, how far it is."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.number_text import figure, percent, value_text
from pipeline.columns.measured_runs import (
    inspection_table,
    metrics_and_notices,
    overlapping_table,
    reconciliation,
    verdict,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import counted, interval_text, point_text, quantity

Summary = Mapping[str, Any]
"""What `pipeline campaign status --json` writes."""

_MOST_FAILED = 10
_RESERVE = 1.1  # in a budget that is proposed: costs scatter
_UNITS = {"time": "s", "core-hours": "core-hours"}
_ENDINGS = {
    "": "",
    "answered": ": answered",
    "measured": "",
    "budget": "; the budget does not allow more",
    "nothing helps": "; no further run would narrow it noticeably",
}


def show_plan(out: Console, summary: Summary, limit: int) -> None:
    """Print the runs in their order, of several rounds the last ones; then what they cost."""
    table = _table("run", ("round", "repetition", "state", "cost"))
    runs = summary["runs"]
    if summary["question"] is not None:
        runs = [run for run in runs if run["round"] == len(summary["rounds"])]
    for number, run in enumerate(runs[:limit], start=1):
        cells = (
            str(run["round"]),
            str(run["repetition"]),
            run["status"],
            _cost(run["expected_core_seconds"]),
        )
        table.add_row(f"{number}", Text(run["name"]), *cells)
    out.print(table)
    if len(runs) > limit:
        show_sentence(out, f"{counted(len(runs) - limit, 'more run')}: see --limit")
    if summary["question"] is not None:
        show_rounds(out, summary)
        if not summary["ending"]:
            show_sentence(out, "The next round follows from what this one says: `pipeline campaign loop`")
        return
    scales = len({tuple(run["point"].items()) for run in runs})
    show_sentence(
        out,
        f"{counted(len(runs), 'run')} at {counted(scales, 'scale')}; order of seed {summary['seed']}: "
        f"every repetition is a block, and the scales of a block are shuffled.",
    )
    show_sentence(out, _cost_sentence(summary))


def show_status(out: Console, summary: Summary) -> None:
    """Print how many runs of every scale are in which state, what they took, and why runs failed.

    What commands take is what a campaign costs; what is modelled is what the programs measured.
    """
    states = tuple(summary["counts"])
    table = _table("scale", (*states, "command takes", "program measures", "difference"), numbered=False)
    by_point: dict[tuple[tuple[str, float], ...], list[Summary]] = {}
    for run in sorted(summary["runs"], key=lambda run: tuple(run["point"].values())):
        by_point.setdefault(tuple(run["point"].items()), []).append(run)
    for point, runs in by_point.items():
        counts = (_count([run["status"] for run in runs].count(state)) for state in states)
        table.add_row(Text(point_text(dict(point))), *counts, *map(_seconds, _mean_times(runs)))
    out.print(table)
    running = [run["name"] for run in summary["runs"] if run["status"] == "running"]
    if running:
        show_sentence(out, f"Running: {', '.join(running)}")
    for notice in summary["notices"]:
        show_sentence(out, notice)
    _show_failed(out, [run for run in summary["runs"] if run["status"] == "failed"])
    done, total = summary["counts"]["done"], len(summary["runs"])
    show_sentence(out, f"{done} of {counted(total, 'run')} done. {_cost_sentence(summary)}")


def _mean_times(runs: Sequence[Summary]) -> tuple[float | None, float | None, float | None]:
    """Return the mean seconds of the commands that are done, of what they measured, and the difference."""
    done = [run for run in runs if run["status"] == "done"]
    took = _mean([run["seconds"] for run in done])
    measured = _mean([run["measured_seconds"] for run in done])
    return took, measured, None if took is None or measured is None else took - measured


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of values that are all known; None without them."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else quantity(seconds, "s")


def _show_failed(out: Console, failed: Sequence[Summary]) -> None:
    for run in failed[:_MOST_FAILED]:
        show_sentence(out, f"{run['name']} failed: {run['reason']}")
        for line in run["log"]:
            out.print(Text(f"  {line}"), soft_wrap=True)
    if len(failed) > _MOST_FAILED:
        show_sentence(out, f"{counted(len(failed) - _MOST_FAILED, 'more run')} failed: see --json")


def _table(first: str, others: Sequence[str], *, numbered: bool = True) -> Table:
    table = Table(box=None, pad_edge=False)
    if numbered:
        table.add_column("", justify="right")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _count(number: int) -> str:
    return str(number) if number else "-"


def _cost(seconds: float | None) -> str:
    return "-" if seconds is None else quantity(seconds, "core-s")


def _cost_sentence(summary: Summary) -> str:
    parts = [f"Spent: {_cost(summary['spent_core_seconds'])}"]
    known, unknown = summary["remaining_core_seconds"], summary["runs_without_known_cost"]
    ahead = len(summary["runs"]) - summary["counts"]["done"]
    if ahead > unknown:
        parts.append(f"the rest: {_cost(known)} expected")
    if unknown:
        parts.append(f"{counted(unknown, 'run')} of unknown cost, until a first run at the scale is done")
    if summary["budget_core_seconds"] is not None:
        parts.append(f"budget: {_cost(summary['budget_core_seconds'])}")
    return f"{'; '.join(parts)}."


def show_rounds(out: Console, summary: Summary) -> None:
    """Print the rounds with what they were to cost and to reach, then the answer."""
    table = _table("round", ("runs", "done", "cost planned", "spent", "width planned", "reached"))
    for number, one in enumerate(summary["rounds"], start=1):
        table.add_row(
            f"{number}",
            one["purpose"],
            str(one["runs"]),
            _count(one["done"]),
            _cost(one["expected_core_seconds"]),
            _cost(one["spent_core_seconds"]),
            _width(one["expected_width"]),
            _width(one["width"]),
        )
    out.print(table)
    show_sentence(out, _cost_sentence(summary))
    if summary["question"] is not None:
        show_sentence(out, _answer_sentence(summary))
        if sentence := _beside_sentence(summary):
            show_sentence(out, sentence)
        if summary["way_on"] is not None:
            show_sentence(out, _way_on_sentence(summary))


def _beside_sentence(summary: Summary) -> str:
    """Say what an answer is about, and what commands take beside it at the largest scale; else nothing."""
    by_size = sorted(summary["runs"], key=lambda run: math.prod(run["point"].values()))
    known = [run for run in by_size if run["status"] == "done" and run["measured_seconds"] is not None]
    if not known or not any(one["answer"] for one in summary["rounds"]):
        return ""
    point = known[-1]["point"]
    took, measured, beside = _mean_times([run for run in known if run["point"] == point])
    return (
        f"Answers are about what the program measures: {_seconds(measured)} at {point_text(point)}. "
        f"Costs are about its command: {_seconds(took)} there, a difference of {_seconds(beside)}."
    )


def _way_on_sentence(summary: Summary) -> str:
    """Say which limit to lift, how much that would gain, and at which price."""
    found, budget = summary["way_on"], summary["budget_core_seconds"]
    if found["limit"] == "width":
        best = math.ceil(found["width"] * 100) / 100
        return (
            f"Neither larger scales nor further runs would narrow it noticeably: write width = {best:g} in "
            "[question], or ask for a target nearer to the measured scales."
        )
    if not found["runs"]:
        return "A first model needs more runs than the budget pays for: raise budget in [campaign]."
    where = f" at {point_text(found['point'])}" if found["point"] else ""
    width = found["width"]
    effect = "come next" if width is None else f"would narrow it to about {percent(width)}"
    gain = f"{counted(found['runs'], 'further run')}{where}, about {_cost(found['cost'])}, {effect}"
    needed = summary["spent_core_seconds"] + found["cost"]
    raise_budget = f'write budget = "{_budget(needed)}" in [campaign]'
    if found["limit"] == "budget":
        return f"{gain}: {raise_budget}."
    more = f", and {raise_budget}" if budget is not None and needed > budget else ""
    return f"Larger scales are not allowed: {gain}; add {point_text(found['point'])} to [scales]{more}."


def _budget(seconds: float) -> str:
    """Write a budget that is enough for core-seconds, as `campaign.toml` takes it."""
    unit, size = ("core-h", 3600.0) if seconds >= 3600.0 else ("core-s", 1.0)
    return f"{value_text(float(f'{_RESERVE * seconds / size:.2g}'))} {unit}"


def _width(width: float | None) -> str:
    return "-" if width is None else percent(width)


def _answer_sentence(summary: Summary) -> str:
    question = summary["question"]
    asked = f"{question['quantity'].capitalize()} at {point_text(question['at'])}"
    answered = [one for one in summary["rounds"] if one["answer"] is not None]
    if not answered:
        return f"{asked}: no answer yet"
    *_, last = answered
    write = partial(_figure, question["quantity"])
    answer = last["answer"]
    interval = interval_text(answer["lower"], answer["upper"], write)
    return (
        f"{asked}: {write(answer['value'])}, 90 % interval {interval}. "
        f"Its width is {percent(last['width'])}, {percent(question['width'])} is wanted"
        f"{_ENDINGS[summary['ending']]}."
    )


def _figure(asked: str, value: float) -> str:
    if asked == "efficiency":
        return percent(value)
    return figure(value) if asked == "speedup" else quantity(value, _UNITS[asked])


MAX_ROWS = 30  # overlapping timers that are shown


def show_inspection(out: Console, found: Mapping[str, Any]) -> None:
    """Print what a path holds, as `pipeline.stages.inspect.inspect_path` found it."""
    _show_contents(out, found)
    for line in verdict(found):  # whole lines: paths in them can be copied
        out.print(Text(line), soft_wrap=True)


def _show_contents(out: Console, found: Mapping[str, Any]) -> None:
    out.print(f"Parameters: {', '.join(found['parameters']) or 'none'}", soft_wrap=True, markup=False)
    if "series" in found:
        series = found["series"]
        out.print(
            f"{series['format']}: {counted(series['points'], 'measurement point')}, "
            f"up to {counted(series['repetitions'], 'repetition')}, "
            f"{counted(series['callpaths'], 'call path')}, metrics {', '.join(series['metrics'])}",
            soft_wrap=True,
            markup=False,
        )
        return
    out.print(terminal_table(inspection_table(found), out.width))
    for run in found["runs"]:
        for sentence in reconciliation(found, run):
            show_sentence(out, sentence)
        if rows := run.get("overlapping"):
            out.print(terminal_table(overlapping_table(rows[:MAX_ROWS]), out.width))
            if len(rows) > MAX_ROWS:
                out.print(f"and {counted(len(rows) - MAX_ROWS, 'shorter one')}", soft_wrap=True)
    for sentence in metrics_and_notices(found["runs"]):
        show_sentence(out, sentence)
    for notice in found.get("notices", ()):
        show_sentence(out, f"Note: {notice}")
