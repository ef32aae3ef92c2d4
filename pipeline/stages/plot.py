"""A kernel named by the user as a plot."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ingest.cpp_names import short_name
from ingest.errors import UsageError
from pipeline.models.analysis import Analysis
from pipeline.models.kernels import matching
from pipeline.report.curves import Curve, curve_of
from pipeline.report.names import callpath_text
from pipeline.report.plots import write_figure
from pipeline.stages.model import target_points
from pipeline.store.atomic import write_atomically

TITLE_WIDTH = 70


def chosen_curve(analysis: Analysis, pattern: str, at: Sequence[Mapping[str, float]]) -> Curve:
    """Return the curve of the one kernel that a pattern names: a region, else a call path.

    Raises:
        UsageError: where none or several are named.
    """
    horizon = float(
        target_points(analysis, at)[:, analysis.experiment.parameters.index(analysis.parameter)].max()
    )
    for level in (analysis.regions, analysis.callpaths):
        found = matching(level.kernels, pattern)
        if len(found) == 1:
            kernel = int(found[0])
            path = level.kernels.callpaths[kernel]
            name = callpath_text(path, TITLE_WIDTH) if len(path) > 1 else short_name(path[0])
            return curve_of(analysis, level, kernel, f"{name}: {level.models.formula(kernel)}", horizon)
        if len(found) > 1:
            names = ", ".join(short_name(level.kernels.callpaths[k][-1]) for k in found[:4].tolist())
            raise UsageError(f"'{pattern}' names {len(found)} kernels ({names} ..)", hint="name one of them")
    raise UsageError(f"no kernel '{pattern}'", hint="`pipeline bottlenecks OUT` lists them")


def write_plot(path: Path, form: str, curve: Curve, *, logarithmic: bool) -> None:
    """Write a PNG or SVG file atomically.

    Raises:
        UsageError: where the file cannot be written.
    """
    write_atomically(path, lambda temporary: write_figure(temporary, form, curve, logarithmic=logarithmic))
