"""Files of plain run times: how long runs take without instrumentation, at any scales."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filters.known_plain import TAIL, inside_program
from ingest.errors import UsageError
from pipeline.wording.quantities import value_text

SECONDS_COLUMN = "seconds"
STARTUP = "startup"  # what of them may be start-up, which profiles do not have


@dataclass(frozen=True, kw_only=True)
class PlainRun:
    """A run without instrumentation."""

    at: Mapping[str, float]  # the study's parameters, and those left out of it that are given
    seconds: float  # wall time
    startup: float = 0.0  # seconds of it that may be none of the program's

    def place(self, parameters: Sequence[str]) -> tuple[float, ...]:
        """The point over some parameters."""
        return tuple(self.at[name] for name in parameters)

    @property
    def of_program(self) -> float:
        """Seconds that are probably the program's."""
        return math.sqrt(self._inside * self.seconds)

    @property
    def doubt(self) -> float:
        """Standard deviation of their logarithm from what may be start-up."""
        return math.log(self.seconds / self._inside) / (2 * TAIL)

    @property
    def _inside(self) -> float:
        return float(inside_program(self.seconds, self.startup))


def read_plain_runs(path: Path, parameters: Sequence[str], left_out: Sequence[str]) -> list[PlainRun]:
    """Read a CSV file with the parameters and ``seconds`` as columns, and ``startup`` where it is known.

    UsageError if it cannot be read, or a column is missing or a value invalid.
    """
    hint = f"write a header line {','.join((*parameters, SECONDS_COLUMN))} and a line per run"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, skipinitialspace=True)
            columns = tuple(reader.fieldnames or ())
            if missing := [name for name in (*parameters, SECONDS_COLUMN) if name not in columns]:
                raise _without_column(path, missing, columns, hint)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot be read ({what})", where=str(path), hint=hint) from error
    if not rows:
        raise UsageError("has no run", where=str(path), hint=hint)
    return [_plain_run(row, parameters, left_out, f"{path}:{line}", hint) for line, row in rows]


def _without_column(path: Path, missing: Sequence[str], columns: Sequence[str], hint: str) -> UsageError:
    if "seconds" in "".join(columns) and SECONDS_COLUMN in missing:
        hint = f"name the column of the wall time of a run '{SECONDS_COLUMN}'; there are {', '.join(columns)}"
    return UsageError(f"has no column {', '.join(missing)}", where=str(path), hint=hint)


def _plain_run(
    row: Mapping[str, str], parameters: Sequence[str], left_out: Sequence[str], where: str, hint: str
) -> PlainRun:
    try:
        at = {name: float(row[name]) for name in (*parameters, *(n for n in left_out if row.get(n)))}
        seconds, startup = float(row[SECONDS_COLUMN]), float(row.get(STARTUP) or 0.0)
    except (TypeError, ValueError) as error:
        raise UsageError("a value is missing or not a number", where=where, hint=hint) from error
    if not 0.0 <= startup <= seconds < float("inf") or not seconds:
        raise UsageError(f"invalid run time {value_text(seconds)}", where=where, hint=hint)
    return PlainRun(at=at, seconds=seconds, startup=startup)
