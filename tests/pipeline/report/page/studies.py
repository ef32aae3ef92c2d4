"""Small studies made in code, with names that an HTML page must not trip over."""

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.arrays import FloatArray
from ingest.profile import Metric
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, decide_scaling
from ingest.series import MeasuredSeries
from pipeline.models.options import ModelOptions
from pipeline.models.quality import Note
from pipeline.questions.analysis import Analysis, Outlook, analyse, default_target, look_ahead
from pipeline.questions.pop_efficiency import MeasuredEfficiency, PopEfficiency
from pipeline.questions.question import Answers, TargetForecast
from pipeline.report.page import Report
from pipeline.report.page.embedding import EMBEDDED_BYTES, LETTERS, compressed
from pipeline.report.page.page_data import levels_shown, page_data
from pipeline.report.page.positions import positions_of
from tests.pipeline.questions.runtime.programs import STRONG, experiment
from tests.profiles import make_profile

SCRIPT = "<script>alert(1)</script>"
SHIFT = "operator<<"
SOLVER = "Foam::fvMatrix<Foam::Vector<double> >::solveSegregated(const Foam::dictionary&)"
PROCESSES = (4, 8, 16, 32, 64)
REPETITIONS = 3

# Core-seconds over p. MPI_Allreduce overtakes the solver where 0.05 p^(3/2) = 100, at p = 158.7.
EFFORT: dict[tuple[str, ...], Callable[[float], float]] = {
    ("main",): lambda p: 8 + 0 * p,
    ("main", SOLVER): lambda p: 100 + 0 * p,
    ("main", SOLVER, "MPI_Allreduce"): lambda p: 0.05 * p**1.5,
    ("main", SCRIPT): lambda p: 5 + 0.1 * p,
    ("main", SCRIPT, SHIFT): lambda p: 3 + 0 * p,
}

PROVENANCE: dict[str, Any] = {
    "version": 1,
    "software": {"python": "3.11"},
    "command": "pipeline run studies/made",
    "configuration": {"at": [], "metric": "time", "filter": {"top_time": 0.25}},
    "decision": {"scaling": "strong", "parameter": "p", "reason": ""},
    "filter": "keeps 2 of 3 filterable regions",
    "inputs": [
        {"path": f"studies/made/app.p{p}.r1/profile.cubex", "size": 9, "sha256": "0" * 64} for p in (4, 8)
    ],
    "damaged": [{"path": "studies/made/app.p128.r1", "reason": "is <b>torn</b> off"}],
    "beside": [{"path": "studies/made/README.md", "reason": "is no profile"}],
    "notices": ["app.p4.r1: a <i>notice</i>"],
    "seconds": {"ingest": 0.1},
}

EVIDENCE: dict[str, Any] = {
    "method": "paper rule",
    "regions": [
        {"region": SOLVER, "kept": True, "why": "it is long", "visits": 10.0, "time": 99.0},
        {"region": SCRIPT, "kept": True, "why": "it is long", "visits": 20.0, "time": 5.0},
        {"region": SHIFT, "kept": False, "why": "no rule keeps it", "visits": 1e6, "time": 3.0},
    ],
}

EFFICIENCY = MeasuredEfficiency(
    points=(
        PopEfficiency(
            at={"p": 4}, overall=0.9, parallel=0.9, load_balance=1.0, communication=0.9, computation=1.0
        ),
    ),
    notices=("IPC needs counters",),
)
ANSWERS = Answers({"efficiency": EFFICIENCY})


@cache
def study() -> Analysis:
    """Five call paths over p processes, strong scaling; the first process always has a fifth more."""
    return study_of(EFFORT)


def study_of(
    effort: Mapping[tuple[str, ...], Callable[[float], float]],
    processes: Sequence[int] = PROCESSES,
    repetitions: int = REPETITIONS,
    scaling: Scaling = Scaling.STRONG,
) -> Analysis:
    """Analyse core-seconds over p processes, with noise of 1 %; the first process always has a fifth more."""
    draw = np.random.default_rng(7)
    runs = []
    for p in processes:
        for repetition in range(repetitions):
            spread = np.ones(p)
            spread[0] = 1.2
            spread /= spread.sum()
            time = {
                path: of_p(float(p)) * (1 + 0.01 * draw.standard_normal()) * spread
                for path, of_p in effort.items()
            }
            visits = {path: np.full(p, 10.0 * len(path)) for path in effort}
            profile = make_profile({"time": time, "visits": visits}, source=f"app.p{p}.r{repetition + 1}")
            runs.append(MeasuredRun((float(p),), repetition, reduce_profile(profile, ("time", "visits"))))
    experiment = align(("p",), runs)
    return _without_remarks(analyse(experiment, decide_scaling(experiment, scaling), "time", ModelOptions()))


def _without_remarks(analysis: Analysis) -> Analysis:
    """The same without remarks on what predictions follow, which tests set themselves."""
    callpaths, regions = (
        replace(
            level, models=replace(level.models, quality=replace(of, note=of.note & ~int(Note.FOLLOWS_TREND)))
        )
        for level in (analysis.callpaths, analysis.regions)
        for of in (level.models.quality,)
    )
    return replace(analysis, callpaths=callpaths, regions=regions)


@cache
def two_parameter_study() -> Analysis:
    """Three call paths over p and n, values as a series file gives them."""
    p, n = (a.ravel() for a in np.meshgrid([4.0, 8, 16, 32, 64], [10.0, 20, 30, 40, 50], indexing="ij"))
    values = np.stack([2 * n, 0.001 * n**3, 0.01 * p**1.5 + 0 * n])[:, :, None]
    values = values * np.random.default_rng(3).normal(1, 0.01, (3, len(p), 2))
    paths = (("main",), ("main", "solve"), ("main", "reduce"))
    series = MeasuredSeries(
        source="two.txt",
        parameters=("p", "n"),
        points=np.column_stack([p, n]),
        callpaths=paths,
        metrics=(Metric("time", "s"),),
        values={"time": values},
    )
    experiment = experiment_from_series(series)
    return analyse(experiment, decide_scaling(experiment), "time", ModelOptions())


@cache
def sized_study() -> Analysis:
    """Work that grows with n and scales perfectly, and sums of 0.1 s on every location, with noise of 1 %."""
    found = experiment(
        [(p, n) for p in (1, 2, 4, 8) for n in (2, 4, 8, 16)],
        lambda at: {"work": at[1] / at[0], "sum": 0.1},
        names=("p", "n"),
        noise=0.01,
    )
    return analyse(found, STRONG, "time", ModelOptions())


@cache
def three_parameter_study() -> Analysis:
    """Four call paths over processes, threads and a size, with noise of 2 %, as a series file gives them."""
    scales = [2.0, 4, 8, 16], [1.0, 2, 4], [10.0, 20, 40, 80]
    p, t, n = (a.ravel() for a in np.meshgrid(*scales, indexing="ij"))
    values = np.stack([0.5 * n**2 / (p * t), 0.3 * n + 0 * p, 0.2 * p**0.5 * n, 0.01 * p * t * np.log2(n)])
    values = values[:, :, None] * np.random.default_rng(4).normal(1, 0.02, (4, len(p), 3))
    series = MeasuredSeries(
        source="three.txt",
        parameters=("p", "t", "n"),
        points=np.column_stack([p, t, n]),
        callpaths=(("main",), ("main", "solve"), ("main", "solve", "MPI_Send"), ("main", "MPI_Barrier")),
        metrics=(Metric("time", "s"),),
        values={"time": values},
    )
    experiment = experiment_from_series(series)
    return analyse(experiment, decide_scaling(experiment), "time", ModelOptions())


def floats(content: bytes, columns: int = -1) -> FloatArray:
    """Numbers as `packed` writes them, in rows of so many columns; all in one row by default."""
    planes = np.frombuffer(content, dtype=np.uint8).reshape(4, -1)
    steps = np.ascontiguousarray(planes.T).view("<u4").ravel()
    values: FloatArray = np.cumsum(steps, dtype=np.uint32).view("<f4").astype(np.float64)
    return values if columns < 0 else values.reshape(-1, columns)


def carried(text: str) -> Any:
    """The data that a page carries."""
    found = re.search(r'<script type="application/octet-stream" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return unpacked(found.group(1))


def inflated(text: str) -> bytes:
    """What stands in letters, of which every five are four bytes."""
    place = np.zeros(128, dtype=np.int64)
    place[LETTERS] = np.arange(len(LETTERS))
    digits = place[
        np.frombuffer(text.ljust(-(-len(text) // 5) * 5, chr(LETTERS[-1])).encode(), dtype=np.uint8)
    ]
    words = (digits.reshape(-1, 5) * 85 ** np.arange(4, -1, -1)).sum(axis=1)
    return zlib.decompress(words.astype(">u4").tobytes()[: len(text) * 4 // 5])


def unpacked(text: str) -> Any:
    """What `compressed` was given."""
    content = inflated(text)
    rest = 4 + int.from_bytes(content[:4], "little")

    def placed(found: dict[str, Any]) -> Any:
        if EMBEDDED_BYTES not in found:
            return found
        first, length = found[EMBEDDED_BYTES]
        return content[rest + first : rest + first + length]

    return json.loads(content[4:rest], object_hook=placed)


def as_carried(found: Any) -> Any:
    """What the scripts get of a record."""
    return unpacked(compressed(found))


def page_data_of(analysis: Analysis, targets: FloatArray | None = None, *rest: Any, **options: Any) -> Any:
    """The data of a report's page, whose further arguments are those of `page_data`."""
    targets = default_target(analysis) if targets is None else targets
    positions = positions_of(analysis, targets)
    levels = levels_shown(analysis, *outlooks(analysis, targets), positions)
    return as_carried(page_data(analysis, levels, positions, *(rest or (None,)), **options))


def outlooks(analysis: Analysis, targets: FloatArray | None = None) -> tuple[Outlook, Outlook]:
    """What call paths and regions do at some targets, by default the one if none is given."""
    targets = default_target(analysis) if targets is None else targets
    return look_ahead(analysis, analysis.callpaths, targets), look_ahead(analysis, analysis.regions, targets)


def answered(analysis: Analysis, targets: FloatArray | None = None) -> Report:
    """A report with a runtime, whose first screen has answers."""
    report = report_of(analysis)
    targets = report.ahead.targets if targets is None else targets
    ahead = TargetForecast(analysis=analysis, targets=targets)
    return altered(replace(report, ahead=ahead), answers=ANSWERS)


def with_other_metrics(analysis: Analysis) -> Report:
    """A report whose reader can switch to visits and to the time per visit."""
    others = {
        metric: analyse(analysis.experiment, analysis.decision, metric, ModelOptions())
        for metric in ("visits", "time_per_visit")
    }
    return altered(report_of(analysis), others=others)


def report_of(analysis: Analysis) -> Report:
    """A report with everything a run can give but a runtime and what follows from it."""
    ahead = TargetForecast(analysis=analysis, targets=default_target(analysis))
    report = Report(ahead=ahead, provenance=PROVENANCE, filter_evidence=EVIDENCE)
    return altered(report, runtime=None, answers=ANSWERS)


def altered(report: Report, **known: Any) -> Report:
    """A report of a forecast of which some is known, whatever follows from the rest."""
    ahead = copy(report.ahead)
    vars(ahead).update(known)
    return replace(report, ahead=ahead)
