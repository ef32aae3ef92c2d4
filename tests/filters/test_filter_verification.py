"""A measurement under a filter, beside the simulation of the filter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.filter_verification import TOLERANCE, verify
from filters.scorep_format.rule_files import parse
from filters.simulation import simulate
from tests.profiles import profile_from_rows

ROWS = [
    (0, "main", 1, 1.0),
    (1, "solve", 100, 5.0),
    (2, "get", 9_000, 0.2),
    (3, "MPI_Wait", 10, 0.1),
    (1, "get", 1_000, 0.1),
    (1, "USER phase", 5, 0.5),
]


def exclude(*names):
    lines = "".join(f"EXCLUDE {name}\n" for name in names)
    return parse(f"SCOREP_REGION_NAMES_BEGIN\n{lines}SCOREP_REGION_NAMES_END\n")


def changed(rows, **visits):
    return [(d, name, visits.get(name, v), t) for d, name, v, t in rows]


def test_a_measurement_under_the_filter_agrees_to_the_visit():
    reduced = profile_from_rows([ROWS[0], ROWS[1], (2, "MPI_Wait", 10, 0.1), ROWS[5]], source="second")
    found = verify(profile_from_rows(ROWS, source="first"), reduced, exclude("get"))
    assert (found.full, found.reduced) == ("first", "second")
    assert found.expected.tolist() == found.measured.tolist() == [1.0, 100.0, 10.0, 5.0]
    assert found.agrees and found.deviation == 0.0
    assert found.differences() == () and found.reasons() == () and found.at_compile_time is None


def test_a_measurement_without_the_filter_is_recognised():
    full = profile_from_rows(ROWS)
    found = verify(full, full, exclude("get"))
    assert not found.agrees
    first, second, *others = found.differences()
    assert (first.callpath, first.kind) == (("main", "solve", "get"), "not dropped")
    assert (first.expected, first.measured, first.share) == (0.0, 9_000.0, 9_000 / 10_116)
    assert (second.callpath, second.kind) == (("main", "get"), "not dropped")
    assert {(one.callpath[-1], one.kind) for one in others} == {
        ("MPI_Wait", "missing"),
        ("MPI_Wait", "extra"),
    }
    assert found.reasons() == ("98.9 % of the visits are in regions that the filter drops (get)",)


def test_regions_that_were_lost_are_named():
    reduced = profile_from_rows([ROWS[0], ROWS[5]])
    found = verify(profile_from_rows(ROWS), reduced, exclude("get"))
    assert [one.kind for one in found.differences()] == ["missing", "missing"]
    (reason,) = found.reasons()
    assert reason.startswith("regions that the filter keeps were not recorded (solve, MPI_Wait), because of")


def test_another_input_has_the_same_regions_with_other_visits():
    full = profile_from_rows(ROWS)
    other = simulate(profile_from_rows(changed(ROWS, solve=200)), exclude("get"))
    found = verify(full, other, exclude("get"))
    assert [(one.callpath[-1], one.kind) for one in found.differences()] == [("solve", "visits")]
    assert found.reasons() == (
        "the same regions were recorded, but 46.3 % of the visits differ: another input, number of steps or "
        "number of processes",
    )


def test_visits_agree_up_to_the_tolerance():
    rows = [(0, "main", 1, 1.0), (1, "poll", 999, 1.0)]
    full = profile_from_rows(rows)
    most = round(1000 * TOLERANCE)
    for fewer, agrees in ((most, True), (most + 1, False)):
        found = verify(full, profile_from_rows(changed(rows, poll=999 - fewer)), exclude("none"))
        assert found.deviation == pytest.approx(fewer / 1000) and found.agrees is agrees


def test_regions_instrumented_by_hand_show_where_the_filter_was_applied():
    full, rules = profile_from_rows(ROWS), exclude("get", "USER*")
    compiled = simulate(full, rules, at_compile_time=True)
    assert "USER phase" in {path[-1] for path in compiled.tree.paths(compiled.regions.name)}
    found = verify(full, compiled, rules)
    assert found.at_compile_time is True and found.deviation == 0.0
    at_run_time = verify(full, simulate(full, rules), rules)
    assert at_run_time.at_compile_time is False and at_run_time.deviation == 0.0


@settings(deadline=None)
@given(st.sets(st.sampled_from(["solve", "get", "MPI_Wait", "USER*"])), st.booleans())
def test_what_is_simulated_is_verified(names, at_compile_time):
    full, rules = profile_from_rows(ROWS), exclude(*sorted(names))
    found = verify(full, simulate(full, rules, at_compile_time=at_compile_time), rules)
    assert found.agrees and np.array_equal(found.expected, found.measured)
    assert not found.filtered.any()
