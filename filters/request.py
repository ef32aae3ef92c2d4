"""What a user can decide about a filter."""

from dataclasses import dataclass, field
from pathlib import Path

from filters.budget import Budget
from filters.instrumenters import Instrumenter
from filters.layout import Layout
from filters.options import PaperRule
from filters.wishes import Wishes


@dataclass(frozen=True, kw_only=True)
class FilterRequest:
    """What a user can decide about a filter.

    Attributes:
        rule: the numbers of the paper's rule.
        budget: choose within a budget instead of by the rule.
        wishes: what to keep or to drop whatever the rule says.
        layout: form of a Score-P filter file.
        instrumenter: write a list for another instrumenter; None for Score-P.
        merge: an existing filter file to merge with.
        event_cost: seconds a recorded visit costs; None for the default or a calibration.
        baseline: seconds the run takes without instrumentation.
        reduced: a profile of the same run with fewer regions, to calibrate the event cost.
    """

    rule: PaperRule = field(default_factory=PaperRule)
    budget: Budget | None = None
    wishes: Wishes = field(default_factory=Wishes)
    layout: Layout = field(default_factory=Layout)
    instrumenter: Instrumenter | None = None
    merge: Path | None = None
    event_cost: float | None = None
    baseline: float | None = None
    reduced: Path | None = None
