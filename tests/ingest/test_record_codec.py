"""Records as plain data and arrays: what one turns them into, the other turns back."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, ClassVar

import numpy as np
import pytest

from ingest.arrays import FloatArray, IntArray
from ingest.record_codec import NO_ENTRY, PLAIN, as_plain, document, entry, restored


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True, eq=False)
class Part:
    values: IntArray
    colour: Colour
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Whole:
    table: FloatArray
    parts: tuple[Part, ...]
    by_name: Mapping[str, Part]
    other: Part | None = None
    more: Mapping[str, float] = field(default_factory=dict)


PART = Part(np.array([3, 1]), Colour.RED, ("a", "b", "a"))
WHOLE = Whole(np.array([[0.5, np.nan]]), (PART,), {"x": PART}, more={"y": 1.5})


def parts_of(whole):
    return [*whole.parts, *whole.by_name.values()]


@pytest.mark.parametrize("beside", [True, False])
def test_a_record_comes_back_with_its_arrays_beside_or_within_it(beside):
    arrays = {} if beside else None
    text = json.dumps(as_plain(WHOLE, arrays))
    back = restored(Whole, json.loads(text), arrays)
    assert np.array_equal(back.table, WHOLE.table, equal_nan=True) and back.table.dtype == np.float64
    assert (back.other, back.more, list(back.by_name)) == (None, {"y": 1.5}, ["x"])
    for part in parts_of(back):
        assert part.values.tolist() == [3, 1] and part.values.dtype == np.int64
        assert (part.colour, part.names) == (Colour.RED, ("a", "b", "a"))
    if beside:
        assert list(arrays) == ["table", "parts.0.values", "by_name.x.values"]


def test_an_optional_record_may_be_there_and_fields_may_lack():
    assert restored(Part | None, None) is None
    found = restored(Part | None, {"values": [1], "colour": "red"})
    assert (found.values.tolist(), found.names) == ([1], ())


def test_equal_texts_become_one_object():
    names = restored(Part, {"values": [], "colour": "red", "names": ["ab" * 9, "".join(["ab"] * 9)]}).names
    assert names[0] is names[1]


@pytest.mark.parametrize("plain", [{"values": [1]}, {"values": [], "colour": "blue"}, {"odd": 1}, [1]])
def test_what_makes_no_record_is_an_error_of_its_data(plain):
    with pytest.raises((LookupError, TypeError, ValueError, AttributeError)):
        restored(Part, plain)


def _first(names: tuple[str, ...]) -> str:
    return names[0]


@dataclass(frozen=True, kw_only=True)
class Documented:
    share: float
    unknown: float = np.nan
    colour: Colour = Colour.RED
    names: tuple[str, ...] = field(default=("a", "b"), metadata=entry("name", made=_first))
    more: int | None = field(default=None, metadata=entry(may_lack=True))
    by_colour: Mapping[Colour, tuple[float, ...]] = field(default_factory=dict)
    inner: "Documented | None" = None
    own: str = field(default="", metadata=NO_ENTRY)


def test_a_document_has_rounded_numbers_other_keys_and_not_all_fields():
    plain = {"share": 0.3333333333, "unknown": None, "colour": "red", "name": "a", "by_colour": {}}
    inner = Documented(share=2.0, more=3, by_colour={Colour.RED: (1 / 3, np.nan)})
    found = document(Documented(share=1 / 3, inner=inner))
    assert found == {
        **plain,
        "inner": {
            **plain,
            "share": 2,
            "more": 3,
            "by_colour": {"red": [plain["share"], None]},
            "inner": None,
        },
    }
    assert list(found) == ["share", "unknown", "colour", "name", "by_colour", "inner"]


@dataclass(frozen=True)
class Sums:
    exact_numbers: ClassVar[bool] = True

    totals: dict[str, float]
    inner: object


@dataclass(frozen=True)
class Share:
    of: float


def test_numbers_of_exact_records_and_of_what_they_hold_have_all_their_digits():
    third = 1 / 3
    assert document(Sums({"a": third, "b": math.nan}, [Share(third)])) == {
        "totals": {"a": third, "b": None},
        "inner": [{"of": third}],
    }
    assert document(Share(third)) == {"of": 0.3333333333}


@dataclass(frozen=True)
class Listing:
    rows: Annotated[Sequence[Mapping[str, float]], PLAIN]


def test_rows_that_are_rounded_already_stand_in_a_document_as_they_are():
    rows = [{"value": 1 / 3}]
    assert document(Listing(rows))["rows"] is rows
