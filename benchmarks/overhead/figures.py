"""Where the cost of measuring shows in a profile, with the plain time known: the figures of results.md."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from benchmarks.overhead.series import Scale, read_all
from filters.cost import child_visits
from filters.evidence import RunEvidence

CLEAR = 2.0
COUNTED = 1e-3
_HEADINGS = {
    "dilation": "T / P",
    "cost": "cost per visit, ns",
    "leaf": "cheapest leaf, ns",
    "leaves": "5 % of leaves, ns",
    "callers_low": "callers 5 %, ns",
    "callers_tenth": "callers 10 %, ns",
    "callers_median": "callers median, ns",
    "inside": "share inside",
    "hidden": "plain per visit of the mostly overhead, ns",
    "clear": "clear share of P",
    "excess_low": "excess 5 % / P",
    "excess_tenth": "excess 10 % / P",
}


@dataclass(frozen=True, kw_only=True)
class Figures:
    """One run beside the plain time P of its size; times per visit in nanoseconds.

    Attributes:
        dilation: measured time T over P.
        cost: (T - P) / visits.
        leaf: the least time per visit of a leaf call path with `COUNTED` of all visits.
        leaves: the quantile of 5 % of the same, weighted by visits.
        callers_low, callers_tenth, callers_median: quantiles of 5, 10 and 50 % over callers, weighted by the
            visits of their callees, of (time - leaves * visits) / visits of callees: the caller's part of the cost.
        inside: leaves / (leaves + callers_tenth).
        hidden: plain time per visit of call paths that are mostly overhead: with no more than `CLEAR` times the
            cost of their events, given the true cost and the share `inside`. NaN if there are none.
        clear: the share of P in the other call paths.
        excess_low, excess_tenth: the sum over callers of what they take beyond the cost of their events, at the
            caller's part `callers_low` and `callers_tenth`, over P.
    """

    dilation: float
    cost: float
    leaf: float
    leaves: float
    callers_low: float
    callers_tenth: float
    callers_median: float
    inside: float
    hidden: float
    clear: float
    excess_low: float
    excess_tenth: float


def figures(run: RunEvidence, plain: float) -> Figures:
    """Find the figures of a run whose plain time in seconds is known."""
    time, visits, called = run.time, run.visits, child_visits(run.tree, run.visits)
    measured, events = float(time.sum()), float(visits.sum())
    cost = (measured - plain) / events
    is_leaf = (called == 0) & (visits > COUNTED * events)
    is_caller = (called > 0) & (called > COUNTED * events)
    per_visit = time[is_leaf] / visits[is_leaf]
    leaves = weighted_quantile(per_visit, visits[is_leaf], 0.05)
    per_callee = (time - leaves * visits)[is_caller] / called[is_caller]
    low, tenth, median = (weighted_quantile(per_callee, called[is_caller], q) for q in (0.05, 0.1, 0.5))
    inside = leaves / (leaves + tenth)
    taken = cost * (inside * visits + (1.0 - inside) * called)
    clear = time > CLEAR * taken
    shown = float((time - taken)[clear].sum())
    hidden = float(visits[~clear].sum())
    return Figures(
        dilation=measured / plain,
        cost=1e9 * cost,
        leaf=1e9 * float(per_visit.min()),
        leaves=1e9 * leaves,
        callers_low=1e9 * low,
        callers_tenth=1e9 * tenth,
        callers_median=1e9 * median,
        inside=inside,
        hidden=1e9 * (plain - shown) / hidden if hidden else np.nan,
        clear=shown / plain,
        excess_low=excess(time, visits, called, leaves, low) / plain,
        excess_tenth=excess(time, visits, called, leaves, tenth) / plain,
    )


def excess(time: np.ndarray, visits: np.ndarray, called: np.ndarray, inside: float, outside: float) -> float:
    """Sum what callers take beyond the cost of their events, in seconds.

    Args:
        time, visits, called: float64[call path], exclusive seconds, visits, and visits of the callees.
        inside, outside: seconds per visit that fall into the visited region and into its caller.
    """
    beyond = time - inside * visits - outside * called
    return float(np.maximum(beyond, 0.0)[called > 0].sum())


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Return the smallest value so that values up to it have at least this share of the weight."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, share * reached[-1])])


def scale_figures(scale: Scale) -> Figures:
    """The median of each figure over the repetitions."""
    table = np.array([astuple(figures(run, scale.truth)) for run in scale.runs])
    names = [field.name for field in fields(Figures)]
    return Figures(**dict(zip(names, np.median(table, axis=0).tolist(), strict=True)))


def show(out: Path, lulesh: Path | None) -> None:
    """Print the figures of every program and size, and how they vary among programs."""
    names = [field.name for field in fields(Figures)]
    print("| program | size | plain, s | visits, M |", " | ".join(_HEADINGS[name] for name in names), "|")
    print("|---|" + "---:|" * (len(names) + 3))
    programs: dict[str, np.ndarray] = {}
    for series in read_all(out, lulesh):
        found = [scale_figures(scale) for scale in series.scales]
        for scale, one in zip(series.scales, found, strict=True):
            cells = (scale.truth, 1e-6 * scale.runs[0].visits.sum(), *astuple(one))
            print(f"| {series.name} | {scale.size} |", " | ".join(f"{cell:.3g}" for cell in cells), "|")
        programs[series.name] = np.median([astuple(one) for one in found], axis=0)
    _summary("all programs", list(programs.values()), names)
    if lulesh is not None:
        _summary("without LULESH", [row for name, row in programs.items() if name != "lulesh"], names)


def _summary(title: str, rows: Sequence[np.ndarray], names: Sequence[str]) -> None:
    print(f"\n{title}: one number per program (median over sizes), then mean and standard deviation of its logarithm\n")
    for name, column in zip(names, np.array(rows).T, strict=True):
        values = column[np.isfinite(column) & (column > 0)]
        logs = np.log(values)
        middle, spread = logs.mean(), logs.std(ddof=1)
        print(f"- {_HEADINGS[name]}: {np.exp(middle):.3g} (ln {middle:.2f}, sd {spread:.2f}, {len(values)} programs)")
