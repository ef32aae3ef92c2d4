"""Kinds of values that columns hold: how one is written for people, and what it is in JSON."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.wording.quantities import figure, growth_text, percent, probability_text, value_text

ABSENT = "-"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of values.

    Attributes:
        name: by which the page finds the function that writes one.
        write: writes a value for people.
        json: what JSON holds, as a JSON schema.
        is_number: whether texts are aligned as numbers.
        may_lack: whether JSON leaves out a value that there is not, instead of writing null.
    """

    name: str
    write: Callable[[Any], str]
    json: Mapping[str, Any]
    is_number: bool = True
    may_lack: bool = False


def percentage(value: float) -> str:
    """Write what is in per cent already: ``4.2 %``."""
    return f"{value:.1f} %"


def _words(texts: list[str]) -> str:
    return " ".join(texts)


SHARE_OF_ONE = {"$ref": "#/$defs/share"}
TEXT = Kind(name="text", write=str, json={"type": "string"}, is_number=False)
TEXTS = Kind(name="texts", write=_words, json={"type": "array", "items": {"type": "string"}}, is_number=False)
ANSWER = Kind(
    name="answer", write=lambda yes: "yes" if yes else "no", json={"type": "boolean"}, is_number=False
)
PATH = Kind(
    name="path",
    write="/".join,
    json={"type": "array", "items": {"type": "string"}, "minItems": 1},
    is_number=False,
)
GROWTH = Kind(name="growth", write=growth_text, json={"type": "string"}, is_number=False)
FIGURE = Kind(name="figure", write=figure, json={"type": "number"})
QUANTITY = Kind(name="quantity", write=figure, json={"type": "number"})
"""Numbers of one column, shown in the unit that all are easy to read in."""
ESTIMATE = Kind(name="estimate", write=figure, json={"$ref": "#/$defs/figure"})
"""``value``, ``lower`` and ``upper``, shown as two columns: the value and the interval."""
EXACT = Kind(name="exact", write=value_text, json={"type": "number"})
WHOLE = Kind(name="whole", write=value_text, json={"type": "integer", "minimum": 0})
SHARE = Kind(name="share", write=percent, json=SHARE_OF_ONE)
SHARE_OF_SUM = Kind(name="share", write=percent, json={"oneOf": [SHARE_OF_ONE, {"type": "null"}]})
"""A share of a total, None if there is no total."""
PROBABILITY = Kind(name="probability", write=probability_text, json=SHARE_OF_ONE)
ERROR = Kind(name="error", write=percentage, json={"type": "number", "minimum": 0, "maximum": 200})
"""A symmetric mean absolute percentage error."""
