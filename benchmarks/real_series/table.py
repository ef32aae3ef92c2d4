"""Outcomes as tables in Markdown."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np

from benchmarks.real_series.forecasts import CUT, JUDGED, LEVELS, Outcome, mean_over_applications
from benchmarks.real_series.series import GRID

Key = Callable[[Outcome], str]
WAYS = ("ours", "rule", "extrap")
KINDS = {
    "size": "size of the problem",
    "strong": "strong scaling",
    "weak": "weak scaling",
    GRID: "several parameters",
}
HEAD = (
    "tasks",
    *("error: ours", "rule", "Extra-P"),
    *("sign: ours", "rule", "Extra-P"),
    *("within 10 %: ours", "rule", "Extra-P"),
    *("inside: totals", "kernels", "time", "score"),
)


def tables(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines: forecasts along one parameter and along several, then the coverage of each level."""
    one = [o for o in outcomes if o.task.scaling != GRID]
    several = [o for o in outcomes if o.task.scaling == GRID]
    if one:
        yield from table(one, (kind, _factor, lambda o: f"{kind(o)}, {_factor(o)}", _application))
    if several:
        yield "\nSeveral parameters; the rule is a plane in logarithms.\n"
        yield from table(several, (_application,))
    yield ""
    yield from coverage(outcomes)


def table(outcomes: Sequence[Outcome], keys: Sequence[Key]) -> Iterator[str]:
    """Yield the lines: all tasks, those of each group, and the mean over applications."""
    yield f"| | {' | '.join(HEAD)} |"
    yield "|---|" + "---:|" * len(HEAD)
    yield _row("all", outcomes)
    for key in keys:
        for name, some in groups(outcomes, key):
            yield _row(name, some)
    errors = [mean_over_applications(outcomes, [getattr(o, way).cut_error for o in outcomes]) for way in WAYS]
    cells = ["", *(f"{error:.3f}" for error in errors), *[""] * 9]
    cells.append(f"{mean_over_applications(outcomes, [o.score for o in outcomes]):.2f}")
    yield _line(f"mean over applications (errors cut at {CUT:g})", cells)


def coverage(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table: what share of totals and kernels lies in intervals of each level."""
    yield "| inside intervals of | " + " | ".join(f"{level:.0%}" for level in LEVELS) + " |"
    yield "|---|" + "---:|" * len(LEVELS)
    for name, some in (("all", outcomes), *groups(outcomes, kind)):
        for what in ("totals", "kernels"):
            shares = np.mean([getattr(o, f"{what}_inside") for o in some], axis=0)
            yield f"| {what}, {name} | " + " | ".join(f"{share:.0%}" for share in shares) + " |"


def groups(outcomes: Sequence[Outcome], key: Key) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield the outcomes by what a key says of them."""
    for name, some in groupby(sorted(outcomes, key=key), key):
        yield name, list(some)


def kind(outcome: Outcome) -> str:
    """Name the kind of scaling."""
    return KINDS.get(outcome.task.scaling, outcome.task.scaling)


def _factor(outcome: Outcome) -> str:
    return f"factor {outcome.task.factor}"


def _application(outcome: Outcome) -> str:
    return outcome.task.application


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    ways = [[getattr(o, way) for o in outcomes] for way in WAYS]
    kernels = [int((o.task.truth > 0).sum()) for o in outcomes]
    cells = [str(len(outcomes))]
    for way in ways:
        errors = [judged.error for judged in way]
        cells.append(f"{np.mean(errors):.3f} / {np.median(errors):.3f}")
    cells += [f"{np.mean([judged.sign for judged in way]):+.2f}" for way in ways]
    cells += [f"{np.average([judged.close for judged in way], weights=kernels):.0%}" for way in ways]
    at = LEVELS.index(JUDGED)
    cells += [
        f"{np.mean([getattr(o, f'{what}_inside')[at] for o in outcomes]):.0%}"
        for what in ("totals", "kernels")
    ]
    cells += [
        f"{np.mean([o.time_inside for o in outcomes]):.0%}",
        f"{np.mean([o.score for o in outcomes]):.2f}",
    ]
    return _line(name, cells)


def _line(name: str, cells: Sequence[str]) -> str:
    """Make a line of the table; what Extra-P was not asked stays empty."""
    return f"| {name} | {' | '.join('' if 'nan' in cell else cell for cell in cells)} |"
