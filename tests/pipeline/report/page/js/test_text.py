"""Numbers and names as people read them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pipeline.wording.quantities import (
    count,
    estimate_text,
    figure,
    interval_text,
    percent,
    point_text,
    quantity,
    value_text,
)
from tests.pipeline.report.page.browser import Scripts

THIN = "\N{NARROW NO-BREAK SPACE}"
INF, NAN = math.inf, math.nan


def texts(scripts: Scripts, name: str, cases: dict[Any, str]) -> None:
    calls = [value if isinstance(value, tuple) else (value,) for value in cases]
    found = scripts.each("text/numbers.js", name, calls)
    assert dict(zip(cases, found, strict=True)) == cases


def ends(lower: float, upper: float) -> dict[str, float]:
    return {"lower": lower, "upper": upper}


def numbers() -> list[float]:
    """Numbers of all sizes, halves between shorter ones, and what lies just beside them."""
    draw = np.random.default_rng(1)
    drawn = 10 ** draw.uniform(-8, 18, 3000) * draw.choice([-1, 1], 3000)
    halves = [n / 2**k for n in range(1, 400, 3) for k in (0, 1, 3, 5)]
    halves += [n + 0.5 for n in (100, 101, 1234, 9999, 12345, 99_950, 123_450)]
    edges = [0.0, 1, 999.5, 999.6, 9994, 9999.5, 10_000, 999_499, 999_500, 1e6, 0.0001, 0.00009996, 1e15, INF]
    beside = [float(np.nextafter(value, end)) for value in (0.125, 2.5, 12.25, 1234.5) for end in (-INF, INF)]
    return [float(value) for value in (*drawn, *halves, *edges, *beside)]


def alike(scripts: Scripts, name: str, write: Callable[..., str], calls: Sequence[Sequence[Any]]) -> None:
    found = scripts.each("text/numbers.js", name, calls)
    expected = [write(*call) for call in calls]
    assert [*zip(calls, found, strict=True)] == [*zip(calls, expected, strict=True)]


def test_numbers_are_written_as_in_python(scripts: Scripts) -> None:
    every = numbers()
    alike(scripts, "figure", figure, [[value] for value in every])
    alike(scripts, "figure", figure, [[value, digits] for value in every[::9] for digits in (1, 2, 5)])
    finite = [value for value in every if np.isfinite(value)]
    alike(scripts, "count", count, [[abs(value)] for value in finite if value % 1 != 0.5])
    alike(scripts, "percent", percent, [[value] for value in finite if value >= 0 or value < -0.0005])
    alike(scripts, "valueText", value_text, [[value] for value in finite])
    assert scripts.each("text/numbers.js", "figure", [[NAN]]) == [figure(NAN)] == ["-"]


def test_quantities_and_intervals_are_written_as_in_python(scripts: Scripts) -> None:
    every = [abs(value) for value in numbers() if np.isfinite(value)]
    units = ["s", "sec", "core-s", "GPU-s", "bytes", "B", "J", ""]
    alike(scripts, "quantity", quantity, [[value, unit] for value in every[::5] for unit in units])
    calls = [[value, ends(0.9 * value, 1.3 * value), unit] for value in every[::9] for unit in units]
    alike(
        scripts, "estimateText", lambda value, ends, unit: estimate_text(value, *ends.values(), unit), calls
    )
    alike(scripts, "intervalText", lambda ends: interval_text(**ends), [[call[1]] for call in calls])
    assert (
        scripts.each("text/numbers.js", "intervalText", [[None], [ends(NAN, 1)], [ends(1, NAN)]]) == [""] * 3
    )
    shares = [ends(0.0005, 0.3), ends(0.016, 0.024)]
    written = scripts.evaluate(
        "text/numbers.js", "intervalText, percent", "values[0].map((e) => intervalText(e, percent))", shares
    )
    assert written == [interval_text(*share.values(), percent) for share in shares]
    written = scripts.each(
        "text/numbers.js", "estimateText", [[0.026, ends(0.0056, 0.056), "%"], [2, None, ""]]
    )
    assert written == ["2.6 % (0.6 to 5.6 %)", "2.00"]
    point = {"p": 131_072.0, "n": 2.5}
    assert scripts.each("text/numbers.js", "pointText", [[[*point], [*point.values()]]]) == [
        point_text(point)
    ]


def test_rounding_errors_of_differences_are_nothing(scripts: Scripts) -> None:
    texts(scripts, "percent", {-1e-17: "0.0 %", -0.0005: "-0.1 %", NAN: "-"})


def test_doubling(scripts: Scripts) -> None:
    cases = {0: "×1.00", 1: "×2.00", -1: "×0.500", 1.5: "×2.83", 6.6: "×97.0", 7: "×128", 9.9: "×955"}
    texts(scripts, "doublingText", cases | {10: ">×1000", 286: ">×1000", 2000: ">×1000", -11: "<×0.001"})


def test_labels_of_axes_are_short(scripts: Scripts) -> None:
    cases = {
        0: "0",
        0.3: "0.3",
        0.1 + 0.2: "0.3",
        500: "500",
        9000: "9000",
        20_000: f"20{THIN}k",
        1_000_000: f"1{THIN}M",
        2_500_000: f"2.5{THIN}M",
        3e12: f"3{THIN}T",
        -20_000: f"-20{THIN}k",
        1e16: "1e16",
        0.001: "0.001",
        0.0009: "9e-4",
        6.000000000000001e-5: "6e-5",
    }
    texts(scripts, "tickLabel", cases)


def test_long_names_are_cut_in_the_middle(scripts: Scripts) -> None:
    calls = [("abcdefghij", 10), ("abcdefghij", 9), ("abcdefghij", 4), ("abcdefghij", 2)]
    found = scripts.each("text/names.js", "cutText", calls)
    assert found == ["abcdefghij", "abcd…ghij", "ab…j", "a…"]
    assert [len(text) for text in found] == [10, 9, 4, 2]
