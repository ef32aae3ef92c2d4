"""Records (frozen dataclasses) as plain data and arrays for files, and back, whatever their fields are."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from pipeline.wording.quantities import number

Array: TypeAlias = npt.NDArray[Any]

_hints = cache(get_type_hints)


def as_plain(value: Any, arrays: MutableMapping[str, Array] | None = None, place: str = "") -> Any:  # noqa: ANN401
    """Return a record as JSON can hold it; `restored` makes the record of it again.

    Args:
        value: the record, or what its fields may hold: records, tuples, mappings, enumerations, arrays.
        arrays: takes the arrays, by the fields in which they are such as ``tree.parent``; without it they
            become lists.
        place: of the value.
    """
    if isinstance(value, np.ndarray):
        if arrays is None:
            return value.tolist()
        arrays[place] = value
        return None
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: as_plain(part, arrays, _inside(place, name)) for name, part in value.items()}
    if isinstance(value, tuple) and not isinstance(next(iter(value), None), str):
        return [as_plain(part, arrays, _inside(place, number)) for number, part in enumerate(value)]
    return value.value if isinstance(value, Enum) else value


def rounded(plain: Any) -> Any:  # noqa: ANN401
    """Return plain data with all numbers as `number` rounds them for JSON."""
    if isinstance(plain, Mapping):
        return {name: rounded(part) for name, part in plain.items()}
    if isinstance(plain, list | tuple):
        return list(map(rounded, plain))
    return number(plain) if isinstance(plain, float) else plain


def restored(kind: Any, plain: Any, arrays: Mapping[str, Array] | None = None, place: str = "") -> Any:  # noqa: ANN401
    """Return the record of a kind that `as_plain` made plain data and arrays of.

    Equal texts of one tuple become one object. Fields that are not there have their defaults.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: they do not make such a record.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is np.ndarray:
        return np.array(plain, dtype=get_args(parts[1])[0]) if arrays is None else arrays[place]
    if origin in (Union, UnionType):
        (kind,) = (part for part in parts if part is not NoneType)
        return None if plain is None else restored(kind, plain, arrays, place)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(
            **{name: restored(hints[name], plain[name], arrays, _inside(place, name)) for name in plain}
        )
    if origin is tuple:
        return _restored_tuple(parts[0], plain, arrays, place)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: restored(parts[1], part, arrays, _inside(place, name)) for name, part in plain.items()}
    return _restored_scalar(kind, plain, place)


def _restored_scalar(kind: Any, plain: Any, place: str) -> Any:  # noqa: ANN401
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(plain)
    known = plain in get_args(kind) if get_origin(kind) is Literal else isinstance(plain, _types(kind))
    if not known:
        raise ValueError(f"{place} cannot be {plain!r}")
    return plain


def _types(kind: Any) -> Any:  # noqa: ANN401
    """Return what `isinstance` takes for a kind; JSON may have written 8 for 8.0."""
    return {float: (int, float)}.get(kind, kind if kind in (str, bool, int) else object)


def _restored_tuple(
    kind: Any,  # noqa: ANN401
    plain: Sequence[Any],
    arrays: Mapping[str, Array] | None,
    place: str,
) -> tuple[Any, ...]:
    if kind in (str, int, float):
        known: dict[Any, Any] = {}
        return tuple(map(known.setdefault, plain, plain))
    return tuple(restored(kind, part, arrays, _inside(place, number)) for number, part in enumerate(plain))


def _inside(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)
