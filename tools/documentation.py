"""What mkdocs does beside rendering docs/: pages made from the code, and pages from outside docs/.

mkdocs loads this file as a hook (mkdocs.yml). A line ``<!-- generated: NAME -->`` in a page becomes what
`GENERATED` makes for that name. Files of the repository in `PAGES` are pages of the site, too, and links to
them work in both places.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

PROJECT = Path(__file__).resolve().parent.parent
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "SUPPORT.md": "support.md",
    "benchmarks/accuracy/results.md": "benchmarks/accuracy.md",
    "benchmarks/adaptive/results.md": "benchmarks/adaptive.md",
    "benchmarks/campaign/README.md": "benchmarks/campaign.md",
    "benchmarks/history/results.md": "benchmarks/change-points.md",
    "benchmarks/history/results_before.md": "benchmarks/change-points-before.md",
    "benchmarks/modelling/results.md": "benchmarks/modelling.md",
    "benchmarks/modelling_several/results.md": "benchmarks/several-parameters.md",
    "benchmarks/overview/results.md": "benchmarks/overview.md",
    "benchmarks/real_series/results.md": "benchmarks/real-series.md",
    "benchmarks/reading/README.md": "benchmarks/reading.md",
}
"""Pages of the site by the files of the repository that they are made from."""

_MARK = re.compile(r"^<!-- generated: ([a-z ]+) -->$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?(?=\))")


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401  # types of mkdocs, which is not needed here otherwise
    """Add the pages that lie outside of docs/, and the reports that `pipeline run` writes."""
    from mkdocs.structure.files import File

    from tools.live_reports import live_reports

    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(PROJECT / source).read_text(encoding="utf-8")))
    for name, content in live_reports():
        files.append(File.generated(config, name, content=content))
    return files


def on_post_build(config: Any) -> None:  # noqa: ANN401
    """Write the history of the benchmarks' figures beside their page, with `pipeline history`."""
    from benchmarks.overview.ledger import read_ledger
    from benchmarks.overview.watch import write_history_site

    write_history_site(read_ledger(), Path(config["site_dir"]) / "benchmarks" / "history")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Put in what is generated, and let links lead to pages of the site."""
    markdown = _MARK.sub(lambda mark: GENERATED[mark[1]](), markdown)
    return site_links(markdown, page.file.src_uri)


def site_links(markdown: str, page: str) -> str:
    """Return a page with its links to files of the repository turned into links between pages of the site.

    Args:
        markdown: its text.
        page: its place in the site.
    """
    source = next((source for source, target in PAGES.items() if target == page), f"docs/{page}")

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found["path"]))
        place = PAGES.get(target, target.removeprefix("docs/") if target.startswith("docs/") else None)
        if place is None:
            return found[0]
        return posixpath.relpath(place, posixpath.dirname(page) or ".") + (found["anchor"] or "")

    return _LINK.sub(link, markdown)


def command_line() -> str:
    """Return a section for every command, from what it declares."""
    import typer

    from pipeline.cli.app import app, register

    register()
    return "\n".join(_command(typer.main.get_command(app), "pipeline", 2))


def _command(command: Any, name: str, level: int) -> Iterator[str]:  # noqa: ANN401  # of the click inside typer
    commands: Mapping[str, Any] = getattr(command, "commands", {})
    if name != "pipeline":
        yield f"{'#' * level} {name}\n"
        yield f"{command.help}\n"
    context = command.make_context(name.rpartition(" ")[2], [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{name} {usage}\n```\n"
    rows = [row for parameter in command.params if (row := _parameter(parameter, context))]
    yield from ("| | |", "|---|---|", *rows, "")
    for short in command.list_commands(context) if commands else ():
        yield from _command(commands[short], f"{name} {short}", level + (name != "pipeline"))


def _parameter(parameter: Any, context: Any) -> str:  # noqa: ANN401
    """Return an argument or option as a row of a table."""
    if parameter.name in ("help", "install_completion", "show_completion"):
        return ""
    shown = parameter.make_metavar(ctx=context)
    if parameter.param_type_name == "option":
        shown = "" if parameter.is_flag else shown
        shown = f"{', '.join([*parameter.opts, *parameter.secondary_opts])} {shown}".strip()
    text = _cell(parameter.help or "")
    default = parameter.default
    if (
        parameter.param_type_name == "option"
        and isinstance(default, str | int | float)
        and not parameter.is_flag
    ):
        text += f" [default: {default}]"
    if parameter.required and parameter.param_type_name == "option":
        text += " [required]"
    return f"| `{_cell(shown)}` | {text} |"


def configuration() -> str:
    """Return a section for every table of pipeline.toml, from the records that declare its keys."""
    from ingest.table_mapping import TableMapping
    from pipeline.config.options import FilterOptions, Options
    from pipeline.gate.gate_options import CheckOptions
    from pipeline.models.options import ModelOptions

    tables = {
        "analysis": Options,
        "filter": FilterOptions,
        "models": ModelOptions,
        "table": TableMapping,
        "check": CheckOptions,
    }
    return "\n".join(line for name, record in tables.items() for line in _table(name, record))


def _table(name: str, record: type) -> Iterator[str]:
    from dataclasses import fields
    from typing import get_type_hints

    from ingest.options import declaration

    kinds = get_type_hints(record)
    yield from (f"### [{name}]\n", "| key | value | default | |", "|---|---|---|---|")
    for one in fields(record):
        declared = declaration(one)
        if declared is not None and declared.toml:
            value = _kind(kinds[one.name], declared)
            text = _cell(declared.help.replace("; repeatable", ""))
            yield f"| `{one.name}` | {_cell(value)} | {_default(one.default)} | {text} |"
    yield ""


def _kind(kind: Any, declared: Any) -> str:  # noqa: ANN401
    """Return which values a key takes, in words."""
    choices = [
        one for part in (kind, *get_args(kind)) if get_origin(part) is Literal for one in get_args(part)
    ]
    if choices:
        texts = [f'`"{choice}"`' for choice in choices]
        return ", ".join(texts) if declared.metavar == "" else f"{', '.join(texts)} or a file"
    if declared.read is not None and declared.metavar in READ:
        return READ[declared.metavar]
    types = {one for one in (kind, *get_args(kind)) if isinstance(one, type)}
    text = next(words for one, words in KINDS.items() if one in types)
    limits = [f"from {declared.least:g}"] if declared.least > float("-inf") else []
    limits += [f"to {declared.most:g}"] if declared.most < float("inf") else []
    return " ".join([text, *limits])


KINDS = {bool: "true or false", int: "whole number", float: "number", Path: "path", str: "text"}
READ = {
    "COLUMNS": "column, or list of columns",
    "FILES": "path, or list of paths",
    "COLUMN|N": "column, or whole number from 1",
    "SHARE": 'share, such as `"5%"` or `0.05`',
    "PATTERN": "list of patterns",
    "FILE": "path",
    "PROFILE": "path",
    "POINT": 'list of points, such as `["p=4096", {p = 8192, n = 32}]`',
}


def _default(value: object) -> str:
    if value is None or value in ((), ""):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`" if isinstance(value, int | float) else f'`"{value}"`'


def _cell(text: str) -> str:
    """Return a text as it has to be written in a cell of a Markdown table."""
    return text.replace("\\[", "[").replace("|", "\\|").replace("\n", " ")


def licences() -> str:
    """Return what is installed with the project, with its licences."""
    from tools.sbom import licence_table

    return licence_table()


def exit_codes() -> str:
    """Return a table of the exit codes."""
    from pipeline.wording.exit_codes import ExitCode

    rows = (f"| {code.value} | {code.meaning} |" for code in ExitCode)
    return "\n".join(["| exit code | meaning |", "|---:|---|", *rows])


def json_documents() -> str:
    """Return a table of which command writes which document, and of the commands that write none."""
    from tools.documents import WITHOUT, WRITTEN

    rows = [
        f"| `{command}` | {when} | [{name}](schemas/{name}.schema.json) |"
        for command, shapes in WRITTEN.items()
        for when, name in shapes.items()
    ]
    without = [f"| `{command}` | {reason} |" for command, reason in WITHOUT.items()]
    head = ["| command | with | document |", "|---|---|---|"]
    return "\n".join([*head, *rows, "", "| without `--json` | why |", "|---|---|", *without])


GENERATED: dict[str, Callable[[], str]] = {
    "command line": command_line,
    "configuration": configuration,
    "exit codes": exit_codes,
    "json documents": json_documents,
    "licences": licences,
}
