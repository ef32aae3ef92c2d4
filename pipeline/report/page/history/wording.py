"""How the measures of a history are named and written."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.gate.change_points import ChangePoint
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Entries, Measure
from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.quantities import callpath_text, figure, percent, point_text, quantity

WHOLE = "whole program"
CALLERS_WIDTH = 90
NOTHING = "–"


@dataclass(frozen=True)
class Wording:
    """Titles and values of the measures of a history."""

    entries: Entries

    @property
    def units(self) -> Mapping[Measure, str]:
        """Units of the two measures that have one."""
        timed = np.isfinite(self.entries.seconds_per_value)
        return {Measure.MEASURED: self.entries.unit, Measure.TARGET: "s" if timed else self.entries.unit}

    def title(self, measure: Measure) -> str:
        """Return what a measure is called in headings."""
        metric = visible(self.entries.metric)
        timed = np.isfinite(self.entries.seconds_per_value)
        target = point_text(self.entries.target)
        return {
            Measure.MEASURED: f"{metric[:1].upper()}{metric[1:]} measured at {point_text(self.entries.at)}",
            Measure.TARGET: f"{'Time' if timed else metric[:1].upper() + metric[1:]} at {target}",
            Measure.GROWTH: "Growth per doubling",
            Measure.EFFICIENCY: f"Efficiency at {target}",
        }[measure]

    def value(self, measure: Measure, value: float) -> str:
        """Write a value of a measure."""
        if not np.isfinite(value):
            return NOTHING
        if measure is Measure.GROWTH:
            return f"× {figure(value)}"
        if measure is Measure.EFFICIENCY:
            return percent(value)
        return quantity(value, self.units[measure])


def factor_text(change: ChangePoint) -> str:
    """Write by which factor a level changed: ``× 1.31``."""
    return f"× {figure(change.factor)}"


def kernel_name(kernel: KernelId) -> str:
    """Return the name that a kernel has on its page and in the matrix."""
    return WHOLE if kernel.level is Scope.TOTAL else shown_name(kernel.region)


def kernel_place(kernel: KernelId) -> str:
    """Return where a kernel is: its callers, or that it is a region; empty for the whole program."""
    if kernel.level is Scope.TOTAL:
        return ""
    if kernel.level is Scope.REGION:
        return "region, all its call paths"
    callers = kernel.callpath[:-1]
    return callpath_text(callers, CALLERS_WIDTH) if callers else "root"
