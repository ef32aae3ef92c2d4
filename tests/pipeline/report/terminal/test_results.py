"""Ranking, models, predictions and efficiency, from summaries made by hand."""

import re

import pytest

from pipeline.questions.pop_efficiency import EFFICIENCY_METRICS
from pipeline.report.terminal.results import (
    show_crossovers,
    show_efficiency,
    show_head,
    show_models,
    show_predictions,
    show_ranking,
    show_remarks,
    show_result,
    show_shares,
    show_total,
)
from tests.documents import as_summary
from tests.terminal_output import printed
from tests.terminal_output import shown as lines_shown

WIDTH = 100


def kernel(name, value, **changes):
    return {
        "callpath": ["main", name],
        "metric": "effort",
        "unit": "core-s",
        "model": {"formula": f"{value} * p", "terms": [{}]},
        "growth": "p",
        "growth_class": "grows, about p",
        "probability_growing": 0.956,
        "quality": {"smape": 1.25, "cv_smape": 2.5, "points": 3, "repetitions": 3},
        "measured": [value / 8, None, value / 4],
        "share_measured": 0.5,
        "share_at_target": 0.25,
        "predictions": [
            {"at": {"p": 64}, "value": value / 2, "lower": value / 4, "upper": value},
            {"at": {"p": 1048576}, "value": value, "lower": value / 2, "upper": 2 * value},
        ],
        "flags": [],
        "notes": [],
    } | changes


def summary(*regions, **changes):
    regions = regions or (kernel("solve", 100.0), kernel("sum", 50.0))
    total = kernel("total", 150.0, callpath=["total"])
    return {
        "parameters": ["p"],
        "points": [{"p": 1}, {"p": 2}, {"p": 524288}],
        "targets": [{"at": {"p": 64}}, {"at": {"p": 1048576}}],
        "notices": [],
        "scaling_reason": "as asked",
        "kernels": list(regions),
        "regions": list(regions),
        "crossovers": [],
        "region_crossovers": [],
        "not_listed": {"kernels": 0, "regions": 0},
        "total": total,
        "efficiency": {"points": [], "notices": []},
        "runtime": None,
    } | changes


def shown(show, content, *arguments, width=WIDTH, **options):
    return lines_shown(show, as_summary(content), *arguments, width=width, **options)


def coloured(show, content):
    return printed(show, as_summary(content), width=WIDTH, terminal=True)


def test_the_head_counts_and_lists_values():
    first, second = shown(show_head, summary(not_listed={"kernels": 998, "regions": 0}))
    assert (
        first == "3 measurement points (p = 1, 2, 524288), up to 3 repetitions, 1000 call paths in 2 regions"
    )
    assert second == "Scaling: as asked"


def test_the_head_shows_the_ends_of_many_values_and_every_parameter():
    points = [{"p": 2**i, "n": 10 * (i // 5)} for i in range(9)]
    assert shown(show_head, summary(points=points[:8], parameters=["p"]))[0].startswith(
        "8 measurement points (p = 1, 2, 4, 8, 16, 32, 64, 128), "
    )
    assert "(p = 1 .. 256; n = 0, 10)" in shown(show_head, summary(points=points, parameters=["p", "n"]))[0]


def test_the_ranking_shows_the_last_target():
    lines = shown(show_ranking, summary(), by="regions", limit=15)
    assert lines == [
        "Largest regions at p = 1048576 (effort, core-s)",
        "#  region        share now  at target  predicted [core-s]  90 % interval  growth",
        "1  main › solve     50.0 %     25.0 %                 100      50 .. 200  p",
        "2  main › sum       50.0 %     25.0 %                50.0      25 .. 100  p",
    ]


def test_the_ranking_is_cut_and_says_so():
    lines = shown(show_ranking, summary(), by="kernels", limit=1)
    assert lines[0] == "Largest call paths at p = 1048576 (effort, core-s)"
    assert lines[-1] == "1 more left out; --limit shows them"
    assert not any("more" in line for line in shown(show_ranking, summary(), by="kernels", limit=2))


def test_numbers_of_rows_are_aligned():
    lines = shown(show_ranking, summary(*(kernel(f"k{i}", 100.0 - i) for i in range(10))), limit=10)
    assert lines[1].startswith(" #  region")
    assert lines[2].startswith(" 1  main › k0")
    assert lines[11].startswith("10  main › k9")


def test_call_paths_have_their_ids_instead_of_ranks():
    rows = [kernel("a", 9.0, id=17), kernel("b", 8.0, id=105)]
    for show in (show_ranking, show_models, show_predictions):
        lines = shown(show, summary(*rows), by="kernels", limit=5)
        (head,) = (number for number, line in enumerate(lines) if line.startswith("  id  call path"))
        assert [line[:14] for line in lines[head + 1 : head + 3]] == [" #17  main › a", "#105  main › b"]
    assert any(line.startswith("      total ") for line in lines)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_call_paths_that_end_alike_read_differently(width):
    paths = [["main", first, "ComputeMG", "ExchangeHalo", "MPI_Wait"] for first in ("CG", "CG_ref", "TestCG")]
    rows = [kernel("x", 9.0, id=number, callpath=path) for number, path in enumerate(paths, 1)]
    lines = shown(show_ranking, summary(*rows), by="kernels", width=width)
    names = [line.split("  ")[1] for line in lines if line.startswith("#")]
    assert len(set(names)) == 3


def test_large_efforts_are_shown_in_core_hours():
    lines = shown(show_ranking, summary(kernel("a", 3.6e6), kernel("b", 36.0)))
    assert "predicted [core-hours]" in lines[1]
    assert lines[2].endswith(" 1000      500 .. 2000  p")
    assert lines[3].endswith(" 0.0100  0.0050 .. 0.020  p")


def test_no_unit_no_comma():
    assert shown(show_ranking, summary(kernel("a", 1.0, unit="")))[0].endswith("(effort)")


def test_nothing_to_rank_prints_nothing():
    assert shown(show_ranking, summary() | {"regions": []}) == []


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("grows, about p^0.5 to p^1.3", "p^0.5 to p^1.3"),
        ("grows, about n^3 (p unclear: 2 values)", "n^3 (p unclear)"),
        ("constant", "constant"),
        ("grows (law unclear)", "grows (law unclear)"),
    ],
)
def test_growth_in_words(statement, text):
    head, line = shown(show_ranking, summary(kernel("a", 1.0, growth_class=statement)))[1:3]
    assert (re.split("  +", head)[-1], re.split("  +", line)[-1]) == ("growth", text)


def test_start_up_follows_the_kernels_without_a_number_if_it_matters():
    rows = [
        kernel("a", 9.0),
        kernel("b", 8.0),
        kernel("MPI_Init", 7.0, flags=["start_up"]),
        kernel("MPI_Finalize", 1.0, flags=["start_up"], share_measured=0.001, share_at_target=0.001),
    ]
    lines = shown(show_ranking, summary(*rows), limit=1)
    assert lines[2].startswith("1  main › a")
    assert lines[3].startswith("   main › MPI_Init")
    assert lines[4] == "2 more left out; --limit shows them"


def test_one_or_two_scales_are_a_table_of_what_was_measured():
    rows = [kernel("solve", 100.0, predictions=[]), kernel("sum", 50.0, predictions=[])]
    total = kernel("total", 150.0, callpath=["total"], predictions=[], share_measured=1.0)
    found = summary(*rows, total=total, targets=[], notices=["measure more"])
    lines = shown(show_result, found, by="regions", limit=1)
    assert lines[3:] == [
        "Measured (effort)",
        "region        p = 1 [core-s]  p = 524288 [core-s]    share",
        "main › solve            12.5                 25.0   50.0 %",
        "total                   18.8                 37.5  100.0 %",
        "1 more left out; --limit shows them",
        "",
        "measure more",
    ]
    assert shown(show_predictions, found, by="regions", limit=1)[-1] == "measure more"


def test_colours_reach_the_terminal():
    text = coloured(show_ranking, summary(kernel("a", 1.0)))
    assert "\x1b[31mp" in text


def test_nothing_is_red_that_the_model_does_not_support():
    changes = {"growth_class": "grows (law unclear)", "flags": ["unreliable"], "probability_growing": 1.0}
    text = coloured(show_ranking, summary(kernel("a", 1.0, **changes)))
    assert "\x1b[31m" not in text
    assert "\x1b[33mgrows (law unclear)" in text


SHARES = {"a": 0.3, "b": 0.5, "c": 0.05, "d": 0.15}


def test_the_total_has_a_line_per_target():
    assert shown(show_total, summary(), by="regions", width=200) == [
        "Total 75.0 core-s (38 to 150 core-s) at p = 64; most in main › solve 50.0, main › sum 25.0.",
        "Total 150 core-s (75 to 300 core-s) at p = 1048576, 2 times beyond the measured range; most in "
        "main › solve 100, main › sum 50.0.",
    ]


def test_the_answer_names_what_takes_most_and_what_it_takes_now():
    rows = [kernel(name, share, share_at_target=share, share_measured=0.2) for name, share in SHARES.items()]
    lines = shown(show_shares, summary(*rows), by="regions", limit=2, width=200)
    assert lines[0].startswith(
        "At p = 1048576 main › b takes 50.0 %, main › a 30.0 %, main › d 15.0 % of 150 core-s ("
    )
    assert lines[0].endswith("; together 95.0 %, now 60.0 %.")
    assert "2 more left out; --limit shows them" in lines
    (only,) = shown(show_shares, summary(rows[1], total=None), by="regions", limit=2)[:1]
    assert only.startswith("Largest regions")


def test_predictions_far_beyond_the_measured_range_are_warned_of():
    found = summary(points=[{"p": 64}, {"p": 128}])
    warning = "8192 times beyond the measured range (very far: nothing measured supports it)"
    assert warning in shown(show_total, found, by="regions", width=200)[-1]
    large = kernel("total", 3.6e6)
    assert shown(show_total, summary(total=large), by="regions")[0].startswith(
        "Total 500 core-hours (250 to 1000 core-hours) at p = 64"
    )


def crossing(scale, between=(2, 8), probability=0.984, **given):
    return {
        "at": {"p": scale},
        "overtakes": ["main", "int sum(int)"],
        "overtaken": ["main", "solve"],
        "measured": False,
        "seen": False,
        "between": list(between),
        "probability": probability,
    } | given


def test_crossovers_by_region_and_by_call_path():
    regions = [
        crossing(4.086, seen=True),
        crossing(5.2, seen=True, between=(4, 1e6), probability=None),
        crossing(5.2, seen=True, probability=0.9951),
        crossing(1e6, between=(5e5, 2e6)),
        crossing(100, between=(64, None), probability=0.53),
    ]
    found = summary(region_crossovers=regions, crossovers=[crossing(2, seen=True)])
    assert shown(show_crossovers, found) == [
        "Crossovers",
        "  Between p = 2 and 8 sum overtakes solve (seen, 98 % sure)",
        "  Between p = 4 and 1000000 sum overtakes solve (seen, not repeated)",
        "  Between p = 2 and 8 sum overtakes solve (seen, over 99 % sure)",
        "  At p = 1.00 million (500,000 to 2.0 million) sum overtakes solve (predicted, 98 % by p = 1048576)",
        "  At p = 100 (64.0 or later) sum overtakes solve (predicted, 53 % by p = 1048576)",
    ]
    assert shown(show_crossovers, found, by="kernels")[1] == (
        "  Between p = 2 and 8 main › sum overtakes main › solve (seen, 98 % sure)"
    )
    few = shown(show_crossovers, found, limit=1)
    assert few[1].startswith("  At p = 1.00 million ") and few[-1] == "  and 4 more"  # the surest ahead
    three = " ".join(shown(show_crossovers, found, limit=3))
    assert three.count("predicted") == 2 and three.count("(seen, over 99 % sure)") == 1
    assert len(shown(show_crossovers, found, limit=5)) == 6
    assert shown(show_crossovers, summary()) == []


def test_remarks_come_once_with_their_number():
    notes = [["few", "cannot tell"], ["few"], ["few", "[odd]"]]
    found = summary(*(kernel(f"k{i}", 1.0, notes=n) for i, n in enumerate(notes)))
    assert shown(show_remarks, found) == [
        "Note: few (all call paths)",
        "Note: the measurements do not determine the growth (1 call path)",
        "Note: [odd] (1 call path)",
    ]


def test_models_have_their_quality():
    lines = shown(show_models, summary(), by="kernels", limit=1)
    assert lines[2:] == [
        "Models of effort [core-s]",
        "call path     model      growth  SMAPE  SMAPE cv",
        "main › solve  100.0 * p  p       1.2 %     2.5 %",
        "1 more left out; --limit shows them",
    ]


def test_several_metrics_have_a_column():
    rows = (kernel("a", 1.0), kernel("a", 2.0, metric="bytes", unit=""))
    lines = shown(show_models, summary(*rows), by="regions", limit=9)
    assert lines[2] == "Models of effort [core-s], bytes"
    assert lines[3].split()[:2] == ["region", "metric"]
    assert "  effort  core-s  " in lines[4] and " bytes " in lines[5]


def test_predictions_have_a_column_per_target_and_end_with_the_total():
    assert shown(show_predictions, summary(), by="regions", limit=1) == [
        "region         p = 64 [core-s]  p = 1048576 [core-s]",
        "main › solve  50.0 (25 .. 100)       100 (50 .. 200)",
        "total         75.0 (38 .. 150)       150 (75 .. 300)",
        "1 more left out; --limit shows them",
        "In brackets: 90 % intervals of the expected values.",
    ]


def test_predictions_at_large_scales_have_larger_units():
    found = summary(total=kernel("total", 7.2e6, callpath=["total"]))
    lines = shown(show_predictions, found, by="regions", limit=1)
    assert "p = 64 [core-hours]" in lines[0]
    assert lines[2].split()[1:5] == ["1000", "(500", "..", "2000)"]


def efficiency(**values):
    return dict.fromkeys(EFFICIENCY_METRICS) | values


def test_efficiency_has_a_row_per_metric_that_is_known():
    points = [
        {"at": {"p": 1}} | efficiency(overall=0.8, parallel=0.6),
        {"at": {"p": 2}} | efficiency(overall=0.59),
    ]
    found = summary(efficiency={"points": points, "notices": ["IPC needs counters"]})
    assert shown(show_efficiency, found) == [
        "Efficiency (POP)",
        "                      p = 1   p = 2",
        "global efficiency    80.0 %  59.0 %",
        "parallel efficiency  60.0 %       -",
        "Not available: IPC needs counters",
    ]
    text = coloured(show_efficiency, found)
    for colour, share in ((32, "80.0"), (33, "60.0"), (31, "59.0")):
        assert re.search(rf"\x1b\[{colour}m *{share} %", text)
    assert shown(show_efficiency, summary()) == []
