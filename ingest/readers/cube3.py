"""CUBE 3 profiles (``.cube``, ``.cube.gz``): one XML document, as Scalasca 1 wrote it.

Values are exclusive along the call tree. A row of a metric's matrix lists the values of all threads in the
order of their definition; rows that are missing are zero.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory
from ingest.readers.cube3_events import Document, Record, read_document
from ingest.readers.inflation import inflation_limit
from ingest.readers.textfile import head

MAX_BYTES = 1 << 31  # of XML
CHUNK = 1 << 20
MAX_TOLD = 120  # characters of an error, which may cite the file
ROUNDING = 1e-9  # relative: values are written with 12 digits
GZIP = b"\x1f\x8b"

_NAMES = (".cube", ".cube.gz")


def matches(path: Path) -> bool:
    """Return whether a file is called ``.cube`` and holds XML: chemists call other files so."""
    if not path.name.lower().endswith(_NAMES):
        return False
    first = head(path)
    return first.startswith(GZIP) or first.lstrip().startswith(b"<")


def read(path: Path) -> Profile:
    """Read a profile.

    Raises:
        InputError: where the file is damaged or no document of CUBE 3.
    """
    try:
        return _profile(path, read_document(_chunks(path)))
    except (expat.ExpatError, LookupError) as error:  # the latter for an encoding that is not known
        raise InputError(f"damaged XML ({str(error)[:MAX_TOLD]})", where=str(path)) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read: {error}", where=str(path)) from error
    except ValueError as error:
        raise InputError(str(error), where=str(path)) from error


def _chunks(path: Path) -> Iterator[bytes]:
    size = 0
    compressed = head(path).startswith(GZIP)
    limit = inflation_limit(path.stat().st_size, MAX_BYTES) if compressed else MAX_BYTES
    with gzip.open(path) if compressed else path.open("rb") as file:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            if size > limit:
                raise InputError(f"more than {limit >> 20} MiB of XML", where=str(path))
            yield chunk


def _profile(path: Path, document: Document) -> Profile:
    region = {record["id"]: i for i, record in enumerate(document.regions)}
    callees = [region[callee] for callee in document.callee if callee in region]
    if not callees or len(callees) < len(document.callee):
        raise ValueError("no call path in it" if not callees else "a call path of a region that is not there")
    values = _totals(document)
    if not values:
        raise ValueError("no metric with values in it")
    metrics = [record for record in document.metrics if record["id"] in values]
    if len({record["uniq_name"] for record in metrics}) < len(metrics):
        raise ValueError("two metrics have the same name")
    names = tuple(record.get("name", "") or "<unnamed>" for record in document.regions)
    tree = CallTree(np.array(document.parent, dtype=np.int64), np.array(callees, dtype=np.int64))
    return Profile(
        source=str(path),
        tree=tree,
        regions=RegionTable(
            name=names,
            mangled=names,
            paradigm=tuple(
                _paradigm(name, record) for name, record in zip(names, document.regions, strict=True)
            ),
            file=tuple(record.get("mod", "") for record in document.regions),
            line=np.array([_line(record) for record in document.regions], dtype=np.int64),
        ),
        locations=_locations(document),
        metrics=tuple(Metric(record["uniq_name"], record.get("uom", "")) for record in metrics),
        load=ValuesInMemory(tree, {record["uniq_name"]: values[record["id"]] for record in metrics}),
        attributes={"generator": "CUBE 3", **document.attributes},
    )


def _totals(document: Document) -> dict[str, FloatArray]:
    """Return the values of each metric together with those of the metrics below it.

    Some writers store them with their parts, some without; a part that is larger than the whole tells which.
    """
    values = dict(document.values)
    of_parts: dict[tuple[str, str], FloatArray] = {}
    for record in reversed(document.metrics):
        name, unit = record["id"], record.get("uom", "")
        if (parts := of_parts.get((name, unit))) is not None:
            own = values.get(name, np.zeros_like(parts))
            without = bool((parts > own + ROUNDING * np.abs(own)).any())
            values[name] = own + parts if without else own
        if name in values:
            whole = record["parent"], unit
            of_parts[whole] = of_parts.get(whole, 0.0) + values[name]
    return values


def _paradigm(name: str, region: Record) -> str:
    if name.startswith(("MPI_", "PMPI_")):
        return "mpi"
    if name.startswith(("!$omp", "omp_")):
        return "openmp"
    return "measurement" if region.get("mod") == "EPIK" else "compiler"


def _line(region: Record) -> int:
    text = region.get("begin", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _locations(document: Document) -> LocationTable:
    processes = {process: i for i, process in enumerate(dict.fromkeys(document.process_of))}
    process = np.array([processes[p] for p in document.process_of], dtype=np.int64)
    first = np.searchsorted(process, process)
    return LocationTable(process, np.arange(len(process)) - first, np.ones(len(process), dtype=np.bool_))
