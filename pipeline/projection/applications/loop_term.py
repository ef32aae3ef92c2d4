"""A loop's time from its machine code: a term, or a part, of an application that states ``ports = {...}``.

llvm-mca says what a pass takes on the processor that the machine names. Threads share the elements evenly,
and those of one core its ports and its front end, which a pass occupies for `bound` cycles in any case:

    T = elements / threads * k * max(bound, cycles / min(k, threads_per_core)) / hz, k = ceil(threads / cores)

A time measured on another machine may stand for what llvm-mca says there; then only the ratio is llvm-mca's.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ingest.errors import InputError, located
from ingest.options import Declaration
from ingest.toml_table import TomlTable
from ingest.units import TIME_DIMENSION, parse_quantity, require_dimension
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, Ensemble, stream
from pipeline.projection.expressions.expression_text import Names, parse
from pipeline.projection.expressions.shipped_files import beside
from pipeline.projection.expressions.symbolic_model import Model, ValidRange, bind, constant, symbol
from pipeline.projection.machines.machine_values import Machine, load_machine
from pipeline.projection.ports import loop_estimate
from pipeline.projection.ports.function_loops import contradiction, read_loops
from pipeline.projection.terms.terms import Term
from pipeline.wording.quantities import figure

_KEYS = ("file", "function", "loop", "per_pass", "time", "from")
_INPUTS = ("elements", "threads")
_SECONDS = (
    "elements / threads * ceil(threads / mach.cores) / mach.hz * scale"
    " * max(bound, cycles / min(ceil(threads / mach.cores), mach.threads_per_core))"
)


def loop_term(
    table: TomlTable, name: str, names: Names, machine: Machine, missing: Mapping[str, str]
) -> Term:
    """Return the term ``<name>(elements, threads)``, the seconds of a loop on a machine.

    The table has the one key ``ports``; `missing` is as of `parse`.
    """
    table.check_keys(("ports",))
    ports = table.table("ports")
    ports.check_keys(_KEYS)
    with located(ports.where):
        there = _estimate(ports, machine)
        per_pass = ports.number("per_pass", there.elements or 1, least=1)
    scale = symbol(f"{name}.left_out")
    error: loop_estimate.LeftOutError | None = loop_estimate.left_out_error("absolute")
    if "time" in ports or "from" in ports:
        reference = load_machine(beside(ports.path, ports.text("from")))
        with located(ports.where):
            here = _estimate(ports, reference)
        handled = ports.number("per_pass", here.elements or 1, least=1)
        scale = scale * _measured_cycles(ports, name, reference) / (here.cycles / handled)
        error = loop_estimate.left_out_error("ratio") if here.processor is not there.processor else None
    bound = min(max(there.bounds.values()), there.cycles)
    known: Names = {
        "mach.threads_per_core": constant(1),
        **names,
        **{key: symbol(key) for key in _INPUTS},
        "cycles": constant(there.cycles / per_pass),
        "bound": constant(bound / per_pass),
        "scale": scale,
    }
    seconds = parse(_SECONDS, known, where=ports.where, missing=missing)
    seconds = replace(seconds, limits=(*seconds.limits, *_least(name, ports.where)))
    return Term(name, _INPUTS, bind(seconds, _left_out(name, error, _notices(name, there, ports))))


def _least(part: str, where: str) -> Iterator[ValidRange]:
    for name, least in (("elements", 0), ("threads", 1)):
        basis = f"{part}: {name} have to be at least {least}"
        expression = symbol(name).expression
        yield ValidRange(expression=expression, lower=least, upper=math.inf, basis=basis, where=where)


def _estimate(ports: TomlTable, machine: Machine) -> loop_estimate.LoopEstimate:
    """Return what llvm-mca says of the loop on the cores of a machine."""
    if not machine.cpu:
        hint = 'write what its cores are at the top, such as cpu = "zen4"'
        raise InputError("cpu: is missing", where=str(machine.path), hint=hint)
    with located(f"{machine.path}: cpu"):
        processor = loop_estimate.processor_named(machine.cpu)
    path, function = ports.file("file"), ports.text("function")
    loops = read_loops(path, function)
    loop_estimate.require_isa(path, loops[0].instructions, processor)
    wanted = Declaration(help="", least=1, most=len(loops))
    number = ports.value("loop", int, wanted) if "loop" in ports else 1
    tool = loop_estimate.find_llvm_mca()
    loop_estimate.require_model(tool, processor)
    return loop_estimate.estimate_loop(processor, loops[number - 1].instructions, tool)


def _measured_cycles(ports: TomlTable, name: str, reference: Machine) -> Model:
    """Return the measured cycles per element on the machine of ``from``."""
    if "hz" not in reference.values:
        raise InputError("hz: is missing", where=str(reference.path), hint="write it in [values]")
    place = ports.place("time")
    if "time" not in ports:
        raise ports.error("time", "is missing", 'write what an element takes there, time = "1.3 ns"')
    measured = parse_quantity(ports.content["time"], where=place)
    if not measured.value > 0:
        raise ports.error("time", "has to be positive", 'write it like "1.3 ns"')
    given = {
        f"{name}.time": require_dimension(measured, TIME_DIMENSION, "time", place),
        f"{reference.path.stem}.hz": reference.values["hz"],
    }
    time, clock = (bind(symbol(key, one.dimension), {key: one}) for key, one in given.items())
    return time * clock


def _left_out(name: str, error: loop_estimate.LeftOutError | None, notices: tuple[str, ...]) -> Ensemble:
    """Return the error of the method in the logarithm; there is none where the loop itself was measured."""
    drawn, estimate = np.ones((1, 1)), np.ones(1)
    if error is not None:
        deviations = stream(name, "left out").standard_t(error.degrees, QUANTITY_DRAWS)
        drawn = np.exp(error.spread * deviations)[:, None]
        notices = (*notices, f"the interval of loops has the error of {error.source}")
    return Ensemble(names=(f"{name}.left_out",), estimate=estimate, draws=drawn, notices=notices)


def _notices(name: str, there: loop_estimate.LoopEstimate, ports: TomlTable) -> tuple[str, ...]:
    where = f"{there.processor.name} by {there.source}"
    found = [
        f"{name}: {figure(there.cycles)} cycles per pass on {where}; {there.bottleneck}",
        *there.notes,
        "loops: data in the first-level cache, branches predicted",
    ]
    if "per_pass" not in ports:
        told = (
            f"{there.elements:g} per pass, as its code tells" if there.elements else "one per pass is assumed"
        )
        found.append(f"{name}: elements: {told}; if that is wrong, state per_pass = 4")
    else:
        found += [f"{name}: {said}" for said in contradiction(there.elements, ports.number("per_pass"))]
    if there.unknown:
        found.append(f"{name}: without a known cost: {'; '.join(there.unknown)}")
    return tuple(found)
