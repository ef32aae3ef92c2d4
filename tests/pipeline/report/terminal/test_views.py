"""Call tree, filter, advice and inspection in the terminal."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from filters.filter_effect import Dilation, Memory, TraceMemory
from filters.filter_options import Application
from ingest.locate import locate
from pipeline.columns.filter_effects import with_range
from pipeline.columns.measured_runs import Extent, InspectedRun, Inspection, Series, advice_table
from pipeline.columns.shown_tree import bar
from pipeline.config.options import FilterOptions, Options
from pipeline.questions.planning.advice import Advice, MeasurementPlan, Settled
from pipeline.report.render.terminal_tables import show_table
from pipeline.report.terminal.filter import effect_sentence, show_effect, show_memory, show_simulation
from pipeline.report.terminal.measurements import show_inspection
from pipeline.report.terminal.results import show_tree
from pipeline.stages.filter import filter_request, make_filter, simulate_filter
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled, tree_values
from tests.cubex_writer import MetricSpec, RegionSpec, write_cubex, write_visited
from tests.terminal_output import printed
from tests.terminal_output import shown as lines_shown

KERNELS = SimpleNamespace(callpaths=(("main",), ("main", "int sum(int)")))


def shown(show, *arguments):
    return lines_shown(show, *arguments, width=100)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, ""),
        (-1.0, ""),
        (1 / 96, "▏"),
        (0.5, "█" * 6),
        (0.5 + 1 / 32, "█" * 6 + "▍"),
        (1.0, "█" * 12),
        (2, "█" * 12),
    ],
)
def test_bars_have_eighths_of_a_character(share, text):
    assert bar(share) == text.ljust(12)


@pytest.fixture
def analysis(strong_study):
    return modelled(ingest(locate(strong_study), "time"), Options(), "time")


def test_the_tree(analysis):
    # core-seconds: 0.25 of main, 64 * 1.003 of solve and 0.5 * 16^2 * 1.003 of sum
    assert shown(show_tree, analysis, *tree_values(analysis, []), 0.0) == [
        "effort measured at p = 16",
        "id  call path                inclusive [core-s]    share  own [core-s]  own growth",
        "#1  main       ████████████                 193  100.0 %         0.250  constant",
        "#2    solve    ████                        64.2   33.3 %          64.2  constant",
        "#3    sum      ████████                     128   66.6 %           128  p^2",
    ]


def test_small_call_paths_of_the_tree_are_counted(analysis):
    values, origin = tree_values(analysis, [])
    assert shown(show_tree, analysis, values, origin, 0.34)[-1] == "1 call path below 34.0 % left out"
    assert len(shown(show_tree, analysis, values, origin, 0.332)) == 5


def test_a_tree_without_values_has_no_shares(analysis):
    lines = shown(show_tree, analysis, np.array([np.nan, np.nan, 0.0]), "measured", 0.0)
    assert all("0.0 %" in line for line in lines[2:])


def test_colours_of_growth_in_the_tree(analysis):
    text = printed(show_tree, analysis, *tree_values(analysis, []), 0.0, terminal=True)
    assert "\x1b[31mp^2" in text and "\x1b[32mconstant" in text


def test_deep_names_are_indented_by_at_most_half_the_width(tmp_path):
    depth = 40
    for p in (1, 2, 4):
        (tmp_path / f"app.p{p}.r1").mkdir()
        metrics = [MetricSpec("time", [[1.0]] * depth)]
        regions = [RegionSpec(f"region_{i}", f"_Z{i}", "compiler") for i in range(depth)]
        write_cubex(
            tmp_path / f"app.p{p}.r1" / "profile.cubex",
            parent=list(range(-1, depth - 1)),
            metrics=metrics,
            regions=regions,
        )
    analysis = modelled(ingest(locate(tmp_path), "time"), Options(), "time")
    lines = shown(show_tree, analysis, *tree_values(analysis, []), 0.0)
    second = next(number for number, line in enumerate(lines) if line.startswith(" #2    region_1 "))
    assert lines[second + 1].startswith(" #3      region_2 ")
    last = lines[-1]
    assert "region_39" in last and max(map(len, lines)) <= 100


PLAN = MeasurementPlan(
    target={"p": 64},
    budget=50_000.0,
    relative_width=0.5,
    plan=(
        Advice(
            at={"p": 32},
            repetitions=3,
            cost=40_000.0,
            relative_width_after=0.25,
            reduction=0.5,
            settles=(Settled(callpath=("main", "sum"), share=0.7),),
        ),
        Advice(at={"p": 48}, repetitions=1, cost=2.0, relative_width_after=0.125, reduction=0.5, settles=()),
    ),
)


def advice(*plans):
    return advice_table(plans, ("p",))


def test_advice_has_a_row_per_measurement_and_says_what_it_is_good_for():
    assert shown(show_table, advice(PLAN)) == [
        "p   runs  cost [core-hours]  interval after  narrower by  clarifies",
        "32     3               11.1           ±12 %       50.0 %  main › sum",
        "48     1           0.000556          ±6.2 %       50.0 %",
        "Note: Measure p = 32, 3 runs (about 11.1 core-hours): interval at p = 64 from ±25 % to about ±12 %.",
        "Note: Total: 11.1 core-hours. Measure in this order.",
    ]


def sentence(**changes):
    return re.sub(r"\n +", " ", "\n".join(shown(show_table, advice(replace(PLAN, plan=(), **changes)))))


def test_without_advice_the_reason_and_what_would_help():
    nothing = (
        "Note: No measurement for up to 13.9 core-hours would make the interval at p = 64 (±25 %) clearly "
    )
    help_ = "narrower and useful; p = 32, 3 runs (about 11.1 core-hours) would: about ±12 %."
    assert sentence(instead=PLAN.plan[0]) == nothing + help_
    scatter = "narrower and useful, not even one there: the measurements scatter too much."
    assert sentence() == nothing + scatter
    within = (
        "Note: p = 64 lies within the measured scales: larger ones would not narrow its interval (±25 %)."
    )
    assert sentence(beyond=False) == within
    narrow = "Note: The interval at p = 64 is narrow (±5.0 %): no measurement would make it clearly narrower."
    assert sentence(relative_width=0.1) == narrow


@pytest.fixture
def profile(tmp_path):
    names = ("main", "Foam::solve(const Matrix&)", "tiny", "setup")
    visits, time = [1, 100, 5_000_000, 1], [0.1, 6.0, 0.5, 2.0]
    return write_visited(tmp_path / "profile.cubex", [-1, 0, 1, 0], names, visits, time)


def made(profile, **options):
    return make_filter(locate(profile).found.runs, filter_request(FilterOptions(**options)))


def test_the_effect_in_one_sentence(profile):
    result = made(profile)
    assert effect_sentence(result) == (
        "drops 2 of 4 functions, 100.0 % of 5.00 million visits and 72.9 % of the computing time; "
        "overhead 11.1 % without it, 1.0 % with it at run time, <0.1 % at compile time"
    )
    same = made(profile, protect=("*",))
    assert effect_sentence(same) == "drops none of 4 functions; overhead 11.1 % with and without it"
    cheap = effect_sentence(made(profile, event_cost=1e-12))
    assert cheap.endswith("with and without it: you need no filter")


def test_nothing_to_filter(tmp_path):
    result = made(write_visited(tmp_path / "p.cubex", [-1], ["MPI_Send"], [1], [1.0]))
    sentence = "finds nothing to filter: the profile has no compiler-instrumented or user regions"
    assert effect_sentence(result) == sentence


def test_the_effect_as_tables(profile, snapshot):
    result = made(profile)
    lines = shown(show_effect, result)
    snapshot("\n".join(lines) + "\n", "filter-effect.txt")


def test_a_budget_is_met_or_not(profile):
    met = " ".join(shown(show_effect, made(profile, max_overhead=0.01)))
    assert "Budget 1.0 % met, applied at run time: predicted 1.0 %; the selection is within 0.0 % of" in met
    missed = made(profile, max_overhead=0.01, protect=("tiny",), applied="compile-time")
    text = " ".join(shown(show_effect, missed))
    assert "Budget 1.0 % not met, applied at compile time: predicted 11." in text


def test_large_dilations_have_three_digits():
    assert with_range(Dilation(1.99999, 1.5, 2.0)) == "2.0000 (1.5000 to 2.00)"
    assert with_range(Dilation(510.2, 200.0, 12_345.0)) == "510 (200 to 12,300)"


def test_memory_is_rounded_up_to_whole_mebibytes():
    before, after = (
        TraceMemory(max_buf=buffer, total_memory=total)
        for buffer, total in ((3_000_000, 5 * 2**20), (2_500_000, 4 * 2**20 + 1))
    )
    assert shown(show_memory, Memory(before, after)) == [
        "Trace memory per process: 2.86 MiB, with the filter 2.38 MiB; SCOREP_TOTAL_MEMORY=5M"
    ]


def test_a_simulation(profile, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE tiny\nSCOREP_REGION_NAMES_END\n")
    lines = shown(show_simulation, simulate_filter(profile, rules, Options()))
    assert lines[:5] == [
        "what                  measured  with filter",
        "call paths                   4            3",
        "regions called               4            3",
        "visits          5.0001 million          102",
        "time in core-s          8.6000       8.6000",
    ]
    assert lines[5].startswith("predicted dilation, no filter: 1.11")
    assert lines[6].startswith("predicted dilation, at run time: 1.00")
    assert lines[8] == "The times include the overhead that the filter would remove."
    assert Application.RUN_TIME.value == "run time"


def inspected(**changes):
    run = InspectedRun(
        path="study/app.p4.r1/profile.cubex",
        format="CUBE",
        at=[4.0],
        repetition=1,
        callpaths=425,
        regions=56,
        processes=4,
        locations=8,
        accelerators=0,
        metrics=["time [s]", "visits"],
        metadata={},
        settings={},
        memory=None,
        notices=["odd"],
        totals={"time [s]": 1234.5678901234},
    )
    other = replace(run, path="elsewhere/x", at=[8.0], notices=[], totals={})
    found = Inspection(path="study/", parameters=["p"], runs=[run, other], usable=True)
    return replace(found, **changes)


def test_an_inspection():
    assert shown(show_inspection, inspected()) == [
        "OK: 2 runs, p = 4, 8",
        "run                      format  p  rep  call paths  regions  processes  locations  total time [s]",
        "app.p4.r1/profile.cubex  CUBE    4    1         425       56          4          8      1234.56789",
        "elsewhere/x              CUBE    8    1         425       56          4          8               -",
        "Metrics: time [s], visits",
        "Note (1 run): odd",
    ]


def test_an_inspection_of_a_log():
    log = {"statistic": "mean of processes", "reconciled": {"run 1": "timers 1 s", "run 2": "timers 2 s"}}
    rows = [(f"t{i}", 100.0 - i) for i in range(32)]
    run = replace(inspected().runs[0], **log, overlapping=rows, totals={}, notices=[])
    lines = shown(show_inspection, inspected(runs=[run], notices=["the runs do not agree on 'steps'"]))
    assert lines[3:7] == [
        "app.p4.r1/profile.cubex, run 1: timers 1 s; mean of processes",
        "app.p4.r1/profile.cubex, run 2: timers 2 s; mean of processes",
        "overlapping timer  seconds, in no sum",
        "t0                                100",
    ]
    assert lines[0] == "OK: 1 run, p = 4"
    assert lines[-3:] == [
        "and 2 shorter ones",
        "Metrics: time [s], visits",
        "Note: the runs do not agree on 'steps'",
    ]


def test_the_runs_of_a_point_share_a_line():
    one = replace(inspected().runs[0], totals={}, reconciled={"": "timers 9 s = 90.00 % of the stated 10 s"})
    runs = [
        one,
        replace(one, callpaths=430, repetition=2),
        replace(inspected().runs[1], reconciled={"": "timers 10 s = 100.00 % of the stated 10 s"}),
    ]
    lines = shown(show_inspection, inspected(runs=runs))
    assert lines[1:5] == [
        "p  runs  format  call paths  regions  processes  locations",
        "4     2  CUBE    425 .. 430  56       4          8",
        "8     1  CUBE    425         56       4          8",
        "Timers add up to 90.0 to 100.0 % of what the logs state",
    ]
    every = "\n".join(
        shown(lambda out, found: show_inspection(out, found, details=True), inspected(runs=runs))
    )
    assert every.count("of the stated 10 s") == 3 and every.count("app.p4.r1/profile.cubex  CUBE") == 2


def test_an_inspection_begins_with_the_problems():
    problems = ["a: is torn", "b: is of another program"]
    lines = shown(show_inspection, inspected(problems=problems))
    assert lines[:3] == ["2 problems", "  1. a: is torn", "  2. b: is of another program"]
    refused = shown(show_inspection, inspected(problems=problems[:1], usable=False))
    assert refused[0] == "1 problem; `pipeline run` refuses these runs"


EXTENT = Extent(
    runs=2,
    points=2,
    program="SPARTA",
    processes=(112, 229376),
    nodes=(1, 2048),
    repetitions=(1, 6),
    cores="1 core per process",
    core_seconds=103320.0,
)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {},
            "2 runs of SPARTA, p = 4, 8, 1 .. 6 times each, 112 .. 229,376 processes on 1 .. 2048 nodes, "
            "28.7 core-hours (1 core per process)",
        ),
        (
            {"program": "", "nodes": [1, 1], "processes": [8, 8], "repetitions": [1, 1], "core_seconds": 9.0},
            "2 runs, p = 4, 8, once each, 8 processes on 1 node, 9.00 core-s (1 core per process)",
        ),
        (
            {"runs": 1, "points": 1, "processes": None},
            "1 of 2 runs of SPARTA, p = 4, 8, on 1 .. 2048 nodes",
        ),
        (
            {"nodes": None, "core_seconds": 9.0, "repetitions": [3, 3], "processes": (4, 8)},
            "2 runs of SPARTA, p = 4, 8, 3 times each, 9.00 core-s (1 core per process)",
        ),
    ],
)
def test_an_inspection_begins_with_what_there_is_and_what_it_cost(changes, text):
    extent = replace(EXTENT, **changes)
    whole = "\n".join(shown(show_inspection, inspected(extent=extent))).replace("\n  ", " ")
    assert whole.startswith(f"OK: {text}\n")
    whole = "\n".join(shown(show_inspection, inspected(extent=extent, problems=["a: is torn"])))
    assert whole.startswith(f"1 problem\n  1. a: is torn\n{text[:40]}")


def test_an_inspection_without_parameters_and_totals():
    run = replace(inspected().runs[1], at=[])
    lines = shown(show_inspection, inspected(parameters=[], runs=[run]))
    assert lines[0] == "OK: 1 run"
    assert len(lines) == 4


def test_an_inspection_of_a_series():
    series = Series(format="Extra-P text", points=1, repetitions=3, callpaths=2, metrics=["time", "[b]"])
    found = Inspection(path="x", parameters=["p", "n"], series=series, usable=True)
    assert shown(show_inspection, found) == [
        "OK: 1 measurement point",
        "Extra-P text: 1 measurement point, up to 3 repetitions, 2 call paths, metrics time, [b]",
    ]
