"""What a path holds, in the terminal."""

from rich.console import Console

from ingest.reading.stacks import covered
from pipeline.columns.measured_runs import (
    Inspection,
    inspection_table,
    metrics_and_notices,
    overlapping_table,
    points_table,
    reconciliation,
    verdict,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import counted

_MAX_ROWS = 30  # overlapping timers that are shown
_SEVERAL = 3  # runs whose sums have one line


def show_inspection(out: Console, found: Inspection, *, details: bool = False) -> None:
    """Print what a path holds, as `pipeline.stages.inspect.inspect_path` found it: the verdict first.

    `details`: whether runs of one point have a line each.
    """
    for line in verdict(found):
        show_sentence(out, line)
    if (series := found.series) is not None:
        show_sentence(
            out,
            f"{series.format}: {counted(series.points, 'measurement point')}, "
            f"up to {counted(series.repetitions, 'repetition')}, "
            f"{counted(series.callpaths, 'call path')}, metrics {', '.join(series.metrics)}",
        )
    else:
        _show_runs(out, found, details)
    for notice in found.notices:
        show_sentence(out, f"Note: {notice}")


def _show_runs(out: Console, found: Inspection, details: bool) -> None:
    grouped, totals = points_table(found), any(run.totals for run in found.runs)
    apart = details or totals or len(grouped.columns[0].values) == len(found.runs)
    out.print(terminal_table(inspection_table(found) if apart else grouped, out.width))
    for sentence in _sums(found, details):
        show_sentence(out, sentence)
    for rows in filter(None, (run.overlapping for run in found.runs)):
        out.print(terminal_table(overlapping_table(rows[:_MAX_ROWS]), out.width))
        if len(rows) > _MAX_ROWS:
            show_sentence(out, f"and {counted(len(rows) - _MAX_ROWS, 'shorter one')}")
    for sentence in metrics_and_notices(found.runs):
        show_sentence(out, sentence)


def _sums(found: Inspection, details: bool) -> list[str]:
    """Say how much of stated totals was found: of several runs the least and the most."""
    texts = [text for run in found.runs for text in (run.reconciled or {}).values()]
    shares = [share for share in map(covered, texts) if share is not None]
    if details or len(texts) < _SEVERAL or len(shares) < len(texts):
        return [sentence for run in found.runs for sentence in reconciliation(found, run)]
    ends = " to ".join(dict.fromkeys(f"{100 * share:.1f}" for share in (min(shares), max(shares))))
    return [f"Timers add up to {ends} % of what the logs state"]
