"""Measured series with their true plain times: those of this benchmark, and LULESH under Score-P."""

import csv
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from filters.evidence import RunEvidence, evidence_from_profile
from ingest.readers import read_profile

LULESH = "lulesh"


@dataclass(frozen=True, eq=False)
class Scale:
    """All runs of one size: the fully instrumented ones, and the seconds that plain ones took."""

    size: int
    runs: tuple[RunEvidence, ...]
    plain: tuple[float, ...]

    @property
    def truth(self) -> float:
        return float(np.median(self.plain))


@dataclass(frozen=True, eq=False)
class Series:
    """One program at all its sizes, ascending."""

    name: str
    scales: tuple[Scale, ...]


def read_all(out: Path, lulesh: Path | None) -> list[Series]:
    """Read what `measure` wrote, and LULESH if its folder is given."""
    series = [_series(path.parent, plain_times(path.read_text())) for path in sorted(out.glob("*/plain.csv"))]
    if lulesh is not None:
        series.append(_series(lulesh, lulesh_times((lulesh / "plain-times.txt").read_text()), LULESH))
    return series


def plain_times(text: str) -> dict[int, list[float]]:
    """Return CPU seconds by size from a table of `measure`."""
    times = defaultdict(list)
    for row in csv.DictReader(text.splitlines()):
        times[int(row["size"])].append(float(row["cpu_seconds"]))
    return dict(times)


def lulesh_times(text: str) -> dict[int, list[float]]:
    """Return wall seconds by size from lines like ``plain s8 r1  n=1 wall=0.012 [0.012-0.012] ...``."""
    times = defaultdict(list)
    for size, wall in re.findall(r"^plain s(\d+) r\d+ .*?wall=([\d.]+)", text, re.MULTILINE):
        times[int(size)].append(float(wall))
    return dict(times)


def _series(folder: Path, plain: dict[int, list[float]], name: str = "") -> Series:
    scales = []
    for size in sorted(plain):
        paths = sorted((folder / "full").glob(f"*.?{size}.r*/profile.cubex"))
        scales.append(Scale(size, read_runs(paths), tuple(plain[size])))
    return Series(name or folder.name, tuple(scales))


def read_runs(paths: Sequence[Path]) -> tuple[RunEvidence, ...]:
    return tuple(evidence_from_profile(read_profile(path)) for path in paths)
