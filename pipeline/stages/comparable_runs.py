"""Which runs of a directory may be modelled together: those that recorded the same functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from filters.instrumentation import Instrumentation, instrumentations
from ingest.alignment import MeasuredRun
from ingest.discovery import Run, Skipped
from ingest.reduction import ReducedProfile
from pipeline.wording.quantities import counted

ReadRuns = Sequence[tuple[Run, ReducedProfile]]


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparableRuns:
    """The runs to model, and what becomes of the others.

    Attributes:
        runs: measured under one filter.
        left_out: the runs under other filters, with the reason.
        widest: the runs that recorded the most functions: a filter is made from them.
        recorded: names of the functions that `runs` could record, sorted; empty if unknown.
        notices: one sentence if runs are left out.
    """

    runs: ReadRuns
    left_out: tuple[Skipped, ...]
    widest: tuple[Run, ...]
    recorded: tuple[str, ...]
    notices: tuple[str, ...]


def comparable_runs(parameters: Sequence[str], read: ReadRuns) -> ComparableRuns:
    """Choose the runs that can be modelled together.

    Under a filter the time of a dropped function is in its caller. So runs under different filters are never
    mixed: not averaged at one point, and not put into one series. Those that cover the most points are used;
    of equal ones those with the fewest visits per second, since they are disturbed least.

    Args:
        parameters: names of the parameters.
        read: the runs that could be read, at least one.
    """
    groups = instrumentations([MeasuredRun(run.parameters, run.repetition, profile) for run, profile in read])
    used, *others = groups
    left_out = sorted(i for group in others for i in group.runs)
    widest = max(groups, key=lambda group: len(group.recorded))
    return ComparableRuns(
        runs=[read[i] for i in used.runs],
        left_out=tuple(Skipped(read[i][0].path, "measured under another filter") for i in left_out),
        widest=tuple(read[i][0] for i in widest.runs),
        recorded=tuple(sorted(used.recorded)) if used.complete else (),
        notices=(_notice(parameters, read, groups),) if others else (),
    )


def _notice(parameters: Sequence[str], read: ReadRuns, groups: Sequence[Instrumentation]) -> str:
    used, *others = (_described(parameters, read, group) for group in groups)
    return (
        f"the runs were measured under {len(groups)} different filters, so the time of some functions is in "
        f"their callers in some runs: these runs are not mixed. Used: {used}. Left out: {'; '.join(others)}. "
        f"To use others, list their runs as [[run]] in pipeline.toml or move them to a directory of their own"
    )


def _described(parameters: Sequence[str], read: ReadRuns, group: Instrumentation) -> str:
    runs = [read[i][0] for i in group.runs]
    points = sorted({run.parameters for run in runs})
    at = ", ".join(f"{point[0]:g}" for point in points) if len(parameters) == 1 else ""
    where = f"{parameters[0]} = {at}" if at else counted(len(points), "point")
    others = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
    return (
        f"{counted(len(runs), 'run')} that recorded {counted(len(group.recorded), 'function')} "
        f"({where}; {runs[0].path}{others})"
    )
