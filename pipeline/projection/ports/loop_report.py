"""What is known of the loops of a function: the record that terminal, JSON and tables are written from."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.projection.ports.loop_estimate import LoopEstimate
from pipeline.projection.ports.loop_time import LoopTime


@dataclass(frozen=True, kw_only=True)
class LoopReport:
    """A loop and its estimates.

    Attributes:
        number: in the order of the report, from 1.
        instructions: in one pass.
        depth: in how many loops it lies, itself included.
        there: on the processor asked for.
        here: on the one it is compared with, if any.
        time: on the processor asked for, if the time here is known.
    """

    number: int
    instructions: int
    depth: int
    there: LoopEstimate
    here: LoopEstimate | None = None
    time: LoopTime | None = None


@dataclass(frozen=True, kw_only=True)
class PortsReport:
    """The loops of a function.

    Attributes:
        path: the file.
        function: as asked for.
        loops: innermost first by depth, then the longest.
        others: how many more innermost loops the function has.
        seconds: the measured time of the first loop here, if given.
        notices: what a reader should know besides.
    """

    path: Path
    function: str
    loops: tuple[LoopReport, ...]
    others: int
    seconds: float | None
    notices: tuple[str, ...]
