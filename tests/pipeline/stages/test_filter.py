"""The filter stage: requests from options, the cost of an event, which runs decide and what is protected."""

import json
from pathlib import Path

import numpy as np
import pytest

from filters.event_cost import EventCost
from filters.filter_options import Application, Form, Instrumenter, Layout
from filters.make_filter import make_filter, read_filter
from ingest.errors import InputError, UsageError
from ingest.locate import locate
from ingest.record_codec import document
from pipeline.config.options import FilterOptions, Options
from pipeline.stages.filter import (
    filter_of_path,
    filter_request,
    growing_regions,
    runs_to_filter,
    simulate_filter,
    store_filter,
)
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled
from tests.cubex_writer import write_visited
from tests.ingest.readers.timer_logs import castep

NAMES = ("main", "solve", "tiny", "setup")
LOCAL = "(anonymous namespace)::f()"


def write_profile(path, factor=1.0, visits=(1, 100, 5_000_000, 1), time=(0.1, 6.0, 0.5, 2.0)):
    return write_visited(path, [-1, 0, 1, 0], NAMES, visits, factor * np.array(time))


@pytest.fixture
def profile(tmp_path):
    return write_profile(tmp_path / "profile.cubex")


def made(path, **options):
    return make_filter(locate(path).found.runs, filter_request(FilterOptions(**options)))


def test_logs_get_no_filter(tmp_path):
    file = tmp_path / "a.log"
    file.write_text(castep())
    with pytest.raises(InputError, match=r"a\.log: no filter is made: timers that programs print"):
        made(file)


def test_defaults_are_the_rule_of_the_paper_for_score_p():
    request = filter_request(FilterOptions())
    assert (request.rule.per_visit, request.instrumenter) == (0.25, Instrumenter.SCOREP)
    assert request.layout == Layout(Form("shorter"), False)
    assert (request.merge, request.event_cost, request.baseline, request.reduced) == (None,) * 4
    assert (request.overrides.protect, request.overrides.drop) == ((), ())


def test_every_option_reaches_the_request():
    options = FilterOptions(
        max_overhead=0.05,
        applied="compile-time",
        protect=("a*",),
        drop=("b*",),
        form="include",
        whole_files=True,
        event_cost=1e-7,
        baseline_time=3.0,
    )
    request = filter_request(options, ("grows",))
    assert (request.rule.overhead, request.rule.applied) == (0.05, Application.COMPILE_TIME)
    overrides = request.overrides
    assert (overrides.protect, overrides.drop, overrides.growing) == (("a*",), ("b*",), ("grows",))
    assert filter_request(FilterOptions(protect_growing=False), ("grows",)).overrides.growing == ()
    assert request.layout == Layout(Form("include"), True)
    assert (request.event_cost, request.baseline) == (1e-7, 3.0)
    assert filter_request(FilterOptions(max_overhead=0.05)).rule.applied is None
    assert filter_request(FilterOptions(to="tau")).instrumenter is Instrumenter("tau")
    files = filter_request(FilterOptions(merge=Path("m"), calibrate=Path("c")))
    assert (files.merge, files.reduced) == (Path("m"), Path("c"))


def test_options_that_exclude_each_other():
    with pytest.raises(UsageError) as error:
        filter_request(FilterOptions(to="tau", merge=Path("m")))
    assert str(error.value) == "--merge: only Score-P's filters can be merged; omit --to"


def test_the_cost_of_an_event_is_the_default_as_given_or_calibrated(profile, tmp_path):
    default = EventCost()
    plain, given = (made(profile, event_cost=n * default.recorded) for n in (1, 2))
    _, most, least = made(profile).prediction.plain.cost  # its cheapest leaf takes 100 ns: cost, or work
    assert least < default.recorded < 2 * default.recorded < most
    for applied in (None, Application.RUN_TIME):
        expected = 2 * plain.prediction.overhead.at(applied)
        assert given.prediction.overhead.at(applied) == pytest.approx(expected, rel=0.25)
    by_time = made(profile, baseline_time=8.0)
    # a twelfth is hardly more than runs differ by, so that visits have a say in it
    unknown, timed = (one.prediction.overhead.at(None) for one in (made(profile), by_time))
    assert 8.6 - 8.0 < timed < 0.9 * unknown
    fewer = write_profile(tmp_path / "fewer.cubex", visits=(1, 100, 1, 1), time=(0.1, 6.0, 0.1, 2.0))
    by_pair = made(profile, calibrate=fewer)
    assert by_pair.prediction.overhead.at(None) == pytest.approx(0.4, rel=0.2)


def test_the_evidence_holds_predictions_memory_and_notices(profile):
    result = made(profile)
    evidence = document(result.evidence)
    assert len(evidence["predictions"]) == 1
    assert evidence["memory"]["unfiltered"] == vars(result.memory.unfiltered)
    assert evidence["memory"]["filtered"] == vars(result.memory.filtered)
    assert result.memory.filtered.max_buf < result.memory.unfiltered.max_buf
    assert result.notices == tuple(evidence["notices"]) == ()
    assert result.application is Application.RUN_TIME
    assert "made by pipeline" in result.text and "paper rule" in result.text
    compiled = made(profile, max_overhead=0.01, applied="compile-time")
    assert compiled.application is Application.COMPILE_TIME


def test_several_runs_decide_and_the_last_one_is_predicted(tmp_path):
    for p in (1, 2):
        write_profile(tmp_path / f"app.p{p}.r1" / "profile.cubex", factor=p)
    runs = runs_to_filter(locate(tmp_path).found.runs)
    result = make_filter(runs, filter_request(FilterOptions(baseline_time=16.0)))
    assert [Path(run).parent.name for run in result.evidence.runs] == ["app.p1.r1", "app.p2.r1"]
    first, last = result.evidence.predictions
    assert 0.5 < result.prediction.overhead.at(None) < 2 * 8.6 - 16.0
    assert result.prediction.plain.total == pytest.approx(16.0)
    assert first != last


def test_a_kept_region_that_is_expensive_at_the_largest_scale_is_reported(tmp_path):
    write_profile(tmp_path / "app.p1.r1" / "profile.cubex", time=(0.1, 0.1, 6.0, 0.1), visits=(1, 1, 1, 1))
    often = (1, 100, 1_000_000, 1)
    write_profile(tmp_path / "app.p2.r1" / "profile.cubex", time=(0.1, 6.0, 0.5, 2.0), visits=often)
    runs = runs_to_filter(locate(tmp_path).found.runs)
    notices = make_filter(runs, filter_request(FilterOptions())).notices
    assert any(notice.startswith("'tiny' is kept for smaller runs only") for notice in notices)


def test_where_hooks_alone_take_the_budget_regions_are_selected_beyond_them(tmp_path):
    visits, time = (1, 100, 4 * 10**9, 1), (0.1, 234.0, 168.0, 2.0)
    profile = write_profile(tmp_path / "profile.cubex", visits=visits, time=time)
    compiled, hooked = (made(profile, applied=applied) for applied in ("compile-time", "run-time"))
    assert compiled.prediction.dilation.at(Application.COMPILE_TIME).value <= 1.05
    assert hooked.prediction.dilation.at(Application.RUN_TIME).value > 1.05
    assert {"main", "solve"} <= {
        name for name, reason in reasons_in(hooked).items() if reason != "too_costly"
    }
    assert any("regions are selected within 5.0 % beyond that" in notice for notice in hooked.notices)
    assert not any("beyond that" in notice for notice in compiled.notices)


def test_runs_that_calibrate_a_series_are_no_profile_to_calibrate_a_filter_with(profile, tmp_path):
    for p in (1, 2):
        write_profile(tmp_path / "fewer" / f"app.p{p}" / "profile.cubex", factor=p)
    assert filter_request(FilterOptions(calibrate=tmp_path / "fewer")).reduced is None
    assert filter_request(FilterOptions(calibrate=profile)).reduced == profile
    with pytest.raises(UsageError, match="is a directory of runs, but the filter is made from one"):
        filter_of_path(profile, Options(filter=FilterOptions(calibrate=tmp_path / "fewer")))


def test_one_run_per_point_the_largest_last(tmp_path):
    for p, repetition in ((2, 2), (2, 1), (1, 1)):
        write_profile(tmp_path / f"app.p{p}.r{repetition}" / "profile.cubex", factor=p + repetition)
    runs = runs_to_filter(locate(tmp_path).found.runs)
    assert [run.path.parent.name for run in runs] == ["app.p1.r1", "app.p2.r1"]
    with pytest.raises(InputError, match="no profile to make a filter from; give a profile or a directory"):
        runs_to_filter(())


def test_a_list_for_another_instrumenter_says_how_it_is_used_and_what_it_cannot_name(profile, tmp_path):
    result = made(profile, to="gcc")
    assert "FILE" in result.usage and not result.notices
    odd = write_visited(tmp_path / "odd.cubex", [-1, 0], ("main", LOCAL), [1, 9_000_000], [5.0, 0.1])
    assert made(odd, to="gcc").notices == (
        f"left out, since the list cannot name them unambiguously: {LOCAL}",
    )


def test_rules_of_an_existing_file_win_and_that_is_said(profile, tmp_path):
    existing = tmp_path / "hand.filter"
    existing.write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE setup\nSCOREP_REGION_NAMES_END\n")
    assert made(profile, merge=existing).notices == (
        f"rules of {existing} override the decision about: setup",
    )
    assert made(profile, merge=tmp_path / "none").notices == ()
    existing.write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE tiny\nSCOREP_REGION_NAMES_END\n")
    assert made(profile, merge=existing).notices == ()


def test_a_filter_is_stored_with_its_evidence(profile, tmp_path):
    result = made(profile)
    store_filter(tmp_path / "new" / "app.filter", result)
    assert read_filter(tmp_path / "new" / "app.filter") == result.text
    assert json.loads((tmp_path / "new" / "app.filter.json").read_text())["method"] == result.decision.method


def test_bytes_of_a_filter_that_are_not_utf8_survive(tmp_path):
    (tmp_path / "f").write_bytes(b"EXCLUDE \xff")
    assert read_filter(tmp_path / "f") == "EXCLUDE \udcff"
    with pytest.raises(InputError, match="cannot be read \\(No such file or directory\\)"):
        read_filter(tmp_path / "none")


def growing_study(folder, points, share=1e-4):
    for p in points:
        time = (0.01 / p, 10.0 / p, share * p, 0.001 / p)
        write_profile(folder / f"app.p{p}.r1" / "profile.cubex", visits=(1, 100, 1_000_000, 1), time=time)
    return folder


def analysis_of(folder):
    return modelled(ingest(locate(folder), "time"), Options(), "time")


def test_regions_that_will_matter_are_protected(tmp_path):
    assert growing_regions(analysis_of(growing_study(tmp_path / "many", (1, 2, 4, 8, 16), 0.01))) == ("tiny",)
    assert growing_regions(analysis_of(growing_study(tmp_path / "three", (1, 4, 16), 0.1))) == ("tiny",)
    assert growing_regions(analysis_of(growing_study(tmp_path / "two", (1, 16), 0.1))) == ()
    assert growing_regions(analysis_of(growing_study(tmp_path / "small", (1, 2, 4, 8, 16), 1e-7))) == ()


def reasons_in(result):
    return {entry.region: entry.reason for entry in result.evidence.regions}


def test_a_study_protects_what_grows_and_reports_what_it_could_not_read(tmp_path):
    study = growing_study(tmp_path, (1, 2, 4, 8, 16), 0.5)
    (study / "app.p32.r1").mkdir()
    result, skipped = filter_of_path(study, Options())
    assert reasons_in(result)["tiny"] == "growing"
    sentence = "kept because their time grows with the scale: tiny; --no-protect-growing lifts this"
    assert sentence in result.notices
    assert skipped == ({"path": str(study / "app.p32.r1"), "reason": "contains no profile"},)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"protect_growing": False}, "dropped"),
        ({"drop": ("tiny",)}, "asked_to_drop"),
        ({"drop": ("*",), "protect": ("tiny",)}, "protected"),
        ({"max_overhead": 0.001}, "too_costly"),
    ],
)
def test_options_and_a_budget_go_before_the_protection_of_what_grows(tmp_path, options, reason):
    study = growing_study(tmp_path, (1, 2, 4, 8, 16), 0.5)
    result, _ = filter_of_path(study, Options(filter=FilterOptions(**options)))
    assert reasons_in(result)["tiny"] == reason
    assert not any("kept because" in notice for notice in result.notices)


def test_growth_of_the_overhead_is_not_protected(tmp_path):
    result, _ = filter_of_path(growing_study(tmp_path, (1, 2, 4, 8, 16), 0.006), Options())
    assert reasons_in(result)["tiny"] in ("dropped", "too_costly")
    as_measured, _ = filter_of_path(tmp_path, Options(overhead="keep"))
    assert reasons_in(as_measured)["tiny"] in ("dropped", "too_costly")
    assert "growing, but mostly instrumentation overhead, so not protected: tiny" in as_measured.notices


def test_a_single_profile_is_not_modelled(profile):
    result, skipped = filter_of_path(profile, Options(filter=FilterOptions(drop=("setup",))))
    assert skipped == ()
    reasons = {entry.region: entry.reason for entry in result.evidence.regions}
    assert reasons["setup"] == "asked_to_drop"


def test_a_series_file_has_no_profile_to_make_a_filter_from(tmp_path):
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"params": {"p": 1}, "callpath": "main", "metric": "m", "value": 1.0}) + "\n")
    with pytest.raises(InputError, match="no profile to make a filter from"):
        filter_of_path(file, Options())


def test_a_simulation_shows_the_run_of_the_largest_scale(tmp_path):
    for p in (1, 2):
        write_profile(tmp_path / f"app.p{p}.r1" / "profile.cubex", factor=p)
    rules = tmp_path / "rules"
    rules.write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE tiny\nSCOREP_REGION_NAMES_END\n")
    found = simulate_filter(tmp_path, rules, Options())
    assert Path(found.source).parent.name == "app.p2.r1"
    assert (found.measured.callpaths, found.simulated.callpaths) == (4, 3)
    assert found.simulated.time == pytest.approx(found.measured.time)
    assert (found.measured.visits, found.simulated.visits) == (5_000_102, 102)
    assert (found.prediction.visits.unfiltered, found.prediction.visits.run_time) == (5_000_102, 102)
