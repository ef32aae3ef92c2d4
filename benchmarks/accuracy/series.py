"""Real series: fit the smaller scales, predict the largest."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.accuracy.functions import Array
from benchmarks.extrap.environment import model as model_with_extrap
from ingest.locate import locate
from ingest.scaling import Scaling
from pipeline.models.fit import fit
from pipeline.models.kernels import callpath_kernels
from pipeline.models.total import predict_total
from pipeline.stages.ingest import ingest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_profiles"
TASKS = (
    ("openfoam-cavity", 8, 32, 40),
    ("openfoam-cavity", 12, 32, 40),
    ("openfoam-cavity", 8, 24, 32),
    ("openfoam-cavity", 8, 24, 40),
    ("hpcg-strong", 1, 4, 8),
)


@dataclass(frozen=True)
class HoldOut:
    """One task: sums over the call paths, relative to the measured total.

    Attributes:
        name: series, scales fitted on and scale predicted.
        ours, extrap: sum of |predicted - measured|.
        total, lower, upper: our total and its 90 % interval.
    """

    name: str
    ours: float
    extrap: float
    total: float
    lower: float
    upper: float


def hold_out(series: str, first: int, last: int, target: int) -> HoldOut:
    """Predict the exclusive time of every call path, summed over the processes, at a scale held out."""
    experiment = ingest(locate(SAMPLES / series), "time").experiment
    values = callpath_kernels(experiment, "time", Scaling.STRONG).values
    points = experiment.points[:, 0]
    known, held = (points >= first) & (points <= last), points == target
    measured = np.nan_to_num(np.nanmean(values[:, held], axis=(1, 2)))
    at = np.array([float(target)])
    models = fit(experiment.parameters, points[known, None], values[:, known], parts=True)
    predicted, total = models.predict(at[:, None]), predict_total(models, at[:, None])
    peer = np.array(model_with_extrap(points[known], values[:, known], at)["predictions"])[:, 0]

    def error(value: Array) -> float:
        return float(np.abs(value - measured).sum() / measured.sum())

    ends = (a[0, 0] / measured.sum() for a in (total.value, total.lower, total.upper))
    name = f"{series}, {experiment.parameters[0]} = {first}..{last}, predicted {target}"
    return HoldOut(name, error(predicted.value[:, 0]), error(peer), *(float(e) for e in ends))
