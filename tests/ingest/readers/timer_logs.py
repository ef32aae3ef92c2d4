"""Logs with tables of timers as programs print them: layouts of the programs, values of our own."""

from collections.abc import Callable

from tests.ingest.readers.benchmark_logs import BENCHMARKS
from tests.ingest.readers.simulation_logs import SIMULATIONS
from tests.ingest.readers.texts import text_of

Rows = list[tuple[str, float]]


def gromacs(
    rows: Rows,
    *,
    pp: int = 6,
    pme: int = 2,
    threads: int = 1,
    rest: float = 0.0,
    header: str = "Computing:",
    gpu: bool = False,
) -> str:
    """Cycles of activities; one second of a core is two giga-cycles."""
    ranks = pp + pme
    parts = [("PME spread", 6.0), ("PME 3D-FFT Comm.", 2.0)]
    total = sum(cycles for _, cycles in rows) + rest
    core = total / 2
    lines = [
        "                      :-) GROMACS - mdrun_mpi, 2018.2 (-:",
        "GROMACS version:    2018.2",
        f"Using {ranks} MPI processes",
        "",
        "\tM E G A - F L O P S   A C C O U N T I N G",
        " Computing:                               M-Number         M-Flops  % Flops",
        " NxN LJ [F]                              82.849536        3728.229     0.0",
        "",
        "     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G",
        "",
        f"On {pp} MPI ranks doing PP"
        + (f", each using {threads} OpenMP threads" if threads > 1 else "")
        + ", and",
        f"on {pme} MPI ranks doing PME",
        "",
        f" {header:<19} Num   Num      Call    Wall time         Giga-Cycles",
        "                     Ranks Threads  Count      (s)         total sum    %",
        "-" * 77,
    ]
    for name, cycles in rows:
        if name.startswith(("Rest", "PME wait")):
            lines.append(f" {name:<18} {'':18} {1.0:12.3f} {cycles:14.3f} {1.0:5.1f}")
        else:
            lines.append(
                f" {name:<18}   {pp:4d} {threads:4d} {101:10d}  {cycles / ranks:10.3f} {cycles:14.3f}   1.0"
            )
    lines += [
        "-" * 77,
        f" {'Total':<18} {'':18} {core / ranks:12.3f} {total:14.3f} 100.0",
        "-" * 77,
        "(*) Note that with separate PME ranks, the walltime column actually sums to",
        "    twice the total reported, but the cycle count total and % are correct.",
        "-" * 77,
        " Breakdown of PME mesh computation",
        "-" * 77,
        *(f" {n:<18}   {pme:4d} {threads:4d} {202:10d}  {c:10.3f} {c:14.3f} {1.0:5.1f}" for n, c in parts),
        "-" * 77,
    ]
    if gpu:
        lines += [
            "",
            " GPU timings",
            "-" * 77,
            " Computing:                         Count  Wall t (s)      ms/step       %",
            "-" * 77,
            " Pair list H2D                        101       7.000        0.070     7.0",
            "-" * 77,
            " Total                                        100.000        1.000   100.0",
            "-" * 77,
        ]
    lines += [
        "",
        "               Core t (s)   Wall t (s)        (%)",
        f"       Time: {core:12.3f} {core / ranks:12.3f} {100 * ranks * threads:10.1f}",
        "Performance:        3.818        6.286",
        "Finished mdrun on rank 0 Fri Oct  5 13:30:50 2018",
    ]
    return "\n".join(lines) + "\n"


GROMACS_ROWS: Rows = [
    ("Domain decomp.", 4.0),
    ("Force", 80.0),
    ("PME mesh *", 10.0),
    ("PME wait for PP *", 6.0),
]


def lammps(
    *runs: tuple[float, int, Rows],
    tasks: int = 4,
    threads: str = "1",
    version: str = "4 Jan 2019",
    atoms: int = 8000,
) -> str:
    """Runs of loop time, steps and mean seconds of each section."""
    lines = [f"LAMMPS ({version})", "units lj"]
    for loop, steps, rows in runs:
        lines += [
            "Step Temp E_pair",
            "       0         1.35   -4.1241917",
            f"Loop time of {loop} on {tasks} procs for {steps} steps with {atoms} atoms",
            "",
            f"Performance: {432 * steps / loop:.3f} tau/day, {steps / loop:.3f} timesteps/s",
            f"99.0% CPU use with {tasks} MPI tasks x {threads} OpenMP threads",
            "",
            "MPI task timing breakdown:",
            "Section |  min time  |  avg time  |  max time  |%varavg| %total",
            "-" * 63,
            *(f"{n:<8}| {s / 2:<10.5g} | {s:<10.5g} | {2 * s:<10.5g} |   1.9 | 52.47" for n, s in rows[:-1]),
            f"{rows[-1][0]:<8}|            | {rows[-1][1]:<10.5g} |            |       |  0.99",
            "",
            "Thread timings breakdown (MPI rank 0):",
            "Section |  min time  |  avg time  |  max time  |%varavg| %total",
            "Pair    | 9          | 9          | 9          |   0.0 | 52.47",
            "",
            "Nlocal:    1000 ave 1020 max 982 min",
            "Histogram: 1 0 2 1 0 1 1 1 0 1",
        ]
    return "\n".join([*lines, "Total wall time: 0:00:01"]) + "\n"


def old_lammps(procs: int = 4) -> str:
    return text_of("old_lammps.txt").format(procs=procs)


def cp2k(rows: list[tuple[str, float]], *, total: float, processes: int = 8, threads: int = 2) -> str:
    """Mean seconds of routines; the first is the program."""
    lines = [
        "  **** **** ******  **  PROGRAM STARTED AT               2021-06-07 11:42:13.115",
        " CP2K| version string:                                          CP2K version 7.1",
        f" GLOBAL| Total number of message passing processes {processes:>29}",
        f" GLOBAL| Number of threads for this process {threads:>36}",
        " ROUTINE             CALLS      AVE VOLUME [Bytes]",
        " MP_Bcast             3633                  63214.",
        " " + "-" * 79,
        " -                                T I M I N G                                  -",
        " " + "-" * 79,
        " SUBROUTINE                       CALLS  ASD         SELF TIME        TOTAL TIME",
        "                                MAXIMUM       AVERAGE  MAXIMUM  AVERAGE  MAXIMUM",
    ]
    for i, (name, seconds) in enumerate(rows):
        inclusive = total if i == 0 else seconds
        lines.append(
            f" {name:<30} {10 + i:7d} {1.0 + i:4.1f} {seconds:8.3f} {seconds + 1:8.3f}"
            f" {inclusive:8.3f} {inclusive + 1:8.3f}"
        )
    lines += [" " + "-" * 79, "", " The number of warnings for this run is : 1"]
    return "\n".join(lines) + "\n"


def quantum_espresso(
    *, processes: int = 4, total: str = "2m 3.50s", repeated: bool = False, pools: int = 2
) -> str:
    clocks = text_of("quantum_espresso_clocks.txt")
    before = clocks.replace("10.00s WALL", "5.00s WALL") + "     PWSCF        : 40.00s CPU 60.00s WALL\n"
    return (
        "     Program PWSCF v.6.1 (svn rev. 13369) starts on  3May2017 at 13:40:14 \n"
        f"     Parallel version (MPI), running on {processes:5d} processors\n"
        f"     K-points division:     npool     = {pools:7d}\n"
        "     total cpu time spent up to now is       30.0 secs\n"
        + (before if repeated else "")
        + clocks
        + f"     PWSCF        :  1m50.00s CPU  {total} WALL\n\n   JOB DONE.\n"
    )


OLD_QUANTUM_ESPRESSO = text_of("old_quantum_espresso.txt")


def vasp(*, ranks: int = 4, elapsed: float = 100.0) -> str:
    return text_of("vasp.txt").format(ranks=ranks, elapsed=elapsed)


OLD_VASP = text_of("old_vasp.txt")


def castep(*, processes: int = 16, stamps: tuple[float, ...] = (5.0, 15.0, 30.0)) -> str:
    lines = [
        " | Welcome to Academic Release CASTEP version 21.11|",
        f"Calculation parallelised over {processes:4d} processes.",
        "------------------------------------------------------------------------ <-- SCF",
        "SCF loop      Energy           Fermi           Energy gain       Timer   <-- SCF",
        f"Initial  -5.94040471E+004  0.00000000E+000                 {stamps[0]:12.2f}  <-- SCF",
    ]
    for i, stamp in enumerate(stamps[1:], start=1):
        lines.append(f"{i:7d}  -7.23974364E+004  3.96519365E+000   4.8123E+001 {stamp:10.2f}  <-- SCF")
    lines += [
        "Initialisation time =      3.00 s",
        "Calculation time    =     40.00 s",
        "Finalisation time   =      2.00 s",
        "Total time          =     45.00 s",
    ]
    return "\n".join(lines) + "\n"


SANDER = text_of("sander.txt")

PMEMD = text_of("pmemd.txt")


def namd(*, finished: bool = True) -> str:
    lines = [
        "Info: NAMD 2.12 for Linux-x86_64-MPI",
        "Info: Running on 16 processors, 16 nodes, 1 physical nodes.",
        "TIMING: 100  CPU: 20, 0.2/step  Wall: 21.5, 0.2/step, 0.3 hours remaining, 95 MB of memory in use.",
        "TIMING: 500  CPU: 99, 0.2/step  Wall: 100.5, 0.2/step, 0 hours remaining, 498 MB of memory in use.",
    ]
    lines += ["WallClock: 120.500000  CPUTime: 119.000000  Memory: 507.238281 MB"] if finished else []
    return "\n".join(lines) + "\n"


NALU_WIND = text_of("nalu_wind.txt")

_GPTL = "***** GLOBAL STATISTICS ({processes:6d} MPI TASKS) *****\n\n$Id: gptl.c,v 1.157 rosinski Exp $\n"
_GPTL_HEADER = (
    "name                on  processes  threads        count      walltotal"
    "   wallmax (proc   thrd  )   wallmin (proc   thrd  )\n"
)


def gptl(rows: Rows, *, processes: int = 4, on: bool = True) -> str:
    """Seconds of timers summed over processes."""
    header = _GPTL_HEADER if on else _GPTL_HEADER.replace(" on ", "    ")
    lines = [
        f'"{name}"{" " * max(1, 20 - len(name))}{"- " if on else "  "}{processes:9d}{processes:9d}'
        f" {processes * 10:.6e}   {seconds:.6e} {seconds / 2:9.3f} (     1      0)"
        f" {seconds / 8:9.3f} (     3      0)"
        for name, seconds in rows
    ]
    return _GPTL.format(processes=processes) + "\n" + header + "\n".join(lines) + "\n\n"


GPTL_ROWS: Rows = [
    ("CPL:INIT", 40.0),
    ("CPL:RUN_LOOP", 400.0),
    ("a:cam_run1", 300.0),
    ("a:bc physics 2", 200.0),
    ("CPL:FINAL", 4.0),
]


def petsc(*, processes: int = 8, mesh: int = 35, gpu: bool = False) -> str:
    events = (
        ("KSPSolve", 3, 4.0, "1.0", 67),
        ("PCApply", 30, 2.5, "79.7", 42),
        ("Mesh Partition", 2, 0.5, "436.3", 6),
        ("CreateFunctionSpace", 1, 1.0, " 1.0", 11),
    )
    rows = [
        f"{name:<16} {count:7d} 1.0 {seconds:.4e}{ratio:>4} 0.00e+00 0.0 0.0e+00 0.0e+00 0.0e+00"
        f"  0  0  0  0  0 {percent:3d}  0100100  0     0"
        for name, count, seconds, ratio, percent in events
    ]
    flop = "Flop " if gpu else "Flops"
    header = (
        f"Event                Count      Time (sec)     {flop}                             --- Global ---"
        "  --- Stage ---   Total\n"
        "                   Max Ratio  Max     Ratio   Max  Ratio  Mess   Avg len Reduct"
        "  %T %F %M %L %R  %T %F %M %L %R Mflop/s"
    )
    return text_of("petsc.txt").format(processes=processes, mesh=mesh, header=header, rows=rows)


def amrex(rows: Rows, *, total: float, stated: bool = True, region: bool = False) -> str:
    """Mean exclusive seconds of timers."""

    def table(kind: str, scale: float) -> list[str]:
        names = [
            f"{n:<60} {100:8d} {s * scale / 2:10.4g} {s * scale:10.4g} {s * scale * 2:10.4g}" for n, s in rows
        ]
        return [
            "-" * 110,
            f"{'Name':<60}   NCalls {kind} Min {kind} Avg {kind} Max   Max %",
            "-" * 110,
            *(f"{row} {50:6.2f}%" for row in names),
            "-" * 110,
            "",
        ]

    head = ["MPI initialized with 16 MPI processes", "AMReX (24.09) initialized"] if stated else []
    lines = [
        *head,
        f"TinyProfiler total time across processes [min...avg...max]: {total} ... {total} ... {total}",
        "",
        *table("Excl.", 1),
        *table("Incl.", 3),
    ]
    if region:
        lines += ["BEGIN REGION inner", "", *table("Excl.", 1), "END REGION inner", ""]
    lines += [
        "Pinned Memory Usage:",
        "Name          Nalloc   Nfree  AvgMem min  AvgMem avg  AvgMem max",
        "main()          2080    2080      71   B     136   B     159   B",
        "AMReX (24.09) finalized",
    ]
    return "\n".join(lines) + "\n"


AMREX_ROWS: Rows = [
    ("FillBoundary_finish()", 4.0),
    ("FabArray::setVal(val, thecmd, scomp, ncomp)", 2.0),
    ("amr-wind::incflo::advance", 3.0),
    ("Other", 0.5),
]


def dealii(rows: Rows, *, total: float, kind: str = "wall", digits: str = ".3g") -> str:
    """Seconds of sections."""
    clock = "wallclock" if kind == "wall" else "CPU"
    time = f"{format(total, digits)}s"
    border = "+" + "-" * 30 + "+-----------+------------+------------+"
    return "\n".join(
        [
            border,
            f"| Total {clock} time elapsed since start    |{time:>12}|            |",
            "|                                         |            |            |",
            f"| Section                      | no. calls |  {kind} time | % of total |",
            border,
            *(f"| {n:<28} | {10:9d} |{format(s, digits) + 's':>12}| {'2.5%':>10} |" for n, s in rows),
            border,
            "",
            "",
        ]
    )


DEALII_STATISTICS = text_of("dealii_statistics.txt")

TEUCHOS = text_of("teuchos.txt")

SERIAL_TEUCHOS = text_of("serial_teuchos.txt")

KOKKOS = text_of("kokkos.txt")

GROMACS_ON_GPU = text_of("gromacs_on_gpu.txt")


PH = text_of("ph.txt")


GPTL_SUMMARY = text_of("gptl_summary.txt")

KOKKOS_STACK = text_of("kokkos_stack.txt")

LOGS: dict[str, Callable[[], str]] = {
    "gromacs": lambda: gromacs(GROMACS_ROWS),
    "gromacs-gpu": lambda: gromacs(GROMACS_ROWS, threads=2, header="Activity:", gpu=True, rest=2.0),
    "gromacs-on-gpu": lambda: GROMACS_ON_GPU,
    "lammps": lambda: lammps((1.0, 100, [("Pair", 0.75), ("Comm", 0.125), ("Other", 0.125)])),
    "lammps-runs": lambda: lammps(*[(1.0, 100, [("Pair", 0.5), ("Output", 0.25), ("Other", 0.25)])] * 2),
    "lammps-old": old_lammps,
    "cp2k": lambda: cp2k([("CP2K", 0.5), ("qs_forces", 4.0), ("mp_bcast_i", 1.0)], total=6.0),
    "quantum-espresso": quantum_espresso,
    "quantum-espresso-repeated": lambda: quantum_espresso(repeated=True, total="0h 2m"),
    "quantum-espresso-old": lambda: OLD_QUANTUM_ESPRESSO,
    "quantum-espresso-ph": lambda: PH,
    "vasp": vasp,
    "vasp-old": lambda: OLD_VASP,
    "vasp-stars": lambda: vasp().replace("real time     20.0000", "real time**********"),
    "quantum-espresso-6.3": lambda: quantum_espresso(total="27h 6m").replace("1m50.00s CPU", "6h27m CPU"),
    "castep": castep,
    "sander": lambda: SANDER,
    "pmemd": lambda: PMEMD,
    "namd": namd,
    "nalu-wind": lambda: NALU_WIND,
    "gptl": lambda: gptl(GPTL_ROWS),
    "gptl-runs": lambda: gptl(GPTL_ROWS) + ">>> cut\n" + gptl(GPTL_ROWS, on=False) + gptl(GPTL_ROWS[:4]),
    "gptl-summary": lambda: GPTL_SUMMARY,
    **BENCHMARKS,
    **SIMULATIONS,
    "petsc": petsc,
    "amrex": lambda: amrex(AMREX_ROWS, total=12.0),
    "amrex-region": lambda: amrex(AMREX_ROWS, total=12.0, region=True),
    "dealii": lambda: dealii([("Assemble", 2.0), ("Solve: (I-X)", 5.0)], total=10.0),
    "dealii-cpu": lambda: dealii([("Assemble", 2.0)], total=10.0, kind="CPU"),
    "dealii-statistics": lambda: DEALII_STATISTICS,
    "teuchos": lambda: TEUCHOS,
    "teuchos-serial": lambda: SERIAL_TEUCHOS,
    "kokkos": lambda: KOKKOS,
    "kokkos-stack": lambda: KOKKOS_STACK,
}
"""One log of each kind and layout."""
