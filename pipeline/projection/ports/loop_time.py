"""The time of a loop on another processor: the measured one times the ratio of the cycles, by the clocks.

What simulations leave out (caches, branches, the compiler's other code) is assumed to be the same on both.
How far that is off is known from kernels that were measured in several builds: `left_out_error` is the
scatter of the logarithm of measured over predicted, each build predicted from another one.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from pipeline.projection.expressions.toml_tables import LEFT_OUT, read_toml
from pipeline.projection.ports.loop_estimate import LoopEstimate

LEVEL = 0.9


@dataclass(frozen=True, kw_only=True)
class LeftOutError:
    """How far predictions by the ratio of cycles were off.

    Attributes:
        spread: root mean square of ln(measured / predicted).
        fitted_spread: the same of the fitted contention model.
        kernels: on how many different kernels, which limits what the spread tells.
    """

    spread: float
    fitted_spread: float
    pairs: int
    kernels: int
    source: str


@dataclass(frozen=True, kw_only=True)
class LoopTimeElsewhere:
    """A time on another processor.

    Attributes:
        value: seconds.
        lower: of the 90 % interval.
        ratio: cycles there over cycles here.
        clocks: clock here over clock there, 1 if not given.
    """

    value: float
    lower: float
    upper: float
    ratio: float
    clocks: float


@lru_cache
def left_out_error() -> LeftOutError:
    """Return the error of the method on the kernels that were measured for it."""
    return LeftOutError(**read_toml(LEFT_OUT).content)


def time_elsewhere(
    seconds: float, cycles_here: float, cycles_there: float, clocks: float
) -> LoopTimeElsewhere:
    """Return the time of a loop on another processor with its 90 % interval."""
    known = left_out_error()
    ratio = cycles_there / cycles_here
    value = seconds * ratio * clocks
    from scipy.special import stdtrit

    width = float(stdtrit(max(known.kernels - 1, 1), (1 + LEVEL) / 2)) * known.spread
    return LoopTimeElsewhere(
        value=value,
        lower=value * float(np.exp(-width)),
        upper=value * float(np.exp(width)),
        ratio=ratio,
        clocks=clocks,
    )


@dataclass(frozen=True, kw_only=True)
class LoopReport:
    """A loop and its estimates.

    Attributes:
        number: in the order of the report, from 1.
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
    time: LoopTimeElsewhere | None = None


@dataclass(frozen=True, kw_only=True)
class PortsReport:
    """The loops of a function.

    Attributes:
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
