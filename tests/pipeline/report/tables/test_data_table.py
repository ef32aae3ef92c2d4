"""Columns: full values for programs, rounded texts in readable units for people."""

import sys

import pytest

from pipeline.report.tables.data_table import (
    DataTable,
    amounts,
    answers,
    estimates,
    for_programs,
    kernels,
    parameters,
    quantities,
    shares,
    words,
)


def test_units_are_in_the_keys():
    columns = [words("name", ["a"]), amounts("value", [1.0], "core-s")]
    assert DataTable(columns=columns).keys == ("name", "value [core-s]")


@pytest.mark.parametrize("name", ["share", "callpath", "kernel"])
def test_a_parameter_yields_to_a_column_of_its_name(name):
    columns = [kernels([["a"]]), shares("share", [0.5]), *parameters([name, "p"], [{name: 2.0, "p": 4.0}])]
    assert DataTable(columns=columns).keys == ("kernel", "share", f"{name}_", "p")


def test_values_of_parameters_are_whole_if_they_can_be():
    p, n = parameters(["p", "n"], [{"p": 1048576.0, "n": 0.05}, {"p": 2.0}])
    assert (p.values, p.shown, p.title) == ((1048576, 2), ("1048576", "2"), "p")
    assert (n.values, n.shown) == ((0.05, None), ("0.05", "-"))
    assert isinstance(p.values[0], int)


def test_people_see_intervals_as_one_text_in_one_readable_unit():
    entries = [{"value": 7.2e4, "lower": 3.6e4, "upper": 3.6e5}, None]
    value, lower, upper = estimates(entries, "core-s")
    assert [column.values for column in (value, lower, upper)] == [
        (7.2e4, None),
        (3.6e4, None),
        (3.6e5, None),
    ]
    assert {column.unit for column in (value, lower, upper)} == {"core-s"}
    assert (value.title, value.shown) == ("value [core-hours]", ("20.0", "-"))
    assert lower.shown is None
    assert (upper.title, upper.shown) == ("90 % interval", ("10.0 .. 100", "-"))


def test_ends_of_intervals_may_be_unknown_and_infinite():
    _, _, upper = estimates([{"value": 1.0, "lower": None, "upper": sys.float_info.max}], show=str)
    assert upper.shown == ("- .. ∞",)


def test_quantities_share_a_unit():
    column = quantities("cost", [3600.0, 36_000.0, None], "core-s")
    assert (column.values, column.shown, column.title) == (
        (3600.0, 36_000.0, None),
        ("1.00", "10.0", "-"),
        "cost [core-hours]",
    )


def test_kernels_are_full_for_programs_and_short_for_people():
    column = kernels([("int main(int)", "a::f(double)")])
    assert column.values == ("int main(int)/a::f(double)",)
    assert column.shown == ("main › a::f",)
    assert column.paths == (("int main(int)", "a::f(double)"),)


def test_only_numbers_are_called_so():
    assert amounts("a", [1, 2.5, None]).is_number
    assert not words("a", ["1"]).is_number and not answers("a", [True]).is_number


def test_shares_are_percentages_and_answers_words():
    assert shares("share", [0.395, None]).shown == ("39.5 %", "-")
    assert answers("measured", [True, False]).shown == ("yes", "no")
    assert for_programs(answers("measured", [True])).shown is None
