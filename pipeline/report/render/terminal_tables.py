"""Tables in the terminal: the names get the room that the other columns leave."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline.columns.cells import Cells, DataTable
from pipeline.report.render.console import show_sentence
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.lines import wrapped
from pipeline.wording.quantities import shorten_middle

_GAP = 2  # characters between columns
_INDENT = "  "  # before cells beneath a name
_NARROW = 70  # characters below which rows have two lines rather than fewer columns
_SHORTEST_REGION, _SHORTEST_CALLPATH = 18, 28  # characters that names get before columns are left out
_SHORTEST_NAME = 10  # of these, beside the marks before it
_LEAST_FOLDED, _BESIDE_FOLDED = 24, 46  # characters of a column that folds; of half of what others leave

Names = Callable[[int], Sequence[str]]


def show_table(out: Console, table: DataTable) -> None:
    """Print a table, if it has rows, with its notes."""
    if table.columns[0].values:
        out.print(terminal_table(table, out.width))
    show_notes(out, table.notes)


def show_tables(out: Console, tables: Iterable[DataTable]) -> None:
    """Print tables with an empty line between them."""
    for place, table in enumerate(tables):
        if place:
            out.print()
        show_table(out, table)


def show_notes(out: Console, notes: Iterable[str]) -> None:
    """Print what must be known besides, one sentence per line."""
    for note in notes:
        show_sentence(out, f"Note: {note}", "yellow")


def terminal_table(table: DataTable, width: int, *, names: Names | None = None) -> RenderableType:
    """Return a table that fits into `width` without cutting anything but names.

    Its first column with call paths holds the names, else its first one; those before stand with them.
    Columns without any value are left out, and without room those that can be dispensed with. Below `_NARROW`
    characters, and if the others need more room still, every name has a line of its own with the cells
    beneath it. `names`: writes names within a width, if not as call paths or texts cut in the middle.
    """
    shown = [cells for cells in table.on_screen if not cells.is_empty]
    place = next((n for n, cells in enumerate(shown) if cells.paths), 0)
    before, named, columns = shown[:place], shown[place], shown[place + 1 :]
    title, texts = _with_marks(before, named.heading, names or _names(named))
    deepest = max(map(len, named.paths), default=1)
    behind_marks = len(title) + _SHORTEST_NAME - len(named.heading)
    least = max(_SHORTEST_CALLPATH if deepest > 1 else _SHORTEST_REGION, behind_marks)
    longest = max(len(title), *(len(text) for text in texts(width)), 0)
    shortest = min(least, longest)
    kept = [replace(cells, folds=False) for cells in columns]
    if _room(kept, width) < longest:
        broken = [replace(cells, heading=_in_two_lines(cells)) for cells in columns]
        kept = _with_room(broken, width, shortest)
    if _room(kept, width) < shortest or (width < _NARROW and len(kept) < len(columns)):
        stacked = _with_room(columns, width, len(_INDENT) - _GAP)
        return _stacked(title, texts(width), stacked, width, table.title)
    drawn = Table(
        title=Text(table.title) if table.title else None, title_justify="left", box=None, pad_edge=False
    )
    lines = max((cells.heading.count("\n") for cells in kept), default=0)
    folds_at = _folds_at(width) + max(0, _room(kept, width) - longest)
    drawn.add_column(Text("\n" * lines + title), no_wrap=True)
    for cells in kept:
        drawn.add_column(
            Text("\n" * (lines - cells.heading.count("\n")) + cells.heading),
            justify="right" if cells.is_number else "left",
            no_wrap=not cells.folds,
            overflow="fold" if cells.folds else "ellipsis",
            max_width=folds_at if cells.folds else None,
        )
    rows = zip(texts(max(_room(kept, width), shortest)), *map(_texts, kept), strict=True)
    for name, *row in rows:
        drawn.add_row(name, *row)
    return drawn


def side_by_side(labels: Sequence[str], columns: Sequence[Cells], *, width: int) -> list[Table]:
    """Return tables of the same rows, each with as many of the columns as fit into `width`, at least one."""
    tables: list[list[Cells]] = [[]]
    room = width - max(map(len, labels), default=0)
    for column in columns:
        if tables[-1] and _room([*tables[-1], column], room) < 0:
            tables.append([])
        tables[-1].append(column)
    return [_labelled(labels, chosen) for chosen in tables]


def _labelled(labels: Sequence[str], columns: Sequence[Cells]) -> Table:
    drawn = Table(box=None, pad_edge=False)
    drawn.add_column("", no_wrap=True)
    for column in columns:
        drawn.add_column(Text(column.heading), justify="right", no_wrap=True)
    for label, *row in zip(labels, *map(_texts, columns), strict=True):
        drawn.add_row(label, *row)
    return drawn


def _names(cells: Cells) -> Names:
    if cells.paths:
        return lambda width: distinct_texts(cells.paths, width)
    if cells.is_number:
        return lambda _: cells.texts
    return lambda width: [shorten_middle(text, width) for text in cells.texts]


def _with_marks(
    columns: Sequence[Cells], heading: str, names: Names
) -> tuple[str, Callable[[int], list[Text]]]:
    """Put the texts of columns before names, such as ids, ranks and verdicts."""
    marks = [Text() for _ in columns[0].texts] if columns else []
    title = ""
    for cells in columns:
        widest = max(map(len, (cells.heading, *cells.texts)))
        title += _aligned(Text(cells.heading), widest, cells).plain + " " * _GAP
        for mark, text in zip(marks, _texts(cells), strict=True):
            mark.append_text(_aligned(text, widest, cells)).append(" " * _GAP)

    def texts(width: int) -> list[Text]:
        shown = names(width - len(title))
        before = marks or [Text()] * len(shown)
        return [Text.assemble(mark, name) for mark, name in zip(before, shown, strict=True)]

    return title + heading, texts


def _aligned(text: Text, width: int, cells: Cells) -> Text:
    padding = " " * (width - len(text))
    return Text.assemble(padding, text) if cells.is_number else Text.assemble(text, padding)


def _texts(cells: Cells) -> list[Text]:
    styles = cells.styles or [""] * len(cells.texts)
    return [Text(text, style=style) for text, style in zip(cells.texts, styles, strict=True)]


def _folds_at(width: int) -> int:
    return max(_LEAST_FOLDED, (width - _BESIDE_FOLDED) // 2)


def _width(cells: Cells, width: int) -> int:
    """Characters that a column takes with the gap before it."""
    widest = max(map(len, (*cells.heading.split("\n"), *cells.texts)))
    return _GAP + (min(widest, _folds_at(width)) if cells.folds else widest)


def _in_two_lines(cells: Cells) -> str:
    """Break a heading that is wider than all cells beneath it where its longer line is shortest."""
    words = cells.heading.split(" ")
    if len(words) == 1 or len(cells.heading) <= max(map(len, cells.texts), default=0):
        return cells.heading
    broken = ((" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words)))
    return "\n".join(min(broken, key=lambda lines: max(map(len, lines))))


def _with_room(columns: Sequence[Cells], width: int, shortest: int) -> list[Cells]:
    """Leave out columns, the most dispensable first, until names have `shortest` characters."""
    shown = list(columns)
    while _room(shown, width) < shortest and any(column.dispensable for column in shown):
        shown.remove(max(shown, key=lambda column: column.dispensable))
    return shown


def _room(columns: Sequence[Cells], width: int) -> int:
    return width - sum(_width(column, width) for column in columns)


def _stacked(heading: str, names: Sequence[Text], columns: Sequence[Cells], width: int, title: str) -> Group:
    """Return names on lines of their own, and beneath each its cells on as many lines as they need."""
    lines = [Text(title)] if title else []
    rows = ([Text(column.heading) for column in columns], *zip(*map(_texts, columns), strict=True))
    for name, cells in zip(
        (Text(heading), *names), rows if columns else [()] * (len(names) + 1), strict=True
    ):
        lines += [name, *_cell_lines(cells, columns, width)]
    return Group(*lines)


def _cell_lines(cells: Sequence[Text], columns: Sequence[Cells], width: int) -> list[Text]:
    """Align the cells of one row beneath their headings; one without room continues on the next line."""
    lines = [Text(_INDENT)]
    for cell, column in zip(cells, columns, strict=True):
        if column.folds:
            lines += [Text(_INDENT + line) for line in wrapped(cell.plain, width - len(_INDENT))]
            lines.append(Text(_INDENT))
            continue
        widest = max(map(len, (column.heading, *column.texts)))
        if len(lines[-1]) > len(_INDENT) and len(lines[-1]) + _GAP + widest > width:
            lines.append(Text(_INDENT))
        if len(lines[-1]) > len(_INDENT):
            lines[-1].append(" " * _GAP)
        lines[-1].append_text(_aligned(cell, widest, column))
    for line in lines:
        line.rstrip()
    return [line for line in lines if line]
