"""`pipeline machine`: the machine files that are shipped, and one of the machine at hand."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Presentation, command, shared, switch, valued
from pipeline.cli.output import STANDARD_OUTPUT, show_notice, show_notices, write_output

_machine_app = typer.Typer(help="List machines to project to, or measure this one.", no_args_is_help=True)
app.add_typer(_machine_app, name="machine")

Output = Annotated[str, shared("--out", ": the machine file, '-' for standard output")]
Compiler = Annotated[str | None, valued("--cc", "NAME", "C compiler; default: the first of cc, gcc, clang.")]
Flags = Annotated[
    str | None, valued("--flags", "FLAGS", "Its flags; default: -O3 -march=native, on Arm -O3 -mcpu=native.")
]
MpiCompiler = Annotated[str, valued("--mpicc", "NAME", "MPI's C compiler.")]
Launcher = Annotated[
    str | None,
    valued(
        "--mpirun",
        "COMMAND",
        "What starts MPI programs, such as 'srun' in an allocation of several nodes; default: "
        "mpirun with a rank per core.",
    ),
]
Quick = Annotated[bool, switch("--quick", "A few seconds: three rounds and arrays that caches may hold.")]


@command("list", group=_machine_app)
def list_machines(shown: Presentation = Presentation()) -> None:
    """List the shipped machines, and which of them describe a node and a network."""
    from pipeline.columns.shipped import Machines, shipped_table, tables_of_shipped
    from pipeline.report.render.terminal_tables import show_tables
    from pipeline.stages.shipped import shipped_machines

    found = Machines(machines=shipped_machines())
    shown.present(
        found, lambda: shipped_table(found), lambda screen: show_tables(screen, tables_of_shipped(found))
    )


@command("measure", group=_machine_app)
def measure(
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
