"""Tables of filters: their effect, simulations and what was measured under them."""

from collections.abc import Sequence

from filters.filter_effect import FilterEffect
from filters.filter_verification import Verification
from ingest.profile import Profile
from pipeline.report.filter_json import simulation_counts
from pipeline.report.tables.data_table import (
    DataTable,
    amounts,
    answers,
    estimates,
    quantities,
    shares,
    words,
)
from pipeline.report.terminal.filter import COUNTS, STAGES, dilation_text
from pipeline.wording.quantities import count, figure, number

DILATION = ("dilation", "dilation_lower", "dilation_upper")


def effect_table(prediction: FilterEffect) -> DataTable:
    """Return visits, overhead and dilation without the filter, at run time and at compile time."""
    stages = [applied for applied, _ in STAGES]
    dilations = [prediction.dilation(applied) for applied in stages]
    ranges = [{"value": number(d.value), "lower": number(d.low), "upper": number(d.high)} for d in dilations]
    columns = [
        words("filter", (name for _, name in STAGES)),
        amounts("recorded_visits", (number(prediction.recorded_visits(one)) for one in stages), show=count),
        quantities("overhead", [number(prediction.overhead(one)) for one in stages], "core-s"),
        *estimates(ranges, names=DILATION, show=dilation_text, interval="range"),
    ]
    return DataTable(columns=columns)


def simulation_table(before: Profile, after: Profile) -> DataTable:
    """Return counts of a profile as measured and as it would be under a filter, one row per count."""
    measured, simulated = (simulation_counts(profile) for profile in (before, after))
    columns = [
        words("what", COUNTS.values()),
        amounts("measured", (number(measured[key]) for key in COUNTS), show=lambda v: figure(v, 5)),
        amounts("with_filter", (number(simulated[key]) for key in COUNTS), show=lambda v: figure(v, 5)),
    ]
    return DataTable(columns=columns)


def verification_table(verifications: Sequence[Verification]) -> DataTable:
    """Return visits and call paths, predicted and measured, of every measurement point."""
    columns = [
        words("profile", (one.reduced for one in verifications)),
        amounts("predicted_visits", (number(one.expected.sum()) for one in verifications), show=count),
        amounts("measured_visits", (number(one.measured.sum()) for one in verifications), show=count),
        amounts("predicted_callpaths", (int((one.expected > 0).sum()) for one in verifications), show=count),
        amounts("measured_callpaths", (int((one.measured > 0).sum()) for one in verifications), show=count),
        shares("deviation", (number(one.deviation) for one in verifications)),
        answers("agrees", (one.agrees for one in verifications)),
    ]
    notes = [
        f"{one.reduced} was not measured under this filter: {'; '.join(one.reasons())}"
        for one in verifications
        if not one.agrees
    ]
    return DataTable(columns=columns, notes=notes)
