"""Where the cost of measuring shows in a profile, with the plain time known: the figures of results.md."""

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from benchmarks.overhead.series import Scale, read_all
from filters.event_cost import visited
from filters.evidence import RunEvidence

CLEAR = 2.0
COUNTED = 1e-3
MOSTLY_OVERHEAD = 10.0
_HEADINGS = {
    "dilation": "T / P",
    "per_visit": "P per visit",
    "cost": "cost",
    "leaf": "cheapest leaf",
    "leaves": "leaves 5 %",
    "callers_low": "callers 5 %",
    "callers_tenth": "callers 10 %",
    "callers_median": "callers 50 %",
    "inside": "leaves / cost",
    "floor": "cost / floor",
    "hidden": "v",
    "clear": "clear / P",
    "excess_low": "excess 5 %",
    "excess_tenth": "excess 10 %",
    "excess_median": "excess 50 %",
    "excess_all": "excess 10 % with leaves",
}


@dataclass(frozen=True, kw_only=True)
class Figures:
    """One run beside the plain time P of its size; times per visit in nanoseconds.

    Attributes:
        dilation: measured time T over P.
        per_visit: P / visits.
        cost: (T - P) / visits.
        leaf: the least time per visit of a leaf call path with `COUNTED` of all visits.
        leaves: the quantile of 5 % of the same, weighted by visits.
        callers_low, callers_tenth, callers_median: the caller's part of the cost, (time - leaves * visits) /
            visits of callees: quantiles of 5, 10 and 50 % over callers, weighted by the visits of callees.
        inside: leaves / cost, the share of the cost that falls into the visited region.
        floor: cost / (leaves + callers_tenth): the true cost over what the cheapest call paths show.
        hidden: plain time per visit of call paths that are mostly overhead: with no more than `CLEAR` times
            the cost of their events, given the true cost and `inside`. NaN if there are none, negative if the
            other call paths show more than P.
        clear: the share of P that the other call paths show.
        excess_low, excess_tenth, excess_median: the sum over callers of what they take beyond the cost of
            their events, at `leaves` and the caller's part of that quantile, over P.
        excess_all: as `excess_tenth`, over all call paths.
    """

    dilation: float
    per_visit: float
    cost: float
    leaf: float
    leaves: float
    callers_low: float
    callers_tenth: float
    callers_median: float
    inside: float
    floor: float
    hidden: float
    clear: float
    excess_low: float
    excess_tenth: float
    excess_median: float
    excess_all: float


def figures(run: RunEvidence, plain: float) -> Figures:
    """Find the figures of a run whose plain time in seconds is known."""
    time, visits, called = run.time, run.visits, visited(run).callee_visits[:, 0]
    measured, events = float(time.sum()), float(visits.sum())
    cost = (measured - plain) / events
    leaf = (called == 0) & (visits > COUNTED * events)
    caller = called > COUNTED * events
    per_visit = time[leaf] / visits[leaf]
    leaves = weighted_quantile(per_visit, visits[leaf], 0.05)
    per_callee = (time - leaves * visits)[caller] / called[caller]
    low, tenth, median = (weighted_quantile(per_callee, called[caller], q) for q in (0.05, 0.1, 0.5))
    at_low, at_tenth, at_median = (excess(time, visits, called, leaves, q) for q in (low, tenth, median))
    inside = leaves / cost
    taken = cost * (inside * visits + (1.0 - inside) * called)
    clear = time > CLEAR * taken
    shown, hidden = float((time - taken)[clear].sum()), float(visits[~clear].sum())
    return Figures(
        dilation=measured / plain,
        per_visit=1e9 * plain / events,
        cost=1e9 * cost,
        leaf=1e9 * float(per_visit.min()),
        leaves=1e9 * leaves,
        callers_low=1e9 * low,
        callers_tenth=1e9 * tenth,
        callers_median=1e9 * median,
        inside=inside,
        floor=cost / (leaves + tenth),
        hidden=1e9 * (plain - shown) / hidden if hidden else np.nan,
        clear=shown / plain,
        excess_low=float(at_low[called > 0].sum()) / plain,
        excess_tenth=float(at_tenth[called > 0].sum()) / plain,
        excess_median=float(at_median[called > 0].sum()) / plain,
        excess_all=float(at_tenth.sum()) / plain,
    )


def excess(
    time: np.ndarray, visits: np.ndarray, called: np.ndarray, inside: float, outside: float
) -> np.ndarray:
    """What call paths take beyond the cost of their events, float64[call path], in seconds, never below zero.

    Args:
        time, visits, called: float64[call path], exclusive seconds, visits, and visits of the callees.
        inside, outside: seconds per visit that fall into the visited region and into its caller.
    """
    return np.maximum(time - inside * visits - outside * called, 0.0)


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Return the smallest value so that values up to it have at least this share of the weight."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, share * reached[-1])])


def scale_figures(scale: Scale) -> np.ndarray:
    """The median of each figure over the repetitions, float64[figure]."""
    return np.median([astuple(figures(run, scale.truth)) for run in scale.runs], axis=0)


def show(out: Path, lulesh: Path | None) -> None:
    """Print the figures of every program and size, and how they vary among programs."""
    names = [field.name for field in fields(Figures)]
    print("| program | size | P, s | visits, M |", " | ".join(_HEADINGS[name] for name in names), "|")
    print("|---|" + "---:|" * (len(names) + 3))
    programs: dict[str, np.ndarray] = {}
    for series in read_all(out, lulesh):
        programs[series.name] = np.array([scale_figures(scale) for scale in series.scales])
        for scale, row in zip(series.scales, programs[series.name], strict=True):
            cells = (scale.truth, 1e-6 * scale.runs[0].visits.sum(), *row)
            print(f"| {series.name} | {scale.size} |", " | ".join(f"{cell:.3g}" for cell in cells), "|")
    overhead = names.index("dilation")
    _summary("all programs", programs, names, lambda name, row: True)
    _summary("without LULESH", programs, names, lambda name, row: name != "lulesh")
    title = f"mostly overhead (T / P above {MOSTLY_OVERHEAD:g})"
    _summary(title, programs, names, lambda name, row: row[overhead] > MOSTLY_OVERHEAD)


def _summary(
    title: str,
    programs: dict[str, np.ndarray],
    names: list[str],
    chosen: Callable[[str, np.ndarray], bool],
) -> None:
    print(f"\n{title}: one number per program (median over sizes), and how its logarithm varies\n")
    print("| figure | exp of mean | mean of ln | sd of ln | sd of ln within a program | programs |")
    print("|---|---:|---:|---:|---:|---:|")
    tables = [t for name, t in programs.items() if chosen(name, np.median(t, axis=0))]
    for k, name in enumerate(names):
        middle = np.array([np.median(table[:, k]) for table in tables])
        logs = np.log(middle[middle > 0])
        within = [np.log(t[:, k][t[:, k] > 0]).var(ddof=1) for t in tables if (t[:, k] > 0).sum() > 1]
        cells = (np.exp(logs.mean()), logs.mean(), logs.std(ddof=1), np.sqrt(np.mean(within)))
        print(f"| {_HEADINGS[name]} |", " | ".join(f"{cell:.3g}" for cell in cells), f"| {len(logs)} |")
