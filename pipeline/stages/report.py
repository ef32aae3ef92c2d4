"""The report stage: report.html of a results directory, from what lies in it."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipeline.models.kernel_locations import KernelLocations
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.projection.rooflines.rooflines import StudyRoofline, study_roofline
from pipeline.questions.analysis import Analysis, largest_point
from pipeline.report.page import MetricOutlook, Report, report_html
from pipeline.report.page.page_data import filter_data
from pipeline.stages.advise import next_measurements
from pipeline.stages.model import TargetForecast, target_points
from pipeline.store.atomic import write_text
from pipeline.store.freshness import state_of
from pipeline.store.generation import StoredResult, damaged, finish, new_generation, open_result, publish
from pipeline.store.lock import LOCK, between_runs
from pipeline.store.results import DAMAGE, EVIDENCE, REPORT, read_study
from pipeline.store.stored_locations import LOCATIONS, read_locations


def report_analysis(
    folder: Path,
    ahead: TargetForecast,
    provenance: Mapping[str, Any],
    evidence: Mapping[str, Any] | None,
    roofline: StudyRoofline | None = None,
    locations: Sequence[KernelLocations] = (),
) -> None:
    """Write report.html into a folder.

    Args:
        folder: which.
        ahead: the models at the targets; the page opens at the last.
        provenance: the content of ``run.json``.
        evidence: the content of ``app.filter.json``; None without a filter.
        roofline: what limits the kernels on the machine measured on, if that is known.
        locations: the largest kernels on each location.

    Raises:
        UsageError: the file cannot be written.
    """
    callpaths, regions = ahead.outlooks
    report = Report(
        analysis=ahead.analysis,
        callpaths=callpaths,
        regions=regions,
        targets=ahead.targets,
        provenance=provenance,
        filter_evidence=evidence,
        efficiency=ahead.efficiency,
        runtime=ahead.runtime,
        others=tuple(
            MetricOutlook(
                analysis=other, callpaths=ahead.of_others[metric][0], regions=ahead.of_others[metric][1]
            )
            for metric, other in ahead.others.items()
        ),
        advice=() if ahead.runtime is None else next_measurements(ahead.analysis, ahead.targets[-1]),
        roofline=roofline,
        files=_file_dates(provenance),
        locations=locations,
    )
    write_text(folder / REPORT, report_html(report))


def _file_dates(provenance: Mapping[str, Any]) -> list[date]:
    """Return when the input files that are still there were last changed."""
    changed = (state_of(Path(entry["path"])).modified for entry in provenance["inputs"])
    return [datetime.fromtimestamp(time / 1e9, UTC).date() for time in changed if time]


def report_stored(
    out: Path,
    at: Sequence[Mapping[str, float]],
    notify: Callable[[str], None] = lambda _: None,
    min_efficiency: float = MIN_EFFICIENCY,
    *,
    measured_on: str | Path | None = None,
) -> Path:
    """Write report.html of a stored result again, for the targets of its run if none are given.

    Args:
        out: results directory.
        at: target points.
        notify: is called at once with what the user should know.
        min_efficiency: the efficiency up to whose scale is asked.
        measured_on: file or name of the machine measured on, whose roofline the report then shows.

    Raises:
        PipelineError: the directory is not a complete result, a run is writing to it, a target names no
            parameter of it, or the study has no counters for a roofline.
    """
    if not (out / LOCK).exists():
        open_result(out)  # no lock is made in a directory that no run wrote to
    with between_runs(out, notify):
        finish(out)
        with new_generation(out) as folder:
            _report_stored(out, folder, at, min_efficiency, measured_on)
    return out / REPORT


def _report_stored(
    out: Path,
    folder: Path,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float,
    measured_on: str | Path | None,
) -> None:
    study = read_study(out)
    analysis, stored, content = study.chosen, study.result, study.result.provenance
    targets = target_points(analysis, at or stored.configuration.get("at", ()))
    report_analysis(
        folder,
        TargetForecast(
            analysis=analysis, targets=targets, min_efficiency=min_efficiency, others=study.others
        ),
        content,
        _evidence(stored),
        roofline=None if measured_on is None else _roofline(analysis, measured_on),
        locations=_locations(stored),
    )
    publish(folder, content, replaced=stored)


def _roofline(analysis: Analysis, measured_on: str | Path) -> StudyRoofline:
    from pipeline.projection.machines.machine_values import (
        load_machine,  # loads sympy, which takes most of a second
    )

    column = analysis.experiment.parameters.index(analysis.parameter) if analysis.parameter else 0
    largest = largest_point(analysis.experiment.points, column)
    return study_roofline(analysis.experiment, load_machine(measured_on), largest)


def _locations(stored: StoredResult) -> tuple[KernelLocations, ...]:
    """Return the kernels on each location; there are none in studies without, and in earlier results."""
    if LOCATIONS not in stored.digests:
        return ()
    content = stored.read(LOCATIONS)
    try:
        return read_locations(content)
    except DAMAGE as error:
        raise damaged(stored.directory, f"{LOCATIONS}: {type(error).__name__}: {error}") from error


def _evidence(stored: StoredResult) -> Mapping[str, Any] | None:
    if EVIDENCE not in stored.digests:
        return None
    content = stored.read(EVIDENCE)
    try:
        evidence: Mapping[str, Any] = json.loads(content)
        filter_data(evidence)
    except DAMAGE as error:
        raise damaged(stored.directory, f"{EVIDENCE}: {type(error).__name__}: {error}") from error
    return evidence
