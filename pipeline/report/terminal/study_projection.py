"""A study on two machines in the terminal: times, limits and shares side by side, and what is assumed."""

from itertools import islice

from rich.console import Console

from pipeline.columns.two_machines import (
    StudyOnMachine,
    StudyOnTwoMachines,
    efficiency_sentence,
    largest_sentence,
    limit_sentences,
    speed_sentence,
    study_projection_table,
    times_table,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.report.terminal.answer import show_trust
from pipeline.report.terminal.results import show_crossovers
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import counted, value_text

_SCALES_SHOWN, _LARGEST_SHOWN = 6, 3


def show_study_projection(out: Console, study: StudyOnTwoMachines, *, by: str, details: bool) -> None:
    """Print on one screen what becomes of a study on another machine, of which `details` are the scales."""
    if study.faster_by:
        show_sentence(out, speed_sentence(study), "bold")
        out.print()
        out.print(terminal_table(times_table(study, None if details else _SCALES_SHOWN), out.width))
        out.print()
    limits: dict[str, list[str]] = {}
    for side in study.sides:
        if (runtime := side.summary.runtime) and (said := runtime.limits_sentence):
            more = f" {efficiency_sentence(runtime)}" if details else ""
            limits.setdefault(f"{said}{more}", []).append(visible(side.machine))
    for said, machines in limits.items():
        show_sentence(out, f"On {' and '.join(machines)}: {said}")
    show_sentence(out, largest_sentence(study, by=by, limit=_LARGEST_SHOWN))
    show_trust(out, study.there.summary, modelled=True)
    if not details:
        rests = counted(len(study.assumptions), "assumption")
        show_sentence(out, f"{rests}, shares and crossovers: --details | a page: -o FILE")


def show_more_of_projection(
    out: Console, study: StudyOnTwoMachines, *, name: str, by: str, limit: int
) -> None:
    """Print kernels on both machines, what limits and what overtakes them there, and what is assumed."""
    out.print()
    show_sentence(out, f"{name}: from {_machine(study.here)}, to {_machine(study.there)}")
    table = study_projection_table(study, by=by, limit=limit)
    if table.columns[0].values:
        out.print(terminal_table(table, out.width))
    for sentence in islice(limit_sentences(study), limit):
        show_sentence(out, sentence)
    show_crossovers(out, study.there.summary, by=by, limit=limit, seen="projected")
    show_sentence(out, f"Assumed: {'; '.join(study.assumptions)}.")


def _machine(side: StudyOnMachine) -> str:
    return f"{visible(side.name)}, {value_text(side.cores)} cores a node"
