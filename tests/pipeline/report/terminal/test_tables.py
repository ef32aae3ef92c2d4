"""Tables of names: they fit, and leave columns out before names become unreadable."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pipeline.report.formatting import shorten_middle
from pipeline.report.terminal import console
from pipeline.report.terminal.tables import Column, named_table

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
    headers = [shown(width)[0].split()[1:] for width in (38, 37, 33, 32, 26)]
    assert headers == [
        ["first", "x", "always"],
        ["first", "always"],
        ["first", "always"],
        ["always"],
        ["always"],
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
