"""Tables of names: they fit, and leave columns out before names become unreadable."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pipeline.report.terminal import console
from pipeline.report.terminal.tables import Column, named_table, side_by_side
from pipeline.wording.quantities import shorten_middle

NAMES = ("a_name_of_24_characters_", "short")
COLUMNS = (
    Column(header="first", cells=("1", "22222"), dispensable=1),
    Column(header="x", cells=(Text("333"), "4"), justify="left", dispensable=2),
    Column(header="always", cells=("5", "6")),
)


def shown(width, columns=COLUMNS, names=NAMES, **options):
    stream = io.StringIO()

    def cut(room):
        return [shorten_middle(name, room) for name in names]

    table = named_table("name", cut, columns, width=width, **options)
    out = console(stream)
    out.width = width
    out.print(table)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_everything_is_shown_if_there_is_room():
    assert shown(44) == [
        "name                      first  x    always",
        "a_name_of_24_characters_      1  333       5",
        "short                     22222  4         6",
    ]


def test_names_are_shortened_before_columns_are_left_out():
    assert shown(38) == [
        "name                first  x    always",
        "a_name_of…racters_      1  333       5",
        "short               22222  4         6",
    ]


def test_the_most_dispensable_column_is_left_out_first():
    wide = (*COLUMNS, Column(header="w" * 44, cells=("7", "8")))
    headers = [shown(width, wide)[0].split()[1:-1] for width in (84, 83, 79, 78, 72)]
    assert headers == [
        ["first", "x", "always"],
        ["first", "always"],
        ["first", "always"],
        ["always"],
        ["always"],
    ]


def test_below_70_columns_rows_have_two_lines_rather_than_fewer_columns():
    assert shown(37) == [
        "name",
        "  first  x    always",
        "a_name_of_24_characters_",
        "      1  333       5",
        "short",
        "  22222  4         6",
    ]
    assert shown(19)[1:4] == ["  first  always", "a_name_of…aracters_", "      1       5"]


def test_columns_that_must_be_shown_continue_on_the_next_line():
    columns = [Column(header=h, cells=("1,234,567", "8")) for h in "abc"]
    assert shown(24, columns)[:5] == [
        "name",
        "          a          b",
        "          c",
        "a_name_of_24_characters_",
        "  1,234,567  1,234,567",
    ]


def test_long_cells_of_stacked_rows_continue_between_words():
    columns = (Column(header="model", cells=("12.5 + 0.034 * p^(3/2)", "b"), justify="left", folds_at=12),)
    assert shown(16, columns) == [
        "name",
        "  model",
        "a_name_o…acters_",
        "  12.5 + 0.034 *",
        "    p^(3/2)",
        "short",
        "  b",
    ]


def test_columns_that_do_not_fit_side_by_side_follow_beneath():
    columns = [Column(header=f"p = {p}", cells=("12 %", "34,567 %")) for p in (1, 2, 3)]
    stream = io.StringIO()
    out = console(stream)
    out.width = 26
    for table in side_by_side(["load", "sum"], columns, width=26):
        out.print(table)
    assert [line.rstrip() for line in stream.getvalue().splitlines()] == [
        "         p = 1     p = 2",
        "load      12 %      12 %",
        "sum   34,567 %  34,567 %",
        "         p = 3",
        "load      12 %",
        "sum   34,567 %",
    ]


def test_short_names_need_no_room():
    assert shown(26, names=("ab", "c"))[0].split() == ["name", "first", "x", "always"]
    assert shown(44, shortest=40)[0].split() == ["name", "first", "x", "always"]  # no name is as long


def test_a_title_stands_above():
    assert shown(44, title="[what]")[0] == "[what]"
    assert len(shown(44)) == 3


def test_long_cells_can_be_folded():
    columns = (Column(header="model", cells=("a" * 30, "b"), justify="left", folds_at=12),)
    lines = shown(40, columns)
    assert [line.split()[-1] for line in lines] == ["model", "a" * 12, "a" * 12, "a" * 6, "b"]


def test_markup_in_cells_is_text():
    lines = shown(60, (Column(header="c", cells=("[red]", "[/]")),))
    assert lines[1].endswith("[red]") and lines[2].endswith("[/]")


CELLS = st.lists(st.text("abc 1", min_size=1, max_size=12), min_size=2, max_size=2)
TABLES = st.lists(st.tuples(CELLS, st.integers(1, 9)), max_size=5)


@given(TABLES, st.integers(18, 90))
def test_a_table_of_dispensable_columns_fits(cells, width):
    columns = [Column(header="h", cells=c, dispensable=rank) for c, rank in cells]
    assert max(map(len, shown(width, columns))) <= width
