"""Which parameters of a study say nothing that others do not say: they are left out before anything else.

A parameter with one value says nothing, nor does one that follows from the number of processes, such as that
of nodes. A size that rises with it says that the scaling is weak, and nothing else.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import combinations

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import one_line
from ingest.number_text import value_text

USUAL_NAMES: dict[str, list[str]] = tomllib.loads(
    (files(__package__) / "usual_names.toml").read_text("utf-8")
)
"""Names by what they mean, their letters alone and in lower case."""

_UNITS = ("node", "GPU")
_COUNTS = re.compile(
    r"(?:n|num|number|total)?(?:of)?(?:mpi|omp|openmp)?"
    + "(?:"
    + "|".join(f"(?P<{unit}>{'|'.join(USUAL_NAMES[unit])})" for unit in (*_UNITS, "core"))
    + ")"
)


class ProcessCount(str):
    """The name of a parameter of which the runs say that it counts processes, whatever it is called."""

    __slots__ = ()


def letters(name: str) -> str:
    """Return a name without blanks and signs, in lower case."""
    return re.sub(r"[\W_]", "", name.lower())


def counts_processes(name: str) -> bool:
    """Tell whether a parameter counts processes, threads or nodes: by the runs, or else by its name."""
    return isinstance(name, ProcessCount) or _COUNTS.fullmatch(letters(name)) is not None


def unit_counted(name: str) -> str:
    """Return what a parameter counts by its name: ``node``, ``GPU``, else ``core``."""
    found = _COUNTS.fullmatch(letters(name))
    return next((unit for unit in _UNITS if found and found[unit]), "core")


def counts_parts(name: str) -> bool:
    """Tell whether a name stands for a count of equal parts of a problem: ``atoms``, ``n_cells``."""
    return any(part in f"{letters(name)}s" for part in USUAL_NAMES["parts"])


def states_size(name: str) -> bool:
    """Tell whether a name stands for how large a problem is."""
    return counts_parts(name) or letters(name) in USUAL_NAMES["sizes"]


UNIT_TOLERANCE = 0.01  # by which a unit of what is proportional may differ from point to point
_MOST_ROUNDING = 0.1  # of what edges in whole cells make
_CORRELATED = 0.9  # logarithms of a parameter and of the locations that it counts


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Parameters that say nothing beyond those of the study."""

    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # by name, at the P points
    notices: tuple[str, ...] = ()  # one sentence for each reason
    weak: str = ""  # why the scaling is weak, if a size rises with the processes; empty without

    def contradiction(self, name: str, value: float) -> str:
        """Return why one that is left out cannot be given a value; empty if it has no other."""
        first, *others = sorted(set(self.values[name]))
        if others:
            return f"{name} follows from the other parameters"
        return "" if value == first else f"{name} is {value_text(first)} in all runs, not {value_text(value)}"

    def at(self, points: Sequence[int]) -> "LeftOut":
        """Return the same of some of the points."""
        values = {name: tuple(own[i] for i in points) for name, own in self.values.items()}
        return replace(self, values=values)


NOTHING_LEFT_OUT = LeftOut()


def counting_parameter(names: Sequence[str], values: FloatArray, locations: FloatArray | None) -> int | None:
    """Return along which parameter the number of locations, float64[n], grows; None if along none.

    Values are float64[n, D], of runs or of the points of a series; names decide if no locations are known.
    """
    varied = [c for c, column in enumerate(values.T) if np.ptp(column) > 0 and column.min() > 0]
    if locations is None:
        named = [c for c in varied if counts_processes(names[c])]
        return min(named, key=lambda c: unit_counted(names[c]) != "core", default=None)
    if np.ptp(locations) == 0:
        return None
    correlation = {c: float(np.corrcoef(np.log(values[:, c]), np.log(locations))[0, 1]) for c in varied}
    good = [c for c in varied if correlation[c] > _CORRELATED]

    def rank(c: int) -> tuple[float, bool, bool, bool]:
        name, same = names[c], bool((values[:, c] == locations).all())
        return round(correlation[c], 9), same, counts_processes(name), unit_counted(name) == "core"

    return max(good, key=rank, default=None)


def marked_names(names: Sequence[str], values: FloatArray, locations: FloatArray | None) -> tuple[str, ...]:
    """Return names of parameters, the one of `counting_parameter` as `ProcessCount`."""
    counting = counting_parameter(names, values, locations)
    return tuple(ProcessCount(name) if c == counting else name for c, name in enumerate(names))


def leave_out(
    names: Sequence[str], values: FloatArray, locations: FloatArray | None
) -> tuple[list[int], LeftOut]:
    """Decide which parameters say something; one does, unless there is none; see `counting_parameter`.

    Returned are their columns, and the others with their values at the points that are left, in order.
    """
    rest = [c for c, column in enumerate(values.T) if np.ptp(column) > 0] or [
        next((c for c, name in enumerate(names) if counts_processes(name)), 0)
    ][: len(names)]
    constant = [f"{name} = {value_text(values[0, c])}" for c, name in enumerate(names) if c not in rest]
    notices = [f"{', '.join(constant)} in all runs"] if constant else []
    sizes, follow = dict[int, str](), list[int]()
    if (process := counting_parameter(names, values, locations)) is not None:
        others = [c for c in rest if c != process]
        sizes, follow = _following(names, values, locations, process, others)
        notices += dict.fromkeys(f"{text}: weak scaling" for text in sizes.values())
        shown, verb = ", ".join(names[c] for c in follow), "follows" if len(follow) == 1 else "follow"
        notices += [f"{shown} {verb} from {names[process]}: left out"] if follow else []
    kept = [c for c in rest if c not in sizes and c not in follow]
    points = sorted({tuple(row[c] for c in kept): row for row in values.tolist()}.items())
    return kept, LeftOut(
        values={name: tuple(row[c] for _, row in points) for c, name in enumerate(names) if c not in kept},
        notices=tuple(map(one_line, notices)),
        weak="; ".join(dict.fromkeys(sizes.values())),
    )


def _following(
    names: Sequence[str],
    values: FloatArray,
    locations: FloatArray | None,
    process: int,
    others: Sequence[int],
) -> tuple[dict[int, str], list[int]]:
    """Find sizes that rise with the number of processes, each with a sentence, and what else follows from it.

    Counts that locations are the product of say something of their own.
    """
    p, sizes = values[:, process], dict[int, str]()
    functions = [c for c in others if is_function(p, values[:, c])]
    counts = [c for c in functions if counts_processes(names[c])]
    edges = [c for c in functions if states_size(names[c]) and (values[:, c] > 0).all()]
    candidates = [([c], power) for c in edges for power in (1, 2, 3)]
    candidates += [(list(some), 1) for count in (2, 3) for some in combinations(edges, count)]
    for some, power in candidates:
        size = values[:, some].prod(axis=1)
        rounding = min(0.5 * power / size.min(), _MOST_ROUNDING) if power > 1 else 0.0
        unit = float(f"{np.median(size**power / p):.4g}")
        decomposed = len(some) > 1 and unit == 1
        if not (decomposed or sizes.keys() & some) and _is_steady(
            size**power / p, max(UNIT_TOLERANCE, rounding)
        ):
            what = " * ".join(names[c] for c in some) + (f"^{power}" if power > 1 else "")
            sizes |= dict.fromkeys(
                some, f"{what} rises with {names[process]} ({value_text(unit)} {names[process]})"
            )
    product = locations is not None and not _is_steady(locations / p, UNIT_TOLERANCE)
    follow = [c for c in functions if c not in counts and c not in sizes and is_function(values[:, c], p)]
    return sizes, sorted([*(() if product else counts), *follow])


def _is_steady(values: FloatArray, tolerance: float) -> bool:
    return bool((np.abs(values / np.median(values) - 1) <= tolerance).all())


def is_function(values: Iterable[object], column: Iterable[object]) -> bool:
    """Return whether runs with the same values always have the same entry in a column."""
    values = list(values)
    return len(set(zip(values, column, strict=True))) == len(set(values))
