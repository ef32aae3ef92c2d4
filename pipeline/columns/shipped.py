"""Tables of the applications and machines that are shipped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import TEXTS, Column, filled
from pipeline.projection.applications.application_file import ApplicationFile
from pipeline.projection.machines.machine_values import Machine


@dataclass(frozen=True, kw_only=True)
class Machines:
    """The machines that are shipped."""

    machines: tuple[Machine, ...]

    @property
    def lists(self) -> "Mapping[str, Sequence[ApplicationFile | Machine]]":
        """What is listed, by what it is."""
        return {"machine": self.machines}


@dataclass(frozen=True, kw_only=True)
class Shipped(Machines):
    """The applications and machines that are shipped."""

    applications: tuple[ApplicationFile, ...]

    @property
    def lists(self) -> Mapping[str, Sequence[ApplicationFile | Machine]]:
        """What is listed, by what it is."""
        return {"application": self.applications, **super().lists}


def shipped_table(shipped: Machines) -> DataTable:
    """Return one row per application and machine."""
    return _listed([row for rows in shipped.lists.values() for row in rows], "name")


def tables_of_shipped(shipped: Machines) -> list[DataTable]:
    """Return a table of the applications and one of the machines."""
    return [_listed(rows, name) for name, rows in shipped.lists.items()]


def _listed(rows: Sequence[ApplicationFile | Machine], heading: str) -> DataTable:
    files = Audience.FILES
    columns: list[Column[Any]] = [
        Column(key="name", heading=heading, each=lambda row: row.path.stem),
        Column(
            key="kind",
            each=lambda row: "machine" if isinstance(row, Machine) else "application",
            audience=files,
        ),
        Column(
            key="title",
            name="description",
            heading="description",
            each=_title,
            texts=lambda rows: map(_description, rows),
            folds=True,
        ),
        Column(key="inputs", kind=TEXTS, each=_needed, audience=files),
        Column(key="variants", kind=TEXTS, each=_variants, audience=files),
        Column(key="covers", kind=TEXTS, each=lambda row: getattr(row, "covers", ()), audience=files),
        Column(key="source", texts=lambda rows: map(_source, rows), folds=True),
        Column(key="reproduces", each=lambda row: getattr(row, "reproduces", ""), audience=files),
    ]
    return filled(columns, rows)


def _needed(row: ApplicationFile | Machine) -> list[str]:
    inputs = row.inputs if isinstance(row, ApplicationFile) else {}
    return [name for name, one in inputs.items() if one.default is None]


def _variants(row: ApplicationFile | Machine) -> tuple[str, ...]:
    return tuple(row.variants) if isinstance(row, Machine) else ()


def _title(row: ApplicationFile | Machine) -> str:
    return row.title if isinstance(row, ApplicationFile) else row.name


def _source(row: ApplicationFile | Machine) -> str:
    """Say where it comes from and, of an application, what of that it reproduces."""
    return ": ".join(filter(None, (row.source, getattr(row, "reproduces", ""))))


def _description(row: ApplicationFile | Machine) -> str:
    """Say what is described, what must be given, which variants there are, and what is covered."""
    if isinstance(row, ApplicationFile):
        needed = _needed(row)
        return row.title + (f" (--at {', '.join(needed)})" if needed else "")
    text = row.name + (f" (--variant {', '.join(row.variants)})" if row.variants else "")
    return text + (f"; {' and '.join(row.covers)}" if row.covers else "")
