"""The loop closed: which runs are compared, under which filter, at which cost."""

from pathlib import Path

import pytest

from filters.filter_options import Application
from filters.scorep_format.rule_files import parse
from ingest.errors import InputError, UsageError
from pipeline.config.options import FilterOptions, Options
from pipeline.stages.filter import filter_of_path, verify_filter
from tests.pipeline.stages.test_filter import write_profile

WITHOUT_TINY = {"visits": (1, 100, 0, 1), "time": (0.1, 6.0, 0.0, 2.0)}


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules"
    path.write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE tiny\nSCOREP_REGION_NAMES_END\n")
    return path


@pytest.fixture
def pair(tmp_path):
    full = write_profile(tmp_path / "full" / "profile.cubex")
    return full, write_profile(tmp_path / "reduced" / "profile.cubex", **WITHOUT_TINY)


def options(**given):
    return Options(filter=FilterOptions(**given))


def test_one_profile_and_a_run_directory_under_an_existing_filter(pair, rules):
    full, reduced = pair
    found = verify_filter(full, reduced.parent, Options(), rules)
    assert found.agrees and found.filter == str(rules) and found.skipped == ()
    assert found.measured.event_cost == pytest.approx(1e-7)
    assert found.prediction.visits.run_time == 102


def test_the_filter_is_the_one_that_the_options_make(pair):
    full, reduced = pair
    asked = options(max_overhead=0.01, applied="run-time")
    made = filter_of_path(full, asked)[0]
    assert {rule.include for rule in parse(made.text).regions} == {False}
    found = verify_filter(full, reduced, asked)
    assert found.agrees and found.filter.startswith(f"made from {full} (overhead budget of 1.0 %")
    assert found.measured.applied is Application.RUN_TIME
    assert not verify_filter(full, reduced, options(protect=("tiny",))).agrees
    with pytest.raises(UsageError, match="--verify: only Score-P's filters can be verified; omit --to"):
        verify_filter(full, reduced, options(to="tau"))


def test_options_about_the_cost_count_for_the_prediction(pair, rules):
    full, reduced = pair
    plain = verify_filter(full, reduced, Options(), rules)
    given = verify_filter(full, reduced, options(event_cost=5e-8), rules)
    assert given.prediction.overhead.at(None) == pytest.approx(5e-8 * 5_000_202, rel=0.1)
    assert plain.prediction.overhead.at(None) > 1.9 * given.prediction.overhead.at(None)
    for command in (filter_of_path, lambda path, asked: verify_filter(path, reduced, asked, rules)):
        with pytest.raises(
            UsageError, match=r"^plain.csv: is a table of run times, but .*; give its seconds$"
        ):
            command(full, options(baseline_time=Path("plain.csv")))
    known = verify_filter(full, reduced, options(baseline_time=8.0), rules)
    assert known.measured.dilation.unfiltered == pytest.approx(8.6 / 8.0)
    assert known.measured.plain_time.given


def test_series_are_compared_point_by_point(tmp_path, rules):
    for p in (1, 2, 4):
        write_profile(tmp_path / "full" / f"app.p{p}.r1" / "profile.cubex", 1.0 + 0.01 * p)
        if p > 1:
            same = WITHOUT_TINY if p == 2 else {}
            write_profile(tmp_path / "reduced" / f"app.p{p}.r1" / "profile.cubex", 1.0 + 0.01 * p, **same)
    found = verify_filter(tmp_path / "full", tmp_path / "reduced", Options(), rules)
    assert [one.agrees for one in found.points] == [True, False] and not found.agrees
    other = write_profile(tmp_path / "other" / "app.p8.r1" / "profile.cubex").parent
    with pytest.raises(InputError, match="no measurement point is in both"):
        verify_filter(tmp_path / "full", other.parent, Options(), rules)
