import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.wording.quantities import (
    Part,
    amount_text,
    callpath_text,
    count,
    display_unit,
    estimate_text,
    figure,
    given_percent,
    growth_text,
    interval_text,
    last_digit,
    number,
    numbers,
    percent,
    point_text,
    probability_text,
    quantity,
    range_text,
    rounded_to_sum,
    share_texts,
    shorten_middle,
    signed_percent,
    size,
    spoken_interval,
    times,
    without_values,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (6.4321, "6.43"),
        (9.999, "10.0"),
        (576.4, "576"),
        (999.96, "1000"),
        (1731.4, "1731"),
        (9999.0, "9999"),
        (9999.6, "10,000"),
        (12_345.0, "12,300"),
        (999_499.0, "999,000"),
        (999_500.0, "1.00 million"),
        (5_648_000.0, "5.65 million"),
        (2.5e9, "2.50 billion"),
        (7e12, "7.00 trillion"),
        (9.99e14, "999 trillion"),
        (1e15, "1.00e+15"),
        (0.0456, "0.0456"),
        (0.000123, "0.000123"),
        (0.0001, "0.000100"),
        (0.0000456, "4.56e-05"),
        (-12_345.0, "-12,300"),
        (math.inf, "∞"),
        (1.7976931348623157e308, "∞"),  # as JSON holds it
        (-math.inf, "-∞"),
        (math.nan, "-"),
    ],
)
def test_figures_have_three_significant_digits(value, text):
    assert figure(value) == text


def test_figures_have_as_many_digits_as_asked_for():
    assert (figure(1599.23, 5), figure(123_456.7, 5), figure(5_648_000, 2)) == (
        "1599.2",
        "123,460",
        "5.6 million",
    )


@given(st.floats(1e-4, 9e14), st.integers(2, 6))
def test_a_figure_is_its_value_to_half_a_unit_of_the_last_digit(value, digits):
    words = {"million": 1e6, "billion": 1e9, "trillion": 1e12}
    text, _, word = figure(value, digits).partition(" ")
    read = float(text.replace(",", "")) * words.get(word, 1.0)
    assert read == pytest.approx(value, rel=0.5000001 * 10.0 ** (1 - digits))


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (9999.4, "9999"), (9999.6, "10,000"), (415_988, "416,000"), (2e6, "2.00 million")],
)
def test_counts_are_whole_and_then_rounded(number, text):
    assert count(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 MiB"),
        (1, "<0.1 MiB"),
        (2**20 // 10 + 1, "0.100 MiB"),
        (2**20, "1.00 MiB"),
        (2_600_000, "2.48 MiB"),
        (3e9, "2861 MiB"),
        (3e12, "2.86 million MiB"),
    ],
)
def test_sizes_are_in_mebibytes(number, text):
    assert size(number) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0, "s", "0 s"),
        (0.5, "s", "500 ms"),
        (1.0, "sec", "1.00 s"),
        (90.0, "s", "1.50 min"),
        (-90.0, "s", "-1.50 min"),
        (5400.0, "s", "1.50 h"),
        (86400.0, "s", "1.00 d"),
        (2e-6, "s", "2.00 µs"),
        (3e-9, "s", "3.00 ns"),
        (3e-12, "s", "3.00e-12 s"),
        (7.0, "core-s", "7.00 core-s"),
        (35_999.0, "core-s", "36,000 core-s"),
        (36_000.0, "core-s", "10.0 core-hours"),
        (1.0548e9, "core-s", "293,000 core-hours"),
        (5e6, "occ", "5.00 million occ"),
        (100_000.0, "B", "100,000 B"),
        (0.1 * 2**20, "B", "0.100 MiB"),
        (1023 * 2**20, "B", "1023 MiB"),
        (2.5 * 2**30, "B", "2.50 GiB"),
        (5e6 * 2**30, "B", "5.00 million GiB"),
        (3.5e6, "J", "3.50 million J"),
        (3.6e9, "J", "1000 kWh"),
        (5.0, "", "5.00"),
    ],
)
def test_quantities_have_a_unit_that_people_use(value, unit, text):
    assert quantity(value, unit) == text


def test_values_shown_together_share_a_unit():
    assert display_unit("core-s", 36_000.0) == (1 / 3600, "core-hours")
    assert display_unit("core-s", 35_999.0) == (1.0, "core-s")
    assert display_unit("occ", 999_999.0) == (1.0, "occ")
    assert display_unit("occ", 1e6) == (1e-6, "million occ")
    assert display_unit("", 3e12) == (1e-12, "trillion")
    assert display_unit("core-s", 3600e9) == (1 / 3600 / 1e9, "billion core-hours")


def test_a_share_above_zero_never_shows_as_zero():
    assert [percent(share) for share in (0.0, 1e-9, 0.001, 0.123, 1.0, 9.999, 70.054, 1563.4)] == [
        "0.0 %",
        "<0.1 %",
        "0.1 %",
        "12.3 %",
        "100.0 %",
        "999.9 %",
        "7005 %",
        "156,000 %",
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (interval_text(16.0, 28.44), "16 .. 28"),
        (interval_text(16.0, math.inf), "16 .. ∞"),
        (interval_text(math.nan, 28.4), ""),
        (interval_text(0.016, 1.0, percent), "1.6 .. 100 %"),
        (estimate_text(19.3, 16.0, 28.44), "19.3 (16 to 28)"),
        (estimate_text(5.15, 5.15, 28.44), "5.15 (5.15 to 28.4)"),
        (spoken_interval(98.0, 102.0), "98.0 to 102"),
        (estimate_text(72_000.0, 36_000.0, 108_000.0, "core-s"), "20.0 core-hours (10 to 30 core-hours)"),
        (estimate_text(0.09, 0.08, 1.0, "s"), "90.0 ms (80 to 1000 ms)"),
        (estimate_text(5.0, math.nan, math.nan, "s"), "5.00 s"),
        (growth_text("1"), "constant"),
        (growth_text("p^(1/2)"), "p^(1/2)"),
        (probability_text(0.9666), "97 %"),
        (signed_percent(0.0451), "+4.5 %"),
        (signed_percent(-0.12), "-12.0 %"),
        (signed_percent(-2e12), "-200 trillion %"),
        (signed_percent(1e304), "+∞ %"),
        (given_percent(0.8), "80 %"),
        (given_percent(0.005), "0.5 %"),
        (given_percent(0.29), "29 %"),
        (range_text("p", [4.0, 2.0, 4.0, 1048576.0]), "p = 2, 4, 1048576"),
        (range_text("p", [2.0**step for step in range(9)]), "p = 1 .. 256"),
    ],
)
def test_statements_are_written_in_one_notation(text, written):
    assert text == written


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (4.0, "4 times"),
        (3.357, "3.36 times"),
        (512.0, "512 times"),
        (2e7, "20 million times"),
        (5.648e6, "5.65 million times"),
        (100.0, "100 times"),
        (1e-5, "1.00e-05 times"),
    ],
)
def test_factors_have_no_trailing_zeros(factor, text):
    assert times(factor) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("42 % at p = 8, n = 32, most in f", "42 % at p = 8, most in f"),
        ("n = 32, p = 8 (p = 4, n = 32)", "p = 8 (p = 4)"),
        ("p = 8, n = 320, p = 1, n = 32.5, n = 32,000", "p = 8, n = 320, p = 1, n = 32.5, n = 32,000"),
        ("at n = 32", "at n = 32"),
    ],
)
def test_values_said_before_leave_points(text: str, rest: str) -> None:
    assert without_values(text, {"n": 32}) == rest


def test_points_show_values_as_users_write_them():
    assert point_text({"p": 1048576.0, "dt": 0.05}) == "p = 1048576, dt = 0.05"


@given(st.text(max_size=200), st.integers(0, 80))
def test_shortened_text_fits_and_keeps_both_ends(text, width):
    cut = shorten_middle(text, width)
    assert len(cut) == min(len(text), width)
    if len(text) <= width:
        assert cut == text
    elif width > 2:
        head, tail = cut.split("…", 1) if "…" not in text else (cut[: width // 2], cut[width // 2 + 1 :])
        assert text.startswith(head) and text.endswith(tail)
        assert 0 <= len(head) - len(tail) <= 1


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=8), st.integers(4, 100))
def test_call_paths_fit(path, width):
    assert len(callpath_text(path, width)) <= width


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (200, "main › CG › ComputeMG › ComputeSYMGS › ExchangeHalo › MPI_Send"),
        (62, "main › CG › ComputeMG › ComputeSYMGS › ExchangeHalo › MPI_Send"),
        (61, "main › … › ComputeMG › ComputeSYMGS › ExchangeHalo › MPI_Send"),
        (40, "main › … › ExchangeHalo › MPI_Send"),
        (33, "… › ExchangeHalo › MPI_Send"),
        (27, "… › ExchangeHalo › MPI_Send"),
        (26, "main › … › MPI_Send"),
        (19, "main › … › MPI_Send"),
        (14, "… › MPI_Send"),
        (12, "… › MPI_Send"),
        (8, "MPI_Send"),
        (5, "MP…nd"),
    ],
)
def test_the_end_of_a_call_path_matters_most_and_then_the_root(width, text):
    path = ("main", "CG", "ComputeMG", "ComputeSYMGS", "ExchangeHalo", "MPI_Send")
    assert callpath_text(path, width) == text


@pytest.mark.parametrize(
    ("path", "width", "text"),
    [
        (("main", "solve"), 10, "… › solve"),
        (("main", "solve", "sum"), 14, "main › … › sum"),
        (("main", "solve", "sum"), 15, "… › solve › sum"),
        (("main", "solve", "sum"), 18, "main › solve › sum"),
    ],
)
def test_short_call_paths(path, width, text):
    assert callpath_text(path, width) == text


def test_call_paths_have_names_without_signatures():
    assert callpath_text(("int main(int, char**)", "void solve(Matrix&)"), 80) == "main › solve"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3.0, 3),
        (0.1 + 0.2, 0.3),
        (123456789012.5, 123456789000),
        (2.0**53, 9007199255000000.0),
        (1e300, 1e300),
        (float("inf"), 1.7976931348623157e308),
        (float("-inf"), -1.7976931348623157e308),
    ],
)
def test_numbers_of_json_are_readable(value, written):
    assert number(value) == written
    assert type(number(value)) is type(written)


def test_nan_never_reaches_json():
    with pytest.raises(ValueError, match="NaN"):
        number(float("nan"))


def test_a_row_is_rounded_as_its_values_are():
    row = [0.0, -0.0, 1 / 3, 2.0**60, -1e-320, 123456789012.5, float("-inf")]
    assert numbers(row) == [number(value) for value in row]
    assert [type(value) for value in numbers([2.0, 2.5])] == [int, float]
    many = [*row, math.inf, -math.inf, 1.7976931348623157e308, 2.0**53, 2.5, -0.0] * 10
    assert [repr(value) for value in numbers(many)] == [repr(number(value)) for value in many]
    with pytest.raises(ValueError, match="NaN"):
        numbers([*many, math.nan])


def parts(*entries):
    return [Part(tuple(path.split("/")), value, spread) for path, value, spread in entries]


def test_the_widest_interval_takes_what_rounding_leaves_over():
    three = parts(("a", 0.34, 0.0), ("b", 0.34, 0.2), ("c", 0.32, 0.1))
    assert rounded_to_sum(three, 1.0, 0.1) == pytest.approx([0.3, 0.4, 0.3])
    two = parts(("a", 0.16, 0.5), ("b", 0.16, 0.0))
    assert rounded_to_sum(two, 0.32, 0.1) == pytest.approx([0.1, 0.2])


def test_groups_add_up_to_what_is_shown_of_them():
    nested = parts(("a", 0.66, 0.0), ("a/x", 0.33, 0.0), ("a/y", 0.33, 0.1), ("b", 0.34, 0.1))
    assert rounded_to_sum(nested, 1.0, 0.1) == pytest.approx([0.7, 0.3, 0.4, 0.3])


def test_parts_that_do_not_add_up_are_rounded_alone():
    assert rounded_to_sum(parts(("a", 0.26, 0.0), ("b", 0.26, 0.1)), 0.3, 0.1) == pytest.approx([0.3, 0.3])


def test_equal_parts_are_shown_equal():
    """Of three equal loops none is a unit slower for the column to add up; a pair shares two units."""
    loops = parts(*((name, 0.01244, 0.0) for name in "abc"), ("d", 0.0334, 0.0))
    assert rounded_to_sum(loops, 0.07072, 1e-3) == pytest.approx([0.012, 0.012, 0.012, 0.034])
    pairs = parts(("a", 0.24, 0.1), ("b", 0.24, 0.1), ("c", 0.245, 0.0), ("d", 0.245, 0.0))
    assert rounded_to_sum(pairs, 0.97, 0.1) == pytest.approx([0.3, 0.3, 0.2, 0.2])


@given(st.lists(st.floats(0.0, 1e3), min_size=1, max_size=12, unique=True), st.sampled_from([1e-3, 0.1, 1.0]))
def test_sums_shown_are_sums(values, unit):
    total = sum(values)
    found = rounded_to_sum([Part((str(k),), v, v) for k, v in enumerate(values)], total, unit)
    assert sum(found) == pytest.approx(round(total / unit) * unit, abs=1e-6 * unit * len(values))
    assert all(abs(shown - value) <= 1.5 * unit + 1e-9 for shown, value in zip(found, values, strict=True))


@pytest.mark.parametrize(
    ("total", "value", "text"),
    [
        (9.8075, 0.0732, "0.0732"),
        (9.8075, 6.2, "6.2000"),
        (1599.2, 14.8, "14.8"),
        (45678.0, 12345.0, "12,345"),
        (45678.0, 345.0, "345"),
        (0.012345, 0.002, "0.002000"),
        (1.2345e-5, 0.2e-5, "2.0000e-06"),
        (3.4567e7, 1.2e6, "1.2000 million"),
        (0.0, 2.0, "2"),
    ],
)
def test_values_have_the_digits_of_the_total(total, value, text):
    assert amount_text(value, value, last_digit(total, 5), 5) == text


def test_what_is_there_does_not_show_as_nothing():
    unit = last_digit(9.8075, 5)
    assert amount_text(0.0, 2e-5, unit, 5) == "<0.0001"
    assert amount_text(0.0, -2e-5, unit, 5) == ">-0.0001"
    assert amount_text(0.0, 0.0, unit, 5) == "0.0000"
    assert share_texts(parts(("a", 0.9998, 0.0), ("b", 0.0002, 0.0))) == ["100.0 %", "<0.1 %"]


def test_shares_add_up_to_a_hundred():
    shown = share_texts(parts(("a", 1 / 3, 0.3), ("b", 1 / 3, 0.2), ("c", 1 / 3, 0.1)))
    assert shown == ["33.4 %", "33.3 %", "33.3 %"]
