"""Records (frozen dataclasses) as plain data and arrays for files, and back, and as published documents."""

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from ingest.number_text import number

Array: TypeAlias = npt.NDArray[Any]

_AS_THEY_ARE = {str, int, bool, NoneType}
_hints = cache(get_type_hints)


def as_plain(value: Any, arrays: MutableMapping[str, Array] | None = None, place: str = "") -> Any:  # noqa: ANN401
    """Return a record, or what its fields may hold, as JSON can hold it; `restored` makes it of that again.

    `arrays` takes the arrays, by the fields in which they are such as ``tree.parent``; without it they become
    lists.
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


@dataclass(frozen=True, kw_only=True)
class Entry:
    """How a field of a record stands in its document."""

    field: str
    key: str  # its name there; empty if it is not there
    kind: Any  # its type, with what `Annotated` says of it
    # makes what stands there of its value, whose type is then what this returns
    made: Callable[[Any], Any] | None = None
    may_lack: bool = False  # whether it is left out if it is None
    # whether its value is what stands there (`PLAIN`): many rows that are rounded already
    plain: bool = False

    @property
    def spread(self) -> bool:
        """Whether the entries of its value, a mapping, stand there instead (`SPREAD`)."""
        return self.key == _ALL_OF_IT


_ALL_OF_IT = "*"
PLAIN = "plain"  # in `Annotated`: a field's value stands in documents as it is


def entry(
    key: str | None = None, *, made: Callable[[Any], Any] | None = None, may_lack: bool = False
) -> Mapping[str, Any]:
    """Return the metadata of a field whose entry in documents is not its value by its name; see `Entry`."""
    return {"entry": (key, made, may_lack)}


NO_ENTRY = entry("")
SPREAD = entry(_ALL_OF_IT)


@cache
def entries(kind: type) -> tuple[Entry, ...]:
    """Return what the document of a kind of record has, in its order."""
    hints = get_type_hints(kind, include_extras=True)

    def found() -> Iterator[Entry]:
        for one in fields(kind):
            key, made, may_lack = one.metadata.get("entry", (None, None, False))
            hint = hints[one.name] if made is None else get_type_hints(made, include_extras=True)["return"]
            name = one.name if key is None else key
            if name:
                plain = PLAIN in getattr(hint, "__metadata__", ())
                yield Entry(field=one.name, key=name, kind=hint, made=made, may_lack=may_lack, plain=plain)

    return tuple(found())


def document(value: Any, *, exact: bool = False) -> Any:  # noqa: ANN401
    """Return a record as its published document, null for NaN.

    Numbers are rounded as `number` does unless they are exact, as in records that say so by
    ``exact_numbers``.
    """
    if isinstance(value, float):
        return None if math.isnan(value) else value if exact else number(value)
    if type(value) in _AS_THEY_ARE:
        return value
    if is_dataclass(value):
        kind: Any = type(value)
        exact = exact or getattr(kind, "exact_numbers", False)
        found: dict[str, Any] = {}
        for one in entries(kind):
            part = getattr(value, one.field)
            if part is None and one.may_lack:
                continue
            made = part if one.plain else document(one.made(part) if one.made else part, exact=exact)
            found |= made if one.spread else {one.key: made}
        return found
    if isinstance(value, Mapping):
        return {
            name.value if isinstance(name, Enum) else name: document(part, exact=exact)
            for name, part in value.items()
        }
    if isinstance(value, tuple | list):
        return [document(part, exact=exact) for part in value]
    return str(value) if isinstance(value, Path) else value.value if isinstance(value, Enum) else value


def restored(kind: Any, plain: Any, arrays: Mapping[str, Array] | None = None, place: str = "") -> Any:  # noqa: ANN401
    """Return the record of a kind that `as_plain` made plain data and arrays of.

    Equal texts of one tuple become one object. Fields that are not there have their defaults.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is np.ndarray:
        return np.array(plain, dtype=get_args(parts[1])[0]) if arrays is None else arrays[place]
    if origin in (Union, UnionType):
        (kind,) = (part for part in parts if part is not NoneType)
        return None if plain is None else restored(kind, plain, arrays, place)
    if isinstance(kind, type) and is_dataclass(kind):
        return _restored_record(kind, plain, arrays, place)
    if origin is tuple:
        return _restored_tuple(parts[0], plain, arrays, place)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: restored(parts[1], part, arrays, _inside(place, name)) for name, part in plain.items()}
    return _restored_scalar(kind, plain, place)


def _restored_record(
    kind: type, plain: Mapping[str, Any], arrays: Mapping[str, Array] | None, place: str
) -> Any:  # noqa: ANN401
    hints = _hints(kind)
    named = {one.key: one.field for one in entries(kind)} | {name: name for name in hints}
    spread = {one.field: {**plain} for one in entries(kind) if one.spread}
    if spread:
        plain = {name: part for name, part in plain.items() if name in named}
    held = {named[name]: part for name, part in plain.items()}
    parts = {name: restored(hints[name], part, arrays, _inside(place, name)) for name, part in held.items()}
    parts |= {name: hints[name].restored(whole) for name, whole in spread.items()}
    return kind(**parts)


def _restored_scalar(kind: Any, plain: Any, place: str) -> Any:  # noqa: ANN401
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(plain)
    if kind is float and plain is None:
        return math.nan  # as `document` writes it
    types: Any = (int, float) if kind is float else kind if kind in (str, bool, int) else object
    if not (plain in get_args(kind) if get_origin(kind) is Literal else isinstance(plain, types)):
        raise ValueError(f"{place} cannot be {plain!r}")
    return plain


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
