"""Tables whose columns have one row per entry."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray, Rows


@dataclass(frozen=True, eq=False, kw_only=True)
class Part(Rows):
    """A column."""

    value: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(Rows):
    """Columns of every kind."""

    _of_all = frozenset({"points"})

    points: FloatArray
    unit: str
    number: IntArray
    names: tuple[str, ...]
    part: Part


def test_rows_are_taken_and_joined_in_every_column_and_what_belongs_to_all_stays() -> None:
    table = Table(
        points=np.array([1.0, 2.0]),
        unit="s",
        number=np.arange(3),
        names=("a", "b", "c"),
        part=Part(value=np.array([0.5, 1.5, 2.5])),
    )
    assert len(table) == 3

    both = Table.joined([table.take(np.array([2, 0])), table.take(np.array([False, True, False]))])

    assert both.number.tolist() == [2, 0, 1]
    assert both.names == ("c", "a", "b")
    assert both.part.value.tolist() == [2.5, 0.5, 1.5]
    assert (both.points.tolist(), both.unit) == ([1.0, 2.0], "s")
    assert table.take(np.zeros(0, dtype=np.int64)).names == ()
