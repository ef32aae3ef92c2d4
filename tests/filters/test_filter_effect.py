import numpy as np
import pytest

from filters.event_cost import INSIDE, EventCost
from filters.evidence import evidence_from_profile
from filters.filter_effect import measured_effect, predict
from filters.filter_options import Application
from filters.known_plain import KnownPlain
from tests.profiles import profile_from_rows

PLAIN, COST = 2.0, 1e-7
MAIN, TINY = 1_000, 40_000_000
OUTSIDE = (1 - INSIDE) * COST
FULL = [
    (0, "main", MAIN, PLAIN + INSIDE * COST * MAIN + OUTSIDE * TINY),
    (1, "tiny", TINY, INSIDE * COST * TINY),
]
REDUCED = [(0, "main", MAIN, PLAIN + INSIDE * COST * MAIN)]


def effect(reduced=REDUCED, **options):
    full, under = (evidence_from_profile(profile_from_rows(rows)) for rows in (FULL, reduced))
    prediction = predict(full, np.array([True, False]))
    return measured_effect(full, under, prediction, **options)


def test_two_profiles_show_plain_time_and_cost():
    found = effect()
    assert found.event_cost == pytest.approx(COST) and found.learned
    assert found.plain_time.value == pytest.approx(PLAIN) and not found.plain_time.given
    assert found.dilation.unfiltered is found.dilation.filtered is None  # nothing measured the plain program
    assert found.applied is None


def test_hooks_of_rejected_visits_are_no_plain_time():
    hooks = [(0, "main", MAIN, PLAIN + INSIDE * COST * MAIN + TINY * EventCost().filtered)]
    found = effect(hooks, applied=Application.RUN_TIME)
    assert (found.plain_time.value, found.event_cost) == pytest.approx((PLAIN, COST), rel=0.1)
    assert effect(hooks).plain_time.value > 1.15 * PLAIN


def test_a_plain_time_that_is_given_counts_and_tells_where_the_filter_was_applied():
    found = effect(baseline=PLAIN)
    assert found.plain_time.given and found.plain_time.value == pytest.approx(PLAIN)
    assert found.dilation.unfiltered == pytest.approx(1 + COST * (INSIDE * MAIN + TINY) / PLAIN)
    assert found.dilation.filtered == pytest.approx(1 + INSIDE * COST * MAIN / PLAIN)
    assert found.applied is Application.COMPILE_TIME
    full = evidence_from_profile(profile_from_rows(FULL))
    with_hooks = predict(full, np.array([True, False])).dilation.at(Application.RUN_TIME).value
    hooks = [(0, "main", MAIN, PLAIN * with_hooks)]
    assert effect(hooks, baseline=PLAIN).applied is Application.RUN_TIME
    assert effect(hooks, baseline=PLAIN, applied=Application.COMPILE_TIME).applied is Application.COMPILE_TIME


def test_profiles_that_show_no_cost_give_no_dilation():
    for rows in (FULL, [(0, "main", MAIN, 100.0)], [(0, "main", MAIN, 0.0)]):
        found = effect(rows)
        assert found.dilation.unfiltered is found.dilation.filtered is found.plain_time.value is None
    assert effect(FULL).event_cost is None
    dilation = effect(FULL, baseline=PLAIN).dilation
    assert dilation.unfiltered == dilation.filtered


@pytest.mark.parametrize(("times", "said"), [(2.5, ""), (20, " 22 times its"), (0.2, " % of its")])
def test_a_cost_that_no_visit_can_have_is_said_and_not_learned(times, said):
    longer = [(0, "main", MAIN, FULL[0][3] + 100.0), FULL[1]]
    under = [(0, "main", MAIN, longer[0][3] + FULL[1][3] - times * COST * TINY)]
    full, reduced = (evidence_from_profile(profile_from_rows(rows)) for rows in (longer, under))
    found = measured_effect(full, reduced, predict(full, np.array([True, False])))
    assert said in found.contradiction and bool(said) == bool(found.contradiction)
    assert (found.event_cost is None) == (found.plain_time.value is None) == bool(said)
    assert not found.learned  # of 100 s less than what times of runs scatter


@pytest.mark.parametrize("hook", [0.1, 1.0, 8.6])
def test_the_range_at_run_time_holds_what_hooks_may_cost(hook):
    full = evidence_from_profile(profile_from_rows(FULL))
    known = KnownPlain.of(PLAIN)
    predicted = predict(full, np.array([True, False]), known=known)
    at_run_time = predicted.dilation.at(Application.RUN_TIME)
    under = 1 + (INSIDE * COST * MAIN + hook * predicted.event_cost.filtered_at_run_time * TINY) / PLAIN
    assert at_run_time.low < under < at_run_time.high
    at_compile_time = predicted.dilation.at(Application.COMPILE_TIME)
    assert at_compile_time.high - at_compile_time.low < 0.2 * (at_run_time.high - at_run_time.low)


def test_the_ranges_hold_what_the_paper_measured():
    kept, dropped = 500_000, 2_900_000  # of a plain second, at 100 ns: 1.34 in full, 1.05 at compile time
    rows = [(0, "main", 1, 1.0 + OUTSIDE * (kept + dropped))]
    rows += [(1, name, visits, INSIDE * COST * visits) for name, visits in (("k", kept), ("d", dropped))]
    run = evidence_from_profile(profile_from_rows(rows))
    found = predict(run, np.array([True, True, False]), known=KnownPlain.of(1.0)).dilation
    for stage, measured in ((None, 1.34), (Application.RUN_TIME, 1.30), (Application.COMPILE_TIME, 1.05)):
        assert found.at(stage).low < measured < found.at(stage).high
    assert found.run_time.value < 1.1 and found.run_time.high < 1.6


def test_builds_and_runs_differ_either_way():
    full = evidence_from_profile(profile_from_rows(FULL))
    compiled = predict(full, np.array([True, False]), known=KnownPlain.of(PLAIN)).dilation.compile_time
    assert compiled.low < 0.9 < 1.0 < compiled.value < 1.001 < 1.15 < compiled.high < 1.25
