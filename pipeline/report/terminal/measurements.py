"""What a path holds, in the terminal."""

from rich.console import Console
from rich.text import Text

from pipeline.columns.measured_runs import (
    Inspection,
    inspection_table,
    metrics_and_notices,
    overlapping_table,
    reconciliation,
    verdict,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import counted

_MAX_ROWS = 30  # overlapping timers that are shown


def show_inspection(out: Console, found: Inspection) -> None:
    """Print what a path holds, as `pipeline.stages.inspect.inspect_path` found it."""
    _show_contents(out, found)
    for line in verdict(found):  # whole lines: paths in them can be copied
        out.print(Text(line), soft_wrap=True)


def _show_contents(out: Console, found: Inspection) -> None:
    out.print(f"Parameters: {', '.join(found.parameters) or 'none'}", soft_wrap=True, markup=False)
    if (series := found.series) is not None:
        out.print(
            f"{series.format}: {counted(series.points, 'measurement point')}, "
            f"up to {counted(series.repetitions, 'repetition')}, "
            f"{counted(series.callpaths, 'call path')}, metrics {', '.join(series.metrics)}",
            soft_wrap=True,
            markup=False,
        )
    else:
        _show_runs(out, found)
    for notice in found.notices:
        show_sentence(out, f"Note: {notice}")


def _show_runs(out: Console, found: Inspection) -> None:
    out.print(terminal_table(inspection_table(found), out.width))
    for run in found.runs:
        for sentence in reconciliation(found, run):
            show_sentence(out, sentence)
        if rows := run.overlapping:
            out.print(terminal_table(overlapping_table(rows[:_MAX_ROWS]), out.width))
            if len(rows) > _MAX_ROWS:
                out.print(f"and {counted(len(rows) - _MAX_ROWS, 'shorter one')}", soft_wrap=True)
    for sentence in metrics_and_notices(found.runs):
        show_sentence(out, sentence)
