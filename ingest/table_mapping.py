"""What the columns of a table mean, as ``[table]`` of pipeline.toml states it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.errors import UsageError
from ingest.options import option


def _names(value: object, folder: Path) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise UsageError(f"{value!r} is not a list of columns", hint='write ["p", "n"]')
    return tuple(names)


def _locations(value: object, folder: Path) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return str(value)
    if not isinstance(value, str):
        raise UsageError(f"invalid locations {value!r}", hint='write a column, "cores", or a number')
    return value


@dataclass(frozen=True, kw_only=True)
class TableMapping:
    """``[table]`` of pipeline.toml; what is not given is recognised by the names of the columns."""

    file: tuple[Path, ...] = option(
        (),
        "Table to read, or a list of them; default: all tables in the directory.",
        metavar="FILES",
        read=lambda value, folder: tuple(folder.resolve() / name for name in _names(value, folder)),
    )
    parameters: tuple[str, ...] = option((), "Columns of the parameters.", metavar="COLUMNS", read=_names)
    kernel: str = option("", "Column of the kernel or call path; without one, each time column is a kernel.")
    value: tuple[str, ...] = option(
        (), "Column of the time; without a kernel, all that are kernels.", metavar="COLUMNS", read=_names
    )
    unit: str = option("", "Unit of the times if their headers do not state it: s, ms, us, ns, min or h.")
    repetition: str = option("", "Column that distinguishes runs of one point; default: by their order.")
    visits: str = option("", "Column of the visits.")
    locations: str = option(
        "",
        "Column of the number of CPU locations of the run, or a number; default: the processes.",
        metavar="COLUMN|N",
        read=_locations,
    )
    rank: str = option("", "Column of the process on which a row was measured.")
    separator: str = option("->", "What separates the regions of a call path; empty if nothing does.")
    statistic: Literal["mean", "sum", "maximum"] = option(
        "mean",
        "What times and visits are: those of a location (mean), summed over locations, or the largest of a "
        "location, a bound.",
    )
    inclusive: bool = option(False, "Whether times contain those of the callees.")
    metrics: tuple[str, ...] = option(
        (), "Columns of further metrics, such as bytes.", metavar="COLUMNS", read=_names
    )
    metadata: tuple[str, ...] = option(
        (), "Columns that describe a run, such as machine.", metavar="COLUMNS", read=_names
    )

    @property
    def given(self) -> bool:
        """Whether anything is stated."""
        return self != TableMapping()
