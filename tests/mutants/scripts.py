"""The same kinds of defects in the page's scripts, found among their tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED = {
    one: other
    for pair in (
        "< <=, > >=, === !==, + -, * /, += -=, *= /=, && ||",
        "true false, .min .max, .floor .ceil, .some .every, .lower .upper, .low .high",
    )
    for a, b in (swapped.split() for swapped in pair.split(", "))
    for one, other in ((a, b), (b, a))
} | {"??": "&&", "**": "*", "%": "*"}
SIGNS = {"+", "-", "*", "/", "%", "**"}  # are operators between two operands only
KEYWORDS = {
    "return",
    "case",
    "of",
    "in",
    "typeof",
    "import",
    "export",
    "function",
    "else",
    "new",
    "await",
    "yield",
}
TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<number>\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)
    | (?P<name>[\w$#]+)
    | (?P<operator>===|!==|\.\.\.|\*\*|=>|<=|>=|&&|\|\||\?\?|\?\.|\+\+|--|[-+*/%]=|[-+*/%<>!=?&|])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
REGULAR = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/\w*")
CALL = re.compile(r"^[ ]+(?P<call>[\w.$]+\([^\n]*\));$", re.MULTILINE)


@dataclass(frozen=True)
class Token:
    """A word of a script, without blanks and comments: what it is, and where it begins and ends."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def operand(self) -> bool:
        """Whether an expression may end here."""
        return self.text in ")]}" or (
            self.kind != "operator" and self.kind != "other" and self.text not in KEYWORDS
        )


def changes(source: str, looks: bool) -> Iterator[tuple[str, int, int, str]]:
    """Yield what a defect is, the beginning and end of the text that it replaces, and the text instead.

    Args:
        source: of a module.
        looks: whether its numbers say where things are drawn, which may be a pixel elsewhere.
    """
    tokens = list(_tokens(source))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        text = token.text
        if token.kind == "number" and not looks and "svgEl(" not in _line(source, token.start):
            value = float(text)
            yield (
                "constant",
                token.start,
                token.end,
                f"{value + 1:g}" if value.is_integer() else f"{value * 1.5:g}",
            )
        elif text == "!":
            yield "negation dropped", token.start, token.end, ""
        elif text in SIGNS and not (before.operand and "text" not in (before.kind, after.kind)):
            continue
        elif other := SWAPPED.get(f".{text}" if before.text == "." else text):
            yield "operator", token.start, token.end, other.removeprefix(".")
        elif text == "return" and after.text != ";":
            yield "returned value", after.start, _end_of_statement(tokens, after), "undefined"
    for call in CALL.finditer(source):
        yield "statement dropped", *call.span("call"), "0"


def _line(source: str, at: int) -> str:
    return source[source.rfind("\n", 0, at) + 1 : source.find("\n", at)]


def _end_of_statement(tokens: list[Token], first: Token) -> int:
    """Return where the statement ends that a token is in, which brackets may hold others."""
    depth = 0
    for token in tokens[tokens.index(first) :]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if (depth == 0 and token.text == ";") or depth < 0:
            return token.start
    return len(tokens)


def _tokens(source: str) -> Iterator[Token]:
    at, last = 0, Token("other", ";", 0, 0)
    while at < len(source):
        if source[at] == "`":
            kind, end = "text", _end_of_template(source, at + 1)
        elif source[at] == "/" and not last.operand and (found := REGULAR.match(source, at)):
            kind, end = "text", found.end()
        else:
            found = TOKEN.match(source, at)
            assert found is not None and found.lastgroup is not None, "any character is a token"
            kind, end = found.lastgroup, found.end()
        if kind != "blank":
            last = Token(kind, source[at:end], at, end)
            yield last
        at = end


def _end_of_template(source: str, at: int) -> int:
    """Return the end of a template, in whose braces there may be others."""
    depth = 0
    while source[at] != "`" or depth:
        if source[at] == "\\":
            at += 1
        elif source[at] == "`":
            at = _end_of_template(source, at + 1) - 1
        elif source.startswith("${", at) or (depth and source[at] == "{"):
            depth += 1
            at += source[at] == "$"
        elif depth and source[at] == "}":
            depth -= 1
        at += 1
    return at + 1
