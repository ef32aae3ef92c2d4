"""Logs of WRF's first process: layouts of the program, values of our own."""

BEGIN = """taskid: 0 hostname: n0001
 Quilting with   1 groups of   2 I/O tasks.
 Ntasks in X            2 , ntasks in Y            3
 WRF V4.4.1 MODEL
 ids,ide,jds,jde            1          75           1          61
Timing for processing wrfinput file (stream 0) for domain        1:    1.50000 elapsed seconds
 WRF NUMBER OF TILES FROM OMP_GET_MAX_THREADS =   4
"""
END = "d01 2000-01-24_12:09:00 wrf: SUCCESS COMPLETE WRF\n"
STAMP = "2000-01-24_12:03:00"


def step(domain: int, seconds: float, *, adaptive: bool = False) -> str:
    """The line behind a step."""
    what = "main (dt= 18.00)" if adaptive else "main"
    return f"Timing for {what}: time {STAMP} on domain {domain:3d}: {seconds:10.5f} elapsed seconds\n"


def written(stream: str, domain: int, seconds: float) -> str:
    """The line behind a file of output."""
    name = f"{stream}_d{domain:02d}_{STAMP}"
    return f"Timing for Writing {name} for domain {domain:8d}: {seconds:10.5f} elapsed seconds\n"


def boundary(seconds: float, domain: int = 1) -> str:
    """The line behind a reading of boundaries."""
    return f"Timing for processing lateral boundary for domain {domain:8d}: {seconds:10.5f} elapsed seconds\n"


ONE_DOMAIN = "".join(
    (
        BEGIN,
        written("wrfout", 1, 0.5),
        boundary(0.25),
        step(1, 5.0),
        step(1, 2.0),
        " some other line\n",
        written("wrfrst", 1, 1.0),
        step(1, 3.0),
        written("wrfout", 1, 0.5),
        END,
    )
)
NESTED = "".join(
    (
        BEGIN,
        *(step(3, 0.25) + step(3, 0.25) + step(2, 1.0) for _ in range(2)),
        step(1, 5.0),
        written("wrfout", 2, 0.5),
        step(2, 1.5),
        step(2, 1.0),
        written("wrfout", 2, 0.125),  # at the end of the run the nest writes outside of its own steps
        step(1, 3.625),
        written("wrfout", 1, 0.5),
        END,
    )
)
WRF = {
    "one domain": ONE_DOMAIN,
    "nests": NESTED,
    "adaptive steps": BEGIN + step(1, 5.0, adaptive=True) + step(1, 2.0, adaptive=True) + END,
    "one process": step(1, 5.0) + step(1, 2.0) + step(1, 2.5) + "wrf: SUCCESS COMPLETE WRF\n",
}
