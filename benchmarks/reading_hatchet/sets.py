"""Synthetic TAU and Caliper profiles, with values of every call path on every rank.

Call paths form a complete tree, `CALLEES` below each; siblings are different regions.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

CALLEES = 3
PATHS_A_REGION = 10
ROOT = ".TAU application"

Counts = npt.NDArray[np.int64]

_TAU_METADATA = "".join(
    f"<attribute><name>{name}</name><value>{value}</value></attribute>"
    for name, value in (("Metric Name", "TIME"), ("CPU Type", "synthetic"), ("TAU_CALLPATH_DEPTH", "100"))
)


def write_tau(folder: Path, callpaths: int, ranks: int) -> Path:
    """Write a file for each rank: flat functions as well as call paths, in microseconds, as TAU does."""
    folder.mkdir()
    parent, region = _tree(callpaths)
    source = "C [{{solver.cpp}} {{{0},1}}-{{{0},9}}]"
    kernels = range(1, int(region.max(initial=0)) + 1)
    regions = [ROOT, *(f"void app::kernel_{i}(double*) {source.format(i)}" for i in kernels)]
    paths = [ROOT]
    for node in range(1, callpaths):
        paths.append(f"{paths[parent[node]]} => {regions[region[node]]}")
    calls, exclusive = _measured(callpaths, ranks)
    inclusive, called = exclusive.copy(), np.zeros_like(calls)
    for node in range(callpaths - 1, 0, -1):
        inclusive[parent[node]] += inclusive[node]
        called[parent[node]] += calls[node]
    values = np.stack([calls, called, exclusive, inclusive])
    flat = np.zeros((4, len(regions), ranks), dtype=np.int64)
    np.add.at(flat.swapaxes(0, 1), region, values.swapaxes(0, 1))
    names = [f'"{name}"' for name in (*regions, *paths[1:])]
    groups = ["TAU_USER"] * len(regions) + ["TAU_CALLPATH|TAU_USER"] * (callpaths - 1)
    table = np.concatenate([flat, values[:, 1:]], axis=1)
    for rank in range(ranks):
        rows = zip(names, *table[:, :, rank].tolist(), groups, strict=True)
        lines = [
            f"{len(names)} templated_functions_MULTI_TIME",
            f"# Name Calls Subrs Excl Incl ProfileCalls # <metadata>{_TAU_METADATA}</metadata>",
            *(f'{name} {a} {b} {c} {d} 0 GROUP="{group}" ' for name, a, b, c, d, group in rows),
            "0 aggregates",
        ]
        (folder / f"profile.{rank}.0.0").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write_caliper(file: Path, callpaths: int, ranks: int, *, by_rank: bool = True) -> Path:
    """Write a record for every call path and rank: exclusive seconds, and how often it was called.

    Without ranks, one record for every call path has what the ranks have together, as Thicket wants it.
    """
    parent, region = _tree(callpaths)
    calls, exclusive = _measured(callpaths, ranks)
    # An attribute is a chain of nodes: its type, which every file knows by number, its properties, its name.
    lines = [
        "__rec=node,id=20,attr=10,data=276,parent=3",
        "__rec=node,id=21,attr=8,data=function,parent=20",
        "__rec=node,id=22,attr=10,data=65,parent=5",
        "__rec=node,id=23,attr=8,data=sum#time.duration,parent=22",
        "__rec=node,id=24,attr=10,data=65,parent=2",
        "__rec=node,id=25,attr=8,data=region.count,parent=24",
        "__rec=node,id=26,attr=10,data=65,parent=1",
        "__rec=node,id=27,attr=8,data=mpi.rank,parent=26",
    ]
    first = 28
    lines.append(f"__rec=node,id={first},attr=21,data=main")
    lines += [
        f"__rec=node,id={first + node},attr=21,data=kernel_{region[node]},parent={first + parent[node]}"
        for node in range(1, callpaths)
    ]
    if not by_rank:
        rows = zip(exclusive.sum(axis=1).tolist(), calls.sum(axis=1).tolist(), strict=True)
        lines += [
            f"__rec=ctx,ref={first + node},attr=23=25,data={time * 1e-6:.6f}={count}"
            for node, (time, count) in enumerate(rows)
        ]
    for rank in range(ranks if by_rank else 0):
        rows = zip(exclusive[:, rank].tolist(), calls[:, rank].tolist(), strict=True)
        lines += [
            f"__rec=ctx,ref={first + node},attr=23=25=27,data={time * 1e-6:.6f}={count}={rank}"
            for node, (time, count) in enumerate(rows)
        ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _tree(callpaths: int) -> tuple[Counts, Counts]:
    """Return the caller and the region of each call path; the root is its own caller."""
    node = np.arange(callpaths)
    regions = max(callpaths // PATHS_A_REGION, CALLEES)
    return np.maximum(node - 1, 0) // CALLEES, np.where(node == 0, 0, 1 + (node - 1) % regions)


def _measured(callpaths: int, ranks: int) -> tuple[Counts, Counts]:
    """Return calls and exclusive microseconds, each int64[call path, rank]."""
    random = np.random.default_rng(1)
    calls = random.integers(1, 10**5, (callpaths, 1)) + random.integers(0, 2, (callpaths, ranks))
    spent = calls * random.lognormal(0, 2, (callpaths, 1)) * random.normal(1, 0.05, (callpaths, ranks))
    return calls, np.rint(spent).astype(np.int64)
