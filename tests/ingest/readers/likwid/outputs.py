"""Small outputs of likwid-perfctr."""

from tests.ingest.readers.texts import text_of

HEAD = """\
--------------------------------------------------------------------------------
CPU name:	AMD EPYC 7702 64-Core Processor
CPU type:	AMD K17 (Zen2) architecture
--------------------------------------------------------------------------------
Time:			4.319673e+00 sec
"""


def framed(title, *rows):
    """Return a framed table."""
    columns = list(zip(*((str(cell) for cell in row) for row in (title, *rows)), strict=True))
    widths = [max(map(len, column)) for column in columns]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"

    def line(row):
        return "|" + "|".join(f" {cell!s:^{width}} " for cell, width in zip(row, widths, strict=True)) + "|\n"

    return rule + line(title) + rule + "".join(map(line, rows)) + rule


def program(*seconds, cores=None, dram="7", group=1):
    """A program without markers, a column for each of its cores."""
    names = cores or [f"Core {core}" for core in range(len(seconds))]
    ones = [10 * (at + 1) for at in range(len(seconds))]
    events = framed(
        ("Event", "Counter", *names),
        ("INSTR", "PMC0", *ones),
        ("DRAM", "DFC0", dram, *[0] * (len(seconds) - 1)),
        ("DRAM", "DFC1", dram, *["-"] * (len(seconds) - 1)),
    )
    statistics = framed(("Event", "Counter", "Sum", "Min", "Max", "Avg"), ("INSTR STAT", "PMC0", 1, 2, 3, 4))
    metrics = framed(("Metric", *names), ("Runtime (RDTSC) [s]", *seconds), ("CPI", *[0.5] * len(seconds)))
    return f"{HEAD}Group {group}: MEM\n{events}\n{statistics}\n{metrics}\n"


def markers(blank=""):
    """Two regions on two cores, one of them in two groups of events; `blank` stands between tables."""

    def region(name, group, seconds, calls, instructions):
        tables = (
            framed(
                ("Region Info", "HWThread 0", "HWThread 4"),
                ("RDTSC Runtime [s]", *seconds),
                ("call count", *calls),
            ),
            framed(("Event", "Counter", "HWThread 0", "HWThread 4"), ("INSTR", "FIXC0", *instructions)),
            framed(("Event", "Counter", "Sum", "Min", "Max", "Avg"), ("INSTR STAT", "FIXC0", 9, 9, 9, 9)),
            framed(("Metric", "HWThread 0", "HWThread 4"), ("Runtime (RDTSC) [s]", 99, 99)),
        )
        return f"Region {name}, Group {group}: MEM_DP\n{blank.join(tables)}"

    return (
        HEAD
        + region("Setup phase", 1, (2.0, 3.0), (2, 2), (100, 200))
        + region("Solve", 1, (6.0, 5.0), (1, 3), (1000, 500))
        + region("Solve", 2, (2.0, 5.0), (1, 0), (7, 7))
        + "-" * 80
        + "\n"
    )


CSV = text_of("likwid_csv.txt")
MPIRUN = program(1.5, 2.5, 3.5, cores=("node1:0:0", "node1:0:1", "node2:1:0"))

LIKWID = {
    "program": program(2.0, 2.0),
    "markers": markers("\n"),
    "dense": markers(),
    "csv": CSV,
    "mpi": MPIRUN,
}
