"""Names that profiles, files and users give, made safe for every kind of output.

A region, metric, parameter, machine or path may hold anything: line breaks, escape sequences of terminals,
characters that turn the direction of writing, markup, formulas. There is one function per kind of output, and
every name goes through it.
"""

import json
import re
from typing import Any

from ingest.cpp_names import short_name
from ingest.errors import one_line

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@$:-])")
_IN_MARKDOWN = {"<": "&lt;", ">": "&gt;", "@": "@&#8203;", "#": "#&#8203;"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROLS = re.compile("[\x7f-\x9f]")
_FORMULA = ("=", "+", "-", "@")  # what spreadsheets take for the beginning of a formula
_COMMAND = re.compile(r"::[a-z-]+( |::)", re.IGNORECASE)  # of GitHub Actions, where a line begins
_LAID_OUT = "\n\N{NO-BREAK SPACE}"
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\char34{}",
        **{special: f"\\{special}" for special in "{}_%&#$"},
        "›": r"$\rangle$",
        "→": r"$\rightarrow$",
        "…": r"\ldots{}",
        "∞": r"$\infty$",
        "±": r"$\pm$",
        "×": r"$\times$",
        "µ": r"$\mu$",
    }
)


def visible(text: str) -> str:
    """Return one line without characters that control a terminal or the direction of writing.

    They are written as in Python, and white space becomes single blanks. What a CI server would take for a
    command at the beginning of a line stands behind an apostrophe.
    """
    line = one_line(text)
    return f"'{line}" if _COMMAND.match(line) else line


def without_controls(text: str) -> str:
    """Return a text without such characters that is laid out already: its white space stays."""
    return "".join(
        character
        if character.isprintable() or character in _LAID_OUT
        else character.encode("unicode_escape").decode()
        for character in text
    )


def json_line(value: Any, indent: int | None = None) -> str:  # noqa: ANN401  # whatever JSON can hold
    """Return JSON, in one line without an indent, that no terminal obeys: all controls in it are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    if text.isascii() and "\x7f" not in text:
        return text
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown_name(name: str) -> str:
    """Return a region's name as people read it: without return type and parameters, `visible`."""
    return visible(short_name(name))


def markdown(text: str) -> str:
    """Escape whatever Markdown of GitHub or GitLab could read into a text: markup, mentions, references.

    Mentions are looked for after Markdown was read, so a zero-width space stands in them.
    """
    return _MARKDOWN.sub(lambda found: _IN_MARKDOWN.get(found[0], f"\\{found[0]}"), visible(text))


def latex(text: str) -> str:
    """Escape whatever LaTeX could read into a text; hyphens stay apart."""
    return visible(text).translate(_LATEX).replace("--", "-{}-").replace("--", "-{}-")


def matplotlib(text: str) -> str:
    """Escape what matplotlib takes for mathematics; lines stay apart."""
    return "\n".join(visible(line) for line in text.split("\n")).replace("$", r"\$")


def xml(text: str) -> str:
    """Return a text without controls and without what XML 1.0 cannot hold; its lines stay apart."""
    return without_controls(_NOT_XML.sub("\ufffd", text))


def github_data(text: str) -> str:
    """Escape the text of a workflow command of GitHub Actions, whose lines stay apart."""
    lines = [visible(line).replace("%", "%25") for line in text.splitlines()]
    return "%0A".join(lines)


def github_property(text: str) -> str:
    """Escape a property of a workflow command, such as its title."""
    return github_data(text).replace(":", "%3A").replace(",", "%2C")


def csv_text(text: str) -> str:
    """Return one line that neither a spreadsheet takes for a formula nor a CI server for a command.

    An apostrophe goes before those.
    """
    line = visible(text)
    return f"'{line}" if line.startswith(_FORMULA) else line
