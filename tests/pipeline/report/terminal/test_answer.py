"""The answer of a study: one screen, and only what was measured if there are too few scales."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.questions.runtime_summary import added_up
from pipeline.report.terminal.answer import show_answer, show_more, show_next_step
from tests.documents import as_summary
from tests.pipeline.report.terminal.summaries import interval, kernel, runtime, strong_entries, summary
from tests.terminal_output import shown as lines_shown

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?")


def shown(show, content, **options):
    return lines_shown(show, as_summary(content), **options)


def answer(content, **options):
    return shown(show_answer, content, **({"name": "app"} | options))


def more(content):
    """What --details adds."""
    return shown(show_more, content)


def one_line(content, start, **options):
    """Return the sentence that starts so."""
    text = re.sub(r"\n  +", " ", "\n".join(answer(content, **options)))
    return next(line for line in text.splitlines() if line.startswith(start))


def test_the_whole_answer():
    assert answer(summary())[:2] == [
        "do not go beyond p = 2 (trust: low).",
        "app: p = 1, 2, 4, 8, up to 3 repetitions, strong scaling",
    ]
    assert answer(summary())[8:] == [
        "Lost at p = 8 (70.0 core-s): MPI_Send 50.0, sum 25.0, 1 other -5.0.",
        "What grows     now  p = 32  growth",
        "MPI_Send    25.0 %  50.0 %  p",
        "sum         12.5 %  25.0 %  grows (law unclear)",
        "Trust: low - the 90 % interval spans a factor of 10; 4 scales (5 wanted);",
        "  held-out check: predicted p = 8 as 44.6 (28 to 114), measured 55.7 core-s",
    ]


def crossing(over, past, probability, **changes):
    return {
        "overtakes": [over],
        "overtaken": [past],
        "at": {"p": 20.0},
        "measured": False,
        "seen": False,
        "between": [12.0, 30.0],
        "probability": probability,
    } | changes


def test_the_likely_crossover_of_what_takes_most_is_said():
    found = [
        crossing("sum", "solve", 0.99),
        crossing("MPI_Send", "sum", 0.3),
        crossing("MPI_Send", "solve", 0.93),
    ]
    lines = more(summary(region_crossovers=found))
    assert "At p = 20.0 (12 to 30) MPI_Send overtakes solve (predicted, 93 % by p = 32)." in lines
    assert " ".join(lines).count("overtakes") == 1
    seen = crossing("sum", "solve", None, seen=True, between=[4, 8])
    assert "Between p = 4 and 8 sum overtakes solve (seen, not repeated)." in more(
        summary(region_crossovers=[seen])
    )
    assert "overtakes" not in " ".join(more(summary(region_crossovers=found[1:2])))


def test_what_was_held_out_is_compared():
    row = {"measured": 100.0, "predicted": interval(95.0, 1.2), "relative_error": -0.05, "inside": True}
    document = {
        "conditions": ["p > 8"],
        "unit": "core-s",
        "points": [{"at": {"p": 16}, **row}, {"at": {"p": 32}, **row, "inside": False}],
        "kernels": [{"callpath": ["int sum(int)"], "mean_error": 0.123, "points": 2, "inside": 1}],
    }
    assert answer(summary(held_out=document))[-8:] == [
        "Held out: p > 8",
        "p   measured [core-s]  predicted [core-s]  90 % interval   error  inside",
        "16                100                95.0      79 .. 114  -5.0 %  yes",
        "32                100                95.0      79 .. 114  -5.0 %  no",
        "Held out at 2 scales: mean error 5.0 %, 1 of 2 inside.",
        "Intervals are those of the expected values, beside which single runs scatter.",
        "region  mean error  inside",
        "sum         12.3 %  1 of 2",
    ]


def test_the_name_may_be_unknown_and_one_repetition_is_said():
    found = summary()
    found["total"]["quality"]["repetitions"] = 1
    assert answer(found, name="")[1] == "p = 1, 2, 4, 8, 1 repetition, strong scaling"


@pytest.mark.parametrize(
    ("at", "end"),
    [
        (8, "(160 to 640 core-s)."),
        (32, ", 4 times beyond the measured range."),
        (33, ", 4.12 times beyond the measured range (far: check it with a run in between)."),
        (129, ", 16.1 times beyond the measured range (very far: nothing measured supports it)."),
        (0.5, ", 2 times beyond the measured range."),
    ],
)
def test_targets_say_how_far_they_lie_beyond_the_measured_range(at, end):
    found = summary()
    found["total"]["predictions"] = [{"at": {"p": at}, **interval(320.0)}]
    text = re.sub(r"\n  +", " ", "\n".join(more(found)))
    assert next(line for line in text.splitlines() if line.startswith(f"At p = {at}")).endswith(end)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"fastest_measured": False}, "Fastest at p = 2 (predicted). 75 % efficient"),
        ({"fastest": {"p": 32}}, "Fastest at p = 32, the largest scale considered."),
        ({"fastest": None}, "75 % efficient up to p = 1."),
        (
            {
                "efficient_up_to": {
                    "threshold": 0.5,
                    "point": {"p": 32},
                    "measured": False,
                    "at_the_end": True,
                }
            },
            "50 % efficient up to p = 32 or beyond (predicted).",
        ),
    ],
)
def test_limits_say_whether_they_are_predicted_or_lie_beyond(changes, text):
    found = summary(runtime=runtime(strong_entries(), **changes))
    assert text in " ".join(more(found))


def test_gains_are_called_so():
    lost = [{"at": {"p": 8}, "measured": True, "core_seconds": -4.0}]
    losses = [{"region": "solve", "at": {"p": 8}, "measured": True, "core_seconds": -4.0}]
    found = summary(runtime=runtime(strong_entries(), lost=lost, losses=losses))
    assert "Gained at p = 8 (4.00 core-s): solve 4.00." in answer(found)


def test_what_all_points_have_in_common_is_said_once():
    entries = [{**one, "point": {**one["point"], "n": 32}} for one in strong_entries()]
    lost = {"at": {"p": 8, "n": 32}, "measured": True, "core_seconds": 70.0}
    row = kernel("MPI_Send", 0.5, predictions=[{"at": {"p": 32, "n": 32}, **interval(160.0)}])
    points = [one["point"] for one in entries[:4]]
    found = {"parameters": ["p", "n"], "points": points, "regions": [row], "targets": []}
    found |= {"targets": [{"at": {"p": 32, "n": 32}, "extrapolation": 4.0, "reach": "near"}]}
    lines = answer(summary(**found, runtime=runtime(entries, lost=[lost])))
    text = " ".join(line.strip() for line in lines)
    assert "strong scaling. All at n = 32." in text
    assert "now  p = 32  growth" in text and "Lost at p = 8 (70.0" in text
    assert text.count("n = 32") == 2  # the values measured, and that all is said of them


def test_without_growth_it_is_said():
    found = summary(regions=[kernel("solve", 0.5, probability_growing=0.4)])
    assert "No function's share will grow." in answer(found)


def test_two_scales_are_a_measured_profile():
    changes = {"fastest": {"p": 4}, "fastest_measured": True, "lost": [], "back_test": None}
    entries = runtime(strong_entries((1, 4), ()), **changes)
    found = summary(points=[{"p": 1}, {"p": 4}], targets=[], runtime=entries, notices=["Too few scales."])
    lines = answer(found)
    assert "Largest as measured: MPI_Send 25.0 %, sum 12.5 %, solve 6.2 %." in lines
    assert "Too few scales." in lines
    assert "Trust: low - 4 scales (5 wanted)" in lines
    assert not any("16 " in line or "interval" in line or "predicted)" in line for line in lines)


@pytest.mark.parametrize(
    ("predicted", "measured", "text"),
    [
        ((1.82e6, 1.5e6, 2.2e6), 2.13e6, "predicted p = 8 as 506 (417 to 611), measured 592 core-hours"),
        ((30e3, 20e3, 72e3), 45e3, "predicted p = 8 as 8.33 (5.6 to 20), measured 12.5 core-hours"),
        ((45e3, 20e3, 72e3), 30e3, "predicted p = 8 as 12.5 (5.6 to 20), measured 8.33 core-hours"),
        (
            (30e3, 20e3, 72e9),
            20e3,
            "predicted p = 8 as 30,000 (not predictable), measured 20,000 core-s",
        ),
    ],
)
def test_the_held_out_value_and_its_prediction_have_one_unit(predicted, measured, text):
    test = {
        "at": {"p": 8},
        "predicted": dict(zip(("value", "lower", "upper"), predicted, strict=True)),
        "measured": measured,
        "judged_by": "measured",
    }
    found = summary(runtime=runtime(strong_entries(), back_test=test))
    assert f"held-out check: {text}" in " ".join(line.strip() for line in answer(found))


def test_metrics_other_than_time_have_no_runtime():
    found = summary(runtime=None)
    found["total"] |= {"metric": "visits", "unit": "occ"}
    assert answer(found)[0].endswith("up to 3 repetitions, visits")
    assert "At p = 32: 320 occ (160 to 640 occ), 4 times beyond the measured range." in answer(found)


def test_notices_of_the_runtime_are_shown():
    found = summary(
        runtime=runtime(strong_entries(), notices=["the longest location takes 2 times the mean"])
    )
    assert answer(found)[-1] == "Note: the longest location takes 2 times the mean."


def test_what_runs_should_be_divided_by_is_named_safely():
    work = {"per": "c bands\x1b[2J", "least": 6, "most": 12, "error": 0.424, "error_per": 0.036}
    text = one_line(summary(differing_work=work), "The runs made")
    assert "\x1b" not in text
    assert text.startswith("The runs made 6 to 12 visits of c bands")
    assert "--per 'c bands" in text and text.endswith("left out from 42.4 % to 3.6 %.")
    steps = one_line(summary(differing_work={**work, "per": "steps"}), "The runs made")
    assert steps.startswith("The runs made 6 to 12 steps: --per steps would bring the error of predicting")


STEP = {"at": {"p": 16}, "repetitions": 3, "cost": 155.0, "relative_width_after": 0.7}
NEXT = {
    "target": {"p": 64},
    "budget": 300.0,
    "beyond": True,
    "relative_width": 1.6,
    "plan": [STEP],
    "instead": None,
}
MEASURE = "Measure p = 16, 3 runs (about 155 core-s): interval at p = 64 from ±80 % to about ±35 %."


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, [MEASURE]),
        (
            {"next_measurement": {**NEXT, "target": {"p": 16}}},
            ["Measure p = 16, 3 runs (about 155 core-s): interval there from ±80 % to about ±35 %."],
        ),
        ({"next_measurement": None}, []),
        ({"runtime": None}, []),
        ({"runtime": runtime(strong_entries(), trust={"verdict": "high", "reasons": []})}, []),
    ],
)
def test_doubts_name_the_next_measurement_and_its_price(changes, lines):
    assert shown(show_next_step, summary(**{"next_measurement": NEXT} | changes), width=120) == lines


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
@example([50.0, 25.0, -5.0])
def test_what_is_shown_of_the_losses_adds_up(parts):
    found = added_up(sum(parts), parts)
    numbers = [*(text for _, text in found.named), found.rest or "0"]
    left = sum(float(text.replace(",", "")) for text in numbers) - float(found.total.replace(",", ""))
    if len(found.named) < len(parts):
        assert abs(left) < 1e-6 * max(map(abs, parts), default=0) + 1e-9
    assert len(found.named) <= 4


@settings(deadline=None)
@given(st.integers(40, 140), st.integers(1, 3), st.floats(1e-3, 1e12), st.integers(9, 10**7))
def test_every_number_is_complete_at_every_width(width, targets, value, last):
    at = [last * 2**i for i in range(targets)]
    found = summary(runtime=runtime(strong_entries((1, 2, 4, 8, 16, 64, 128), at, value)))
    found["total"]["predictions"] = [{"at": {"p": p}, **interval(value * p)} for p in at]
    for row in found["regions"]:
        row["predictions"] = [{"at": {"p": p}, **interval(value * p, 123.0)} for p in at]
    complete = set(NUMBER.findall("\n".join(answer(found, width=4000))))
    lines = [line for line in answer(found, width=width) if "--json" not in line]
    assert max(map(len, lines)) <= width
    assert set(NUMBER.findall("\n".join(lines))) <= complete


def test_what_accelerators_do_stands_beside_the_time_of_hosts():
    rows = [kernel("GPU idle", 0.25), kernel("axpy", 0.5)]
    lines = shown(show_answer, summary(metrics={"gpu_time": {"regions": rows}}), name="app")
    (line,) = [line for line in lines if line.startswith("On GPUs")]
    assert line == "On GPUs now: axpy 25.0 %, GPU idle 12.5 % (--metric gpu_time)."
    assert not [line for line in shown(show_answer, summary(), name="app") if "GPU" in line]


def test_what_would_gain_most_is_one_line_if_anything_would():
    row = {"callpath": ["MPI_Send"], "by": "perfect scaling", "gain": interval(4.0), "share": 0.4}
    best = {"at": {"p": 32}, "wall_seconds": 10.0, "kernels": [row]}
    lines = answer(summary() | {"potential": best})
    assert "If MPI_Send scaled perfectly, p = 32 would take 6.00 s instead of 10.0 s." in lines
    nothing = best | {"kernels": [row | {"gain": interval(1e-4)}]}
    assert answer(summary() | {"potential": nothing}) == answer(summary() | {"potential": None})
