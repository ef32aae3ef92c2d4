"""Stored results on another machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.columns.summary import Summary
from pipeline.columns.two_machines import StudyOnTwoMachines, on_two_machines
from pipeline.config.options import Options
from pipeline.models.options import MIN_EFFICIENCY, ModelOptions, Prior, exponent
from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.study.projected_study import StudyProjection, project_study
from pipeline.projection.study.study_machine import StudyMachine, study_machine
from pipeline.questions.analysis import Analysis
from pipeline.questions.question import TargetForecast
from pipeline.report.summary import summarise
from pipeline.stages.model import metric_to_model, modelled, modelled_beside, target_points
from pipeline.stages.project import stored_models
from pipeline.stages.report import page_of
from pipeline.store.generation import damaged
from pipeline.store.results import DAMAGE, StoredStudy, read_study

if TYPE_CHECKING:
    from pipeline.stages.ingest import Ingested  # whose readers no stored study needs


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectedForecast:
    """A study on two machines; what is not asked for is not computed."""

    measured: Analysis  # the study as it was measured, which can be continued
    projection: StudyProjection  # both analyses, and how every kernel went over
    targets: FloatArray  # float64[Q, D]
    min_efficiency: float  # the efficiency up to whose scale is asked

    @cached_property
    def there(self) -> TargetForecast:
        """The study on the other machine."""
        return self._on(self.projection.there)

    @cached_property
    def summary(self) -> Summary:
        """The content of summary.json for the study on the other machine."""
        return summarise(self.there, self.projection.there.experiment.notices)

    @cached_property
    def two_machines(self) -> StudyOnTwoMachines:
        """Both sides, as `pipeline project --json` writes them."""
        here = summarise(self._on(self.measured), self.measured.experiment.notices)
        return on_two_machines(self.projection, here, self.summary, self.targets[-1])

    @cached_property
    def rests_on(self) -> tuple[str, ...]:
        """That times are not measured ones, and what is assumed, one sentence each."""
        source, target = self.projection.source.name, self.projection.target.name
        return (
            f"all times are projected: measured on {source}, taken to {target}",
            *self.projection.assumptions,
        )

    def _on(self, analysis: Analysis) -> TargetForecast:
        return TargetForecast(
            analysis=analysis,
            targets=self.targets,
            min_efficiency=self.min_efficiency,
            measurable=self.measured,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectedResults(ProjectedForecast):
    """Stored results on two machines."""

    study: StoredStudy

    @cached_property
    def page(self) -> str:
        """The report of the study on the other machine, HTML."""
        provenance = self.study.result.provenance
        return page_of(
            self.there,
            {**provenance, "notices": [*self.rests_on, *provenance["notices"]]},
            machines=self.two_machines,
            files=(),
        )


def project_results(
    out: Path,
    places: tuple[StudyMachine, StudyMachine],
    at: Sequence[Mapping[str, float]],
    min_efficiency: float = MIN_EFFICIENCY,
) -> ProjectedResults:
    """Project all kernels of a results directory between two machines, those of `places_of`."""
    study = read_study(out)
    return ProjectedResults(
        study=study,
        measured=study.chosen,
        projection=project_study(study.chosen, study.others, *places, stored_options(study)),
        targets=target_points(study.chosen, at or study.result.configuration.get("at", ())),
        min_efficiency=min_efficiency,
    )


def project_read(
    read: "Ingested",
    options: Options,
    places: tuple[StudyMachine, StudyMachine],
    at: Sequence[Mapping[str, float]],
) -> ProjectedForecast:
    """Model runs that were read, and project all kernels to another machine; else as `project_results`."""
    analysis = modelled(read, options, metric_to_model(read, options))
    others = modelled_beside(read, options, analysis)
    return ProjectedForecast(
        measured=analysis,
        projection=project_study(analysis, others, *places, options.models),
        targets=target_points(analysis, at or options.at),
        min_efficiency=options.min_efficiency,
    )


def places_of(
    source: str | Path | None, target: str | Path | None, variant: str | None = None
) -> tuple[StudyMachine, StudyMachine]:
    """Return the machine measured on, and a variant of that to project to; files or names of shipped ones."""
    return _place(source, "--from"), _place(target, "--on", variant)


def _place(name: str | Path | None, option: str, variant: str | None = None) -> StudyMachine:
    if name is None:
        hint = f"a file, or one of {', '.join(shipped('machine'))}"
        which = "the machine measured on" if option == "--from" else "the machine to project to"
        raise UsageError(f"{which} is not given", where=option, hint=hint)
    return study_machine(load_machine(name), stored_models, variant=variant)


def stored_options(study: StoredStudy) -> ModelOptions:
    """Return how the models of a study were fitted; InputError if the results are damaged."""
    try:
        stored = study.result.configuration["models"]
        prior: Prior = stored["prior"]
        if not isinstance(prior, str):
            prior = {exponent(*pair): weight for pair, weight in stored["prior"]}
        exponents = stored["exponents"]
        return ModelOptions(
            method=stored["method"],
            prior=prior,
            rivals=stored["rivals"],
            exponents=None if exponents is None else tuple(exponent(*pair) for pair in exponents),
            nonnegative=stored["nonnegative"],
        )
    except DAMAGE as error:
        raise damaged(study.result.directory, f"{type(error).__name__}: {error}") from error
