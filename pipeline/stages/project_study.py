"""Stored results on another machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ingest.errors import UsageError
from pipeline.models.options import MIN_EFFICIENCY, ModelOptions, Prior
from pipeline.models.runtime.runtime import runtime
from pipeline.projection.files import shipped
from pipeline.projection.machine import load_machine
from pipeline.projection.study.analysis import StudyProjection, project_study
from pipeline.projection.study.place import Place, place
from pipeline.report.html import Report, report_html
from pipeline.report.study_projection import study_projection_json
from pipeline.stages.advise import next_measurements
from pipeline.stages.model import efficiency_of, outlooks, summary_ahead, target_points
from pipeline.stages.project import stored_models
from pipeline.store.generation import damaged
from pipeline.store.results import DAMAGE, StoredStudy, read_study


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectedResults:
    """Results on two machines.

    Attributes:
        projection: both analyses, and how every kernel went over.
        document: the same as plain data, as `pipeline project --json` writes it.
        page: the report of the study on the other machine, HTML.
    """

    projection: StudyProjection
    document: Mapping[str, Any]
    page: str


def project_results(
    out: Path,
    source: str | Path | None,
    target: str | Path | None,
    at: Sequence[Mapping[str, float]],
    *,
    variant: str | None = None,
    min_efficiency: float = MIN_EFFICIENCY,
) -> ProjectedResults:
    """Project all kernels of a results directory to another machine.

    Args:
        out: results directory of `pipeline run`.
        source: the machine measured on: a file, or the name of a shipped one.
        target: the other one.
        at: target points.
        variant: which of the target's variants, by default the usual one.
        min_efficiency: the efficiency up to whose scale is asked.

    Raises:
        PipelineError: the directory is not a complete result, a machine lacks what is needed, or a target is
            invalid.
    """
    study = read_study(out)
    places = _place(source, "--from"), _place(target, "--on", variant)
    found = project_study(study.chosen, study.others, *places, stored_options(study))
    targets = target_points(study.chosen, at or study.result.configuration.get("at", ()))
    summaries = []
    for analysis in (found.here, found.there):
        ahead, of_time = outlooks(analysis, targets), runtime(analysis, targets, min_efficiency)
        summaries.append(summary_ahead(analysis, targets, ahead, of_time, analysis.experiment.notices))
    document = study_projection_json(found, *summaries)
    report = Report(
        analysis=found.there,
        callpaths=ahead[0],
        regions=ahead[1],
        targets=targets,
        provenance={
            **study.result.provenance,
            "notices": [projected_sentence(found), *found.assumptions, *study.result.provenance["notices"]],
        },
        filter_evidence=None,
        efficiency=efficiency_of(found.there),
        runtime=of_time,
        advice=next_measurements(study.chosen, targets[-1]),
        machines=document,
    )
    return ProjectedResults(
        projection=found,
        document=document,
        page=report_html(report),
    )


def summary_on(
    out: Path,
    source: str | Path | None,
    target: str | Path | None,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float = MIN_EFFICIENCY,
    metric: str | None = None,
) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the summary of stored results on another machine, and what that rests on.

    Arguments are those of `project_results`; of metrics, only time can be projected.

    Raises:
        PipelineError: as `project_results`, or for the metric.
    """
    if metric not in (None, "time"):
        raise UsageError(f"'{metric}' cannot be projected", where="--metric", hint="leave it out: time can")
    found = project_results(out, source, target, at, min_efficiency=min_efficiency)
    rests_on = (projected_sentence(found.projection), *found.projection.assumptions)
    return dict(found.document["on"]["summary"]), rests_on


def projected_sentence(projection: StudyProjection) -> str:
    """Say that times are not measured ones."""
    source, target = projection.source.name, projection.target.name
    return f"all times are projected: measured on {source}, taken to {target}"


def places_of(source: str | Path | None, target: str | Path | None) -> tuple[Place, Place]:
    """Return the machine measured on and the one to project to.

    Raises:
        UsageError: one is not given, or lacks what is needed.
    """
    return _place(source, "--from"), _place(target, "--on")


def _place(name: str | Path | None, option: str, variant: str | None = None) -> Place:
    if name is None:
        hint = f"a file, or one of {', '.join(shipped('machine'))}"
        which = "the machine measured on" if option == "--from" else "the machine to project to"
        raise UsageError(f"{which} is not given", where=option, hint=hint)
    return place(load_machine(name), stored_models, variant=variant)


def stored_options(study: StoredStudy) -> ModelOptions:
    """Return how the models of a study were fitted.

    Raises:
        InputError: the results are damaged.
    """
    try:
        stored = study.result.configuration["models"]
        prior: Prior = stored["prior"]
        if not isinstance(prior, str):
            prior = {_exponent(pair): weight for pair, weight in stored["prior"]}
        exponents = stored["exponents"]
        return ModelOptions(
            method=stored["method"],
            prior=prior,
            rivals=stored["rivals"],
            exponents=None if exponents is None else tuple(map(_exponent, exponents)),
            nonnegative=stored["nonnegative"],
        )
    except DAMAGE as error:
        raise damaged(study.result.directory, f"{type(error).__name__}: {error}") from error


def _exponent(pair: Sequence[Any]) -> tuple[Fraction, int]:
    return Fraction(pair[0]), int(pair[1])
