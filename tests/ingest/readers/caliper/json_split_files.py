"""Tiny profiles in Caliper's format json-split."""

import json

PATH = ("path", {"is_value": False})


def json_split(columns, rows, nodes, globals_=None, first="data"):
    """Return a file.

    Args:
        columns: name and metadata of each; names alone are values.
        rows: an entry for each column.
        nodes: label, column, and number of the parent if there is one.
        globals_: what describes the run.
        first: key that stands first; Caliper writes data first.
    """
    named = [(column, {"is_value": True}) if isinstance(column, str) else column for column in columns]
    content = {
        "data": rows,
        "columns": [name for name, _ in named],
        "column_metadata": [about for _, about in named],
        "nodes": [
            {"label": label, "column": column} | ({"parent": above[0]} if above else {})
            for label, column, *above in nodes
        ],
        **(globals_ or {}),
    }
    return json.dumps({first: content[first], **content}, indent=1)


NODES = (("main", "path"), ("cycle", "path", 0), ("MPI_Send", "path", 1), ("cycle", "path"))


def by_rank(**globals_):
    """Two ranks, microseconds, time outside of all annotations, entries that are null."""
    columns = ("inclusive#sum#time.duration", "mpi.rank", PATH, "sum#time.duration", "sum#region.count")
    rows = [
        [250000, 0, None, 250000, None],
        [3000000, 0, 0, 1000000, 1],
        [2000000, 0, 1, 500000, 7],
        [1500000, 0, 2, 1500000, 3],
        [4000000, 3, 0, 4000000, 1],
        [None, 3, 2, None, 2],
        [125000, 3, 3, 125000, None],
    ]
    return json_split(columns, rows, NODES, globals_)


def on_devices():
    """Times of host and accelerators of one rank, kernels in a column of nodes of their own."""
    kernels = ("rocm.kernel.name", {"is_value": False})
    seconds = {"is_value": True, "attribute.unit": "sec"}
    columns = (
        PATH,
        kernels,
        ("time", seconds),
        ("time (gpu)", seconds),
        "rocm.activity",
        "rocm.activity.device",
    )
    nodes = (*NODES[:1], ("hipLaunchKernel", "path", 0), ("axpy", "rocm.kernel.name"))
    rows = [
        [0, None, 3.5, None, None, None],
        [1, None, 0.5, None, None, None],
        [1, 2, None, 1.25, "KernelDispatch", 0],
        [1, 2, None, 0.25, "KernelDispatch", 1],
        [0, None, None, 0.125, "CopyHostToDevice", 1],
    ]
    return json_split(columns, rows, nodes, {"mpi.world.size": "1"})


def inclusive():
    """Inclusive seconds of all processes: an aggregate of several ranks."""
    columns = (("time (inc)", {"is_value": True, "attribute.unit": "sec"}), PATH)
    return json_split(columns, [[9.0, 0], [4.0, 1], [1.0, 2]], NODES, {"jobsize": "8"}, first="nodes")


JSON_SPLIT = {"ranks": by_rank(jobsize="4"), "devices": on_devices(), "inclusive": inclusive()}
