"""Names for the array types that pass between the stages."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import chain
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
_Number = TypeVar("_Number", bound=np.generic)


def distinct(values: npt.NDArray[_Number], axis: int | None = None) -> npt.NDArray[_Number]:
    """Return what `np.unique` does; without indices that imports masked arrays, a twentieth of a command."""
    found: npt.NDArray[_Number] = np.unique(values, return_index=True, axis=axis)[0]
    return found


class Rows:
    """A frozen dataclass whose arrays, tuples and parts such as this have one row each per entry.

    Other fields, empty tuples and those named in `_of_all` belong to all rows.
    """

    _of_all: ClassVar[frozenset[str]] = frozenset()

    def __len__(self) -> int:
        return len(next(iter(self._columns().values())))

    def take(self, rows: IntArray | BoolArray) -> Self:
        """Return some of the rows: their numbers, in this order, or whether each is one."""
        return replace(self, **{name: _taken(of, rows) for name, of in self._columns().items()})  # type: ignore[type-var]

    def of_each(self, parts: IntArray) -> Self:
        """Return of each row some of what it has along the second axis, int64[K, n]."""
        return replace(
            self,
            **{name: of[np.arange(len(parts))[:, None], parts] for name, of in self._columns().items()},  # type: ignore[type-var]
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of one or more parts in sequence; what belongs to all is that of the first."""
        columns = [part._columns() for part in parts]
        every = {name: _joined([of[name] for of in columns]) for name in columns[0]}
        return replace(parts[0], **every)  # type: ignore[type-var]

    def _columns(self) -> dict[str, Any]:
        values = {of.name: getattr(self, of.name) for of in fields(self)}  # type: ignore[arg-type]
        return {
            name: of
            for name, of in values.items()
            if name not in self._of_all
            and (isinstance(of, np.ndarray | Rows) or (isinstance(of, tuple) and of))
        }


def _taken(column: Any, rows: IntArray | BoolArray) -> Any:  # noqa: ANN401
    if isinstance(column, tuple):
        return tuple(column[row] for row in np.arange(len(column))[rows].tolist())
    return column.take(rows) if isinstance(column, Rows) else column[rows]


def _joined(parts: Sequence[Any]) -> Any:  # noqa: ANN401
    if isinstance(parts[0], tuple):
        return tuple(chain.from_iterable(parts))
    return type(parts[0]).joined(parts) if isinstance(parts[0], Rows) else np.concatenate(parts)


def places_in_groups(group: IntArray) -> IntArray:
    """Return the place of each element among those of its group, in their order, int64[n]."""
    order = np.argsort(group, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order)) - np.searchsorted(group[order], group[order])
    return places


def weighted_quantile(values: FloatArray, weight: FloatArray, share: float) -> float:
    """Return the smallest value up to which a share of the weight lies."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, share * reached[-1])])
