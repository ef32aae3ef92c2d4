"""GPTL's files of single processes, of our own making."""

HEAD = """\
GPTL version 8.0.3
Underlying timing routine was gettimeofday.
A '*' in column 1 below means the timer had multiple parents, though the values
printed are for all calls.

"""


def rows(scale: float) -> list[tuple[str, int, float]]:
    """Timers: name behind star and blanks, calls, inclusive seconds."""
    return [
        ("  total", 1, 10 * scale),
        ("    solve", 4, 6 * scale),
        ("*     reduce sum", 9, 5 * scale),
        ("    MPI_Barrier", 2, 1.5 * scale),
        ("  finish", 1, 0.5),
    ]


def thread(number: int, timers: list[tuple[str, int, float]], *, on: bool = False) -> str:
    """The table of a thread, with the column of E3SM or without."""
    header = f"{'':40}{'On  ' if on else ''}Called  Recurse     Wall      max      min  self_OH  parent_OH\n"
    column = " -  " if on else ""
    lines = [
        f"{name:<40}{column}{calls:6d}     -   {took:9.3f} {took:8.3f} {took:8.3f}    0.000  0.000\n"
        for name, calls, took in timers
    ]
    return f"Stats for thread {number}:\n{header}{''.join(lines)}Overhead sum = 1.2e-05 wallclock seconds\n\n"


def process(scale: float = 1.0, *, threads: int = 1, on: bool = False) -> str:
    """The file of a process."""
    return HEAD + "".join(thread(number, rows(scale), on=on) for number in range(threads))


GPTL = {"one thread": process(), "two threads": process(0.5, threads=2), "on": process(on=True)}
