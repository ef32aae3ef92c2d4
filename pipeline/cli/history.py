"""`pipeline history`: results over commits."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Config, Format, Json, Limit
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    require_table_alone,
    show_notice,
    show_written,
    write_summary,
    write_table,
)

history_app = typer.Typer(no_args_is_help=True, invoke_without_command=True)
app.add_typer(history_app, name="history")

FILE = Path("history.parquet")
File = Annotated[Path, typer.Option("--file", metavar="FILE", help="History file.")]


@history_app.callback()
def history_command(
    context: typer.Context,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="DIR",
            help="Write a static site of trends and change points to this directory, with a badge and "
            "Markdown for a pull request.",
        ),
    ] = None,
    file: File = FILE,
    commit_url: Annotated[
        str,
        typer.Option(
            "--commit-url",
            metavar="TEMPLATE",
            help="Link commits: an address with {commit} in it.",
        ),
    ] = "",
    machine: Annotated[
        str,
        typer.Option(
            "--machine",
            metavar="NAME",
            help="Show the entries of this machine instead of those of the newest entry's.",
        ),
    ] = "",
) -> None:
    """Record results across commits and find when a kernel changed."""
    from ingest.errors import UsageError

    if context.invoked_subcommand is not None:
        if html is not None or commit_url or machine or file != FILE:
            hint = f"leave out either the options or '{context.invoked_subcommand}'"
            raise UsageError("its options stand without a command", where="history", hint=hint)
        return
    if html is None:
        raise UsageError(
            "give --html DIR, or a command", where="history", hint="see `pipeline history --help`"
        )
    _write_site(html, file, commit_url, machine)


def _write_site(folder: Path, file: Path, commit_url: str, machine: str) -> None:
    from pipeline.report.page.history import checked_template, site
    from pipeline.store.atomic import text_bytes
    from pipeline.store.comparable import comparable
    from pipeline.store.history import read_history

    template = checked_template(commit_url) if commit_url else ""
    entries = comparable(read_history(file), machine)
    for path, text in site(entries, template):
        _write_page(folder / path, text_bytes(text))
    for notice in entries.notices:
        show_notice(notice)
    show_written(folder / "index.html")


def _write_page(path: Path, content: bytes) -> None:
    """Write a file of the site; unlike results it can be made again after a power failure."""
    from pipeline.store.atomic import write_atomically

    def write(temporary: Path) -> None:
        temporary.write_bytes(content)

    write_atomically(path, write, durable=False)


@history_app.command("add")
def add_command(
    path: Annotated[
        Path, typer.Argument(metavar="OUT|DIR|FILE", help="Results directory, runs or series file.")
    ],
    label: Annotated[
        str,
        typer.Option("--label", metavar="NAME", help="Name of this state of the code, such as the commit."),
    ],
    commit: Annotated[
        str,
        typer.Option(
            "--commit", metavar="NAME", help="Commit that links lead to, if the label is not its digest."
        ),
    ] = "",
    file: Annotated[
        Path, typer.Option("-o", "--output", "--file", metavar="FILE", help="History file to add to.")
    ] = FILE,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check", metavar="FILE", help="check.json of the same state, to store its verdicts too."
        ),
    ] = None,
    machine: Annotated[
        str,
        typer.Option(
            "--machine", metavar="NAME", help="Name of the machine; by default the one that the runs name."
        ),
    ] = "",
    at: At = None,
    config: Config = None,
) -> None:
    """Add the kernels of a result; entries with the same label are replaced."""
    from ingest.errors import UsageError
    from pipeline.config.options import load_options
    from pipeline.config.targets import parse_at
    from pipeline.gate.baseline import SMALLEST_SHARE
    from pipeline.gate.forecast import forecast, target_points
    from pipeline.stages.check import read_study, read_verdicts
    from pipeline.store.history import add_to_history, history_rows
    from pipeline.wording.quantities import counted

    if len(at or []) > 1:
        raise UsageError("a label has one target", where="--at", hint="add it under one label per target")
    if str(file) == STANDARD_OUTPUT:
        raise UsageError("a history is a file that grows", where="--output", hint="name a file")
    options = load_options(config, path if path.is_dir() else None)
    study = read_study(path, options, machine).measurements.above_share(SMALLEST_SHARE)
    targets = target_points(study, parse_at(at or []))
    verdicts = read_verdicts(check) if check is not None else {}
    target = study.named(targets)[-1]
    rows = history_rows(study, forecast(study, targets, options.models), target, label, verdicts, commit)
    labels = add_to_history(file, rows)
    typer.echo(
        f"Added {counted(len(rows), 'kernel')} of {label} to {file}, which has {counted(labels, 'label')}"
    )


@history_app.command("show")
def show_command(
    kernel: Annotated[
        str, typer.Argument(metavar="KERNEL", help="Name or pattern, 'total' for the whole program.")
    ],
    file: File = FILE,
    json: Json = None,
    limit: Limit = 30,
    table_format: Format = "table",
) -> None:
    """Show a kernel across commits, with change points and drift."""
    from ingest.errors import UsageError
    from pipeline.report.check.history import history_document, show_history
    from pipeline.report.tables.gate import history_table
    from pipeline.report.terminal import console
    from pipeline.store.history import kernel_rows, read_history

    require_table_alone(table_format, {"--json": json})
    found = kernel_rows(read_history(file), lambda one: one.matches(kernel))
    if not found:
        raise UsageError(f"'{kernel}' matches no kernel", where=str(file), hint="try '*' or 'total'")
    documents = [history_document(k, rows) for k, rows in found.items()]
    if not (
        write_summary(json, {"kernels": documents})
        or write_table(table_format, lambda: history_table(documents, limit=limit))
    ):
        for document in documents[:limit]:
            show_history(console(), document, limit)
