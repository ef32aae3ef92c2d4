"""The four strategies of the paper compared on loops that were timed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.projection.csv_columns import Columns
from pipeline.projection.model import Model
from pipeline.projection.predict import predict
from pipeline.projection.units import TIME
from pipeline.projection.vector_loops.bandwidth_table import Values
from pipeline.projection.vector_loops.loop import STRATEGIES, Conventions, VectorLoop, loop_time


@dataclass(frozen=True, eq=False)
class StrategyErrors:
    """Predictions of n loops by four strategies.

    Attributes:
        loops: their names.
        predicted: float64[4, n], seconds, in the order of `STRATEGIES`.
        error: float64[4, n], (measured - predicted) / measured: positive if the prediction is too short.
    """

    loops: tuple[str, ...]
    predicted: FloatArray
    error: FloatArray


@dataclass(frozen=True)
class LoopTimes:
    """One execution of a vector loop: seconds by strategy, and as measured; None if it was not."""

    name: str
    predicted: Mapping[str, float]
    measured: float | None


def strategy_times(loop: VectorLoop, machine: Values) -> dict[str, Model]:
    """Return the time of a loop by each of the paper's strategies."""
    return {strategy: loop_time(loop, machine, Conventions(strategy)).total for strategy in STRATEGIES}


def strategy_errors(
    loops: Sequence[VectorLoop], machine: Values, at: Mapping[str, float], seconds: Mapping[str, float]
) -> StrategyErrors:
    """Return the errors of all strategies on measured loops (paper 002, section 4.2).

    Args:
        loops: their descriptions.
        machine: what they ran on.
        at: values of the application inputs.
        seconds: measured time of each loop by its name.

    Raises:
        InputError: a loop was not measured.
        UsageError: an input is missing.
    """
    missing = [loop.name for loop in loops if loop.name not in seconds]
    if missing:
        hint = "measure it or leave the loop out"
        raise InputError(f"no measured time for {', '.join(missing)}", hint=hint)
    models = {(s, loop.name): m for loop in loops for s, m in strategy_times(loop, machine).items()}
    found = predict(models, at)
    predicted = np.array([[found[s, loop.name].value[0] for loop in loops] for s in STRATEGIES])
    measured = np.array([seconds[loop.name] for loop in loops])
    return StrategyErrors(tuple(loop.name for loop in loops), predicted, (measured - predicted) / measured)


def loop_times_in(columns: Columns) -> dict[str, float]:
    """Return seconds by loop from a table with the columns ``loop`` and ``time [s]``.

    Raises:
        InputError: a column is missing, or a time is not positive.
    """
    seconds = columns.numbers("time", TIME)
    if (seconds <= 0).any():
        raise InputError("times have to be positive", where=columns.where, hint="correct the line")
    return dict(zip(columns.texts("loop"), seconds.tolist(), strict=True))
