"""Outcomes as a table in Markdown."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from benchmarks.real_series.forecasts import Outcome

CUT = 3.0  # larger errors count as this in the means of applications
HEAD = (
    "| | tasks | ours: mean | median | rule: mean | median | Extra-P: mean | median "
    "| inside: totals | kernels | time | score |"
)


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines: all tasks, by kind of scaling, by application, and the mean over applications."""
    yield HEAD
    yield "|---|" + "---:|" * 11
    yield _row("all", outcomes)
    for kind, some in _groups(outcomes, "scaling"):
        yield _row(f"{kind} scaling" if kind != "size" else "size of the problem", some)
    for application, some in _groups(outcomes, "application"):
        yield _row(application, some)
    means = " | | ".join(f"{np.nanmean(of):.3f}" for of in _of_applications(outcomes))
    yield f"| mean over applications (errors cut at {CUT:g}) | | {means} | | | | | |"


def _groups(outcomes: Sequence[Outcome], key: str) -> Iterator[tuple[str, list[Outcome]]]:
    def of(outcome: Outcome) -> str:
        return str(getattr(outcome.task, key))

    for name, some in groupby(sorted(outcomes, key=of), of):
        yield name, list(some)


def _of_applications(outcomes: Sequence[Outcome]) -> list[list[float]]:
    """Mean errors of ours, rule and Extra-P, one per application each."""
    every = [some for _, some in _groups(outcomes, "application")]
    return [
        [float(np.mean([min(getattr(o, way), CUT) for o in some])) for some in every]
        for way in ("ours", "rule", "extrap")
    ]


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    errors = [[getattr(o, way) for o in outcomes] for way in ("ours", "rule", "extrap")]
    inside = [
        np.mean([getattr(o, what) for o in outcomes])
        for what in ("total_inside", "kernels_inside", "time_inside")
    ]
    cells = [str(len(outcomes))]
    cells += [f"{of(way):.3f}" for way in errors for of in (np.mean, np.median)]
    cells += [f"{100 * share:.0f} %" for share in inside]
    cells.append(f"{np.mean([o.score for o in outcomes]):.2f}")
    return f"| {name} | {' | '.join(cells)} |"
