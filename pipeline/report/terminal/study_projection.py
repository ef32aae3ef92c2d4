"""A study on two machines in the terminal: times, limits and shares side by side, and what is assumed."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from pipeline.projection.study.kernel_table import Way
from pipeline.report.terminal.results import SHORTEST, interval_text, name_column, show_crossovers
from pipeline.report.terminal.sentences import show_sentence
from pipeline.report.terminal.tables import Column, named_table
from pipeline.report.terminal.targets import beyond, limits_sentence
from pipeline.report.two_machines import SIDES, leading_kernels
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import display_unit, figure, percent, point_text, value_text

Document = Mapping[str, Any]


def show_study_projection(out: Console, document: Document, *, name: str, by: str, limit: int) -> None:
    """Print a study on two machines.

    Args:
        out: where to.
        document: what `pipeline.report.study_projection` returns.
        name: of the study.
        by: ``regions`` or ``kernels`` (call paths).
        limit: the most kernels; start-up and shut-down are beside them.
    """
    here, there = (document[side] for side in SIDES)
    show_sentence(out, f"{name} from {_machine(here)} to {_machine(there)}", "bold")
    out.print()
    _show_times(out, document)
    _show_limits(out, document)
    out.print()
    _show_kernels(out, document, by=by, limit=limit)
    for side in SIDES:
        if document[side]["summary"]["crossovers"]:
            out.print()
            show_sentence(out, f"On {visible(document[side]['machine'])}:")
            show_crossovers(out, document[side]["summary"], by=by, limit=limit)
    out.print()
    show_sentence(out, f"Assumed: {'; '.join(document['assumptions'])}.")
    for target in there["summary"]["targets"]:
        far, style = beyond(there["summary"], target["at"])
        if far:
            show_sentence(out, f"Note: {point_text(target['at'])} is {far}.", style)


def _machine(side: Document) -> str:
    return f"{visible(side['name'])} ({value_text(side['cores'])} cores a node)"


def _entries(document: Document, side: str) -> Sequence[Mapping[str, Any]]:
    entries: Sequence[Mapping[str, Any]] = document[side]["summary"]["runtime"]["at"]
    return entries


def _show_times(out: Console, document: Document) -> None:
    """Print wall times and efficiencies of both machines, one row per scale; measured ones are marked."""
    here, there = (_entries(document, side) for side in SIDES)
    names = [visible(document[side]["machine"]) for side in SIDES]
    columns = []
    for machine, entries in zip(names, (here, there), strict=True):
        columns += [
            Column(header=f"{machine}, s", cells=[_value(entry, "wall_seconds") for entry in entries]),
            Column(header="90 %", cells=[_interval(entry) for entry in entries], dispensable=1),
        ]
    faster = [
        figure(a["wall_seconds"]["value"] / b["wall_seconds"]["value"])
        if a["wall_seconds"] and b["wall_seconds"] and b["wall_seconds"]["value"]
        else "-"
        for a, b in zip(here, there, strict=True)
    ]
    columns.append(Column(header="faster by", cells=faster))
    labels = [point_text(entry["point"]) + ("" if entry["measured"] else " *") for entry in here]
    out.print(named_table("wall time at", lambda _: labels, columns, width=out.width, shortest=10))
    if any(not entry["measured"] for entry in here):
        show_sentence(out, "* predicted on both; all others were measured here and projected there", "dim")


def _value(entry: Mapping[str, Any], key: str) -> str:
    return figure(entry[key]["value"]) if entry[key] else "-"


def _interval(entry: Mapping[str, Any]) -> str:
    found = entry["wall_seconds"]
    if not found or found["lower"] is None or found["upper"] is None:
        return ""
    return f"{figure(found['lower'])} .. {figure(found['upper'])}"


def _show_limits(out: Console, document: Document) -> None:
    sentences = {
        visible(document[side]["machine"]): limits_sentence(
            document[side]["summary"]["runtime"], predicted=True
        )
        for side in SIDES
    }
    if any(sentences.values()):
        out.print()
    for name, sentence in sentences.items():
        if sentence:
            show_sentence(out, f"On {name}: {sentence}")


def _show_kernels(out: Console, document: Document, *, by: str, limit: int) -> None:
    """Print the largest kernels at the last target on the other machine, with their shares on both."""
    leading = leading_kernels(document, by=by, limit=limit)
    if not leading:
        return
    last, rows = [one.prediction for one in leading], [one.there for one in leading]
    factor, unit = display_unit(rows[0]["unit"], max(entry["value"] for entry in last))
    machines = [visible(document[side]["machine"]) for side in SIDES]
    columns = [
        Column(header=machines[0], cells=[percent(one.here["share_at_target"]) for one in leading]),
        Column(header=machines[1], cells=[percent(row["share_at_target"]) for row in rows]),
        Column(header=f"{unit} there", cells=[figure(entry["value"] * factor) for entry in last]),
        Column(header="90 %", cells=[interval_text(entry, factor) for entry in last], dispensable=1),
        Column(header="goes over", cells=[_way(one.way) for one in leading], justify="left", dispensable=2),
    ]
    show_sentence(out, f"Shares at {point_text(last[0]['at'])}")
    names = name_column(rows, "region" if by == "regions" else "call path")
    out.print(named_table(*names, columns, width=out.width, shortest=SHORTEST[by]))


WORDS = {Way.COMPUTES: "computes", Way.CALLS: "network", Way.WAITS: "waits", Way.STAYS: "as measured"}


def _way(row: Mapping[str, Any]) -> str:
    if row["tested"] and row["limits"]:
        return str(max(row["limits"], key=lambda name: row["limits"][name]))
    return WORDS[Way(row["way"])]
