"""`Records`: what a Caliper file holds, column by column, whichever format it is written in."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import require_summable

Value = str | float

# Global values that are not parameters: what the run took, and what only identifies it.
OUTCOMES = frozenset(("cputime", "elapsed_time", "figure_of_merit", "fom", "systime", "walltime"))
BOOKKEEPING = frozenset(("jobid", "job_id", "launchdate", "launchday", "pid", "uid"))
_OWN_GLOBALS = ("cali.", "spot.", "opts:")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
_INDEX = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class RecordColumn:
    """The values of one attribute, of those records that have one.

    Attributes:
        rows: int64[k], numbers of the records, ascending.
        values: one for each of them, as the file has it.
    """

    rows: IntArray
    values: Sequence[Value]

    def without(self, rows: Collection[int]) -> "RecordColumn":
        """Return the values of all but some records."""
        kept = [row not in rows for row in self.rows.tolist()]
        return RecordColumn(self.rows[kept], list(compress(self.values, kept)))


@dataclass(frozen=True, kw_only=True)
class Records:
    """The records of a file.

    Attributes:
        source: the file.
        callpaths: paths of nested annotations.
        kinds: region name -> attributes that it is a value of, such as ``function`` or ``mpi.function``.
        node: int64[n], the path of each record in `callpaths`, `ROOT` outside of all annotations.
        columns: by the name of the attribute.
        globals: values that describe the run.
        units: of attributes that state theirs.
        unit_expected: whether the format states the units of all values that are not in seconds.
    """

    source: str
    callpaths: CallTreeBuilder
    kinds: Mapping[str, set[str]]
    node: IntArray
    columns: Mapping[str, RecordColumn]
    globals: Mapping[str, str]
    units: Mapping[str, str]
    unit_expected: bool

    def rows(self, name: str) -> IntArray:
        """Return the records that have a value of an attribute, int64[k]."""
        return self.columns[name].rows

    def numbers(self, name: str) -> FloatArray:
        """Return the values of an attribute, float64[k].

        Raises:
            InputError: if one is not a number, not finite, or too large.
        """
        try:
            values = np.array(list(map(float, self.columns[name].values)), dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"'{name}' is not a number: {error}", where=self.source) from error
        require_summable(values, f"'{name}'", self.source)
        return values

    def indices(self, names: Sequence[str]) -> IntArray:
        """Return the number of a process or thread of each record, by the first attribute that it has.

        Returns:
            int64[n], 0 for records with none, or with one that is not a whole number.
        """
        found = np.zeros(len(self.node), dtype=np.int64)
        for name in reversed([name for name in names if name in self.columns]):
            values = self.columns[name].values
            of = {value: _index(value) for value in dict.fromkeys(values)}
            found[self.rows(name)] = [of[value] for value in values]
        return found

    def texts(self, names: Iterable[str]) -> dict[int, str]:
        """Return a text of each record that has one, by the last of the attributes that it has."""
        found: dict[int, str] = {}
        for name in names:
            if name in self.columns:
                column = self.columns[name]
                found.update(zip(column.rows.tolist(), map(str, column.values), strict=True))
        return found


def parameters_among(globals_: Mapping[str, str]) -> dict[str, float]:
    """Return the whole numbers among global values that may be parameters of the run, by name."""
    found = {}
    for name, value in sorted(globals_.items()):
        known = name in OUTCOMES | BOOKKEEPING or name.startswith(_OWN_GLOBALS)
        if not known and _WHOLE_NUMBER.fullmatch(value):
            found[name] = float(value)
    return found


def _index(value: Value) -> int:
    text = str(value).removesuffix(".0")
    return int(text) if _INDEX.fullmatch(text) else 0
