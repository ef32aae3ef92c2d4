"""Pages of the gallery: tables and figures of a paper, published beside ours, from commands of `pipeline`."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from tools.gallery.charts import Chart, drawn
from tools.gallery.labels import MEANING, Beside, Label, compared

MADE = (
    "Made by `python -m tools.gallery`, which a test repeats. Numbers called ours are from the commands "
    "shown (with `--json -`) or the sample named, published ones from the paper; [labels](index.md) follow "
    "from both. Tables without a published column are cut where a picture shows the rest."
)
FRONT = """# The papers' tables and figures

The tables and figures of the five papers stand beside ours, computed anew where what the paper publishes
allows it; where it does not, data of our own stand in, and the heading says so. The label of each is set by a
program that compares every printed value with ours, to the digits printed: half a unit of the last one. A
test compares the columns of these pages once more.

"""
MOST_COMMANDS = 2
MOST_ROWS = 5
"""Rows that stand beside a picture of all of them."""
_COUNT = re.compile(r"^\| (?P<label>[a-z ]+) \| (?P<count>\d+) \|", re.MULTILINE)
_VALUES = re.compile(r"^\*\*(?:Agrees|Differs)\*\*: (?:(?P<wrong>\d+) of )?(?P<all>\d+) value", re.MULTILINE)
_NOT_THERE = "not there"


@dataclass(frozen=True, kw_only=True)
class Item:
    """A table or figure.

    Attributes:
        title: with what it is called in the paper.
        covers: the paper's tables and figures that it is, as the table of contents calls them.
        commands: what `pipeline` is asked, without the name of the program.
        note: what is shown, and what was not published.
        stand_in: whether data of our own are in the place of the paper's; the heading says "stand-in".
        reading: why values differ from the printed ones; there if and only if one does.
        rows: cells below `columns`; one that is `Beside` takes two, published and ours, and is compared.
    """

    title: str
    covers: str
    commands: Sequence[str]
    note: str
    stand_in: bool = False
    reading: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    pictures: Sequence[Chart] = ()

    def label(self) -> tuple[Label, str]:
        """Return the label that the columns give, and the sentences that say so."""
        label, found = compared(self.columns, self.rows, self.commands, stand_in=self.stand_in)
        if (label == Label.DIFFERS) != bool(self.reading):
            raise ValueError(f"{self.title}: {label}, and the reading is {self.reading or 'missing'}")
        return label, f"**{label.capitalize()}**: {found}. {self.reading}".rstrip()


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
    labels = [item.label() for item in items]
    contents = _contents(items, [label for label, _ in labels], paper.missing)
    text = f"# {paper.title}\n\n{MADE} {paper.stand_in}".rstrip() + f"\n\n{contents}\n"
    for number, (item, (_, said)) in enumerate(zip(items, labels, strict=True), 1):
        text += f"## {item.title}\n\n{said}\n\n{item.note}\n\n"
        if item.commands:
            text += f"```bash\n{_commands(item.commands)}```\n\n"
        if item.rows:
            text += _compared_table(item) + "\n"
        for letter, picture in zip("abcdefgh", item.pictures, strict=False):
            name = f"{paper.number}-{number}{letter if len(item.pictures) > 1 else ''}.svg"
            files[name] = drawn(picture)
            text += f"![{picture.title}]({name})\n\n"
    if paper.missing:
        text += "## Not there\n\n" + _table(("what", "why"), list(paper.missing.items())) + "\n"
    files[f"paper-{paper.number}.md"] = f"{text.rstrip()}\n".encode()
    return files


def front(papers: Iterable[Paper], folder: Path) -> str:
    """Return the front page, which counts what the pages in a folder say of themselves."""
    kinds = (*Label, _NOT_THERE)
    rows: list[Sequence[object]] = []
    for paper in papers:
        name = f"paper-{paper.number}.md"
        text = (folder / name).read_text()
        counts = {row["label"]: int(row["count"]) for row in _COUNT.finditer(text)}
        values = [(int(found["all"]), int(found["wrong"] or 0)) for found in _VALUES.finditer(text)]
        compared_values = sum(number for number, _ in values)
        right = f"{compared_values - sum(wrong for _, wrong in values)} of {compared_values}"
        rows.append((f"[{paper.title}]({name})", *(counts[kind] for kind in kinds), right))
    meanings = _table(
        ("label", "meaning"), [*MEANING.items(), (_NOT_THERE, "with the reason at the end of a page")]
    )
    return f"{FRONT}{_table(('tables and figures', *kinds, 'values that agree'), rows)}\n{meanings}"


def _commands(commands: Sequence[str]) -> str:
    """Return the first commands, and how many more of their kind there are."""
    left = len(commands) - MOST_COMMANDS
    more = f"# and {left} more like these\n" if left > 0 else ""
    return "".join(f"pipeline {command}\n" for command in commands[:MOST_COMMANDS]) + more


def _compared_table(item: Item) -> str:
    """Return the rows, all of them if values are compared or there is no picture of the rest."""
    paired = [any(isinstance(row[k], Beside) for row in item.rows) for k in range(len(item.columns))]
    heads: list[object] = []
    for head, is_paired in zip(item.columns, paired, strict=True):
        heads += (f"{head}, published", f"{head}, ours") if is_paired else (head,)
    rows = []
    for row in item.rows if any(paired) or not item.pictures else item.rows[:MOST_ROWS]:
        cells: list[object] = []
        for cell, is_paired in zip(row, paired, strict=True):
            if isinstance(cell, Beside):
                cells += (cell.published, cell.shown)
            else:
                cells += ("-", cell) if is_paired else (cell,)
        rows.append(cells)
    return _table(heads, rows)


def _contents(items: Sequence[Item], labels: Sequence[Label], missing: Mapping[str, str]) -> str:
    """Return how many tables and figures have each label, and which."""
    rows: list[tuple[object, ...]] = []
    for label in Label:
        covered = [item.covers for item, one in zip(items, labels, strict=True) if one == label]
        rows.append((label, len(covered), "; ".join(covered) or "-"))
    rows.append((_NOT_THERE, len(missing), "; ".join(missing) or "-"))
    return _table(("", "count", "which"), rows)


def _table(columns: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "-" if isnan(value) else f"{value:.4g}"
    return str(value)
