"""Regions that a filter must not hide: those whose models say that they will matter at a larger scale."""

from filters.patterns import escape
from pipeline.models.analysis import Analysis, default_target, look_ahead

ENOUGH_POINTS = 3


def growing_regions(analysis: Analysis) -> tuple[str, ...]:
    """Return patterns for the regions that are coming bottlenecks, sorted; the filter protects them.

    They grow with a probability of at least 0.9 and have at least 1 % of the total at 4 times the largest
    scale. With fewer than three points nothing is said to grow.
    """
    if len(analysis.experiment.points) < ENOUGH_POINTS:
        return ()
    outlook = look_ahead(analysis, analysis.regions, default_target(analysis))
    names = [path[0] for path in analysis.regions.kernels.callpaths]
    coming = [name for name, flags in zip(names, outlook.flags, strict=True) if "coming_bottleneck" in flags]
    return tuple(sorted(escape(name) for name in coming))
