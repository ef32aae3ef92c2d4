"""Projections of an application to a machine, from semi-analytical models."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING

from pipeline.projection.applications.projections import ApplicationProjection as Result
from pipeline.report.frames import frame_html, projection_frame
from pipeline.stages.project import project as project_files
from pipeline.wording.quantities import figure

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Projection:
    """What an application does on a machine; `project` makes it."""

    _result: Result

    @property
    def value(self) -> float:
        """The total, in SI units."""
        return self._result.total.value

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval of the total."""
        return self._result.total.lower, self._result.total.upper

    @property
    def unit(self) -> str:
        """The unit of the total."""
        return str(self._result.total.dimension)

    @property
    def problems(self) -> tuple[str, ...]:
        """What limits the trust in the projection, one sentence each."""
        return self._result.notices

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """One row per part and one for the total, with interval, unit and share of the total."""
        return projection_frame(self._result)

    def __repr__(self) -> str:
        """Return the total with its interval in one line."""
        low, high = map(figure, self.interval)
        what = f"{self._result.title} on {self._result.machine}"
        return f"Projection({what}: {figure(self.value)} {self.unit} [{low} .. {high}])"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.frame)


def project(
    application: str | PathLike[str],
    on: str | PathLike[str] | None = None,
    at: Mapping[str, float | str] | None = None,
    *,
    variant: str | None = None,
    level: float = 0.9,
) -> Projection:
    """Predict an application on a machine from a semi-analytical model.

    Args:
        application: its file, or the name of a shipped one.
        on: the machine's file, or the name of a shipped one; by default the one that the application names.
        at: inputs of the application by name, such as ``{"L": 8, "P": 1024}``; texts may have a unit.
        variant: which of the machine's variants.
        level: probability of the intervals.

    Raises:
        PipelineError: a file or an input is invalid.
    """
    machine = None if on is None else fspath(on)
    return Projection(project_files(fspath(application), machine, at, variant=variant, level=level))
