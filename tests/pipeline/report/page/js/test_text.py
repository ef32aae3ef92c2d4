"""Numbers and names as people read them."""

import math
from typing import Any

import numpy as np
import pytest

from tests.pipeline.report.page.browser import Scripts

THIN = "\N{NARROW NO-BREAK SPACE}"
INF, NAN = math.inf, math.nan


def texts(scripts: Scripts, name: str, cases: dict[Any, str]) -> None:
    calls = [value if isinstance(value, tuple) else (value,) for value in cases]
    found = scripts.each("text/numbers.js", name, calls)
    assert dict(zip(cases, found, strict=True)) == cases


def test_figures_have_three_digits_and_a_prefix_from_ten_thousand_on(scripts: Scripts) -> None:
    cases = {
        0: "0",
        1: "1.00",
        12.345: "12.3",
        -12.345: "-12.3",
        123.4: "123",
        999.6: "1000",
        1412.4: "1412",
        9994: "9994",
        9996: f"10.0{THIN}k",
        10_000: f"10.0{THIN}k",
        123_456: f"123{THIN}k",
        999_499: f"999{THIN}k",
        999_960: f"1.00{THIN}M",
        5_648_000: f"5.65{THIN}M",
        -5_648_000: f"-5.65{THIN}M",
        1.054e9: f"1.05{THIN}G",
        2e12: f"2.00{THIN}T",
        1.5e15: f"1500{THIN}T",
        1.05e16: "1.05e16",
        1e20: "1.00e20",
        0.0456: "0.0456",
        0.00099996: "0.00100",
        0.0001: "0.000100",
        0.0000123: "1.23e-5",
        NAN: "–",
        INF: "∞",
        -INF: "−∞",
        (1234.5, 2): "1235",
        (12_345, 2): f"12{THIN}k",
        (0.98765, 1): "1",
        (0.0000123, 1): "1e-5",
    }
    texts(scripts, "figure", cases)


def test_figures_are_within_half_a_digit(scripts: Scripts) -> None:
    draw = np.random.default_rng(1)
    values = 10 ** draw.uniform(-8, 18, 2000) * draw.choice([-1, 1], 2000)
    found = scripts.each("text/numbers.js", "figure", [[value] for value in values.tolist()])
    scale = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
    for value, text in zip(values.tolist(), found, strict=True):
        number, _, prefix = text.partition(THIN)
        assert len(number.lstrip("-")) <= 8
        assert float(number) * scale.get(prefix, 1) == pytest.approx(value, rel=0.0051)


def test_amounts_stay_whole(scripts: Scripts) -> None:
    texts(
        scripts, "amount", {0: "0", 7: "7", 7040: "7040", 9999: "9999", 10_000: f"10.0{THIN}k", 7.5: "7.50"}
    )


def test_percentages(scripts: Scripts) -> None:
    cases = {0: "0.0 %", 1: "100.0 %", 0.12345: "12.3 %", 0.001: "0.1 %", 0.000999: "<0.1 %", NAN: "–"}
    texts(scripts, "percent", cases | {-1e-17: "0.0 %", -0.0005: "-0.1 %", -0.2: "-20.0 %"})


def test_doubling(scripts: Scripts) -> None:
    cases = {0: "×1.00", 1: "×2.00", -1: "×0.50", 1.5: "×2.83", 6.6: "×97.01", 7: "×128", 9.9: "×955"}
    texts(scripts, "doublingText", cases | {10: ">×1000", 286: ">×1000", 2000: ">×1000", -11: "<×0.001"})


def test_numbers_in_sentences(scripts: Scripts) -> None:
    cases = {
        0: "0",
        0.0421: "0.0421",
        0.00005204: "5.2e-5",
        0.0001: "0.0001",
        12.34: "12.3",
        999.6: "1,000",
        1412.4: "1,412",
        9999.4: "9,999",
        292_777: "293,000",
        999_600: "1 million",
        5_648_000: "5.65 million",
        1.054e9: "1.05 billion",
        9.99e14: "999 trillion",
        1e15: "1e15",
        -1412: "-1,412",
        INF: "∞",
        NAN: "–",
    }
    texts(scripts, "inWords", cases)


def test_many_core_seconds_are_core_hours(scripts: Scripts) -> None:
    cases = {
        (35_999, "core-s"): "36,000 core-s",
        (36_000, "core-s"): "10 core-hours",
        (1.054e9, "core-s"): "293,000 core-hours",
        (1.054e9, "s"): "1.05 billion s",
        (12.3, ""): "12.3",
        (1.054e9, "core-s", (9e8, 2.2e10)): "293,000 core-hours, 90 % interval 250,000 to 6.11 million",
        (343, "core-s", (341, 36_000)): "343 core-s, 90 % interval 341 to 36,000",
        (343, "core-s", None): "343 core-s",
    }
    texts(scripts, "quantityText", cases)


def test_intervals(scripts: Scripts) -> None:
    texts(scripts, "intervalText", {((1, 20_000),): f"1.00 … 20.0{THIN}k", None: "–"})


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


def test_whole_scales_stay_whole(scripts: Scripts) -> None:
    cases = {
        4: "4",
        131_072: "131072",
        1_048_576: "1048576",
        20.5: "20.5",
        0.123456: "0.1235",
        1234.56: "1234.6",
    }
    texts(scripts, "scaleText", cases | {999.96: "1000", 1e16: "10000000000000000"})
    point = scripts.each("text/numbers.js", "pointText", [(["p", "n"], [131_072, 2.5])])
    assert point == ["p = 131072, n = 2.5"]


def test_long_names_are_cut_in_the_middle(scripts: Scripts) -> None:
    calls = [("abcdefghij", 10), ("abcdefghij", 9), ("abcdefghij", 4), ("abcdefghij", 2)]
    found = scripts.each("text/names.js", "cutText", calls)
    assert found == ["abcdefghij", "abcd…ghij", "ab…j", "a…"]
    assert [len(text) for text in found] == [10, 9, 4, 2]
