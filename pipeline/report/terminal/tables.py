"""Tables whose first column holds names: the names get the room that the other columns leave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from pipeline.report.tables.data_table import DataTable
from pipeline.report.terminal.sentences import wrapped

GAP = 2  # characters between columns
INDENT = "  "  # before cells beneath a name
NARROW = 70  # characters below which rows have two lines rather than fewer columns
SHORTEST_REGION, SHORTEST_CALLPATH = 18, 30  # characters that names get before columns are left out

Cell = str | Text


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column beside the names.

    Attributes:
        header: its title.
        cells: one per row.
        justify: the side on which cells are aligned.
        dispensable: 0 if it is always shown; of the others the largest number is left out first.
        folds_at: width beyond which cells continue on the next line; None keeps them on one.
    """

    header: str
    cells: Sequence[Cell]
    justify: Literal["left", "right"] = "right"
    dispensable: int = 0
    folds_at: int | None = None

    @property
    def width(self) -> int:
        """Characters that it takes with the gap before it."""
        widest = max(map(len, (self.header, *self.cells)))
        return GAP + (widest if self.folds_at is None else min(widest, self.folds_at))


def named_table(
    header: str,
    names: Callable[[int], Sequence[str]],
    columns: Sequence[Column],
    *,
    width: int,
    title: str = "",
    shortest: int = SHORTEST_REGION,
) -> RenderableType:
    """Return a table that fits into `width` without cutting anything but names.

    If there is no room, columns that can be dispensed with are left out. Below `NARROW` characters, and if
    the others need more room still, every name has a line of its own with the cells beneath it.

    Args:
        header: title of the names.
        names: returns the names of all rows, cut to the width that it is given.
        columns: all others.
        width: of the terminal.
        title: of the table.
        shortest: the width that names have at least, if any is as long.
    """
    shortest = min(shortest, max(map(len, (header, *names(width)))))
    shown = _with_room(columns, width, shortest)
    if _room(shown, width) < shortest or (width < NARROW and len(shown) < len(columns)):
        return _stacked(header, names(width), _with_room(columns, width, len(INDENT) - GAP), width, title)
    table = Table(title=Text(title) if title else None, title_justify="left", box=None, pad_edge=False)
    table.add_column(header, no_wrap=True)
    for column in shown:
        folds = column.folds_at is not None
        table.add_column(
            column.header,
            justify=column.justify,
            no_wrap=not folds,
            overflow="fold" if folds else "ellipsis",
            max_width=column.folds_at,
        )
    rows = zip(names(max(_room(shown, width), shortest)), *(c.cells for c in shown), strict=True)
    for name, *cells in rows:
        table.add_row(Text(name), *map(_text, cells))
    return table


def show_data_table(out: Console, table: DataTable) -> None:
    """Print a table with its first column as names, and its notes."""
    shown = [column for column in table.columns if column.shown is not None]
    first, *others = shown
    cells = [
        Column(header=column.title, cells=column.shown or (), justify="right" if column.is_number else "left")
        for column in others
    ]
    out.print(named_table(first.title, lambda _: first.shown or (), cells, width=out.width))
    for note in table.notes:
        out.print(Text(f"Note: {note}"), style="yellow", soft_wrap=True)


def side_by_side(labels: Sequence[str], columns: Sequence[Column], *, width: int) -> list[Table]:
    """Return tables of the same rows, each with as many of the columns as fit into `width`, at least one."""
    tables: list[list[Column]] = [[]]
    room = width - max(map(len, labels), default=0)
    for column in columns:
        if tables[-1] and _room([*tables[-1], column], room) < 0:
            tables.append([])
        tables[-1].append(column)
    return [_labelled(labels, chosen) for chosen in tables]


def _labelled(labels: Sequence[str], columns: Sequence[Column]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column.header, justify=column.justify, no_wrap=True)
    for label, *cells in zip(labels, *(column.cells for column in columns), strict=True):
        table.add_row(label, *cells)
    return table


def _with_room(columns: Sequence[Column], width: int, shortest: int) -> list[Column]:
    """Leave out columns, the most dispensable first, until names have `shortest` characters."""
    shown = list(columns)
    while _room(shown, width) < shortest and any(column.dispensable for column in shown):
        shown.remove(max(shown, key=lambda column: column.dispensable))
    return shown


def _room(columns: Sequence[Column], width: int) -> int:
    return width - sum(column.width for column in columns)


def _text(cell: Cell) -> Text:
    return Text(cell) if isinstance(cell, str) else cell


def _stacked(header: str, names: Sequence[str], columns: Sequence[Column], width: int, title: str) -> Group:
    """Return names on lines of their own, and beneath each its cells on as many lines as they need."""
    lines = [Text(title)] if title else []
    rows = (
        [Text(column.header) for column in columns],
        *zip(*(map(_text, c.cells) for c in columns), strict=True),
    )
    for name, cells in zip((header, *names), rows, strict=True):
        lines += [Text(name), *_cell_lines(cells, columns, width)]
    return Group(*lines)


def _cell_lines(cells: Sequence[Text], columns: Sequence[Column], width: int) -> list[Text]:
    """Align the cells of one row beneath their headers; a cell without room continues on the next line."""
    lines = [Text(INDENT)]
    for cell, column in zip(cells, columns, strict=True):
        if column.folds_at is not None:
            lines += [Text(INDENT + line) for line in wrapped(cell.plain, width - len(INDENT))]
            lines.append(Text(INDENT))
            continue
        widest = max(map(len, (column.header, *column.cells)))
        if len(lines[-1]) > len(INDENT) and len(lines[-1]) + GAP + widest > width:
            lines.append(Text(INDENT))
        if len(lines[-1]) > len(INDENT):
            lines[-1].append(" " * GAP)
        padding = " " * (widest - len(cell))
        lines[-1].append_text(
            Text.assemble(padding, cell) if column.justify == "right" else Text.assemble(cell, padding)
        )
    for line in lines:
        line.rstrip()
    return [line for line in lines if line]
