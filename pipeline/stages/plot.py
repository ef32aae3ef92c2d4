"""The plot stage: one kernel that the user names, as a curve or a file."""

from collections.abc import Mapping, Sequence

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import UsageError
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.kernels import FACTORS, callpath_id, did_you_mean, is_callpath_id, matching
from pipeline.questions.analysis import Analysis, Level, kernel_formulas, shares
from pipeline.report.plots import Curve, curve_of
from pipeline.stages.model import target_points
from pipeline.store.results import StoredStudy
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import callpath_text, estimate_text, percent, point_text

_TITLE_WIDTH = 70
_EXAMPLES, _EXAMPLE_WIDTH = 4, 60  # names listed if a pattern is ambiguous, and their characters


def find_kernel(analysis: Analysis, pattern: str) -> tuple[Level, int]:
    """Return the one kernel that a pattern names: a region, else a call path, also by its id, else a group.

    UsageError if the pattern names none or several.
    """
    if is_callpath_id(pattern):
        node = matching(analysis.experiment.callpaths, pattern)
        found = np.flatnonzero(np.isin(analysis.callpaths.kernels.node, node))
        if len(found):
            return analysis.callpaths, int(found[0])
        raise UsageError(f"call path {pattern} has no model of {analysis.metric}")
    groups = [analysis.groups] if analysis.additive else []
    for level in (analysis.regions, analysis.callpaths, *groups):
        found = matching(level.kernels.callpaths, pattern)
        if len(found) == 1:
            return level, int(found[0])
        if len(found) > 1:
            raise _ambiguous(analysis, level, found, pattern)
    hint = (
        did_you_mean(analysis.callpaths.kernels.callpaths, pattern) or "`pipeline bottlenecks OUT` lists them"
    )
    raise UsageError(f"no kernel '{pattern}'", hint=hint)


def _ambiguous(analysis: Analysis, level: Level, found: IntArray, pattern: str) -> UsageError:
    """List kernels with their ids and shares of what was measured at the largest scale, the largest first."""
    share = shares(level.kernels.mean[:, [analysis.largest]])[:, 0]
    order = found[np.argsort(-share[found], kind="stable")].tolist()
    shown = order[:_EXAMPLES]
    nodes = level.kernels.node
    ids = [f"{callpath_id(int(nodes[k]) + 1)} " if level is analysis.callpaths else "" for k in shown]
    names = distinct_texts([level.kernels.callpaths[k] for k in shown], _EXAMPLE_WIDTH)
    parts = zip(ids, names, share[shown].tolist(), strict=True)
    listed = [f"{number}{name} {percent(part)}" for number, name, part in parts]
    more = ", ..." if len(order) > _EXAMPLES else ""
    what = f"'{pattern}' matches {len(found)} kernels ({', '.join(listed)}{more})"
    return UsageError(what, hint=f"choose one, such as '{ids[0].strip()}'" if ids[0] else "choose one")


def kernel_curve(
    analysis: Analysis, level: Level, kernel: int, at: Sequence[Mapping[str, float]] = ()
) -> Curve:
    """Return the curve of a kernel up to the largest target point."""
    targets = target_points(analysis, at)
    horizon = float(targets[:, analysis.column].max())
    path, models = level.kernels.callpaths[kernel], level.models.take([kernel])
    (formula,) = prediction_formulas(models, formula_range(models, analysis.column, targets))
    title = f"{callpath_text(path, _TITLE_WIDTH)}: {formula.text()}"
    return curve_of(analysis, level, kernel, title, horizon)


def target_lines(
    analysis: Analysis, level: Level, kernel: int, at: Sequence[Mapping[str, float]]
) -> list[str]:
    """Return one line with the prediction of a kernel and its interval per target point."""
    points = target_points(analysis, at)
    found, unit = level.models.take([kernel]).predict(points), level.kernels.unit
    lines = []
    for i, point in enumerate(points.tolist()):
        value, low, high = (float(values[0, i]) for values in (found.value, found.lower, found.upper))
        at_point = point_text(dict(zip(analysis.experiment.parameters, point, strict=True)))
        lines.append(f"{at_point}: {estimate_text(value, low, high, unit)}")
    return lines


def factor_lines(study: StoredStudy, level: Level, kernel: int) -> list[str]:
    """Return how often and how long each time, if that is known of a kernel of effort whose count varies."""
    if level not in (study.chosen.callpaths, study.chosen.regions):
        return []
    path = level.kernels.callpaths[kernel]
    name = "regions" if level is study.chosen.regions else "callpaths"
    for factor in FACTORS:
        if not {factor.count, factor.each} <= study.tables.keys():
            continue
        count, each = (getattr(study.of(metric), name) for metric in (factor.count, factor.each))
        if path in each.kernels.callpaths:
            formulas = [
                kernel_formulas(study.chosen, of)[of.kernels.callpaths.index(path)].text()
                for of in (count, each)
            ]
            return [f"= {factor.count}: {formulas[0]}", f"x time per {factor.noun} [s]: {formulas[1]}"]
    return []
