"""A study on two machines in the terminal: times, limits and shares side by side, and what is assumed."""

from itertools import islice

from rich.console import Console

from pipeline.columns.target_sentences import beyond
from pipeline.columns.two_machines import (
    StudyOnMachine,
    StudyOnTwoMachines,
    efficiency_sentence,
    gain_sentence,
    limit_sentences,
    study_projection_table,
    times_table,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.report.terminal.answer import show_trust
from pipeline.report.terminal.results import show_crossovers
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import point_text, value_text


def show_study_projection(out: Console, study: StudyOnTwoMachines, *, name: str, by: str, limit: int) -> None:
    """Print a study on two machines."""
    here, there = study.sides
    show_sentence(out, f"{name} from {_machine(here)} to {_machine(there)}", "bold")
    out.print()
    out.print(terminal_table(times_table(study), out.width))
    if any(not entry.measured for entry in (here.summary.runtime.at if here.summary.runtime else ())):
        show_sentence(
            out,
            "* between measured scales interpolated, else predicted; all others were measured here",
            "dim",
        )
    show_sentence(out, gain_sentence(study))
    for sentence in islice(limit_sentences(study), limit):
        show_sentence(out, sentence)
    _show_limits(out, study)
    show_trust(out, there.summary, modelled=True)
    out.print()
    table = study_projection_table(study, by=by, limit=limit)
    if table.columns[0].values:
        out.print(terminal_table(table, out.width))
    for side in study.sides:
        if side.summary.crossovers:
            out.print()
            show_sentence(out, f"On {visible(side.machine)}:")
            show_crossovers(out, side.summary, by=by, limit=limit)
    out.print()
    show_sentence(out, f"Assumed: {'; '.join(study.assumptions)}.")
    for target in there.summary.targets:
        far, style = beyond(there.summary, target.at)
        if far:
            show_sentence(out, f"Note: {point_text(target.at)} is {far}.", style)


def _machine(side: StudyOnMachine) -> str:
    return f"{visible(side.name)} ({value_text(side.cores)} cores a node)"


def _show_limits(out: Console, study: StudyOnTwoMachines) -> None:
    sentences = {}
    for side in study.sides:
        runtime = side.summary.runtime
        limits = runtime.limits_sentence if runtime else ""
        found = (limits, efficiency_sentence(runtime))
        sentences[visible(side.machine)] = " ".join(filter(None, found))
    if any(sentences.values()):
        out.print()
    for name, sentence in sentences.items():
        if sentence:
            show_sentence(out, f"On {name}: {sentence}")
