"""What stands behind a projection: sensitivities, strategies for vector loops, the formula as source text."""

from collections.abc import Mapping
from pathlib import Path

from ingest.errors import UsageError
from pipeline.projection.applications.application import Application, input_values, load_application
from pipeline.projection.applications.composition import compose
from pipeline.projection.expressions.evaluation import Sensitivity, predict, sensitivities
from pipeline.projection.expressions.source_text import Language, export
from pipeline.projection.expressions.symbolic_model import Model, symbol
from pipeline.projection.machines.machine_values import Machine, machine_names
from pipeline.projection.terms.terms import Term
from pipeline.projection.vector_loops.vector_loop import machine_values
from pipeline.projection.vector_loops.vector_loop_term import (
    LoopTimes,
    measured_time,
    read_vector_loop,
    strategy_times,
)
from pipeline.stages.project import stored_models, target_machine


def sensitivities_of(
    application: str | Path,
    machine: str | Path | None,
    at: Mapping[str, float | str],
    *,
    variant: str | None = None,
) -> tuple[Sensitivity, ...]:
    """Return how the total responds to every input and machine value; files as `project` takes them.

    Raises:
        UsageError, InputError, ModelError: as `project` does.
    """
    program, target = files(application, machine)
    return sensitivities(_total(program, target, variant), input_values(program, at))


def strategies_of(
    application: str | Path,
    machine: str | Path | None,
    at: Mapping[str, float | str],
    *,
    variant: str | None = None,
) -> tuple[LoopTimes, ...]:
    """Return the time of every vector loop of an application by each strategy of paper 002.

    Raises:
        UsageError, InputError, ModelError: as `project` does, or the application has no vector loops.
    """
    program, target = files(application, machine)
    loops = {n: t for n, t in program.terms.items() if t.content.get("model") == "vector_loop"}
    if not loops:
        hint = 'describe its loops in terms with model = "vector_loop"'
        raise UsageError("the application has no vector loops", where=str(program.path), hint=hint)
    names: dict[str, Model | Term] = dict(machine_names(target, "mach", stored_models, variant=variant))
    names |= {name: symbol(name, entry.dimension) for name, entry in program.inputs.items()}
    values = machine_values(names)
    models = {
        (name, strategy): model
        for name, table in loops.items()
        for strategy, model in strategy_times(read_vector_loop(table, name, names, values), values).items()
    }
    found = predict(models, input_values(program, at))
    return tuple(
        LoopTimes(
            name,
            {strategy: float(p.value[0]) for (loop, strategy), p in found.items() if loop == name},
            measured_time(table),
        )
        for name, table in loops.items()
    )


def export_application(
    application: str | Path, machine: str | Path | None, language: Language, *, variant: str | None = None
) -> str:
    """Return an application's total on a machine as source text; files as `project` takes them.

    Raises:
        UsageError, InputError: as `project` does.
    """
    program, target = files(application, machine)
    title = f"{program.title} on {target.name}, SI units"
    return export(_total(program, target, variant), language, name=program.path.stem, title=title)


def files(application: str | Path, machine: str | Path | None) -> tuple[Application, Machine]:
    """Return an application and the machine to project it to.

    Raises:
        UsageError, InputError: a file is missing or invalid.
    """
    program = load_application(application)
    return program, target_machine(program, machine)


def _total(program: Application, target: Machine, variant: str | None) -> Model:
    names = machine_names(target, "mach", stored_models, variant=variant)
    return compose(program, names, stored_models, missing={"mach.": f"add it to {target.path}"}).total
