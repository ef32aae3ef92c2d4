"""One picture of all forecasts: predicted over measured total, with our intervals."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.real_series.forecasts import Outcome

BOUNDS = (0.2, 5.0)  # what lies beyond is drawn at the edge
WAYS = (("rule of the last three points", "x", "tab:gray"), ("Extra-P", "+", "tab:orange"))


def draw(outcomes: Sequence[Outcome], file: Path) -> None:
    """Write the picture, the tasks sorted by application and by our forecast."""
    from matplotlib import pyplot
    from matplotlib.ticker import NullFormatter

    ordered = sorted(outcomes, key=lambda o: (o.task.application, o.totals[0]))
    places = np.arange(len(ordered))
    totals = np.clip([o.totals for o in ordered], *BOUNDS)
    lower, upper = np.clip([(o.lower, o.upper) for o in ordered], *BOUNDS).T
    figure, axes = pyplot.subplots(figsize=(12, 5), layout="constrained")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.vlines(places, lower, upper, color="tab:blue", alpha=0.4, linewidth=4, label="our 90 % interval")
    axes.plot(places, totals[:, 0], "o", color="tab:blue", markersize=4, label="ours")
    for column, (name, marker, color) in enumerate(WAYS, start=1):
        axes.plot(places, totals[:, column], marker, color=color, markersize=5, label=name)
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
