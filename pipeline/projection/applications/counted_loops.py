"""The counts of loops against hardware counters of a run: ``[counters]`` of an application file."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isnan

from ingest.counter_report import TOTAL_ROW, CountedRegion, CounterReport, merged
from ingest.counters.counted_work import LEVELS, work
from ingest.counters.counter_files import read_counters
from ingest.errors import InputError
from ingest.toml_table import TomlTable
from pipeline.projection.applications.application_file import ApplicationFile
from pipeline.projection.applications.projections import compose
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic import derivative
from pipeline.projection.expressions.symbolic_model import Model
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.terms.loops import counting
from pipeline.projection.terms.measured_term import ModelReader
from pipeline.projection.terms.terms import Term
from pipeline.wording.quantities import figure

_TOLERANCE = 0.1
_DIGITS = 3
_PLACES = {"DRAM": "with memory", "L3": "from beyond the second cache", "L2": "from beyond the first cache"}


def compared_counts(
    application: ApplicationFile, machine: Machine, stored: ModelReader, at: Mapping[str, float], variant: str
) -> tuple[str, ...]:
    """Say what was counted and measured of the loops of parts that have a region, and of the whole.

    The table ``[counters]``, without which nothing is said, names files of counters, regions of parts with
    other names, and of how many processes the counters are sums, by default what the files say. InputError
    if counters counted no loop.
    """
    if (table := application.counters) is None:
        return ()
    table.check_keys(("profile", "regions", "processes"))
    report = merged([read_counters(path) for path in table.files("profile")])
    parts = _counts(application, machine_names(machine, "mach", stored, variant=variant), stored, at)
    processes = table.number("processes", min(report.processes, report.cores or report.processes), least=1)
    found = [
        one
        for part, region in _regions(table, report, parts)
        for one in _compared(part, parts[part], region, processes)
    ]
    if not found:
        names = ", ".join(region.name for region in report.regions)
        hint = f"regions are {names}; write regions = {{ part = 'region' }}, count operations or cache misses"
        raise InputError(f"no counters of the loops of {', '.join(parts)}", where=report.where, hint=hint)
    return tuple(found)


def _counts(
    application: ApplicationFile,
    machine: Mapping[str, Model | Term],
    stored: ModelReader,
    at: Mapping[str, float],
) -> dict[str, dict[str, float]]:
    """Return what is counted of every part with loops, and of the whole, by name."""
    symbols = counting()
    composed = compose(application, {**machine, **symbols}, stored)
    models = {"/".join(path): model for path, model in composed.parts.items()}
    models[TOTAL_ROW[0]] = composed.total
    slopes = {
        (part, name): replace(model, expression=derivative(model.expression, name))
        for part, model in models.items()
        for name in symbols
        if name in model.symbols
    }
    values = predict(slopes, {**at, **dict.fromkeys(symbols, 1.0)})
    counts: dict[str, dict[str, float]] = {}
    for (part, name), found in values.items():
        counts.setdefault(part, {})[name.removeprefix("counted.")] = float(found.value[0])
    return counts


def _regions(
    table: TomlTable, report: CounterReport, parts: Mapping[str, object]
) -> Iterator[tuple[str, CountedRegion]]:
    """Yield the parts that were measured, and their regions."""
    named = table.table("regions")
    for part in named.content:
        if part not in parts:
            raise named.error(part, "is no part that has loops", f"such parts are {', '.join(parts)}")
    for part in parts:
        if part in named:
            yield part, report.region(*named.text(part).split("/"))
        else:
            yield from ((part, region) for region in report.regions if part in (region.name, region.path[-1]))


def _compared(
    part: str, counts: Mapping[str, float], region: CountedRegion, processes: float
) -> Iterator[str]:
    """Yield a sentence for each quantity that was counted, per trip."""
    if not counts["trips"] > 0:
        yield f"{part}: makes no trips at these inputs, so that its counters cannot be compared"
        return
    done, of_trip = work(region.counters), {name: count / counts["trips"] for name, count in counts.items()}
    measured = done.scaled(1 / processes / counts["trips"])
    if not isnan(done.flop):
        yield _sentence(part, "flop", (of_trip["flop"], of_trip["flop"]), measured.flop)
    for level in LEVELS:
        if level in of_trip and level in done.bytes:
            moved = of_trip[level]  # a counter may hold what is written back, or not
            most = moved + of_trip["stored"] if moved else 0.0
            yield _sentence(part, f"B {_PLACES[level]}", (moved, most), measured.bytes[level])


def _sentence(part: str, what: str, counted: tuple[float, float], measured: float) -> str:
    least, most = counted
    said = " to ".join(dict.fromkeys(figure(value, _DIGITS) for value in counted))
    agree = least * (1 - _TOLERANCE) <= measured <= most * (1 + _TOLERANCE)
    end = "" if agree else ", which differs"
    return f"{part}: counted {said} {what} a trip, measured {figure(measured, _DIGITS)}{end}"
