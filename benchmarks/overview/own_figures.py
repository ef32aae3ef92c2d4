"""Figures beside those from files to answers: start-up, reading, sizes of what is written, large studies."""

import gc
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.campaign.measure import Cost, run_pipeline
from benchmarks.campaign.synthetic import Shape, write_campaign
from benchmarks.extrap.environment import interpreter
from benchmarks.overview.files_to_answer import EXTRAP, SECONDS
from benchmarks.overview.measured_figure import OURS, MeasuredFigure, of_rounds
from benchmarks.reading.__main__ import read_ours, read_peer, synthetic
from benchmarks.whole.commands import PIPELINE, cost

MB, MIB = 1e6, float(1 << 20)
LARGE = {
    "200,000 call paths, 15 profiles": Shape(200_000, 4, 5, 3),
    "9.8 GB, 30 profiles of 20,000 call paths x 1024": Shape(20_000, 1024, 6, 5),
}
JOBS = "2"


def start_up(rounds: int) -> Iterator[MeasuredFigure]:
    """Measure how long it takes to say the version."""
    own, theirs = [], []
    for _ in range(rounds):
        own.append(cost([*PIPELINE, "--version"], SECONDS).processor)
        theirs.append(cost([interpreter().with_name("extrap"), "--version"], SECONDS).processor)
    yield of_rounds("start", OURS, "processor s", own)
    yield of_rounds("start", EXTRAP, "processor s", theirs)


def reading(folder: Path, rounds: int) -> Iterator[MeasuredFigure]:
    """Measure reading one profile with all its values, beside pycubexr."""
    file = synthetic(folder / "reading.cubex", 1000, 64, compressed=True)
    own, theirs = [], []
    for _ in range(rounds):
        own.append(_seconds(lambda: read_ours(file)))
        theirs.append(_seconds(lambda: read_peer(file)))
    yield of_rounds("reading 1000 call paths x 64", OURS, "processor s", own)
    yield of_rounds("reading 1000 call paths x 64", "pycubexr", "processor s", theirs)


def _seconds(work: Callable[[], None]) -> float:
    gc.collect()
    begin = time.process_time()
    work()
    return time.process_time() - begin


def pages(sample: Path, folder: Path) -> Iterator[MeasuredFigure]:
    """Measure what is written for a study of the samples; it is the same in every round."""
    out = folder / "pages"
    run_pipeline("run", sample, "--out", out)
    for file, name in (("report.html", "page"), ("summary.json", "summary")):
        size = (out / file).stat().st_size / MB
        yield of_rounds(f"{name} of {sample.name}", OURS, "MB", [size])


def large(folder: Path) -> Iterator[MeasuredFigure]:
    """Measure the large studies, once each; they take gigabytes on the disk and minutes."""
    for name, shape in LARGE.items():
        campaign, out = folder / "large", folder / "large-out"
        write_campaign(campaign, shape)
        found = run_pipeline("run", campaign, "--out", out, "--jobs", JOBS)
        yield from _of_cost(name, found)
        yield of_rounds(f"{name}: page", OURS, "MB", [(out / "report.html").stat().st_size / MB])
        for made in (campaign, out):
            shutil.rmtree(made)


def _of_cost(name: str, found: Cost) -> Iterator[MeasuredFigure]:
    yield of_rounds(name, OURS, "wall s", [found.wall])
    yield of_rounds(name, OURS, "processor s", [found.processor])
    yield of_rounds(f"{name}: memory", OURS, "MiB", [found.own / MIB])
