"""Splits of measured series: some repetitions are checked against the rest, although nothing changed."""

import datetime
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.gate.simulation import study_of
from benchmarks.real_series.series import values_of
from ingest.errors import PipelineError
from pipeline.config.options import Options
from pipeline.gate.check_result import CheckResult, Outcome
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelValues
from pipeline.gate.study_check import BaselineKind, check
from pipeline.models.options import ModelOptions
from pipeline.stages.check import read_study

FEWEST = 3  # repetitions of a point, so that one of them can be checked against at least two
TODAY = datetime.date(2026, 11, 21)


def checked(
    before: KernelValues, after: KernelValues, kind: BaselineKind = BaselineKind.BASELINE
) -> CheckResult:
    """Check one study against another with the default options."""
    return check(after, before, CheckOptions(), ModelOptions(), TODAY, kind=kind)


def table(paths: list[Path], most: int) -> Iterator[str]:
    """Yield a line per series and split, then their sums: how many have an answer, and false alarms.

    Args:
        paths: studies, series as of `benchmarks.real_series`, or folders of such series.
        most: splits of a kind and series; the rest is left out by chance.
    """
    yield "| series | split | checks | answered | false alarms |\n|---|---|---:|---:|---:|"
    sums: dict[str, Counter[Outcome]] = {"1 and the rest": Counter(), "halves": Counter()}
    for path in _series(paths):
        try:
            study = _repeated(_read(path))
        except PipelineError as error:
            yield f"| {path.stem} | {error} | | | |"
            continue
        repetitions = study.values.shape[2]
        if repetitions < FEWEST or len(study.points) < 2:
            continue
        for name, size in zip(sums, dict.fromkeys((1, repetitions // 2)), strict=False):
            outcomes = Counter(_outcomes(study, size, most))
            sums[name] += outcomes
            yield _line(path.stem, f"{size} and {repetitions - size}", outcomes)
    for name, outcomes in sums.items():
        yield _line("**all**", name, outcomes)


def _line(series: str, split: str, outcomes: Counter[Outcome]) -> str:
    count = max(outcomes.total(), 1)
    shares = [(count - outcomes[Outcome.INCONCLUSIVE]) / count, outcomes[Outcome.REGRESSED] / count]
    return (
        f"| {series} | {split} | {outcomes.total()} | "
        + " | ".join(f"{100 * s:.0f} %" for s in shares)
        + " |"
    )


def _series(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        found = sorted((path / "series" if (path / "series").is_dir() else path).glob("*.json"))
        yield from found or [path]


def _read(path: Path) -> KernelValues:
    if path.suffix != ".json":
        return read_study(path, Options()).measurements
    series = json.loads(path.read_text(encoding="utf-8"))
    points = np.array(series["points"], dtype=np.float64)
    study = study_of(list(series["kernels"]), points, values_of(series))
    return replace(study, parameters=(series["parameter"],), parameter=series["parameter"])


def _repeated(study: KernelValues) -> KernelValues:
    """Return the points with enough repetitions, with as many as all of them have."""
    measured = np.isfinite(study.values).any(axis=0)
    at = np.flatnonzero(measured.sum(axis=1) >= FEWEST)
    fewest = int(measured[at].sum(axis=1).min(initial=study.values.shape[2]))
    first = np.argsort(~measured[at], axis=1, kind="stable")[None, :, :fewest]
    return replace(
        study,
        points=study.points[at],
        values=np.take_along_axis(study.values[:, at], first, axis=2),
        parallel_efficiency=study.parallel_efficiency[at],
        repetitions=None,
        models=None,
    )


def _outcomes(study: KernelValues, size: int, most: int) -> Iterator[Outcome]:
    """Check parts of some size against the rest, and the rest against them."""
    repetitions = study.values.shape[2]
    ways = list(itertools.combinations(range(repetitions), size))
    np.random.default_rng(1).shuffle(ways)
    for way in ways[:most]:
        rest = np.delete(np.arange(repetitions), way)
        one, other = (replace(study, values=study.values[:, :, part]) for part in (list(way), rest))
        yield checked(one, other).outcome
        yield checked(other, one).outcome
