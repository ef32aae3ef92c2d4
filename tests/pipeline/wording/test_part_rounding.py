"""Numbers that add up as they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.wording.part_rounding import Part, amount_text, last_digit, rounded_to_sum, share_texts


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


@given(st.lists(st.floats(0.0, 1e3), min_size=1, max_size=12), st.sampled_from([1e-3, 0.1, 1.0]))
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
