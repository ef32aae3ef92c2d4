"""True plain times beside those that the estimator under test gives."""

from pathlib import Path

import numpy as np

from benchmarks.overhead.estimator import Estimate, estimate
from benchmarks.overhead.series import Series, read_all

_HEAD = """| program | size | measured, s | plain, s | estimate | low | high | of plain | width | holds |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---|"""


def compare(out: Path, lulesh: Path | None) -> None:
    """Print a row per program and size, and what all have in common."""
    print(_HEAD)
    rows = [row for series in read_all(out, lulesh) for row in _rows(series)]
    holds = sum(held for _, _, held in rows)
    errors, widths = (np.array([row[k] for row in rows]) for k in (0, 1))
    print(f"\n{holds} of {len(rows)} intervals hold the plain time (90 % are expected to).")
    print(f"Width high / low: median {np.median(widths):.2f}, largest {widths.max():.2f}.")
    print(
        f"Estimate / plain: median {np.median(errors):.2f}, {errors.min():.2f} to {errors.max():.2f};",
        end=" ",
    )
    print(f"typical factor off {np.exp(np.sqrt(np.mean(np.log(errors) ** 2))):.2f}.")


def _rows(series: Series) -> list[tuple[float, float, bool]]:
    """Print the rows of a program; return estimate / plain, high / low and whether the interval holds."""
    found: list[Estimate] = estimate([scale.runs for scale in series.scales])
    rows = []
    for scale, one in zip(series.scales, found, strict=True):
        measured = float(np.median([run.time.sum() for run in scale.runs]))
        held = one.low <= scale.truth <= one.high
        rows.append((one.value / scale.truth, one.high / one.low, held))
        numbers = (measured, scale.truth, one.value, one.low, one.high, *rows[-1][:2])
        cells = " | ".join(f"{number:.3g}" for number in numbers)
        print(f"| {series.name} | {scale.size} | {cells} | {'yes' if held else 'NO'} |")
    return rows
