"""Logs of OpenFOAM's solvers of our own making, as the forks print them."""

ESI = """\
/*---------------------------------------------------------------------------*\\
| =========                 |                                                 |
| \\\\      /  F ield         | OpenFOAM: The Open Source CFD Toolbox           |
\\*---------------------------------------------------------------------------*/
Build  : v2306 OPENFOAM=2306 patch=230110
Arch   : "LSB;label=32;scalar=64"
Exec   : {program} -parallel
Date   : Nov 22 2026
Time   : 01:13:30
Host   : node1
PID    : 1
I/O    : uncollated
Case   : /scratch/duct
nProcs : {processes}
Hosts  :
(
    (node1 2)
    (node2 2)
)
Pstream initialized with:
"""
FOUNDATION = """\
  =========                 |
  \\\\      /  F ield         | OpenFOAM: The Open Source CFD Toolbox
   \\\\    /   O peration     | Version:  11
Build  : 11-4f3ae86f83ba
Exec   : {program} -parallel
Date   : Nov 22 2026
Time   : 01:13:30
Host   : "node1"
PID    : 1
I/O    : uncollated
Case   : /scratch/duct
nProcs : {processes}
Slaves :
3
(
"node2.13"
"node2.14"
"node2.15"
)

"""
EXTEND = """\
Build    : 4.1-34e3a1c7b8a1
Exec     : {program} -parallel
Date     : Nov 22 2026
Time     : 01:13:30
Host     : node1
PID      : 1
CtrlDict : "/scratch/duct/system/controlDict"
Case     : /scratch/duct
nProcs   : {processes}
Slaves :
3
(
"node2.13"
"node2.14"
"node2.15"
)

"""
BEGIN = "\nCreate time\n\nCreate mesh for time = 0\n\n\nStarting time loop\n\n"
STEP = """\
Time = {time}

smoothSolver:  Solving for Ux, Initial residual = 0.2, Final residual = 3.9e-06, No Iterations {u}
GAMG:  Solving for p, Initial residual = 0.{step}, Final residual = 0.0034, No Iterations {p}
time step continuity errors : sum local = 4.2e-05, global = 8.8e-20, cumulative = 1.2e-19
"""


def log(
    times=((3.0, 3), (5.0, 5), (7.5, 8)),
    *,
    header=ESI,
    program="simpleFoam",
    processes=4,
    unit="",
    end="End\n\nFinalising parallel run\n",
    clock="ExecutionTime = {0:g} s  ClockTime = {1} s\n\n",
):
    """Return the log of a solver: processor and wall seconds at the end of each step."""
    steps = (
        STEP.format(time=f"{number}{unit}", step=number, u=2, p=3 * number) + clock.format(*at)
        for number, at in enumerate(times, 1)
    )
    return header.format(program=program, processes=processes) + BEGIN + "".join(steps) + end


LOGS = {
    "esi": log(),
    "foundation": log(header=FOUNDATION, unit="s"),
    "extend": log(header=EXTEND, clock="ExecutionTime = 1-02:03:{0:g} ClockTime = 1-02:03:{1}\n"),
}
