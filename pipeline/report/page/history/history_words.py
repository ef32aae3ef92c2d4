"""How entries of a history, measures and changes are named and written, and where commits are found."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

from ingest.errors import UsageError
from pipeline.gate.change_points import ChangePoint
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Entries, Measure
from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.quantities import callpath_text, figure, percent, point_text, quantity, shorten_middle

PLACE = "{commit}"
SHORT = 10  # characters of a digest that are shown
LONGEST = 24  # characters of other labels that are shown
_DIGEST = re.compile(r"[0-9a-f]{7,64}")
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


@dataclass(frozen=True)
class Commits:
    """Names and addresses of the entries of a history.

    Attributes:
        entries: of the history.
        template: address of a commit, with ``{commit}`` for its name; empty without links.
    """

    entries: Entries
    template: str = ""

    def name(self, entry: int) -> str:
        """Return the label of an entry as it is shown: digests are cut as version control does."""
        return short_label(self.entries.labels[entry])

    def commit(self, entry: int) -> str:
        """Return the commit of an entry: the one stored, or its label if that is a digest; else empty."""
        stored, label = self.entries.commits[entry], self.entries.labels[entry]
        return stored or (label if _DIGEST.fullmatch(label) else "")

    def address(self, entry: int) -> str:
        """Return the address of an entry's commit; empty if there is none."""
        commit = self.commit(entry)
        return self.template.replace(PLACE, quote(commit, safe="")) if self.template and commit else ""


def short_label(label: str) -> str:
    """Return a label as it is shown."""
    return label[:SHORT] if _DIGEST.fullmatch(label) else shorten_middle(visible(label), LONGEST)


def checked_template(template: str) -> str:
    """Return the template of addresses as it is given.

    Raises:
        UsageError: it is not an address of the web, or does not say where the commit goes.
    """
    if _ADDRESS.fullmatch(template) and PLACE in template:
        return template
    raise UsageError(
        f"'{template}' is not an address with {PLACE}",
        where="--commit-url",
        hint="write it as in https://github.com/owner/name/commit/{commit}",
    )


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
