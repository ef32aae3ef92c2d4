"""Pages of the gallery: tables and figures of a paper, published beside ours, from commands of `pipeline`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal, TypeAlias

from tools.gallery.charts import Chart, Map, drawn

MADE = (
    "Made by `python -m tools.gallery`, which a test repeats. Numbers called ours are from the commands "
    "shown (with `--json -`) or the sample named, published ones from the paper. Long tables are cut where "
    "a picture shows the rest."
)
MOST_COMMANDS = 2
MOST_ROWS = 5
"""Rows that stand beside a picture of all of them."""
Status: TypeAlias = Literal["reproduced", "partly", "stands in", "input compared"]
MEANING: Mapping[Status, str] = {
    "reproduced": "the program computes it from what was published",
    "partly": "what was published is computed, the rest was not published",
    "stands in": "inputs were not published; data of our own stand in, and the heading says so",
    "input compared": "our input file beside the paper: nothing is computed",
}


@dataclass(frozen=True, kw_only=True)
class Item:
    """A table or figure.

    Attributes:
        title: with what it is called in the paper and, if other data stand in, the words "stand-in".
        status: how it compares with the paper's.
        covers: the paper's tables and figures that it is, as the table of contents calls them.
        commands: what `pipeline` is asked, without the name of the program.
        note: what was not published, or what does not agree.
        rows: cells below `columns`.
        pictures: charts, or SVG that a command drew, by what they show.
    """

    title: str
    status: Status
    covers: str
    commands: Sequence[str]
    note: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    pictures: Sequence[Chart | Map | tuple[str, bytes]] = ()


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A page: `missing` has what is not there by name, with the reason, `stand_in` what stands in."""

    number: str
    title: str
    items: Callable[[], Sequence[Item]]
    missing: Mapping[str, str]
    stand_in: str = ""


def written(paper: Paper) -> dict[str, bytes]:
    """Return the files of a paper's page by name: the page and its pictures."""
    files: dict[str, bytes] = {}
    items = paper.items()
    text = f"# {paper.title}\n\n{MADE} {paper.stand_in}".rstrip() + f"\n\n{_contents(items, paper.missing)}\n"
    for number, item in enumerate(items, 1):
        text += f"## {item.title}\n\n{item.note}\n\n"
        if item.commands:
            text += f"```bash\n{_commands(item.commands)}```\n\n"
        if item.rows:
            text += _table(item.columns, _rows(item)) + "\n"
        for letter, picture in zip("abcdefgh", item.pictures, strict=False):
            name = f"{paper.number}-{number}{letter if len(item.pictures) > 1 else ''}.svg"
            title, content = picture if isinstance(picture, tuple) else (picture.title, drawn(picture))
            files[name] = content
            text += f"![{title}]({name})\n\n"
    if paper.missing:
        text += "## Not there\n\n" + _table(("what", "why"), list(paper.missing.items())) + "\n"
    files[f"paper-{paper.number}.md"] = f"{text.rstrip()}\n".encode()
    return files


def _commands(commands: Sequence[str]) -> str:
    """Return the first commands, and how many more of their kind there are."""
    left = len(commands) - MOST_COMMANDS
    more = f"# and {left} more like these\n" if left > 0 else ""
    return "".join(f"pipeline {command}\n" for command in commands[:MOST_COMMANDS]) + more


def _rows(item: Item) -> Sequence[Sequence[object]]:
    """Return the rows that are shown: beside a picture of all of them the first, of our own inputs two."""
    if not item.pictures:
        return item.rows
    return item.rows[: 2 if item.status == "input compared" else MOST_ROWS]


def _contents(items: Sequence[Item], missing: Mapping[str, str]) -> str:
    """Return how many tables and figures there are of every kind, and which."""
    rows: list[tuple[object, ...]] = []
    for status, meaning in MEANING.items():
        covered = [item.covers for item in items if item.status == status]
        rows.append((status, len(covered), "; ".join(covered) or "-", meaning))
    rows.append(("not there", len(missing), "; ".join(missing) or "-", "see the end of the page"))
    return _table(("", "count", "which", "meaning"), rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "-" if isnan(value) else f"{value:.4g}"
    return str(value)
