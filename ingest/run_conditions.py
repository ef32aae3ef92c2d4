"""Conditions that choose runs by their parameters or their repetition: ``p > 624``, ``repetition == 3``."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingest.errors import UsageError

if TYPE_CHECKING:  # options are read before anything is imported that takes long
    from ingest.arrays import BoolArray, FloatArray
    from ingest.experiment import Experiment

_REPETITION = "repetition"
OPERATORS: Mapping[str, Callable[[Any, float], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION = re.compile(rf"\s*([^<>=!]*[^<>=!\s])\s*({'|'.join(OPERATORS)})\s*([^<>=!\s]+)\s*")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition on runs."""

    text: str  # as the user wrote it
    name: str  # a parameter, or `_REPETITION`, which counts from 1
    operator: str  # one of `OPERATORS`
    value: float  # what is compared with

    def of(self, experiment: "Experiment", where: str) -> "BoolArray":
        """Return which runs of an experiment meet the condition, bool[P, R], whether measured or not."""
        import numpy as np

        points, repetitions = experiment.shape
        values = dict(zip(experiment.parameters, experiment.points.T[..., None], strict=True))
        values = {_REPETITION: np.arange(1.0, repetitions + 1)} | values
        if self.name not in values:
            hint = f"choose one of {', '.join([*experiment.parameters, _REPETITION])}"
            raise UsageError(f"no parameter '{self.name}'", where=where, hint=hint)
        return np.broadcast_to(self.met(values[self.name]), (points, repetitions))

    def met(self, values: "FloatArray") -> "BoolArray":
        """Return which values meet the condition."""
        found: BoolArray = OPERATORS[self.operator](values, self.value)
        return found


def read_condition(text: str) -> Condition:
    """Read a condition; UsageError if it has another form."""
    match = _CONDITION.fullmatch(text)
    try:
        name, sign, number = match.groups() if match else ("", "", "")
        return Condition(text=text.strip(), name=name, operator=sign, value=float(number))
    except ValueError as error:
        hint = f"write 'p > 624' or 'repetition == 3', with one of {' '.join(OPERATORS)}"
        raise UsageError(f"'{text}' is no condition on runs", hint=hint) from error
