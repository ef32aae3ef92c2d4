"""`pipeline history`: results over commits."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, CommandGroup, Config, Json, Limit, Presentation, command, shared, valued
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    show_notice,
    show_notices,
    show_written,
    write_output,
    write_summary,
)

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.gate.trends import Entries

_history_app = typer.Typer(cls=CommandGroup, no_args_is_help=True, invoke_without_command=True)
app.add_typer(_history_app, name="history")

_FILE = Path("history.parquet")
File = Annotated[Path, shared("--history", ": the file")]


@_history_app.callback()
def history_command(
    context: typer.Context,
    html: Annotated[
        Path | None,
        shared(
            "--out",
            ": a page of trends and change points, index.html of this directory with Markdown for a pull "
            "request, or a file that ends in .html",
        ),
    ] = None,
    file: File = _FILE,
    commit_url: Annotated[
        str, valued("--commit-url", "TEMPLATE", "Link commits: an address with {commit} in it.")
    ] = "",
    machine: Annotated[
        str, shared("--machine", ": whose entries to show, by default that of the newest entry")
    ] = "",
    badge: Annotated[
        str | None,
        valued("--badge", "FILE", "Write a badge of the newest entry: .svg, or .json for shields.io."),
    ] = None,
) -> None:
    """Record results over commits and find when a kernel changed."""
    from ingest.errors import UsageError

    if context.invoked_subcommand is not None:
        if html is not None or badge is not None or commit_url or machine or file != _FILE:
            hint = f"leave out either the options or '{context.invoked_subcommand}'"
            raise UsageError("its options stand without a command", where="history", hint=hint)
        return
    if html is None and badge is None:
        hint = "see `pipeline history --help`"
        raise UsageError("give --out DIR, --badge FILE, or a command", where="history", hint=hint)
    form = Path(badge or "").suffix
    if badge is not None and form not in (".svg", ".json"):
        raise UsageError(f"'{badge}' is neither .svg nor .json", where="--badge")
    from pipeline.store.history_file import comparable, read_history

    entries = comparable(read_history(file), machine)
    show_notices(entries.notices)
    if badge is not None:
        _write_badge(badge, form, entries)
    if html is not None:
        _write_page(html, entries, commit_url)


def _write_badge(target: str, form: str, entries: "Entries") -> None:
    from ingest.record_codec import document
    from pipeline.report.check.history import history_badge
    from pipeline.store.atomic import json_bytes

    badge = history_badge(entries)
    write_output(target, badge.svg if form == ".svg" else json_bytes(document(badge)))


def _write_page(out: Path, entries: "Entries", commit_url: str) -> None:
    from pipeline.report.page.history_page import checked_template, history_page, history_view, pull_request
    from pipeline.store.atomic import text_bytes, write_bytes

    view = history_view(entries, checked_template(commit_url) if commit_url else "")
    page = out if out.suffix == ".html" else out / "index.html"
    # unlike results they can be made again after a power failure
    if page != out:
        write_bytes(out / "pull-request.md", text_bytes(pull_request(view)), durable=False)
    write_bytes(page, text_bytes(history_page(view)), durable=False)
    show_written(page)


@command("add", group=_history_app, outputs=("--json",))
def add(
    path: Annotated[
        Path, typer.Argument(metavar="OUT|DIR|FILE", help="Results directory, runs or series file.")
    ],
    label: Annotated[str, valued("--label", "NAME", "Name of this state of the code, such as the commit.")],
    commit: Annotated[
        str, valued("--commit", "NAME", "Commit that links lead to, if the label is not its digest.")
    ] = "",
    file: File = _FILE,
    check: Annotated[
        Path | None, valued("--check", "FILE", "check.json of the same state, to store its verdicts too.")
    ] = None,
    machine: Annotated[str, shared("--machine", ", by default the one that the runs name")] = "",
    at: At = None,
    config: Config = None,
    json: Json = None,
) -> None:
    """Add the kernels of a result; entries with the same label are replaced."""
    from ingest.errors import UsageError
    from pipeline.config.options import configuration_file, load_options
    from pipeline.report.render.console import console, show_sentence
    from pipeline.stages.check import check_rules, read_study, read_verdicts
    from pipeline.stages.history import add_entry

    if len(at or []) > 1:
        raise UsageError("a label has one target", where="--at", hint="add it under one label per target")
    if str(file) == STANDARD_OUTPUT:
        raise UsageError("a history is a file that grows", where="--history", hint="name a file")
    options = load_options(config, path)
    rules = check_rules(configuration_file(config, path), at, options)
    verdicts = read_verdicts(check) if check is not None else {}
    study = read_study(path, options, machine)
    added = add_entry(
        file, study, label, rules, options, at=at or (), commit=commit, verdicts=verdicts, notify=show_notice
    )
    if not write_summary(json, added):
        for line in str(added).splitlines():
            show_sentence(console(), line)


@command("show", group=_history_app)
def show(
    kernel: Annotated[
        str, typer.Argument(metavar="KERNEL", help="Name or pattern, 'total' for the whole program.")
    ],
    file: File = _FILE,
    limit: Limit = 30,
    shown: Presentation = Presentation(),
) -> None:
    """Show a kernel across commits, with change points and drift."""
    from ingest.errors import UsageError
    from pipeline.report.check.history import History, history_table, kernel_history, places_of, show_history
    from pipeline.report.render.console import show_sentence
    from pipeline.store.history_file import comparable, kernel_rows, read_history

    table = read_history(file)
    found = kernel_rows(table, lambda one: one.matches(kernel))
    if not found:
        raise UsageError(f"'{kernel}' matches no kernel", where=str(file), hint="try '*' or 'total'")
    places = places_of(comparable(table))
    histories = [kernel_history(k, rows, places.get(k, ())) for k, rows in found.items()]

    def draw(screen: "Console") -> None:
        for history in histories[:limit]:
            show_history(screen, history, limit)
        where = "" if file == _FILE else f" --history {file}"
        show_sentence(screen, f"Page of all kernels: pipeline history --out site{where}")

    shown.present(History(kernels=histories), partial(history_table, histories, limit=limit), draw)
