"""OpenFOAM's dictionaries, the language of its input files and of its profiling."""

import re
from collections.abc import Iterator
from typing import TypeAlias

from ingest.errors import InputError

MAX_DEPTH = 64  # of dictionaries in each other

_TOKEN = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*+)"|(?P<mark>[{};])|(?P<word>[^\s"{};]+)|(?P<open>".*)',  # never closed
    re.DOTALL,
)
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)

FoamDictionary: TypeAlias = "dict[str, str | FoamDictionary]"


def parse_dictionary(text: str, where: str) -> FoamDictionary:
    """Parse a dictionary file.

    Strings come without their quotes; several words before a semicolon are joined by blanks; of a keyword
    that occurs twice the last value counts. Directives and macros are kept as if they were entries.
    """
    text = _COMMENT.sub(_blank, text)
    root: FoamDictionary = {}
    stack = [root]
    words: list[str] = []
    for kind, token, position in _tokens(text):
        if kind != "mark":
            words.append(token)
        elif token == "{":
            child: FoamDictionary = {}
            stack[-1][" ".join(words)] = child
            stack.append(child)
            words = []
        elif token == ";":
            if words:
                stack[-1][words[0]] = " ".join(words[1:])
            words = []
        elif len(stack) == 1 or words:
            raise _error("unexpected closing brace", text, position, where)
        else:
            stack.pop()
        if len(stack) > MAX_DEPTH:
            raise _error(f"dictionaries nested deeper than {MAX_DEPTH}", text, position, where)
    if len(stack) > 1:
        raise _error("the file ends inside a dictionary: it is truncated", text, len(text), where)
    return root


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    for match in _TOKEN.finditer(text):
        yield str(match.lastgroup), match[match.lastgroup or 0], match.start()


def _blank(match: re.Match[str]) -> str:
    """Replace a comment by the line breaks in it, so that line numbers stay right; keep strings."""
    return match[0] if match[0].startswith('"') else " " + "\n" * match[0].count("\n")


def _error(what: str, text: str, position: int, where: str) -> InputError:
    line = text.count("\n", 0, position) + 1
    return InputError(f"line {line}: {what}", where=where)
