"""What filters do: tables of their effect, of what they drop and of what was measured, and plain data."""

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

import numpy as np

from filters.explanation import DroppedRegion
from filters.filter_effect import Dilation, FilterEffect, MeasuredEffect, PredictionJson, prediction_json
from filters.filter_options import Application
from filters.filter_verification import TOLERANCE, CallPathDifference, Verification
from filters.instrumentation import FILTER_ATTRIBUTE
from ingest.profile import Profile
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ANSWER, ESTIMATE, FIGURE, PATH, QUANTITY, SHARE, Column, filled
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import (
    FigureJson,
    count,
    estimate_json,
    estimate_text,
    figure,
    number,
    value_text,
)

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
    """Write a dilation: four decimals below two, where 1.0030 is 0.3 % of overhead."""
    return figure(value, _DIGITS) if value < 2.0 else figure(value)


def _simulation_counts(profile: Profile) -> "CountsJson":
    """Return the counts of a profile, measured or simulated: whole numbers and core-seconds, unrounded."""
    return {
        "callpaths": len(profile.tree),
        "regions": len(np.unique(profile.tree.region)),
        "visits": float(profile.values("visits").sum()),
        "time": float(profile.values("time").sum()),
    }


def _dilation(dilation: Dilation) -> FigureJson:
    return estimate_json(dilation.value, dilation.low, dilation.high)


def effect_table(prediction: FilterEffect) -> DataTable:
    """Return visits, overhead and dilation without the filter, at run time and at compile time."""
    columns: list[Column[Sequence[Application | None]]] = [
        Column(key="filter", values=lambda _: (name for _, name in STAGES)),
        Column(
            key="recorded_visits",
            kind=FIGURE,
            each=lambda stage: number(prediction.recorded_visits(stage)),
            write=count,
        ),
        Column(
            key="overhead",
            kind=QUANTITY,
            unit="core-s",
            each=lambda stage: number(prediction.overhead(stage)),
        ),
        Column(
            key="dilation",
            kind=ESTIMATE,
            interval="range",
            each=lambda stage: _dilation(prediction.dilation(stage)),
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


def simulation_table(before: Profile, after: Profile) -> DataTable:
    """Return counts of a profile as measured and as it would be under a filter, one row per count."""
    measured, simulated = (_simulation_counts(profile) for profile in (before, after))
    columns: list[Column[Sequence[str]]] = [
        Column(key="what", each=_COUNTS.__getitem__),
        *(
            _counts(name, lambda key, counts=counts: number(counts[key]))
            for name, counts in (("measured", measured), ("with_filter", simulated))
        ),
    ]
    return filled(columns, list(_COUNTS))


def _with_digits(value: float) -> str:
    small = float(value).is_integer() and value < _SMALL
    return value_text(value) if small else figure(value, _DIGITS)


def verification_table(verifications: Sequence[Verification]) -> DataTable:
    """Return visits and call paths, predicted and measured, of every measurement point."""
    files = Audience.FILES
    columns: list[Column[Sequence[Verification]]] = [
        Column(key="reduced", name="profile"),
        _counts("predicted_visits", lambda one: number(one.expected.sum())),
        _counts("measured_visits", lambda one: number(one.measured.sum())),
        _counts("predicted_callpaths", lambda one: int((one.expected > 0).sum()), files),
        _counts("measured_callpaths", lambda one: int((one.measured > 0).sum()), files),
        Column(key="deviation", kind=SHARE, each=lambda one: number(one.deviation)),
        Column(key="agrees", kind=ANSWER),
    ]
    return filled(columns, verifications, notes=disagreements(verifications))


def _counts(key: str, of: Any, audience: Audience = Audience.ALL) -> Column[Any]:  # noqa: ANN401
    return Column(key=key, kind=FIGURE, each=of, write=_with_digits, audience=audience)


def disagreements(verifications: Sequence[Verification]) -> list[str]:
    """Say which runs were not measured under the filter, and why."""
    return [
        f"{one.reduced} was not measured under this filter: {'; '.join(one.reasons())}"
        for one in verifications
        if not one.agrees
    ]


def measured_effect_table(one: Verification, prediction: FilterEffect, effect: MeasuredEffect) -> DataTable:
    """Return visits, call paths and dilation, predicted and measured."""
    measured: dict[Application | None, float | None] = {None: effect.without}
    if effect.applied is not None:
        measured[effect.applied] = effect.under
    rows = [
        ("recorded visits", *map(_with_digits, (one.expected.sum(), one.measured.sum()))),
        ("call paths", *map(_with_digits, ((one.expected > 0).sum(), (one.measured > 0).sum()))),
        *(
            (
                f"dilation, {name}",
                with_range(prediction.dilation(applied)),
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
        _counts("predicted", lambda one: one.expected),
        _counts("measured", lambda one: one.measured),
        Column(key="kind", name="differs", dispensable=1),
    ]
    return filled(columns, differences)


class CountsJson(TypedDict):
    """Counts of a profile: core-seconds of time."""

    callpaths: int
    regions: int
    visits: float
    time: float


class SimulationJson(TypedDict):
    """What a profile would look like under a filter."""

    filter: str
    source: str
    filter_digest: str
    measured: CountsJson
    simulated: CountsJson
    prediction: PredictionJson
    notices: list[str]


class PredictedAndMeasuredJson(TypedDict):
    """A count."""

    predicted: float
    measured: float


class DifferenceJson(TypedDict):
    """A call path that was not measured as predicted."""

    callpath: list[str]
    kind: str
    predicted: float
    measured: float
    share: Annotated[float, "of the visits"]


class VerifiedPointJson(TypedDict):
    """A profile measured under a filter, compared with what was predicted."""

    full: str
    reduced: str
    agrees: bool
    deviation: float
    reasons: list[str]
    visits: PredictedAndMeasuredJson
    callpaths: PredictedAndMeasuredJson
    differences: list[DifferenceJson]


class PlainTimeJson(TypedDict):
    """Computing time without measurement in core-seconds, and whether a run time was given."""

    value: float | None
    given: bool


class MeasuredDilationJson(TypedDict):
    """Computing time over the plain one; null unless a run time was given."""

    unfiltered: float | None
    filtered: float | None


class MeasuredEffectJson(TypedDict):
    """What a filter did."""

    applied: str | None
    plain_time: PlainTimeJson
    dilation: MeasuredDilationJson
    event_cost: Annotated[float | None, "seconds per visit"]


class VerificationJson(TypedDict):
    """What a filter should have done, and what it did."""

    filter: str
    agrees: bool
    tolerance: float
    points: list[VerifiedPointJson]
    prediction: PredictionJson
    measured: MeasuredEffectJson


def simulation_json(rules: str, before: Profile, after: Profile, prediction: FilterEffect) -> SimulationJson:
    """Return what a profile would look like under a filter, with the predicted effect."""
    return {
        "filter": rules,
        "source": before.source,
        "filter_digest": after.attributes[FILTER_ATTRIBUTE],
        "measured": _simulation_counts(before),
        "simulated": _simulation_counts(after),
        "prediction": prediction_json(prediction),
        "notices": list(after.notices),
    }


def verified_filter_json(
    name: str, verifications: Sequence[Verification], prediction: FilterEffect, effect: MeasuredEffect
) -> VerificationJson:
    """Return what a filter should have done and what it did; the effect is that on the largest scale."""
    return {
        "filter": name,
        "agrees": all(one.agrees for one in verifications),
        "tolerance": TOLERANCE,
        "points": [_verification(one) for one in verifications],
        "prediction": prediction_json(prediction),
        "measured": _effect(effect),
    }


def _verification(one: Verification) -> VerifiedPointJson:
    return {
        "full": one.full,
        "reduced": one.reduced,
        "agrees": one.agrees,
        "deviation": one.deviation,
        "reasons": list(one.reasons()),
        "visits": {"predicted": float(one.expected.sum()), "measured": float(one.measured.sum())},
        "callpaths": {"predicted": int((one.expected > 0).sum()), "measured": int((one.measured > 0).sum())},
        "differences": [_difference(found) for found in one.differences()],
    }


def _difference(found: CallPathDifference) -> DifferenceJson:
    return {
        "callpath": list(found.callpath),
        "kind": found.kind,
        "predicted": found.expected,
        "measured": found.measured,
        "share": found.share,
    }


def _effect(effect: MeasuredEffect) -> MeasuredEffectJson:
    return {
        "applied": None if effect.applied is None else effect.applied.value,
        "plain_time": {"value": effect.plain, "given": effect.given},
        "dilation": {"unfiltered": effect.without, "filtered": effect.under},
        "event_cost": effect.event_cost,
    }
