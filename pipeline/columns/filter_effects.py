"""What filters do: their effect, what they drop and what was measured under them, and the tables of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from filters.explanation import DroppedRegion
from filters.filter_effect import Dilation, FilterEffect, MeasuredEffect
from filters.filter_options import Application
from filters.filter_verification import TOLERANCE, CallPathDifference, Verification
from ingest.profile import Profile
from ingest.record_codec import NO_ENTRY
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ANSWER, ESTIMATE, FIGURE, PATH, QUANTITY, SHARE, Column, filled
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import Figure, count, estimate_text, figure, number, value_text

STAGES = (
    (None, "no filter"),
    (Application.RUN_TIME, "at run time"),
    (Application.COMPILE_TIME, "at compile time"),
)
_COUNTS = {
    "callpaths": "call paths",
    "regions": "regions called",
    "visits": "visits",
    "time": "time in core-s",
}
_DIGITS = 5  # of simulated counts, which differ little
_SMALL = 10_000  # counts below have no separator and no decimals


def _dilation_text(value: float) -> str:
    """Write a dilation: four decimals from one to two, where 1.0030 is 0.3 % of overhead."""
    return figure(value, _DIGITS) if 1.0 <= value < 2.0 else figure(value)


def _dilation(dilation: Dilation) -> Figure:
    return Figure.of(dilation.value, dilation.low, dilation.high)


def effect_table(prediction: FilterEffect) -> DataTable:
    """Return visits, overhead and dilation without the filter, at run time and at compile time."""
    columns: list[Column[Sequence[Application | None]]] = [
        Column(key="filter", values=lambda _: (name for _, name in STAGES)),
        Column(
            key="recorded_visits",
            kind=FIGURE,
            each=lambda stage: number(prediction.visits.at(stage)),
            write=count,
        ),
        Column(
            key="overhead",
            kind=QUANTITY,
            unit="core-s",
            each=lambda stage: number(prediction.overhead.at(stage)),
        ),
        Column(
            key="dilation",
            kind=ESTIMATE,
            interval="range",
            each=lambda stage: _dilation(prediction.dilation.at(stage)),
            write=_dilation_text,
        ),
    ]
    return filled(columns, [applied for applied, _ in STAGES])


def dropped_table(dropped: Sequence[DroppedRegion]) -> DataTable:
    """Return one row per dropped region: its share, its visits and who gets its time."""
    columns: list[Column[Sequence[DroppedRegion]]] = [
        Column(key="region", kind=PATH, each=lambda one: [one.region]),
        Column(key="share", kind=SHARE),
        _counts("visits", lambda one: one.visits),
        Column(
            key="attributed_to",
            folds=True,
            each=lambda one: shown_name(one.attributed_to) if one.attributed_to else "none",
        ),
    ]
    return filled(columns, dropped)


@dataclass(frozen=True, kw_only=True)
class ProfileCounts:
    """Counts of a profile: core-seconds of time."""

    document_name: ClassVar[str] = "counts"
    callpaths: int
    regions: int
    visits: float
    time: float

    @classmethod
    def of(cls, profile: Profile) -> "ProfileCounts":
        """Count what is in a profile, measured or simulated."""
        return cls(
            callpaths=len(profile.tree),
            regions=len(np.unique(profile.tree.region)),
            visits=float(profile.values("visits").sum()),
            time=float(profile.values("time").sum()),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedFilter:
    """What a profile would look like under a filter."""

    exact_numbers: ClassVar[bool] = True
    filter: str
    source: str
    filter_digest: str
    measured: ProfileCounts
    simulated: ProfileCounts
    prediction: FilterEffect
    notices: tuple[str, ...]


def simulation_table(found: SimulatedFilter) -> DataTable:
    """Return counts of a profile as measured and as it would be under a filter, one row per count."""
    columns: list[Column[Sequence[str]]] = [
        Column(key="what", each=_COUNTS.__getitem__),
        *(
            _counts(name, lambda key, counts=counts: number(getattr(counts, key)))
            for name, counts in (("measured", found.measured), ("with_filter", found.simulated))
        ),
    ]
    return filled(columns, list(_COUNTS))


def _with_digits(value: float) -> str:
    small = float(value).is_integer() and value < _SMALL
    return value_text(value) if small else figure(value, _DIGITS)


@dataclass(frozen=True, eq=False, kw_only=True)
class VerifiedFilter:
    """What a filter should have done, and what it did."""

    exact_numbers: ClassVar[bool] = True
    filter: str  # the file, or how the filter was made
    agrees: bool  # whether the visits agree within the tolerance at every measurement point
    tolerance: float = TOLERANCE
    points: tuple[Verification, ...]  # one per measurement point that both have, the largest scale last
    prediction: FilterEffect  # the effect on the largest scale, predicted from the profile without the filter
    measured: MeasuredEffect  # what both profiles of the largest scale show
    # path and reason of every run that could not be read
    skipped: tuple[Mapping[str, str], ...] = field(metadata=NO_ENTRY)


def verification_table(verifications: Sequence[Verification]) -> DataTable:
    """Return visits and call paths, predicted and measured, of every measurement point."""
    files = Audience.FILES
    columns: list[Column[Sequence[Verification]]] = [
        Column(key="reduced", name="profile"),
        _counts("predicted_visits", lambda one: number(one.visits.predicted)),
        _counts("measured_visits", lambda one: number(one.visits.measured)),
        _counts("predicted_callpaths", lambda one: one.callpaths.predicted, files),
        _counts("measured_callpaths", lambda one: one.callpaths.measured, files),
        Column(key="deviation", kind=SHARE, each=lambda one: number(one.deviation)),
        Column(key="agrees", kind=ANSWER),
    ]
    return filled(columns, verifications, notes=disagreements(verifications))


def _counts(key: str, of: Any, audience: Audience = Audience.ALL) -> Column[Any]:  # noqa: ANN401
    return Column(key=key, kind=FIGURE, each=of, write=_with_digits, audience=audience)


def disagreements(verifications: Sequence[Verification]) -> list[str]:
    """Say which runs were not measured under the filter or cannot be verified, and why."""
    return [
        f"{one.reduced} {'cannot be verified' if one.incomplete else 'was not measured under this filter'}: "
        f"{'; '.join(one.reasons)}"
        for one in verifications
        if not one.agrees
    ]


def measured_effect_table(found: VerifiedFilter) -> DataTable:
    """Return visits, call paths and dilation of the largest scale, predicted and measured."""
    last, dilation = found.points[-1], found.measured.dilation
    measured: dict[Application | None, float | None] = {None: dilation.unfiltered}
    if found.measured.applied is not None:
        measured[found.measured.applied] = dilation.filtered
    rows = [
        ("recorded visits", *map(_with_digits, (last.visits.predicted, last.visits.measured))),
        ("call paths", *map(_with_digits, (last.callpaths.predicted, last.callpaths.measured))),
        *(
            (
                f"dilation, {name}",
                with_range(found.prediction.dilation.at(applied)),
                "" if (value := measured.get(applied)) is None else _dilation_text(value),
            )
            for applied, name in STAGES
        ),
    ]
    keys = ("what", "predicted", "measured")
    columns: list[Column[Any]] = [Column(key=key) for key in keys]
    return filled(columns, [dict(zip(keys, row, strict=True)) for row in rows])


def with_range(dilation: Dilation) -> str:
    """Write a dilation and the range in which it lies."""
    return estimate_text(dilation.value, dilation.low, dilation.high, write=_dilation_text)


def differences_table(differences: Sequence[CallPathDifference]) -> DataTable:
    """Return the call paths that differ, with their share of the visits."""
    columns: list[Column[Sequence[CallPathDifference]]] = [
        Column(key="callpath", heading="call path", kind=PATH),
        Column(key="share", kind=SHARE),
        _counts("predicted", lambda one: one.predicted),
        _counts("measured", lambda one: one.measured),
        Column(key="kind", name="differs", dispensable=1),
    ]
    return filled(columns, differences)
