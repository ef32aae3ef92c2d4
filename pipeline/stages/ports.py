"""Loops of a function on a processor core: what limits them, and their time on another core."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ingest.errors import InputError, UsageError, located
from ingest.toml_table import read_toml
from ingest.units import RATE, TIME_DIMENSION, parse_quantity
from pipeline.projection.expressions.shipped_files import neighbour
from pipeline.projection.ports import loop_estimate
from pipeline.projection.ports.assembly import isa_of, read_functions
from pipeline.projection.ports.counting import USUAL_CLASSES, count_classes
from pipeline.projection.ports.function_loops import contradiction, elements_per_pass, read_loops
from pipeline.projection.ports.port_fit import port_map as read_port_map
from pipeline.projection.ports.vectorisation_report import LoopVerdict, read_verdicts
from pipeline.wording.quantities import counted

_MOST_LOOPS = 3
_MOST_UNKNOWN = 4


def ports(
    path: Path,
    function: str,
    on: str,
    *,
    here: str | None = None,
    seconds: str | None = None,
    clock: str | None = None,
    clock_here: str | None = None,
    loop: int | None = None,
    most: int = _MOST_LOOPS,
    llvm_mca: str | None = None,
    per_pass: float | None = None,
    report: Path | None = None,
) -> loop_estimate.PortsReport:
    """Return what limits the innermost loops of a function, the deepest first.

    Measured `seconds` are of the loop on the processor `here`; clocks are equal if neither is given. `loop`
    is the number of the one to show; elements `per_pass` count if the code does not tell. The compiler's
    report on what it vectorised is by default Clang's record beside the file.
    """
    there, reference = (
        loop_estimate.processor_named(on),
        loop_estimate.processor_named(here) if here else None,
    )
    _check(there, reference, seconds, clock, clock_here)
    measured = _positive(seconds, "--time", "12.3 s") if seconds else None
    hertz = _positive(clock, "--clock", "2.1 GHz") if clock else None
    hertz_here = _positive(clock_here, "--from-clock", "2.4 GHz") if clock_here else None
    loops = read_loops(path, function)
    loop_estimate.require_isa(path, loops[0].instructions, there)
    chosen = _chosen(len(loops), loop, most)
    tool = loop_estimate.find_llvm_mca(llvm_mca)
    for processor in (there, reference):
        if processor is not None:
            loop_estimate.require_model(tool, processor)
    reports: list[loop_estimate.LoopReport] = []
    for k in chosen:
        body = loops[k].instructions
        with located(f"{path}: {function}"):
            estimate = loop_estimate.estimate_loop(there, body, tool, elements=per_pass, clock=hertz)
            other = (
                loop_estimate.estimate_loop(reference, body, tool, elements=per_pass, clock=hertz_here)
                if reference
                else None
            )
        reports.append(
            loop_estimate.LoopReport(
                number=k + 1,
                instructions=len(body),
                depth=loops[k].depth,
                remainder_of=loops[k].remainder_of,
                there=estimate,
                here=other,
                time=loop_estimate.time_elsewhere(measured, other, estimate)
                if measured and other and not reports
                else None,
            )
        )
    verdicts, about_report = _said_by_compiler(path, function, report)
    about_time = _about_time(clock, len(loops), chosen[0] + 1) if measured else ()
    return loop_estimate.PortsReport(
        file=str(path),
        function=function,
        measured_seconds=measured,
        loops=tuple(reports),
        others=len(loops) - len(reports),
        compiler=verdicts,
        notices=_notices(reports, (*about_report, *about_time)),
    )


def _said_by_compiler(
    path: Path, function: str, report: Path | None
) -> tuple[tuple[LoopVerdict, ...], tuple[str, ...]]:
    """Return what the compiler's report says of the loops of a function, and a notice if it says nothing."""
    found = report or neighbour(path, f"{path.stem}.opt.yaml")  # Clang's record
    if found is None:
        return (), ()
    try:
        verdicts = read_verdicts(found, path, {symbol for symbol, _ in read_functions(path, function)})
    except InputError as error:
        if report is not None:
            raise
        return (), (str(error),)
    return verdicts, () if verdicts else (f"{found} says nothing of the loops of '{function}'",)


def counted_variant(
    path: Path,
    function: str,
    *,
    port_map: Path | None,
    loop: int | None,
    per_pass: float | None,
    cycles: float | None,
) -> tuple[Mapping[str, float | str], tuple[str, ...]]:
    """Return the row of a variant for the table that a port map is fitted to, by its columns, and notices.

    The file's name is the variant's. Classes are those of the map, or the eight usual ones; the loop is the
    first one unless its number is given. All figures are divided by the elements of a pass; without measured
    cycles of an element, the cell stays empty.
    """
    loops = read_loops(path, function)
    body = loops[_chosen(len(loops), loop, 1)[0]].instructions
    classes = USUAL_CLASSES if port_map is None else read_port_map(read_toml(port_map)).classes
    with located(f"{path}: {function}"):
        isa = isa_of(body) or "x86-64"
        counts = count_classes(isa, body, classes)
    figures = {"instructions": len(body), **counts}
    row = {name: count / (per_pass or 1) for name, count in figures.items()}
    notices = contradiction(elements_per_pass(isa, body), per_pass)
    return {"variant": path.stem, **row, "cycles": "" if cycles is None else cycles}, notices


def _check(
    there: loop_estimate.Processor,
    reference: loop_estimate.Processor | None,
    seconds: str | None,
    clock: str | None,
    clock_here: str | None,
) -> None:
    if reference is None:
        for flag, given in (("--time", seconds), ("--from-clock", clock_here)):
            if given:
                raise UsageError("needs the processor of the measurement", where=flag, hint="add --from CPU")
        return
    if reference.isa != there.isa:
        what = (
            f"{reference.name} ({reference.isa}) and {there.name} ({there.isa}) cannot execute the same file"
        )
        raise UsageError(what, hint="compile for each, and estimate both files")
    if (clock is None) != (clock_here is None):
        flag = "--from-clock" if clock is None else "--clock"
        raise UsageError("cannot be compared with an unknown clock", where=flag, hint="give both clocks")


def _positive(text: str | None, flag: str, shown: str) -> float:
    quantity = parse_quantity(text, where=flag)
    wanted = TIME_DIMENSION if flag == "--time" else RATE
    if quantity.dimension != wanted or not quantity.value > 0:
        raise UsageError(
            f"'{text}' is not a positive {'time' if wanted == TIME_DIMENSION else 'clock'}",
            where=flag,
            hint=f"write it like '{shown}'",
        )
    return quantity.value


def _chosen(many: int, loop: int | None, most: int) -> list[int]:
    if loop is None:
        return list(range(min(many, most)))
    if not 1 <= loop <= many:
        raise UsageError(f"there is no loop {loop}", where="--loop", hint=f"choose 1 to {many}")
    return [loop - 1]


def _notices(loops: Sequence[loop_estimate.LoopReport], about_time: Sequence[str]) -> tuple[str, ...]:
    """Return what the estimates rest on, what is unknown, and what is said of the time, each once."""
    estimates = [one for loop in loops for one in loop.estimates]
    found = [f"cycles from {estimates[0].source}", *(note for one in estimates for note in one.notes)]
    unknown = list(dict.fromkeys(text for one in estimates for text in one.unknown))
    if unknown:
        some = "; ".join(unknown[:_MOST_UNKNOWN])
        found.append(f"{counted(len(unknown), 'instruction')} without a known cost: {some}")
    return tuple(dict.fromkeys([*found, *about_time]))


def _about_time(clock: str | None, loops: int, number: int) -> tuple[str, ...]:
    known = loop_estimate.left_out_error("ratio")
    notices = [f"the interval has the error of {known.source}; data in the first-level cache on both"]
    if clock is None:
        notices.append("equal clocks are assumed; give --clock and --from-clock")
    if loops > 1:
        notices.append(f"the time is taken to be that of loop {number}")
    return tuple(notices)
