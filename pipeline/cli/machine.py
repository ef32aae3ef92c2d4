"""`pipeline machine`: the machine files that are shipped, and one of the machine at hand."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Format, Json
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    require_table_alone,
    show_notice,
    show_notices,
    write_output,
    write_summary,
    write_table,
)

machine_app = typer.Typer(
    help="List machines to project to, or measure the one at hand.", no_args_is_help=True
)
app.add_typer(machine_app, name="machine")

Output = Annotated[
    str,
    typer.Option("-o", "--output", metavar="FILE", help="Machine file to write; '-' for standard output."),
]
Compiler = Annotated[
    str | None, typer.Option("--cc", metavar="NAME", help="C compiler; default: the first of cc, gcc, clang.")
]
Flags = Annotated[
    str | None,
    typer.Option(
        "--flags", metavar="FLAGS", help="Its flags; default: -O3 -march=native, on Arm -O3 -mcpu=native."
    ),
]
MpiCompiler = Annotated[str, typer.Option("--mpicc", metavar="NAME", help="MPI's C compiler.")]
Launcher = Annotated[
    str | None,
    typer.Option(
        "--mpirun",
        metavar="COMMAND",
        help="What starts MPI programs, such as 'srun' in an allocation of several nodes; default: "
        "mpirun with a rank per core.",
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A few seconds: three rounds and arrays that caches may hold.")
]


@machine_app.command("list")
def list_command(json: Json = None, table_format: Format = "table") -> None:
    """List the shipped machines, and which of them describe a node and a network."""
    from pipeline.report.projection_table import machines_json, show_machines
    from pipeline.report.tables.projection import shipped_table
    from pipeline.report.terminal import console
    from pipeline.stages.project import shipped_machines

    require_table_alone(table_format, {"--json": json})
    machines = shipped_machines()
    document = {"machines": machines_json(machines)}
    if not (write_summary(json, document) or write_table(table_format, lambda: shipped_table(document))):
        show_machines(console(), machines)


@machine_app.command("measure")
def measure_command(
    output: Output = STANDARD_OUTPUT,
    compiler: Compiler = None,
    flags: Flags = None,
    mpi_compiler: MpiCompiler = "mpicc",
    launcher: Launcher = None,
    quick: Quick = False,
) -> None:
    """Measure clock, peaks, bandwidths, latencies and network of this machine: below two minutes."""
    from pipeline.stages.machine import QUICK, THOROUGH, Tools, measure_machine
    from pipeline.store.atomic import require_writable

    if output != STANDARD_OUTPUT:
        require_writable(Path(output))
    show_notice("measuring this machine, best without other load: up to two minutes")
    tools = Tools(compiler=compiler, flags=flags, mpi_compiler=mpi_compiler, launcher=launcher)
    measured = measure_machine(tools, QUICK if quick else THOROUGH)
    show_notices(measured.notices)
    write_output(output, measured.text)
