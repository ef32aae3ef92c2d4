"""Logs of benchmarks and frameworks of our own making: UMT, hypre's drivers, CarpetX, HPL, HPCG."""

from collections.abc import Callable, Mapping


def umt(*, processes: int = 4) -> str:
    head = f"""\
Teton driver: number of MPI ranks: {processes}
Teton driver: Running predefined benchmark problem UMT SP#1
Solving for 4096 global unknowns.
"""
    step = """\
 >>>>>>>>>>>>>>>     End of Radiation Step Report    <<<<<<<<<<<<<<<
 TIME STEP        {step}  timerad =       0.0010000000  dtrad =   1.0000000000E-03

 # threads per rank, cpu        =     2
 *****************     Run Time     *****************
                     Cycle (min)     Accumulated (min)
 RADTR          =     0.50000000         {all:.8f}
 Sweep(CPU)     =     0.25000000         {sweep:.8f}
 Sweep(GPU)     =     0.00000000         0.00000000
 Initialization =     0.01046532         0.12500000
 Finalization   =     0.00059809         0.00000000
"""
    steps = (step.format(step=n, all=0.5 * n, sweep=0.25 * n) for n in (1, 2))
    return (
        head
        + "".join(steps)
        + (
            "Throughput of iterative solver was 4.5e+08 unknowns calculated per second.\n"
            "Total number of flux solver iterations for run: 33\nTotal wall time for run: 62.5 seconds.\n"
        )
    )


def hypre(*, grid: str = "4, 2, 1", solver: str = "PCG") -> str:
    return f"""\
srun bin/amg -problem 1 -n 38 38 38 -P 4 2 1
Running with these driver parameters:
  Problem ID    = 1

=============================================
Generate Matrix:
=============================================
Spatial Operator:
  wall clock time = 0.250000 seconds
    (Nx, Ny, Nz) = (152, 76, 38)
    (Px, Py, Pz) = ({grid})
=============================================
Problem 1: AMG Setup Time:
=============================================
{solver} Setup:
  wall clock time = 2.000000 seconds

FOM_Setup: nnz_AP / Setup Phase Time: 1.542544e+10

{solver} Solve:
  wall clock time = 3.000000 seconds

Iterations = 12
Final Relative Residual Norm = 5.351352e-13

Figure of Merit (FOM): nnz_AP / (Setup Phase Time + Solve Phase Time) 8.802245e+09
"""


def carpetx(*, reports: int = 2) -> str:
    report = """\
INFO (CarpetX): Grid cells: 4096   Grid cell updates per second: 1.05503e+09
INFO (CarpetX):   total evolution time:            {0} sec
INFO (CarpetX):   total evolution compute time:    {1} sec
INFO (CarpetX):   total evolution output time:     {2} sec
INFO (CarpetX):   total iterations:                {3}
INFO (CarpetX):   average cell updates per second: 1.0535e+09
"""
    return (
        "Activating thorn CarpetX...Success -> active implementation Driver\n"
        "MPI initialized with 8 MPI processes\nAMReX (25.04) initialized\n"
        + "".join(report.format(4.0 * n, 3.0 * n, 0.5 * n, 16 * n) for n in range(1, reports + 1))
        + ("AMReX (25.04) finalized\n" if reports else "Error: MPI job failed.\n")
    )


HPL = """\
HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR11C2R4       20000   192     2     4               8.50             6.2745e+02
HPL_pdgesv() start time Tue Apr  8 14:55:59 2025
================================================================================
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR11C2R4       40000   192     2     4              64.00             6.6667e+02
"""
HPCG = """\
HPCG-Benchmark
version=3.1
Machine Summary=
Machine Summary::Distributed Processes=16
Machine Summary::Threads per processes=2
Global Problem Dimensions=
Linear System Information::Number of Equations=1124864
Benchmark Time Summary=
Benchmark Time Summary::Optimization phase=0.25
Benchmark Time Summary::DDOT=1.5
Benchmark Time Summary::WAXPBY=0.75
Benchmark Time Summary::SpMV=8
Benchmark Time Summary::MG=48
Benchmark Time Summary::Total=60
Final Summary::HPCG result is VALID with a GFLOP/s rating of=12.5
"""

BENCHMARKS: Mapping[str, Callable[[], str]] = {
    "umt": umt,
    "hypre": hypre,
    "carpetx": carpetx,
    "hpl": lambda: HPL,
    "hpcg": lambda: HPCG,
}
