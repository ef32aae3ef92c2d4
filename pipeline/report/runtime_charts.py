"""The charts of a runtime: measured figures, the models between and beyond them, and what is ideal."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.columns.scales import per_second
from pipeline.questions.analysis import Analysis, along_parameter
from pipeline.questions.held_out import compared
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.questions.runtime.runtime import Runtime

MOST_SCALES, FEWEST_SCALES = 40, 12  # of a curve
PREDICTIONS = 40_000  # kernels times scales, beyond which a curve gets fewer scales, to bound the cost
_LABELS = {
    "wall": "wall time [s]",
    "effort": "effort",
    "speedup": "speed-up",
    "efficiency": "parallel efficiency",
    "weak_efficiency": "weak efficiency",
}
_FIRST_AND_SECOND = {
    Comparison.STRONG: ("speedup", "efficiency"),
    Comparison.WEAK: ("wall", "weak_efficiency"),
    Comparison.SIZE: ("wall", "work_rate"),
    Comparison.UNKNOWN: ("wall", "effort"),
}
_EFFICIENCIES = ("efficiency", "weak_efficiency")


@dataclass(frozen=True, eq=False, kw_only=True)
class RuntimeChart:
    """One figure over the parameter that scales, the other parameters at the target."""

    name: str  # of the figure, as an attribute of `Figures`
    label: str  # the figure and its unit
    parameter: str  # what is on the horizontal axis
    target: float  # scale of the target
    measured_end: float  # the largest measured scale
    measured_at: FloatArray  # float64[n], measured scales, ascending
    measured: Estimate  # n figures; unknown ends of intervals are NaN
    held_out_at: FloatArray  # and `held_out`: the same of runs that the models were made without
    held_out: Estimate
    scale: FloatArray  # float64[Q], where the models are evaluated, ascending
    model: Estimate  # Q figures
    ideal: FloatArray | None  # float64[Q], the figure under ideal scaling; None if nothing is ideal
    threshold: float | None  # the efficiency asked for; None for other figures

    @property
    def logarithmic(self) -> bool:
        """Whether the vertical axis is logarithmic."""
        return self.threshold is None


def runtime_charts(
    analysis: Analysis, found: Runtime, target: FloatArray, curve: Figures | None = None, *, first: str = ""
) -> tuple[RuntimeChart, ...]:
    """Return the charts that answer how far a program scales.

    They are speed-up and efficiency under strong scaling, wall time and weak efficiency under weak scaling,
    wall time and size per second, if it counts work, over a size, and wall time and effort if it is unknown
    what grows. If the number of locations is unknown, effort takes the place of the first.

    Args:
        target: float64[D].
        curve: what the models give at ascending scales, of `_predicted_figures`; by default up to the target.
        first: the figure of the first chart instead, an attribute of `Figures`.
    """
    study = RuntimeStudy(analysis)
    column = study.column
    along = (np.delete(found.figures.points, column, axis=1) == np.delete(target, column)).all(axis=1)
    rows = np.flatnonzero(along & found.figures.measured)
    rows = rows[np.argsort(found.figures.points[rows, column], kind="stable")]
    if curve is None:
        count = int(np.clip(PREDICTIONS // len(analysis.callpaths.kernels), FEWEST_SCALES, MOST_SCALES))
        scale = _scales(analysis.experiment.points[:, column], float(target[column]), count)
        curve = _predicted_figures(study, target, scale)
    held_out = _held_out(study, target)
    usual, second = _FIRST_AND_SECOND[found.comparison]
    names = (
        name if np.isfinite(getattr(curve, name).value).any() else "effort"
        for name in (first or usual, second)
    )
    return tuple(
        RuntimeChart(
            name=name,
            label=_label(name, found),
            parameter=found.parameter,
            target=float(target[column]),
            measured_end=float(analysis.experiment.points[:, column].max()),
            measured_at=found.figures.points[rows, column],
            measured=getattr(found.figures, name).take(rows),
            held_out_at=held_out.points[:, column],
            held_out=getattr(held_out, name),
            scale=curve.points[:, column],
            model=getattr(curve, name),
            ideal=_ideal(name, study, curve),
            threshold=found.threshold if name in _EFFICIENCIES else None,
        )
        for name in dict.fromkeys(names)
    )


def _held_out(study: RuntimeStudy, target: FloatArray) -> Figures:
    """Return the figures of runs that were held out, of those points that the chart is of."""
    found = compared(study.analysis)
    points, total = (target[None][:0], target[:0]) if found is None else (found.points, found.measured[0])
    exact = np.zeros(len(total))
    along = (np.delete(points, study.column, axis=1) == np.delete(target, study.column)).all(axis=1)
    return study.figures(points, exact > 0, Estimate(total, exact, exact)).take(along)


def _predicted_figures(study: RuntimeStudy, target: FloatArray, scale: FloatArray) -> Figures:
    """Return what the models give at scales float64[Q], the other parameters at the target float64[D]."""
    return study.figures(along_parameter(target, study.column, scale), np.zeros(len(scale), dtype=np.bool_))


def _label(name: str, found: Runtime) -> str:
    if name == "work_rate":
        return per_second(found.parameter)
    return _LABELS[name] + (f" [{found.effort_unit}]" if name == "effort" else "")


def _scales(measured: FloatArray, target: float, count: int) -> FloatArray:
    """Return the measured scales, the target, and some more between the smallest and the largest of them."""
    ends = float(measured.min()), max(float(measured.max()), target)
    between = np.geomspace(*ends, count)[1:-1]
    scales = np.unique([*measured, max(target, ends[0]), *between])
    return np.asarray(scales)


def _ideal(name: str, study: RuntimeStudy, curve: Figures) -> FloatArray | None:
    if name == "speedup":
        return np.asarray(curve.locations / study.locations(curve.reference))
    if name in _EFFICIENCIES:
        return np.ones(len(curve.points))
    if study.comparison is Comparison.UNKNOWN or study.comparison is Comparison.SIZE:
        return None
    has_measured, _ = study.measured_at(curve.reference)
    if name == "wall":
        wall = study.figures(curve.reference, has_measured).wall.value
        strong = study.comparison is Comparison.STRONG
        return wall * study.locations(curve.reference) / curve.locations if strong else wall
    return study.figures(curve.reference, has_measured).effort.value
