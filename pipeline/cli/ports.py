"""`pipeline ports`: what limits the loops of a function on a processor core."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import Limit, Presentation, command, shared, valued

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Object file, compiler output (.s), or the text of objdump -d."),
]
Function = Annotated[
    str, valued("--function", "NAME", "Function with the loops: its C++ or Fortran name, or symbol.")
]
On = Annotated[str, shared("--on", ": a processor such as zen4, sapphire-rapids or neoverse-v2")]
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


@command("ports")
def ports(
    file: File,
    function: Function,
    on: On,
    here: From = None,
    time: Time = None,
    clock: Clock = None,
    clock_here: ClockHere = None,
    loop: Loop = None,
    limit: Limit = 3,
    llvm_mca: Mca = None,
    shown: Presentation = Presentation(),
) -> None:
    """Show what limits a function's loops on a processor core."""
    from pipeline.columns.loops import loops_table
    from pipeline.report.ports_table import show_ports
    from pipeline.stages.ports import ports

    report = ports(
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
    )
    shown.present(report, lambda: loops_table(report), lambda screen: show_ports(screen, report))
