"""Find the loop whose instructions are to be counted, and count them per iteration of the source."""

from collections.abc import Sequence
from pathlib import Path

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError
from ingest.readers.textfile import read_bytes
from pipeline.projection.ports.assembly import Instruction, function_named, functions_in
from pipeline.projection.ports.classes import ClassTable, count_classes, shipped_class_table
from pipeline.projection.ports.portmap import PortMap

_ELF = b"\x7fELF"
_LARGEST = 1 << 28


def loop_bodies(instructions: Sequence[Instruction]) -> tuple[range, ...]:
    """Return the innermost loops, longest first, each as the instructions from a jump's target to the jump.

    A loop that contains another cannot be counted from its text, because the inner trip count is unknown. A
    stretch that contains a return is no loop but a rarely taken path, moved behind the function, coming back.
    """
    bodies = {
        (instruction.target, k + 1)
        for k, instruction in enumerate(instructions)
        if instruction.target is not None and instruction.target <= k
    }
    bodies = {b for b in bodies if not any(i.mnemonic.startswith("ret") for i in instructions[slice(*b)])}
    innermost = [b for b in bodies if not any(b != c and b[0] <= c[0] and c[1] <= b[1] for c in bodies)]
    return tuple(range(*body) for body in sorted(innermost, key=lambda b: (b[0] - b[1], b[0])))


def target_loop(instructions: Sequence[Instruction], *, length: int | None = None) -> range:
    """Return the loop to count: the longest innermost one, or the one with that many instructions.

    Raises:
        UsageError: where there is none, or none or several of that length.
    """
    bodies = loop_bodies(instructions)
    if not bodies:
        raise UsageError("has no loop: no jump goes backwards", hint="name another function")
    fitting = bodies[:1] if length is None else [body for body in bodies if len(body) == length]
    if len(fitting) != 1:
        lengths = ", ".join(str(len(body)) for body in bodies)
        raise UsageError(
            f"has {len(fitting)} loops of {length} instructions", hint=f"its loops have {lengths}"
        )
    return fitting[0]


def read_function(path: Path, name: str) -> tuple[Instruction, ...]:
    """Return the instructions of a function in a ``.s`` file, objdump's text or an object file.

    Raises:
        InputError: where the file cannot be read as one of these, or an object file is given and the packages
            that read it are not installed.
        UsageError: where there is no such function.
    """
    content = read_bytes(path, _LARGEST)
    if content.startswith(_ELF):
        from pipeline.projection.ports.objectfile import function_in_object

        return function_in_object(content, name, where=str(path))
    functions = functions_in(content.decode("utf-8", errors="replace"), where=str(path))
    return function_named(functions, name, where=str(path))


def count_loop(
    path: Path,
    function: str,
    portmap: PortMap,
    *,
    table: ClassTable | None = None,
    length: int | None = None,
    iterations: float = 1.0,
) -> FloatArray:
    """Return float64[class], instructions per iteration of the source loop, in the map's order of classes.

    Args:
        path: a ``.s`` file, the text of ``objdump -d``, or an ELF object file.
        function: the symbol of the function the loop is in.
        portmap: the map whose classes are counted.
        table: the class table; the shipped one of the map's instruction set by default.
        length: instructions in the loop, to choose among several; the longest innermost one by default.
        iterations: source iterations done by one pass through the loop: unrolling times SIMD lanes.

    Raises:
        InputError: where the file cannot be read or an instruction is in no class.
        UsageError: where the function or the loop is not there, or `iterations` is not positive.
    """
    if not iterations > 0:
        raise UsageError(f"iterations = {iterations}", hint="give unrolling times SIMD lanes, at least 1")
    instructions = read_function(path, function)
    try:
        body = target_loop(instructions, length=length)
        chosen = table or shipped_class_table(portmap.isa)
        return count_classes(portmap, chosen, instructions[body.start : body.stop]) / iterations
    except (InputError, UsageError) as error:
        raise type(error)(error.what, where=f"{path}: {function}", hint=error.hint) from error
