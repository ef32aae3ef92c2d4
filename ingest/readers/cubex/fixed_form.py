"""What reading the fixed form of Cube's writers has in common: patterns of the parts, texts column by column.

Cube's writers set the long sections of an anchor in one form, which a regular expression reads several times
faster than an XML parser reports events. It is used only where it accounts for every character of a section,
so that both ways give the same result; wherever it does not, expat reads the whole document.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias, cast

Column: TypeAlias = Sequence[str | None]  # None where an optional part is missing

_NO_XML = r"\x00-\x08\x0b-\x1f\ufffe\uffff"  # and carriage returns, which XML turns into line feeds
TEXT = f"[^<>{_NO_XML}]*+"
VALUE = f'[^<>"\t\n{_NO_XML}]*+'
GAP = r"[ \t\n]*+"
ATTRIBUTES = rf'(?:<attr key="{VALUE}" value="{VALUE}"/>{GAP})*+'

_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_OTHER_ENTITY = re.compile("&(?!(?:lt|gt|quot|apos|amp);)")
_BETWEEN = "\x00"  # stands in no XML


class OtherFormError(Exception):
    """The section is not in the form Cube writes."""


def columns(pattern: re.Pattern[str], section: memoryview) -> list[Column]:
    """Return the groups of a pattern, column by column, which matches again and again from end to end.

    Args:
        pattern: must not match the empty text.
        section: of a document in UTF-8.

    Raises:
        OtherFormError: where there is anything beside the matches, or an entity that is not XML's own.
    """
    try:
        text = str(section, "utf-8")
    except UnicodeDecodeError:
        raise OtherFormError from None
    parts: list[str | None] = pattern.split(text)
    step = pattern.groups + 1
    if len(parts) == 1 or any(parts[::step]) or ("&" in text and _OTHER_ENTITY.search(text)):
        raise OtherFormError
    return [parts[i::step] for i in range(1, step)]


def texts(column: Column) -> Sequence[str]:
    """Return a column with its entities replaced; what did not occur is empty."""
    known = filled(column)
    joined = _BETWEEN.join(known)
    if "&" not in joined:
        return known
    for entity, character in _ENTITIES:
        joined = joined.replace(entity, character)
    return joined.split(_BETWEEN)


def filled(column: Column) -> Sequence[str]:
    """Return a column in which what did not occur is empty."""
    if None in column:
        return [text or "" for text in column]
    return cast("Sequence[str]", column)
