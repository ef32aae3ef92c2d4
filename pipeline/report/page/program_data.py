"""Wall time, speed-up and efficiency of the whole program at all positions, as figures and as charts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import Analysis
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Comparison, Figures, RuntimeStudy
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page.embedding import plain
from pipeline.report.page.positions import Positions
from pipeline.report.runtime_charts import RuntimeChart, runtime_charts

ANSWERS = {
    "wall": ("wall time", "s"),
    "speedup": ("speed-up", ""),
    "efficiency": ("efficiency", "%"),
    "weak_efficiency": ("weak efficiency", "%"),
    "work_rate": ("work rate", ""),
}


def program_data(analysis: Analysis, found: Runtime, positions: Positions) -> dict[str, Any]:
    """Return the figures that are known at any position, and the charts of the first screen per line.

    Args:
        analysis: the modelled experiment.
        found: its runtime.
        positions: where predictions are known.
    """
    study = RuntimeStudy(analysis)
    points = np.split(positions.points, len(positions.lines))
    figures = [study.figures(one, np.zeros(len(one), dtype=np.bool_)) for one in points]
    charts = [
        {chart.name: chart for chart in runtime_charts(analysis, found, target, curve)}
        for target, curve in zip(positions.lines, figures, strict=True)
    ]
    return {
        "strong": study.comparison is Comparison.STRONG,
        "answers": [
            {"label": label, "unit": unit, **_along(figures, name)}
            for name, (label, unit) in ANSWERS.items()
            if np.isfinite(getattr(figures[0], name).value).any()
        ],
        "charts": [
            {
                "name": name,
                "label": chart.label,
                "threshold": chart.threshold,
                "lines": [_line(one[name]) if name in one else None for one in charts],
            }
            for name, chart in charts[0].items()
            if np.isfinite(chart.model.value).any()
        ],
    }


def _along(figures: list[Figures], name: str) -> Mapping[str, Any]:
    known = [getattr(one, name) for one in figures]
    return {
        end: plain(np.concatenate([getattr(one, end) for one in known]))
        for end in ("value", "lower", "upper")
    }


def _line(chart: RuntimeChart) -> Mapping[str, Any]:
    return {
        "points": estimates(chart.measured_at, chart.measured),
        "curve": estimates(chart.scale, chart.model),
        "ideal": None if chart.ideal is None else plain(chart.ideal),
    }


def estimates(scale: FloatArray, figures: Estimate) -> dict[str, Any]:
    """Return figures at scales float64[Q] with the ends of their intervals."""
    ends = {name: plain(getattr(figures, name)) for name in ("value", "lower", "upper")}
    return {"scale": scale.tolist(), **ends}
