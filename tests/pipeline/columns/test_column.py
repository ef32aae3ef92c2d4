"""Columns: full values for programs, rounded texts in readable units for people."""

import sys

import pytest

from pipeline.columns.cells import Audience
from pipeline.columns.column import (
    ANSWER,
    ESTIMATE,
    EXACT_KIND,
    FIGURE,
    PATH,
    QUANTITY,
    SHARE,
    TEXT,
    TEXTS,
    Column,
    filled,
    parameters,
    stored,
)


def cells(column, *values):
    """Fill a column with values; an estimate has three cells."""
    found = column.filled([{column.key: value} for value in values])
    return found if column.kind is ESTIMATE else found[0]


def test_units_are_in_the_keys():
    columns = [Column(key="name"), Column(key="value", kind=FIGURE, unit="core-s")]
    assert filled(columns, [{"name": "a", "value": 1.0}]).keys == ("name", "value [core-s]")


@pytest.mark.parametrize("name", ["share", "callpath", "kernel"])
def test_a_parameter_yields_to_a_column_of_its_name(name):
    columns = [
        Column(key="path", name="kernel", kind=PATH),
        Column(key="share", kind=SHARE),
        *parameters([name, "p"], [{name: 2.0, "p": 4.0}]),
    ]
    table = filled(columns, [{"path": ["a"], "share": 0.5}])
    assert table.keys == ("kernel", "share", f"{name}_", "p")


def test_values_of_parameters_are_whole_if_they_can_be():
    points = [{"p": 1048576.0, "n": 0.05}, {"p": 2.0}]
    p, n = (column.filled(points)[0] for column in parameters(["p", "n"], points))
    assert (p.values, p.texts, p.heading) == ([1048576, 2], ("1048576", "2"), "p")
    assert (n.values, n.texts) == ([0.05, None], ("0.05", "-"))
    assert isinstance(p.values[0], int)


def test_people_see_intervals_as_one_text_in_one_readable_unit():
    column = Column(key="value", kind=ESTIMATE, unit="core-s")
    value, lower, upper = cells(column, {"value": 7.2e4, "lower": 3.6e4, "upper": 3.6e5}, None)
    assert [one.values for one in (value, lower, upper)] == [[7.2e4, None], [3.6e4, None], [3.6e5, None]]
    assert {one.unit for one in (value, lower, upper)} == {"core-s"}
    assert (value.heading, value.texts) == ("value [core-hours]", ("20.0", "-"))
    assert lower.audience is Audience.PROGRAMS
    assert (upper.heading, upper.texts) == ("90 % interval", ("10 .. 100", "-"))
    assert [one.name for one in (value, lower, upper)] == ["value", "lower", "upper"]
    assert [one.name for one in cells(Column(key="wall", kind=ESTIMATE))] == [
        "wall",
        "wall_lower",
        "wall_upper",
    ]


def test_ends_of_intervals_may_be_unknown_and_infinite():
    column = Column(key="value", kind=ESTIMATE)
    ends = ({"value": 1.0, "lower": low, "upper": sys.float_info.max} for low in (None, 0.5))
    assert cells(column, *ends)[2].texts == ("-", "0.50 .. ∞")


def test_quantities_share_a_unit():
    found = cells(Column(key="cost", kind=QUANTITY, unit="core-s"), 3600.0, 36_000.0, None)
    assert (found.values, found.texts, found.heading) == (
        [3600.0, 36_000.0, None],
        ("1.00", "10.0", "-"),
        "cost [core-hours]",
    )


def test_kernels_are_full_for_programs_and_short_for_people():
    found = cells(Column(key="kernel", kind=PATH), ("int main(int)", "a::f(double)"))
    assert found.values == ("int main(int)/a::f(double)",)
    assert found.texts == ("main › a::f",)
    assert found.paths == [("int main(int)", "a::f(double)")]


@pytest.mark.parametrize(
    ("kind", "value", "text", "is_number"),
    [
        (FIGURE, 1731.4, "1731", True),
        (FIGURE, None, "-", True),
        (EXACT_KIND, 1048576.0, "1048576", True),
        (SHARE, 0.395, "39.5 %", True),
        (SHARE, None, "-", True),
        (ANSWER, True, "yes", False),
        (ANSWER, False, "no", False),
        (TEXT, "", "", False),
        (TEXTS, ["a", "b"], "a b", False),
    ],
)
def test_kinds_say_how_values_are_written(kind, value, text, is_number):
    found = cells(Column(key="a", kind=kind), value)
    assert (found.texts, found.is_number) == ((text,), is_number)


def test_audiences_decide_who_sees_a_column():
    columns = [Column(key=one.name, audience=one) for one in Audience]
    table = filled(columns, [{one.name: "a" for one in Audience}])
    names = [[column.name for column in some] for some in (table.for_programs, table.for_readers)]
    assert names == [["ALL", "FILES", "PROGRAMS"], ["ALL", "FILES"]]
    assert [column.name for column in table.on_screen] == ["ALL", "TERMINAL"]


def test_keys_with_points_lie_deeper():
    assert stored("quality.smape", [{"quality": {"smape": 2.0}}, {"quality": None}, {}]) == [2.0, None, None]
