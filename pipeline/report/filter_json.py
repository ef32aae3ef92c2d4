"""What filters do to measurements, as plain data for JSON."""

from collections.abc import Sequence
from typing import Any

from filters.filter_effect import FilterEffect, MeasuredEffect, prediction_json
from filters.filter_verification import TOLERANCE, CallPathDifference, Verification
from filters.instrumentation import FILTER_ATTRIBUTE
from ingest.profile import Profile
from pipeline.columns.filter_effects import simulation_counts


def simulation_json(before: Profile, after: Profile, prediction: FilterEffect) -> dict[str, Any]:
    """Return what a profile would look like under a filter, with the predicted effect."""
    return {
        "source": before.source,
        "filter_digest": after.attributes[FILTER_ATTRIBUTE],
        "measured": simulation_counts(before),
        "simulated": simulation_counts(after),
        "prediction": prediction_json(prediction),
        "notices": list(after.notices),
    }


def verified_filter_json(
    name: str, verifications: Sequence[Verification], prediction: FilterEffect, effect: MeasuredEffect
) -> dict[str, Any]:
    """Return what a filter should have done and what it did; the effect is that on the largest scale."""
    return {
        "filter": name,
        "agrees": all(one.agrees for one in verifications),
        "tolerance": TOLERANCE,
        "points": [_verification(one) for one in verifications],
        "prediction": prediction_json(prediction),
        "measured": _effect(effect),
    }


def _verification(one: Verification) -> dict[str, Any]:
    """Return the comparison of one measurement with the simulation of its filter."""
    return {
        "full": one.full,
        "reduced": one.reduced,
        "agrees": one.agrees,
        "deviation": one.deviation,
        "reasons": list(one.reasons()),
        "visits": {"predicted": float(one.expected.sum()), "measured": float(one.measured.sum())},
        "callpaths": {
            "predicted": int((one.expected > 0).sum()),
            "measured": int((one.measured > 0).sum()),
        },
        "differences": [_difference(found) for found in one.differences()],
    }


def _difference(found: CallPathDifference) -> dict[str, Any]:
    return {
        "callpath": list(found.callpath),
        "kind": found.kind,
        "predicted": found.expected,
        "measured": found.measured,
        "share": found.share,
    }


def _effect(effect: MeasuredEffect) -> dict[str, Any]:
    """Return measured dilation, plain time and cost of a visit; None for what is not known."""
    return {
        "applied": effect.applied.value,
        "plain_time": {"value": effect.plain, "given": effect.given},
        "dilation": {"unfiltered": effect.without, "filtered": effect.under},
        "event_cost": effect.event_cost,
    }
