"""What the profiler writes, and how it becomes a `.cubex` file as Score-P makes them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.cubex_writer import MetricSpec, RegionSpec, write_cubex

NANOSECOND = 1e-9
COMPILER = {"Creator": "benchmarks.overhead"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Recorded:
    """One run of a program.

    Attributes:
        wall: seconds from start to end.
        cpu: CPU seconds, user and system.
        parent: int[call path], the caller, -1 for roots; preorder. Nothing if nothing was instrumented.
        address: int[call path], of the function.
        name: mangled, of functions in shared libraries by address.
        visits: int[call path].
        inclusive, least, most: float[call path], sum, minimum and maximum of a visit's inclusive seconds.
    """

    wall: float
    cpu: float
    parent: np.ndarray
    address: np.ndarray
    name: dict[int, str]
    visits: np.ndarray
    inclusive: np.ndarray
    least: np.ndarray
    most: np.ndarray


def parse(text: str) -> Recorded:
    """Read what the profiler wrote. Its first call path stands for the whole run and is left out."""
    lines = text.splitlines()
    wall, cpu = (float(word) for word in lines[0].split())
    rows = [line.split(maxsplit=6) for line in lines[2:]]
    seconds = np.array([row[3:6] for row in rows], dtype=float).reshape(-1, 3) * NANOSECOND
    return Recorded(
        wall=wall,
        cpu=cpu,
        parent=np.array([int(row[0]) - 1 for row in rows], dtype=int),
        address=np.array([int(row[1], 16) for row in rows], dtype=int),
        name={int(row[1], 16): row[6] for row in rows if row[6] != "?"},
        visits=np.array([int(row[2]) for row in rows], dtype=int),
        inclusive=seconds[:, 0],
        least=seconds[:, 1],
        most=seconds[:, 2],
    )


def function_names(executable: Path) -> dict[int, str]:
    """Return the mangled names of the functions of an executable by address."""
    listing = subprocess.run(["nm", "--defined-only", executable], check=True, capture_output=True, text=True)
    names: dict[int, str] = {}
    for line in listing.stdout.splitlines():
        address, kind, name = line.split(maxsplit=2)
        if kind in "tTwW":
            names.setdefault(int(address, 16), name)
    return names


def demangle(names: list[str]) -> list[str]:
    """Return the names as they stand in the source."""
    done = subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def write_profile(path: Path, run: Recorded, names: dict[int, str], source: str) -> Path:
    """Write a run as a `.cubex` file with the metrics and kinds of Score-P.

    Args:
        path: where; its folder is made.
        run: at least one call path.
        names: of the executable's functions by address.
        source: file of the regions.
    """
    addresses, callee = np.unique(run.address, return_inverse=True)
    known = run.name | names
    mangled = [known[int(address)] for address in addresses]
    regions = [RegionSpec(n, mangled=m, file=source) for n, m in zip(demangle(mangled), mangled, strict=True)]
    columns = {
        "visits": ("EXCLUSIVE", "UINT64", "occ", run.visits),
        "time": ("INCLUSIVE", "DOUBLE", "sec", run.inclusive),
        "min_time": ("EXCLUSIVE", "MINDOUBLE", "sec", run.least),
        "max_time": ("EXCLUSIVE", "MAXDOUBLE", "sec", run.most),
    }
    metrics = [
        MetricSpec(name, values[:, None], kind=kind, dtype=dtype, unit=unit)
        for name, (kind, dtype, unit, values) in columns.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_cubex(
        path,
        parent=run.parent.tolist(),
        metrics=metrics,
        regions=regions,
        callee=callee.tolist(),
        attributes=COMPILER,
    )
