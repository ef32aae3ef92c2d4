"""`pipeline ports`: what limits the loops of a function on a processor core."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Format, Json, Limit
from pipeline.cli.output import require_table_alone, write_summary, write_table

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Object file, compiler output (.s), or the text of objdump -d."),
]
Function = Annotated[
    str, typer.Option("--function", metavar="NAME", help="Function with the loops: its symbol or C++ name.")
]
On = Annotated[
    str, typer.Option("--on", metavar="CPU", help="Processor, such as zen4, sapphire-rapids or neoverse-v2.")
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="CPU", help="Processor to compare with, where the time was measured."),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time", metavar="TIME", help="Time of the loop on the processor of --from, such as '12.3 s'."
    ),
]
Clock = Annotated[
    str | None, typer.Option("--clock", metavar="HZ", help="Clock of the processor, such as '2.1 GHz'.")
]
ClockHere = Annotated[
    str | None, typer.Option("--from-clock", metavar="HZ", help="Clock of the processor of --from.")
]
Loop = Annotated[int | None, typer.Option("--loop", metavar="N", help="Show only the loop of this number.")]
Mca = Annotated[
    str | None,
    typer.Option("--llvm-mca", metavar="PATH", help="The llvm-mca to use; default: the newest one found."),
]


@app.command("ports")
def ports_command(
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
    json: Json = None,
    table_format: Format = "table",
) -> None:
    """Show what limits a function's loops on a processor core: ports, front end or dependencies."""
    from pipeline.report.ports_table import ports_json, show_ports
    from pipeline.report.tables.ports import ports_table
    from pipeline.report.terminal import console
    from pipeline.stages.ports import ports

    require_table_alone(table_format, {"--json": json})
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
    document = ports_json(report)
    if not (write_summary(json, document) or write_table(table_format, lambda: ports_table(document))):
        show_ports(console(), report)
