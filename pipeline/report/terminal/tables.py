"""Tables whose first column holds names: the names get the room that the other columns leave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.table import Table
from rich.text import Text

GAP = 2  # characters between columns
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
) -> Table:
    """Return a table that fits into `width`, if possible.

    Args:
        header: title of the names.
        names: returns the names of all rows, cut to the width that it is given.
        columns: all others; those that can be dispensed with are left out if there is no room.
        width: of the terminal.
        title: of the table.
        shortest: the width that names have at least, if any is as long.
    """
    shown = list(columns)
    shortest = min(shortest, max(map(len, (header, *names(width)))))
    while _room(shown, width) < shortest and any(column.dispensable for column in shown):
        shown.remove(max(shown, key=lambda column: column.dispensable))
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
        table.add_row(Text(name), *(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    return table


def _room(columns: Sequence[Column], width: int) -> int:
    return width - sum(column.width for column in columns)
