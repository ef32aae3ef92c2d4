"""The regions and call paths of an anchor, taken at once where they stand in the form Cube writes them.

They are nearly all of an anchor. Cube's writers set them in one fixed form, which a regular expression reads
several times faster than an XML parser reports events. It is used only where it accounts for every tag
between the first region and the last call path, so that both ways give the same result; wherever it does
not (parameters, attributes, comments, other writers), expat reads the whole document.
"""

import re
from dataclasses import dataclass, field

REGION_FIELDS = ("id", "mod", "begin", "name", "mangled_name", "paradigm", "descr")


@dataclass
class Program:
    """Regions and call paths.

    Attributes:
        regions: the regions, in definition order: texts as in `REGION_FIELDS`, empty where missing.
        cnode: identifiers of the call paths, in document order, which is preorder.
        callee: identifiers of their regions.
        parent: index of their callers, -1 for roots.
    """

    regions: list[tuple[str, ...]] = field(default_factory=list)
    cnode: list[str] = field(default_factory=list)
    callee: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)


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
_BEFORE = re.compile(rb"""\s*<\?xml version=["']1\.0["'] encoding=["']UTF-8["'] ?\?>[^!]*<program>\s*""")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_ENTITY = re.compile("&(?!(?:lt|gt|quot|apos|amp);)")


def take_program(document: bytes) -> tuple[Program, int, int] | None:
    """Read the section from the first region to the last call path.

    Returns:
        What it holds, and where it begins and ends, so that the rest can be read by an XML parser; or None
        where it is not in the form Cube writes.
    """
    first, calls, last = document.find(b"<region "), document.find(b"<cnode "), document.rfind(b"</cnode>")
    last += len(b"</cnode>")
    if not 0 < first < calls < last or not _BEFORE.fullmatch(document, 0, first):
        return None
    try:
        regions = str(document[first:calls], "utf-8")
        program = Program(_regions(regions))
        _add_cnodes(program, str(document[calls:last], "utf-8"))
    except (UnicodeDecodeError, _OtherFormError):
        return None
    return program, first, last


def _regions(text: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = _REGION.findall(text)
    if any(row[-1] for row in found) or _ENTITY.search(text):
        raise _OtherFormError
    if "&" in text:
        return [tuple(map(_unescape, row[:-1])) for row in found]
    return [row[:-1] for row in found]


def _unescape(text: str) -> str:
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return text


def _add_cnodes(program: Program, text: str) -> None:
    if _ENTITY.search(text):
        raise _OtherFormError
    callers = [-1]
    for node, (identifier, callee, closed, other) in enumerate(_CNODE.findall(text)):
        if other or not callers:
            raise _OtherFormError
        program.cnode.append(identifier)
        program.callee.append(callee)
        program.parent.append(callers[-1])
        callers.append(node)
        if closed:
            del callers[-closed.count("/") :]
    if callers != [-1]:
        raise _OtherFormError
