"""The figures of earlier states of the code, kept in the repository: a CSV file with one row per figure."""

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.overview.measured_figure import MeasuredFigure

LEDGER = Path(__file__).with_name("figures.csv")


@dataclass(frozen=True, kw_only=True)
class FigureEntry:
    """The figures of one state of the code.

    Attributes:
        label: of the release, or of the commit if it was none.
        release: whether it was one.
        date: when it was measured, as in ISO 8601.
        machine: what measured it; only entries of the same one are compared.
        note: what else is to be known, such as that the machine was shared.
        figures: what was measured.
    """

    label: str
    release: bool
    date: str
    machine: str
    note: str
    figures: tuple[MeasuredFigure, ...]


def read_ledger(file: Path = LEDGER) -> list[FigureEntry]:
    """Return the entries in the order in which they were added; none if there is no file."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as rows:
        by_label: dict[str, list[dict[str, str]]] = {}
        for row in csv.DictReader(rows):
            by_label.setdefault(row["label"], []).append(row)
    return [_entry(rows) for rows in by_label.values()]


def write_entry(entry: FigureEntry, file: Path = LEDGER) -> None:
    """Add an entry; one with the same label is replaced."""
    kept = [one for one in read_ledger(file) if one.label != entry.label]
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, _columns(), lineterminator="\n")
        writer.writeheader()
        for one in (*kept, entry):
            head = {name: getattr(one, name) for name in _head()} | {"release": int(one.release)}
            writer.writerows(head | _rounded(asdict(figure)) for figure in one.figures)


def last_release(entries: Sequence[FigureEntry], machine: str) -> FigureEntry | None:
    """Return the newest entry of a machine that was a release; before the first one the oldest entry."""
    alike = [one for one in entries if one.machine == machine]
    releases = [one for one in alike if one.release]
    return releases[-1] if releases else next(iter(alike), None)


def _head() -> list[str]:
    return [one.name for one in fields(FigureEntry) if one.name != "figures"]


def _columns() -> list[str]:
    return [*_head(), *(one.name for one in fields(MeasuredFigure))]


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in row.items()}


def _entry(rows: Sequence[dict[str, str]]) -> FigureEntry:
    first = rows[0]
    return FigureEntry(
        label=first["label"],
        release=first["release"] == "1",
        date=first["date"],
        machine=first["machine"],
        note=first["note"],
        figures=tuple(map(_figure, rows)),
    )


def _figure(row: dict[str, str]) -> MeasuredFigure:
    return MeasuredFigure(
        name=row["name"],
        side=row["side"],
        unit=row["unit"],
        median=float(row["median"]),
        least=float(row["least"]),
        most=float(row["most"]),
        rounds=int(row["rounds"]),
    )
