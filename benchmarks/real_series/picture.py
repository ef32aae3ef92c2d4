"""Pictures: predicted over measured totals with our intervals, and how often intervals of each level hold."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.real_series.forecasts import LEVELS, Outcome
from benchmarks.real_series.table import groups, kind

BOUNDS = (0.2, 5.0)  # what lies beyond is drawn at the edge
WAYS = (
    ("ours", "ours", "o", "tab:blue"),
    ("rule", "rule of one line", "x", "tab:gray"),
    ("extrap", "Extra-P", "+", "tab:orange"),
)


def draw(outcomes: Sequence[Outcome], file: Path) -> None:
    """Write the picture, the tasks sorted by application and by our forecast."""
    from matplotlib import pyplot
    from matplotlib.ticker import NullFormatter

    ordered = sorted(outcomes, key=lambda o: (o.task.application, o.ours.total))
    places = np.arange(len(ordered))
    lower, upper = np.clip([(o.lower, o.upper) for o in ordered], *BOUNDS).T
    figure, axes = pyplot.subplots(figsize=(12, 5), layout="constrained")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.vlines(places, lower, upper, color="tab:blue", alpha=0.4, linewidth=4, label="our 90 % interval")
    for way, name, marker, color in WAYS:
        totals = np.clip([getattr(o, way).total for o in ordered], *BOUNDS)
        axes.plot(places, totals, marker, color=color, markersize=5, label=name)
    names = [o.task.application for o in ordered]
    starts = [i for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
    for start in starts[1:]:
        axes.axvline(start - 0.5, color="lightgray", linewidth=0.8)
    middles = [(start + end - 1) / 2 for start, end in pairwise([*starts, len(names)])]
    axes.set_xticks(middles, [names[i] for i in starts], rotation=40, ha="right")
    axes.set(yscale="log", ylim=BOUNDS, ylabel="predicted / measured total", xlim=(-1, len(ordered)))
    axes.set_yticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
    axes.yaxis.set_minor_formatter(NullFormatter())
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def draw_calibration(outcomes: Sequence[Outcome], file: Path) -> None:
    """Write the share of totals and of kernels inside intervals over the level of the intervals."""
    from matplotlib import pyplot

    settings = {"svg.hashsalt": "calibration", "svg.fonttype": "none"}
    with pyplot.rc_context(settings):
        figure, every = pyplot.subplots(ncols=2, figsize=(9, 4.5), sharey=True, layout="constrained")
        for axes, what in zip(every, ("totals", "kernels"), strict=True):
            axes.plot((40, 100), (40, 100), color="black", linewidth=0.8, label="as stated")
            for name, some in (("all", outcomes), *groups(outcomes, kind)):
                shares = 100 * np.mean([getattr(o, f"{what}_inside") for o in some], axis=0)
                width = 2.5 if name == "all" else 1.2
                axes.plot(100 * np.array(LEVELS), shares, "o-", linewidth=width, markersize=4, label=name)
            axes.set(title=what, xlabel="level of the interval, %", xticks=[100 * level for level in LEVELS])
        every[0].set(ylabel="inside, %", ylim=(30, 102))
        handles, labels = every[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
        pyplot.close(figure)
