"""The regions and call paths of an anchor, taken at once where they stand in the form Cube writes them.

They are nearly all of an anchor. Cube's writers set them in one fixed form, which a regular expression reads
several times faster than an XML parser reports events. It is used only where it accounts for every tag
between the first region and the last call path, so that both ways give the same result; wherever it does
not (parameters, attributes, comments, other writers), expat reads the whole document.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

REGION_FIELDS = ("id", "mod", "begin", "name", "mangled_name", "paradigm", "descr")


@dataclass
class Program:
    """Regions and call paths, column by column, as written.

    Attributes:
        regions: per field of `REGION_FIELDS` the texts of all regions, empty where missing.
        cnode: identifiers of the call paths, in document order, which is preorder.
        callee: identifiers of their regions.
        parent: index of their callers, -1 for roots.
    """

    regions: Sequence[Sequence[str]]
    cnode: Sequence[str]
    callee: Sequence[str]
    parent: Sequence[int]


class _OtherFormError(Exception):
    """The section is not in the form Cube writes."""


_NO_XML = r"\x00-\x08\x0b-\x1f\ufffe\uffff"  # and carriage returns, which XML turns into line feeds
_TEXT = f"[^<>{_NO_XML}]*+"
_VALUE = f'[^<>"\t\n{_NO_XML}]*+'
_GAP = r"[ \t\n]*+"
_REGION = re.compile(
    rf'<region id="([0-9]++)" mod="({_VALUE})" begin="(-?[0-9]++)" end="-?[0-9]++">{_GAP}'
    rf"<name>({_TEXT})</name>{_GAP}"
    rf"(?:<mangled_name>({_TEXT})</mangled_name>{_GAP})?"
    rf"(?:<paradigm>({_TEXT})</paradigm>{_GAP})?"
    rf"(?:<role>{_TEXT}</role>{_GAP})?"
    rf"<url>{_TEXT}</url>{_GAP}"
    rf"<descr>({_TEXT})</descr>{_GAP}"
    rf'(?:<attr key="{_VALUE}" value="{_VALUE}"/>{_GAP})*+'
    rf"</region>{_GAP}|([<&])"
)
_CNODE = re.compile(
    rf'<cnode id="([0-9]++)"(?: line="-?[0-9]++")?(?: mod="{_VALUE}")? calleeId="([0-9]++)">{_GAP}'
    rf"((?:</cnode>{_GAP})*+)|([<&])"
)
_BEFORE = re.compile(rb"""\s*<\?xml version=["']1\.0["'] encoding=["'](?i:UTF-8)["'] ?\?>[^!]*<program>\s*""")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_ENTITY = re.compile("&(?!(?:lt|gt|quot|apos|amp);)")


def take_program(document: bytes) -> tuple[Program, int, int] | None:
    """Read the section from the first region to the last call path.

    Returns:
        What it holds, and where it begins and ends, so that the rest can be read by an XML parser; or None
        where it is not in the form Cube writes.
    """
    first, last = document.find(b"<region "), document.rfind(b"</cnode>") + len(b"</cnode>")
    calls = document.rfind(b"</region>", 0, last) + len(b"</region>")
    if not 0 < first < calls < last or not _BEFORE.fullmatch(document, 0, first):
        return None
    try:
        regions = _columns(_REGION, str(document[first:calls], "utf-8"))
        cnode, callee, closed = _columns(_CNODE, str(document[calls:last], "utf-8"))
        return Program(regions, cnode, callee, _callers(closed)), first, last
    except (UnicodeDecodeError, _OtherFormError):
        return None


def _columns(pattern: re.Pattern[str], text: str) -> Sequence[Sequence[str]]:
    """Return the groups of all matches; the last group must be empty, as it takes what has another form."""
    found: list[tuple[str, ...]] = pattern.findall(text)
    *columns, other = zip(*found, strict=True) if found else ((),)
    if not columns or any(other) or ("&" in text and _ENTITY.search(text)):
        raise _OtherFormError
    if "&" in text:
        return [tuple(map(_unescape, column)) for column in columns]
    return columns


def _unescape(text: str) -> str:
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return text


def _callers(closed: Sequence[str]) -> list[int]:
    """Return the parent of each call path, given the end tags that follow its start tag."""
    parent: list[int] = []
    caller, above = -1, []
    for node, ends in enumerate(closed):
        parent.append(caller)
        above.append(caller)
        caller = node
        count = ends.count("/")
        if count > len(above):
            raise _OtherFormError
        if count:
            caller = above[-count]
            del above[-count:]
    if above:
        raise _OtherFormError
    return parent
