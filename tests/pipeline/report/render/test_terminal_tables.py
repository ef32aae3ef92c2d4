"""Tables of names: they fit, and leave columns out before names become unreadable."""

import io

from hypothesis import given
from hypothesis import strategies as st

from pipeline.columns.cells import Cells, DataTable
from pipeline.report.render.console import console
from pipeline.report.render.terminal_tables import show_table, side_by_side, terminal_table

NAMES = ("a_name_of_24_characters_", "short")


def cells(heading, texts, *, styles=(), left=False, **options):
    return Cells(
        name=heading, heading=heading, values=texts, texts=texts, styles=styles, is_number=not left, **options
    )


COLUMNS = (
    cells("first", ("1", "22222"), dispensable=1),
    cells("x", ("333", "4"), left=True, dispensable=2, styles=("red", "")),
    cells("always", ("5", "6")),
)


def shown(width, columns=COLUMNS, names=NAMES, title=""):
    stream = io.StringIO()
    table = DataTable(columns=[cells("name", names, left=True), *columns], title=title)
    out = console(stream)
    out.width = width
    out.print(terminal_table(table, width))
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
    wide = (*COLUMNS, cells("w" * 44, ("7", "8")))
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
    columns = [cells(heading, ("1,234,567", "8")) for heading in "abc"]
    assert shown(24, columns)[:5] == [
        "name",
        "          a          b",
        "          c",
        "a_name_of_24_characters_",
        "  1,234,567  1,234,567",
    ]


def test_long_cells_of_stacked_rows_continue_between_words():
    columns = (cells("model", ("12.5 + 0.034 * p^(3/2)", "b"), left=True, folds=True),)
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
    columns = [cells(f"p = {p}", ("12 %", "34,567 %")) for p in (1, 2, 3)]
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


def test_a_title_stands_above():
    assert shown(44, title="[what]")[0] == "[what]"
    assert len(shown(44)) == 3


def test_long_cells_can_be_folded():
    columns = (cells("c" * 8, ("1", "2")), cells("model", ("a" * 30, "b"), left=True, folds=True))
    lines = shown(60, columns)
    assert [line.split()[-1] for line in lines] == ["model", "a" * 24, "a" * 6, "b"]


def test_markup_in_cells_and_headings_is_text():
    lines = shown(60, (cells("c [s]", ("[red]", "[/]")),))
    assert [line.split()[-1] for line in lines] == ["[s]", "[red]", "[/]"]


def test_columns_without_values_are_left_out_and_those_before_names_stand_with_them():
    paths = (("main",), ("main", "solve"))
    names = Cells(name="k", heading="kernel", values=paths, texts=("", ""), paths=paths, is_number=False)
    nothing = Cells(name="share", heading="share", values=(None, None), texts=("-", "-"))
    stream = io.StringIO()
    show_table(console(stream), DataTable(columns=[cells("id", ("#1", "#12")), names, nothing]))
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert lines == [" id  kernel", " #1  main", "#12  main › solve"]


@given(st.integers(70, 110), st.integers(12, 16))
def test_no_number_is_cut_however_wide_the_verdicts_before_the_names_are(width, verdict):
    paths = (("a" * 60,), ("b" * 40,))
    names = Cells(name="k", heading="kernel", values=paths, texts=("", ""), paths=paths, is_number=False)
    before = cells("verdict", ("v" * verdict, "worse"), left=True)
    numbers = [cells(f"at target {n}", (f"{n}.708 .. 1.03 million", f"45.{n} %")) for n in range(3)]
    stream = io.StringIO()
    out = console(stream)
    out.width = width
    out.print(terminal_table(DataTable(columns=[before, names, *numbers]), width))
    for text in ("kernel", *(text for column in numbers for text in column.texts)):
        assert text in stream.getvalue()


def test_of_a_table_without_rows_its_notes_are_shown():
    stream = io.StringIO()
    show_table(console(stream), DataTable(columns=[cells("a", ())], notes=["nothing is known"]))
    assert stream.getvalue() == "Note: nothing is known\n"


CELLS = st.lists(st.text("abc 1", min_size=1, max_size=12), min_size=2, max_size=2)
TABLES = st.lists(st.tuples(CELLS, st.integers(1, 9)), max_size=5)


@given(TABLES, st.integers(18, 90))
def test_a_table_of_dispensable_columns_fits(texts, width):
    columns = [cells("h", of, dispensable=rank) for of, rank in texts]
    assert max(map(len, shown(width, columns))) <= width
