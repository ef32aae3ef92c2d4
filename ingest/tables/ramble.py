"""Results of Ramble, which Benchpark uses: ``results.latest.json`` of a workspace.

It has ``experiments``, each with ``RAMBLE_STATUS``, the variables of the experiment as texts
(``RAMBLE_VARIABLES``), and ``CONTEXTS``, whose ``foms`` have name, value and units.
Of experiments that were repeated, the first entry sums up the others; its values are statistics and not read.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.reading.csv_files import Frame
from ingest.reading.json_values import json_list, json_object, member, parse_json
from ingest.reading.textfile import head, read_text
from ingest.table_mapping import TableMapping
from ingest.tables.benchmark_rows import FigureOfMerit, frame_of, plain_text

SUCCESS = "SUCCESS"
_NO_CONTEXT = frozenset(("null", "", "default (null) context"))
_OWN = frozenset(("repeat_index", "experiment_index", "processes_per_node", "batch_time", "n_repeats"))


def matches(path: Path) -> bool:
    """Return whether a file begins as the results of Ramble do."""
    start = head(path)
    return (
        start.lstrip().startswith(b"{")
        and b'"experiments"' in start
        and (b"RAMBLE_" in start or b"EXPERIMENT_CHAIN" in start)
    )


def read(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read the figures of merit that are times, of experiments that succeeded.

    Raises:
        InputError: the file is damaged, or has no such figure.
    """
    where = str(path)
    content = json_object(parse_json(read_text(path), where), "the file", where)
    figures = list(_figures(content, where))
    preferred = {name for figure in figures for name in figure.run if name not in _OWN and "/" not in name}
    return frame_of(figures, mapping, sorted(preferred), where)


def _figures(content: Mapping[str, Any], where: str) -> Iterator[FigureOfMerit]:
    common = {
        name: text for name in ("workspace_name", "workspace_hash") if (text := plain_text(content.get(name)))
    }
    entries = json_list(member(content, "experiments", "the file", where), "'experiments'", where)
    for number, entry in enumerate(entries, start=1):
        experiment = json_object(entry, "an experiment", where)
        if experiment.get("RAMBLE_STATUS") != SUCCESS or _sums_up_others(experiment):
            continue
        variables = json_object(experiment.get("RAMBLE_VARIABLES") or {}, "'RAMBLE_VARIABLES'", where)
        described = {**common, **experiment, **variables}
        run = {name: text for name, value in described.items() if (text := plain_text(value))}
        contexts = json_list(experiment.get("CONTEXTS") or [], "'CONTEXTS'", where)
        place = f"experiment {number} ({plain_text(experiment.get('name'))})"
        for context in contexts:
            yield from _of_context(json_object(context, "a context", where), run, place, where)


def _sums_up_others(experiment: Mapping[str, Any]) -> bool:
    repeats = plain_text(experiment.get("N_REPEATS"))
    return repeats.isdecimal() and repeats.strip("0") != ""


def _of_context(
    context: Mapping[str, Any], run: Mapping[str, str], place: str, where: str
) -> Iterator[FigureOfMerit]:
    prefix = plain_text(context.get("display_name") or context.get("name"))
    for fom in json_list(context.get("foms") or [], "'foms'", where):
        figure = json_object(fom, "a figure of merit", where)
        name = plain_text(member(figure, "name", "a figure of merit", where))
        yield FigureOfMerit(
            name=name if prefix in _NO_CONTEXT else f"{prefix}: {name}",
            value=figure.get("value"),
            unit=plain_text(figure.get("units")),
            run=run,
            place=f"{place}, {name}",
        )
