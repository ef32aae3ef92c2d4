"""Studies whose runs state memory or energy."""

import numpy as np

from tests.cubex_writer import MetricSpec, write_cubex
from tests.ingest.readers import timer_logs
from tests.ingest.readers.likwid.outputs import HEAD, framed

SCALES = (1, 2, 4, 8, 16)


def lammps(folder, memory):
    """Logs of strong scaling on nodes of 4 processes, each run with what `memory` says for p in MiB."""
    for p in SCALES:
        log = timer_logs.lammps(
            (8.0 / p + 1, 10, [("Pair", 8.0 / p), ("Comm", 0.5), ("Other", 0.5)]), tasks=p
        )
        stated = memory(p)
        line = f"Per MPI rank memory allocation (min/avg/max) = 1 | {stated / 2} | {stated} Mbytes\n"
        (folder / f"app.p{p}.r1").mkdir(parents=True)
        (folder / f"app.p{p}.r1" / "log.lammps").write_text(log + (line if stated else ""))
        (folder / f"app.p{p}.r1" / "metadata.toml").write_text(f"nodes = {max(p // 4, 1)}\n")
    return folder


def likwid(folder):
    """Weak scaling: a thread per p that takes a second, and 50 J of a package for every 4 of them."""
    for p in SCALES:
        cores = [f"HWThread {core}" for core in range(p)]
        joules = [50 if core % 4 == 0 else 0 for core in range(p)]
        events = framed(("Event", "Counter", *cores), ("PWR_PKG_ENERGY", "PWR0", *joules))
        times = framed(("Metric", *cores), ("Runtime (RDTSC) [s]", *[1.0] * p))
        (folder / f"app.p{p}.r1").mkdir(parents=True)
        (folder / f"app.p{p}.r1" / "likwid.txt").write_text(f"{HEAD}Group 1: ENERGY\n{events}\n{times}\n")
    return folder


def scorep(folder):
    """Profiles of p processes on one node: heap of 8 MiB and 4 MiB more for each, 3 kJ a process."""
    for p in SCALES:
        heap = np.array([[0.0] * p, [2.0**20 * (8 + 4 * rank) for rank in range(p)]])
        (folder / f"app.p{p}.r1").mkdir(parents=True)
        write_cubex(
            folder / f"app.p{p}.r1" / "profile.cubex",
            parent=[-1, 0],
            regions=["main", "solve"],
            metrics=[
                MetricSpec("time", np.full((2, p), 8.0 / p)),
                MetricSpec("maximum_heap_memory_allocated", heap, dtype="MAXDOUBLE", unit="bytes"),
                MetricSpec("site/E", np.full((2, p), 1.5e6), unit="mJ"),
            ],
        )
    (folder / "metadata.toml").write_text("nodes = 1\n")
    return folder
