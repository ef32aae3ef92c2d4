"""The table of scales: its rows, and what is left out if there is no room; never a part of a number."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.report.terminal.answer import shared_values, show_scales
from tests.documents import as_runtime
from tests.pipeline.report.terminal.summaries import entry, interval, runtime, strong_entries
from tests.terminal_output import shown as lines_shown

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?")


def shown(show, content, **options):
    return lines_shown(show, as_runtime(content), **options)


def test_strong_scaling_shows_time_speed_up_and_efficiency_with_intervals_next_to_targets():
    assert shown(show_scales, runtime(strong_entries())) == [
        "p                    1       2       4       8  |     32   (predicted)",
        "wall time [s]     10.0    10.0    10.0    10.0  |   10.0     5.0 .. 20",
        "speed-up          1.00    1.00    1.00    1.00  |   1.00   0.50 .. 2.0",
        "efficiency     100.0 %  50.0 %  25.0 %  12.5 %  |  3.1 %  1.6 .. 6.2 %",
    ]


def test_studies_without_targets_show_what_was_measured():
    assert shown(show_scales, runtime(strong_entries((1, 4), ()))) == [
        "p                    1       4",
        "wall time [s]     10.0    10.0",
        "speed-up          1.00    1.00",
        "efficiency     100.0 %  25.0 %",
    ]


def test_sizes_per_second_are_relative_and_weak_scaling_its_efficiency():
    sizes = [entry({"p": p}, measured=p < 8, wall_seconds=1.0, work_rate=p) for p in (2, 4, 8)]
    assert shown(show_scales, runtime(sizes, compared_by="size"))[2:] == [
        "p per second, relative  2.00  4.00  |  8.00    4.0 .. 16",
    ]
    assert "p per second, relative  2.00  4.00" in shown(show_scales, runtime(sizes[:2], compared_by="size"))
    weak = [entry({"p": p}, measured=p < 8, wall_seconds=1.0, weak_efficiency=0.5) for p in (2, 4, 8)]
    assert shown(show_scales, runtime(weak, compared_by="weak"))[2].split()[:4] == [
        "weak",
        "efficiency",
        "50.0",
        "%",
    ]


def test_without_locations_effort_is_shown_and_an_unknown_interval_is_left_out():
    entries = [entry({"p": p}, measured=p < 8, effort=7.0) for p in (2, 4, 8)]
    entries[-1]["effort"]["lower"] = None
    assert shown(show_scales, runtime(entries, compared_by="unknown"))[1:] == [
        "effort [core-s]  7.00  7.00  |  7.00"
    ]


@pytest.mark.parametrize(("seconds", "text"), [(0.05, "ms"), (0.1, "s"), (36_000.0, "h")])
def test_wall_time_has_a_readable_unit(seconds, text):
    lines = shown(show_scales, runtime(strong_entries(time=seconds)))
    assert lines[1].startswith(f"wall time [{text}] ")


def test_efficiencies_near_zero_and_infinite_ends_have_no_exponents():
    entries = strong_entries()
    entries[-1]["efficiency"] = {"value": 1e-6, "lower": 1e-9, "upper": 1.7e308}
    lines = shown(show_scales, runtime(entries))
    assert lines[-1].endswith("<0.1 %  not predictable")


def test_scales_in_the_middle_are_left_out_first_and_it_is_said():
    scales = [2**i for i in range(12)]
    lines = shown(show_scales, runtime(strong_entries(scales, (8192,)), fastest={"p": 64}), width=70)
    header = lines[0].split()
    assert header[:2] == ["p", "1"] and "…" in header
    assert (
        "64" in header and "2048" in header and header[-2:] == ["8192", "(predicted)"]
    )  # the fastest, the ends, the target
    assert re.fullmatch(r"\d of 13 scales shown; --json has all\.", lines[-1])
    assert len(shown(show_scales, runtime(strong_entries(scales, (8192,))), width=150)) == 4


def test_scales_become_sentences_if_not_even_three_fit():
    lines = shown(show_scales, runtime(strong_entries(time=12345.678)), width=30)
    assert lines[:3] == ["p = 1, measured: wall time [s]", "  12,300, speed-up 1.00,", "  efficiency 100.0 %"]
    assert any("(6173 .. 25,000)" in line for line in lines[-4:])


def test_several_parameters_show_the_scales_of_the_target():
    entries = [
        entry({"p": p, "n": n, "m": 3}, measured=p < 9, wall_seconds=float(n))
        for n in (16, 32)
        for p in (1, 8)
    ]
    entries.append(entry({"p": 64, "n": 32, "m": 3}, measured=False, wall_seconds=5.0))
    lines = shown(show_scales, runtime(entries, compared_by="unknown"))
    assert lines[:2] == [
        "p                 1     8  |    64  (predicted)",
        "wall time [s]  32.0  32.0  |  5.00    2.5 .. 10",
    ]
    assert shared_values(as_runtime(runtime(entries, compared_by="unknown"))) == {"n": 32, "m": 3}


def test_a_target_of_other_parameters_has_them_in_a_row():
    entries = [entry({"p": p, "n": 16}, wall_seconds=1.0) for p in (1, 8)]
    entries.append(entry({"p": 8, "n": 64}, measured=False, wall_seconds=5.0))
    lines = shown(show_scales, runtime(entries, compared_by="unknown"))
    assert lines[0].split() == ["p", "1", "8", "|", "8", "(predicted)"]
    assert lines[1].split() == ["n", "16", "16", "|", "64"]


VALUES = st.floats(1e-6, 1e13)


@st.composite
def runtimes(draw):
    names = draw(st.sampled_from([("p",), ("p", "n"), ("p", "n", "threads")]))
    scales = sorted(draw(st.sets(st.integers(1, 10**6), min_size=1, max_size=15)))
    targets = draw(st.lists(st.integers(1, 10**9), min_size=1, max_size=3, unique=True))
    entries = []
    for p in (*scales, *targets):
        point = {"p": p} | {name: draw(st.sampled_from([8, 16, 1024])) for name in names[1:]}
        found = entry(point, measured=len(entries) < len(scales))
        for key in ("wall_seconds", "speedup", "efficiency"):
            found[key] = interval(draw(VALUES), draw(st.floats(1.0, 1e6)))
        entries.append(found)
    return runtime(entries)


@settings(deadline=None)
@given(runtimes(), st.integers(40, 140))
def test_every_number_is_complete_at_every_width(found, width):
    complete = set(NUMBER.findall("\n".join(shown(show_scales, found, width=4000))))
    lines = [line for line in shown(show_scales, found, width=width) if "--json" not in line]
    assert max(map(len, lines)) <= width
    assert set(NUMBER.findall("\n".join(lines))) <= complete
