"""Projections to a machine: of an application, from semi-analytical models, or of a measured study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any, overload

import pandas as pd

from ingest.errors import UsageError
from pipeline.api.models import Models
from pipeline.api.study import Study
from pipeline.config.option_readers import broadcast_points
from pipeline.projection.applications.projections import ApplicationProjection as Result
from pipeline.report.frames import frame_html, projection_frame, two_machines_frame
from pipeline.stages.project import project as project_files
from pipeline.stages.projected_results import ProjectedForecast, places_of, project_read
from pipeline.wording.quantities import counted, estimate_text


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
    def frame(self) -> pd.DataFrame:
        """One row per part and one for the total, with interval, unit and share of the total."""
        return projection_frame(self._result)

    def __repr__(self) -> str:
        what = f"{self._result.title} on {self._result.machine}"
        return f"Projection({what}: {estimate_text(self.value, *self.interval, self.unit)})"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.frame)


@dataclass(frozen=True, eq=False, repr=False)
class ProjectedStudy:
    """A measured study on another machine; `project` makes it."""

    _result: ProjectedForecast

    @property
    def models(self) -> Models:
        """The models of the study there: its predictions, runtime and kernels."""
        return Models(self._result.projection.there)

    @property
    def problems(self) -> tuple[str, ...]:
        """What the projection rests on, one sentence each."""
        return self._result.rests_on

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per scale: wall time here and there, and by what factor it is faster, with intervals.

        ``attrs`` holds what ``pipeline project --json`` writes, such as what limits each kernel.
        """
        return two_machines_frame(self._result.two_machines)

    def __repr__(self) -> str:
        one, other = self._result.projection.source.name, self._result.projection.target.name
        return f"ProjectedStudy(from {one} to {other}: {counted(len(self.frame), 'scale')})"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.frame)


@overload
def project(
    application: Study,
    on: str | PathLike[str] | None = None,
    at: Mapping[str, float | Sequence[float]] | None = None,
    *,
    measured_on: str | PathLike[str],
    variant: str | None = None,
) -> ProjectedStudy: ...


@overload
def project(
    application: str | PathLike[str],
    on: str | PathLike[str] | None = None,
    at: Mapping[str, float | str] | None = None,
    *,
    variant: str | None = None,
    level: float = 0.9,
) -> Projection: ...


def project(
    application: str | PathLike[str] | Study,
    on: str | PathLike[str] | None = None,
    at: Mapping[str, Any] | None = None,
    *,
    measured_on: str | PathLike[str] | None = None,
    variant: str | None = None,
    level: float = 0.9,
) -> Projection | ProjectedStudy:
    """Predict an application on a machine from a semi-analytical model, or take a measured study there.

    Args:
        application: the application's file, the name of a shipped one, or a study that was read.
        on: the machine's file, or the name of a shipped one; by default the one that the application names.
        at: inputs of the application by name, such as ``{"L": 8, "P": 1024}``; texts may have a unit. Of a
            study: values of its parameters, such as ``{"p": [64, 128]}``; by default twice the largest scale.
        measured_on: the machine that a study was measured on, a file or the name of a shipped one.
        variant: which of the machine's variants.
        level: probability of the intervals; those of a study are 90 %.

    Raises:
        PipelineError: a file or an input is invalid.
    """
    machine = None if on is None else fspath(on)
    if isinstance(application, Study):
        here = None if measured_on is None else fspath(measured_on)
        points = broadcast_points(at) if at else ()
        return ProjectedStudy(project_read(*application.as_read, places_of(here, machine, variant), points))
    if measured_on is not None:
        raise UsageError("measured_on is for studies", hint="give what `pl.read_study` returns")
    return Projection(project_files(fspath(application), machine, at, variant=variant, level=level))
