"""`pipeline ports`: what limits the loops of a function on a processor core."""

import csv
import io
import math
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import Limit, Presentation, command, refuse_beside, shared, switch, valued

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Object file, compiler output (.s), or the text of objdump -d.")
]
Function = Annotated[
    str, valued("--function", "NAME", "Function with the loops: its C++ or Fortran name, or symbol.")
]
On = Annotated[str | None, shared("--on", ": a processor such as zen4, sapphire-rapids or neoverse-v2")]
From = Annotated[str | None, shared("--from", ": a processor to compare with")]
Time = Annotated[
    str | None, valued("--time", "TIME", "Time of the loop on the processor of --from, such as '12.3 s'.")
]
Clock = Annotated[str | None, valued("--clock", "HZ", "Clock of the processor, such as '2.1 GHz'.")]
ClockHere = Annotated[str | None, valued("--from-clock", "HZ", "Clock of the processor of --from.")]
Loop = Annotated[int | None, valued("--loop", "N", "Show only the loop of this number.")]
Mca = Annotated[
    str | None, valued("--llvm-mca", "PATH", "The llvm-mca to use; default: the newest one found.")
]
Report = Annotated[
    Path | None,
    valued("--report", "FILE", "Compiler's report on vectorisation; default: Clang's .opt.yaml beside FILE."),
]
Count = Annotated[
    bool,
    switch("--count", "Print the loop's instructions by class as a row of CSV, for a fitted port model."),
]
PortMap = Annotated[
    Path | None, valued("--map", "FILE", "Port map whose classes --count counts; default: eight classes.")
]
PerPass = Annotated[
    float | None,
    valued("--per-pass", "N", "Elements that a pass handles; default: as its code tells, 1 for --count."),
]
Cycles = Annotated[float | None, valued("--cycles", "X", "Measured cycles of an element, for --count.")]


@command("ports")
def ports(
    file: File,
    function: Function,
    on: On = None,
    here: From = None,
    time: Time = None,
    clock: Clock = None,
    clock_here: ClockHere = None,
    loop: Loop = None,
    limit: Limit = 3,
    llvm_mca: Mca = None,
    report: Report = None,
    count: Count = False,
    port_map: PortMap = None,
    per_pass: PerPass = None,
    cycles: Cycles = None,
    shown: Presentation = Presentation(),
) -> None:
    """Show what limits a function's loops on a processor core."""
    from ingest.errors import UsageError

    if per_pass is not None and not 1 <= per_pass < math.inf:
        raise UsageError(f"invalid number {per_pass:g}", where="--per-pass", hint="write at least 1")
    if cycles is not None and not 0 <= cycles < math.inf:
        raise UsageError(f"invalid number {cycles:g}", where="--cycles", hint="write at least 0")
    if count:
        from pipeline.cli.output import show_notices
        from pipeline.stages.ports import counted_variant

        _refuse_beside_count(
            shown,
            {
                "--on": on,
                "--from": here,
                "--time": time,
                "--clock": clock,
                "--from-clock": clock_here,
                "--llvm-mca": llvm_mca,
                "--report": report,
            },
        )
        row, notices = counted_variant(
            file, function, port_map=port_map, loop=loop, per_pass=per_pass, cycles=cycles
        )
        show_notices(f"{file}: {notice}" for notice in notices)
        _print_row(row)
        return
    for flag, given in (("--cycles", cycles), ("--map", port_map)):
        if given is not None:
            raise UsageError("is only for counts", where=flag, hint="add --count")
    if on is None:
        raise UsageError("no processor given", where="--on", hint="such as --on zen4; --count needs none")
    from pipeline.report.ports_table import loops_table, show_ports
    from pipeline.stages.ports import ports

    found = ports(
        file,
        function,
        on,
        here=here,
        seconds=time,
        clock=clock,
        clock_here=clock_here,
        loop=loop,
        most=limit,
        llvm_mca=llvm_mca,
        per_pass=per_pass,
        report=report,
    )
    shown.present(found, lambda: loops_table(found), lambda screen: show_ports(screen, found))


def _refuse_beside_count(shown: Presentation, given: Mapping[str, object]) -> None:
    refuse_beside("--count", given)
    presented = {"--json": shown.json, "--format": shown.table_format != "table"}
    refuse_beside("--count", presented, "it prints a row of CSV: append it to a file with >>")


def _print_row(row: Mapping[str, float | str]) -> None:
    """Print a row of CSV, after its header unless standard output appends to a file that has it."""
    from ingest.errors import UsageError

    text = io.StringIO()
    writer, header = csv.writer(text, lineterminator="\n"), ",".join(row)
    before = _header_of_output()
    if before not in ("", header):
        raise UsageError(f"the file has other columns: {before}", hint="use the same --map, or a new file")
    if not before:
        writer.writerow(row)
    writer.writerow(value if isinstance(value, str) else f"{value:.6g}" for value in row.values())
    print(text.getvalue(), end="")


def _header_of_output() -> str:
    """Return the header of the table that standard output is appended to; empty if it is to no table."""
    try:
        status = os.fstat(sys.stdout.fileno())
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return ""
        with Path(f"/dev/fd/{sys.stdout.fileno()}").open(encoding="utf-8", errors="replace") as file:
            first = file.readline().rstrip("\n")
    except OSError:
        return ""
    return first if first.startswith("variant,") else ""
