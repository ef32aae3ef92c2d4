"""Score-P's name patterns: POSIX fnmatch without flags, translated once into regular expressions.

Facts: `*` and `?` match every character (also `/`), `[..]` and `[!..]` are bracket expressions, a backslash
takes the next character literally, an unclosed `[` is itself, a backslash at the end matches nothing. Score-P
matches bytes and this module characters: they differ only if `?` or a bracket meets a character beyond ASCII.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import TypeAlias

_EDGES = (f"SCOREP_{what}_NAMES_{edge}" for what in ("FILE", "REGION") for edge in ("BEGIN", "END"))
KEYWORDS = frozenset(("EXCLUDE", "INCLUDE", "MANGLED", "DEMANGLED", "FORTRAN", *_EDGES))

_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": " \\t\\n\\r\\f\\v",
    "blank": " \\t",
    "punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    "cntrl": "\\x00-\\x1f\\x7f",
    "graph": "!-~",
    "print": " -~",
    "xdigit": "0-9a-fA-F",
}
_SPECIAL = re.compile(r"[\\*?\[\]# \t]")
_UNWRITABLE = re.compile(r"[\r\n\0]")


@dataclass(frozen=True)
class Literal:
    """A pattern that matches one name."""

    text: str

    def matches(self, name: str) -> bool:
        """Return whether the pattern matches the whole name."""
        return name == self.text


@dataclass(frozen=True)
class Prefix:
    """A pattern of literal text and one final star."""

    text: str

    def matches(self, name: str) -> bool:
        """Return whether the pattern matches the whole name."""
        return name.startswith(self.text)


@dataclass(frozen=True)
class Wildcards:
    """Any other pattern."""

    # a regular expression for whole names; text between two stars is tried at its leftmost place only, so the
    # time is at most the length of the name times the length of the pattern
    source: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled `source`."""
        return re.compile(self.source, re.DOTALL)

    def matches(self, name: str) -> bool:
        """Return whether the pattern matches the whole name."""
        return self.regex.fullmatch(name) is not None


Pattern: TypeAlias = Literal | Prefix | Wildcards


@dataclass(frozen=True)
class _Piece:
    """One element of a pattern: its regular expression, and the character if it matches only one."""

    regex: str
    char: str | None = None


_STAR = _Piece("*")


def escape(name: str) -> str:
    r"""Return the pattern that matches exactly this name and that Score-P's parser reads as one token.

    A backslash goes before each of ``\ * ? [ ] #``, space and tab; a final backslash becomes ``[\\]``, since
    Score-P takes whatever follows a backslash as escaped; a keyword hides its first letter in brackets.
    Line breaks cannot be written in a filter file at all and become ``?``.
    """
    if name in KEYWORDS:
        return f"[{name[0]}]{name[1:]}"
    body, tail = (name[:-1], "[\\\\]") if name.endswith("\\") else (name, "")
    return _UNWRITABLE.sub("?", _SPECIAL.sub(lambda hit: "\\" + hit.group(), body)) + tail


@lru_cache(maxsize=1 << 16)
def compile_pattern(text: str) -> Pattern:
    """Translate an fnmatch pattern, in the language that the module describes."""
    pieces = _pieces(text)
    chars = [piece.char for piece in pieces]
    if None not in chars:
        return Literal("".join(char for char in chars if char is not None))
    if pieces[-1] is _STAR and None not in chars[:-1]:
        return Prefix("".join(char for char in chars[:-1] if char is not None))
    return Wildcards(_regex(pieces))


def _pieces(text: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        bracket = _bracket(text, position) if char == "[" else None
        if bracket is not None:
            piece, position = bracket
        elif char == "\\":
            piece = _literal(text[position : position + 1])
            position += 1
        else:
            piece = {"*": _STAR, "?": _Piece(".")}.get(char) or _literal(char)
        pieces.append(piece)
    return pieces


def _literal(char: str) -> _Piece:
    return _Piece(re.escape(char), char) if char else _Piece("(?!)")


def _regex(pieces: list[_Piece]) -> str:
    """Join pieces: text between two stars is looked for once, from the left, and never tried again."""
    segments = [""]
    for piece in pieces:
        if piece is _STAR:
            segments.append("")
        else:
            segments[-1] += piece.regex
    if len(segments) == 1:
        return segments[0]
    middle = "".join(f"(?>.*?{segment})" for segment in segments[1:-1] if segment)
    return f"{segments[0]}{middle}.*{segments[-1]}"


def _bracket(text: str, position: int) -> tuple[_Piece, int] | None:
    """Read a bracket expression after its `[`; None if it is never closed."""
    negated = text[position : position + 1] in ("!", "^")
    position = start = position + negated
    members: list[str] = []
    while position < len(text):
        if text[position] == "]" and position > start:
            return _set(members, negated), position + 1
        close = text.find(":]", position + 2) if text.startswith("[:", position) else -1
        if close >= 0:
            members.append(_CLASSES.get(text[position + 2 : close], ""))
            position = close + 2
            continue
        low, position = _member(text, position)
        if text[position : position + 1] == "-" and text[position + 1 : position + 2] not in ("", "]"):
            high, position = _member(text, position + 1)
            members.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else "")
        else:
            members.append(re.escape(low))
    return None


def _member(text: str, position: int) -> tuple[str, int]:
    """Read one character of a bracket expression: plain, after a backslash, or as ``[.x.]`` or ``[=x=]``."""
    mark = text[position + 1 : position + 2]
    if text[position] == "[" and mark in (".", "=") and text.startswith(mark + "]", position + 3):
        return text[position + 2], position + 5
    if text[position] == "\\" and position + 1 < len(text):
        return text[position + 1], position + 2
    return text[position], position + 1


def _set(members: list[str], negated: bool) -> _Piece:
    inside = "".join(members)
    if not inside:
        return _Piece("." if negated else "(?!)")
    if not negated and len(members) == 1 and len(inside.removeprefix("\\")) == 1:
        return _Piece(inside, inside[-1])
    return _Piece(f"[{'^' if negated else ''}{inside}]")


@dataclass(frozen=True)
class PatternSet:
    """Several patterns at once: literals and prefixes are looked up, only the rest is tried one by one."""

    literals: frozenset[str]  # names that are matched as they are
    prefixes: dict[int, frozenset[str]]  # by their length, beginnings of names that are matched
    others: tuple[Wildcards, ...]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "PatternSet":
        """Translate several patterns."""
        known = [compile_pattern(pattern) for pattern in patterns]
        starts = sorted({p.text for p in known if isinstance(p, Prefix)}, key=len)
        prefixes = {size: frozenset(group) for size, group in groupby(starts, key=len)}
        others = tuple(p for p in known if isinstance(p, Wildcards))
        return cls(frozenset(p.text for p in known if isinstance(p, Literal)), prefixes, others)

    def matches(self, name: str) -> bool:
        """Return whether one of the patterns matches the whole name."""
        return (
            name in self.literals
            or any(name[:size] in starts for size, starts in self.prefixes.items())
            or any(pattern.matches(name) for pattern in self.others)
        )
