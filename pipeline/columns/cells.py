"""A table that is filled: columns with full values for programs, and with the texts that people read."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | None


class Audience(Enum):
    """Who sees a column."""

    ALL = "the terminal and all files"
    FILES = "all files: the terminal says it elsewhere"
    PROGRAMS = "CSV and JSON"
    TERMINAL = "the terminal"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """A filled column; what is not said here is as in the `Column`."""

    name: str  # of the values, for programs
    values: Sequence[Value]  # one per row, in full; None if there is none
    texts: Sequence[str]  # the same as people read them
    unit: str = ""
    heading: str = ""
    paths: Sequence[Sequence[str]] = ()  # the call paths that the values name, if they do
    styles: Sequence[str] = ()  # colours of the texts in the terminal, one per row or none
    is_number: bool = True  # whether texts are aligned as numbers
    is_parameter: bool = False
    dispensable: int = 0
    folds: bool = False
    audience: Audience = Audience.ALL
    unit_in_title: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there are rows, and none has a value."""
        return len(self.values) > 0 and all(value is None for value in self.values)

    @property
    def file_heading(self) -> str:
        """What people read above the column where there is no title."""
        return with_unit(self.heading, self.unit) if self.unit_in_title else self.heading


@dataclass(frozen=True, kw_only=True)
class DataTable:
    """The main table that a command prints."""

    columns: Sequence[Cells]  # all of the same length
    notes: Sequence[str] = ()  # what a reader should know besides, one sentence each
    title: str = ""  # above the table in the terminal

    @property
    def for_programs(self) -> list[Cells]:
        """The columns that CSV and JSON have."""
        return [column for column in self.columns if column.audience is not Audience.TERMINAL]

    @property
    def for_readers(self) -> list[Cells]:
        """The columns that Markdown and LaTeX have."""
        hidden = (Audience.TERMINAL, Audience.PROGRAMS)
        return [column for column in self.columns if column.audience not in hidden]

    @property
    def on_screen(self) -> list[Cells]:
        """The columns that the terminal has."""
        return [column for column in self.columns if column.audience in (Audience.ALL, Audience.TERMINAL)]

    @property
    def keys(self) -> tuple[str, ...]:
        """Names with units, such as ``value [core-s]``; ``_`` is appended to a parameter's that is taken."""
        columns = self.for_programs
        own = [column for column in columns if not column.is_parameter]
        taken = {with_unit(column.name, column.unit) for column in own} | {"callpath"}
        return tuple(
            f"{column.name}_"
            if column.is_parameter and column.name in taken
            else with_unit(column.name, column.unit)
            for column in columns
        )


def with_unit(name: str, unit: str) -> str:
    """Write a name with its unit in brackets, if there is one."""
    return f"{name} [{unit}]" if unit else name
