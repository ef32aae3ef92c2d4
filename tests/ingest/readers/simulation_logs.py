"""Logs of simulations that print timers on their way: NWChem and SPECFEM3D, of our own making."""

from collections.abc import Callable, Mapping

NWCHEM_HEAD = """\
 argument  1 = water.nw
  NWChem w/ OpenMP: maximum threads =    2

             Northwest Computational Chemistry Package (NWChem) 7.0.1
             --------------------------------------------------------
             NWChem is an open-source computational chemistry package
    nwchem revision = v7.0.1
    nproc           =        8
                                NWChem Input Module
                                -------------------
"""
NWCHEM_DFT = """\
                                 NWChem DFT Module
                                 -----------------
 d= 0,ls=0.0,diis     1    -76.3850812345 -8.54D+01  9.09D-03  2.61D-01     1.2
 d= 0,ls=0.0,diis     2    -76.3935123456 -8.43D-03  7.05D-04  2.60D-03     2.1
     Total iterative time =      {seconds}s
"""
NWCHEM_TASK = """\
 Task  times  cpu:       {cpu}s     wall:       {wall}s
                                NWChem Input Module
                                -------------------
"""
NWCHEM_TOTAL = " Total times  cpu:       19.0s     wall:       {wall}s\n"


def nwchem(*, wall: str = "20.0", total: bool = True) -> str:
    """Two tasks of DFT, one of coupled clusters on top of SCF, and a band structure without a solution."""
    return "".join(
        (
            NWCHEM_HEAD,
            NWCHEM_DFT.format(seconds="3.0"),
            NWCHEM_TASK.format(cpu="4.0", wall="4.5"),
            NWCHEM_DFT.format(seconds="2.0"),
            NWCHEM_TASK.format(cpu="2.5", wall="2.5"),
            "                                 NWChem SCF Module\n",
            "        Time for solution =      1.5s\n",
            "              the segmented parallel ccsd program:    8 nodes\n",
            NWCHEM_TASK.format(cpu="8.0", wall="8.0"),
            "          *                   NWPW BAND Calculation                *\n",
            NWCHEM_TASK.format(cpu="2.0", wall="2.0"),
            NWCHEM_TOTAL.format(wall=wall) if total else "",
        )
    )


SPECFEM_HEAD = """\
 **********************************************
 **** Specfem 3-D Solver - MPI version f90 ****
 **********************************************

 There are           {processes}  MPI processes
 Elapsed time for preparing timerun in seconds =   0.50000000000000000
"""
SPECFEM_STEPS = """\
 Time step #          {step}
 Time:    2.67      seconds
 Elapsed time in seconds =    {seconds}
 Elapsed time in hh:mm:ss =      0 h 00 m 12 s
 Mean elapsed time per time step in seconds =   2.00E-02
 Time steps done =          {step}  out of        1000
"""


def specfem(*, ended: bool = True, processes: int = 4) -> str:
    """A solver's output with two reports on the way."""
    end = " Time-Loop Complete. Timing info:\n Total elapsed time in seconds =    20.2500000000000\n"
    return (
        SPECFEM_HEAD.format(processes=processes)
        + SPECFEM_STEPS.format(step=500, seconds="10.00000")
        + SPECFEM_STEPS.format(step=1000, seconds="2.0E+01")
        + (end if ended else "")
    )


CACTUS_HEAD = """\
Cactus version:    4.13.0
INFO (Carpet): Carpet is running on 4 processes
INFO (Carpet): This process contains 2 threads, this is thread 0
"""


def cactus_table(scale: float, *, columns: tuple[str, ...] = ("gettimeofday", "getrusage")) -> str:
    """The flesh's report: two bins, one of which takes more than its routines."""
    rows = [
        ("IOUtil", "Startup routine", 0.5),
        ("", "Total time for CCTK_STARTUP", 0.5),
        ("MoL", "Initialise RHS", 2 * scale),
        ("ML_BSSN", "evaluate the right hand side of the equat", 5 * scale),
        ("", "Total time for CCTK_EVOL", 8 * scale),
        ("", "Total time for simulation", 10 * scale),
    ]
    head = " | ".join(f"{name} [secs]" for name in columns)
    lines = [f"{'Thorn':<16}| {'Scheduled routine in time bin':<40}| {head} "]
    for thorn, routine, seconds in rows:
        cells = (seconds if name == "gettimeofday" else seconds / 2 for name in columns)
        values = " | ".join(f"{value:19.8f}" for value in cells)
        lines.append(f"{thorn:<16.16}| {routine:<40.40}| {values} ")
    return "\n".join(lines) + "\n" + "=" * 99 + "\n"


def cactus() -> str:
    """A run that reports twice, with all sums so far."""
    return CACTUS_HEAD + cactus_table(0.5) + "INFO (Carpet): 12 | 0.5 | 3.0\n" + cactus_table(1.0) + "Done.\n"


SIMULATIONS: Mapping[str, Callable[[], str]] = {"cactus": cactus, "nwchem": nwchem, "specfem": specfem}
