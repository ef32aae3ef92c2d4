"""The plot stage: one kernel that the user names, as a curve or a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ingest.cpp_names import short_name
from ingest.errors import UsageError
from pipeline.models.analysis import Analysis, Level
from pipeline.models.kernels import matching
from pipeline.report.formatting import callpath_text
from pipeline.report.plots import Curve, curve_of, write_figure
from pipeline.stages.model import target_points
from pipeline.store.atomic import write_atomically

TITLE_WIDTH = 70
EXAMPLES = 4  # names listed if a pattern is ambiguous


def find_kernel(analysis: Analysis, pattern: str) -> tuple[Level, int]:
    """Return the one kernel that a pattern names: a region, else a call path.

    Raises:
        UsageError: the pattern names none or several.
    """
    for level in (analysis.regions, analysis.callpaths):
        found = matching(level.kernels, pattern)
        if len(found) == 1:
            return level, int(found[0])
        if len(found) > 1:
            names = [short_name(level.kernels.callpaths[k][-1]) for k in found[:EXAMPLES].tolist()]
            listed = ", ".join(names) + (", ..." if len(found) > EXAMPLES else "")
            raise UsageError(f"'{pattern}' matches {len(found)} kernels ({listed})", hint="choose one")
    raise UsageError(f"no kernel '{pattern}'", hint="`pipeline bottlenecks OUT` lists them")


def kernel_curve(
    analysis: Analysis, level: Level, kernel: int, at: Sequence[Mapping[str, float]] = ()
) -> Curve:
    """Return the curve of a kernel up to the largest target point.

    Raises:
        UsageError: a target names no parameter of the experiment.
    """
    column = analysis.experiment.parameters.index(analysis.parameter)
    horizon = float(target_points(analysis, at)[:, column].max())
    path = level.kernels.callpaths[kernel]
    title = f"{callpath_text(path, TITLE_WIDTH)}: {level.models.formula(kernel)}"
    return curve_of(analysis, level, kernel, title, horizon)


def write_plot(path: Path, form: str, curve: Curve, *, logarithmic: bool) -> None:
    """Write a PNG or SVG file atomically.

    Raises:
        UsageError: the file cannot be written.
    """
    write_atomically(path, lambda temporary: write_figure(temporary, form, curve, logarithmic=logarithmic))
