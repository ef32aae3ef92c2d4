"""What results of benchmark frameworks have in common: figures of merit, of which the times are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.errors import InputError
from ingest.reading.csv_files import Frame
from ingest.run_metadata import METADATA_PROCESSES, choose_parameters
from ingest.table_mapping import TableMapping
from ingest.tables.table_columns import PROCESSES, THREADS
from ingest.time_units import SECONDS

KERNEL, VALUE = "figure of merit", "seconds"
MAX_TEXT = 500  # characters of a variable that are kept


@dataclass(frozen=True, kw_only=True)
class FigureOfMerit:
    """One figure of merit of one run.

    Attributes:
        name: what was measured.
        value: as the file has it.
        unit: as the file has it.
        run: what describes the run, by name; one object per run.
        place: where in the file it stands.
    """

    name: str
    value: object
    unit: str
    run: Mapping[str, str]
    place: str


def frame_of(
    figures: Sequence[FigureOfMerit], mapping: TableMapping, preferred: Sequence[str], source: str
) -> tuple[Frame, TableMapping]:
    """Bring the figures that are times into a table with one row each.

    If the user names no parameters, they are the number of processes, and what varies of the threads and the
    `preferred` numbers and does not follow from another; all else describes the run.

    Raises:
        InputError: no figure is a time.
    """
    import pandas as pd

    times = [figure for figure in figures if figure.unit.strip().lower() in SECONDS]
    if not times:
        units = sorted({figure.unit for figure in figures if figure.unit})
        raise InputError(
            "no figure of merit is a time" + (f" (units: {', '.join(units[:6])})" if units else ""),
            where=source,
            hint="measure one in s, ms or us",
        )
    names = list(dict.fromkeys(name for figure in times for name in figure.run))
    parameters = mapping.parameters or _parameters(times, names, preferred)
    columns: dict[str, list[Any]] = {
        name: [figure.run.get(name, "")[:MAX_TEXT] for figure in times] for name in names
    }
    columns[KERNEL] = [figure.name for figure in times]
    columns[VALUE] = [_seconds(figure) for figure in times]
    stated = replace(
        mapping,
        parameters=parameters,
        kernel=KERNEL,
        value=(VALUE,),
        separator="",
        metadata=mapping.metadata
        or tuple(name for name in names if name not in parameters and name != mapping.repetition),
    )
    return Frame(source=source, table=pd.DataFrame(columns), place=lambda row: times[row].place), stated


def _seconds(figure: FigureOfMerit) -> object:
    """Return seconds; what is not a number is kept for the message."""
    try:
        return float(str(figure.value)) * SECONDS[figure.unit.strip().lower()]
    except ValueError:
        return figure.value


def _parameters(
    figures: Sequence[FigureOfMerit], names: Sequence[str], preferred: Sequence[str]
) -> tuple[str, ...]:
    """Return the number of processes and the numbers that vary and follow from no other."""
    runs = list({id(figure.run): figure.run for figure in figures}.values())
    processes = next((name for name in names if name.lower() in PROCESSES), "")
    wanted = [processes] if processes else []
    wanted += [name for name in names if name != processes and (name.lower() in THREADS or name in preferred)]
    numbers = [name for name in wanted if all(_is_number(run.get(name, "")) for run in runs)]
    keys = {name: METADATA_PROCESSES[0] if name == processes else name for name in numbers}
    rows = [{keys[name]: float(run[name]) for name in numbers} for run in runs]
    chosen, _ = choose_parameters(rows)
    return tuple(name for name in numbers if keys[name] in chosen)


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def plain_text(value: object) -> str:
    """Return a value of JSON as text; nothing for null and for what is nested."""
    if value is None or isinstance(value, dict | list):
        return ""
    return str(value)
