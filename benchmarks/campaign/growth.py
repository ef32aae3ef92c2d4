"""How the cost of `pipeline run` grows with the size of a campaign, one dimension at a time."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.campaign.measure import run_pipeline
from benchmarks.campaign.synthetic import Shape, write_campaign

BASE = Shape(callpaths=1000, locations=64, points=5, repetitions=2)
SIZES = {
    "callpaths": (4000, 8000, 16000, 32000, 64000),
    "locations": (1024, 2048, 4096, 8192, 16384),
    "points": (24, 48, 96, 192, 384),
    "repetitions": (16, 32, 64, 128, 256),
}


@dataclass(frozen=True)
class Growth:
    """Processor seconds at several sizes, and the slope of their logarithms: of all, and of the last two."""

    dimension: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    slope: float
    last: float


def measure_growth() -> Iterator[Growth]:
    """Measure one dimension after the other."""
    for dimension, sizes in SIZES.items():
        shapes = (Shape(**{**asdict(BASE), dimension: size}) for size in sizes)
        seconds = tuple(_seconds(shape) for shape in shapes)
        x, y = np.log(sizes), np.log(seconds)
        slope = float(np.polyfit(x, y, 1)[0])
        yield Growth(dimension, sizes, seconds, slope, float((y[-1] - y[-2]) / (x[-1] - x[-2])))


def _seconds(shape: Shape) -> float:
    with tempfile.TemporaryDirectory() as folder:
        write_campaign(Path(folder) / "campaign", shape)
        out = Path(folder) / "out"
        return run_pipeline("run", Path(folder) / "campaign", "--out", out, "--jobs", "1").processor
