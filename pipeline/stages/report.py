"""The report stage: report.html of a results directory, from what lies in it."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis, Outlook
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.models.runtime.runtime import Runtime, runtime
from pipeline.report.html import MetricOutlook, Report, report_html
from pipeline.report.html.payload import filter_data
from pipeline.stages.advise import next_measurements
from pipeline.stages.model import NO_OTHERS, efficiency_of, outlooks, target_points
from pipeline.store.atomic import write_text
from pipeline.store.generation import StoredResult, damaged, finish, new_generation, open_result, publish
from pipeline.store.lock import LOCK, between_runs
from pipeline.store.results import DAMAGE, EVIDENCE, REPORT, read_study


def report_analysis(
    folder: Path,
    analysis: Analysis,
    targets: FloatArray,
    provenance: Mapping[str, Any],
    efficiency: Mapping[str, Any],
    ahead: tuple[Outlook, Outlook],
    found: Runtime | None,
    evidence: Mapping[str, Any] | None,
    others: Mapping[str, Analysis] = NO_OTHERS,
) -> None:
    """Write report.html into a folder.

    Args:
        folder: which.
        analysis: the modelled experiment.
        targets: float64[Q, D]; the page opens at the last.
        provenance: the content of ``run.json``.
        efficiency: the ``efficiency`` of ``summary.json``.
        ahead: the `outlooks` at the targets.
        found: the runtime at the targets; None if the models are not of time.
        evidence: the content of ``app.filter.json``; None without a filter.
        others: all other metrics, by name.

    Raises:
        UsageError: the file cannot be written.
    """
    report = Report(
        analysis=analysis,
        callpaths=ahead[0],
        regions=ahead[1],
        targets=targets,
        provenance=provenance,
        filter_evidence=evidence,
        efficiency=efficiency,
        runtime=found,
        others=tuple(_outlook(other, targets) for other in others.values()),
        advice=() if found is None else next_measurements(analysis, targets[-1]),
    )
    write_text(folder / REPORT, report_html(report))


def _outlook(analysis: Analysis, targets: FloatArray) -> MetricOutlook:
    callpaths, regions = outlooks(analysis, targets, crossing=False)
    return MetricOutlook(analysis=analysis, callpaths=callpaths, regions=regions)


def report_stored(
    out: Path,
    at: Sequence[Mapping[str, float]],
    notify: Callable[[str], None] = lambda _: None,
    min_efficiency: float = MIN_EFFICIENCY,
) -> Path:
    """Write report.html of a stored result again, for the targets of its run if none are given.

    Args:
        out: results directory.
        at: target points.
        notify: is called at once with what the user should know.
        min_efficiency: the efficiency up to whose scale is asked.

    Raises:
        PipelineError: the directory is not a complete result, a run is writing to it, or a target names no
            parameter of it.
    """
    if not (out / LOCK).exists():
        open_result(out)  # no lock is made in a directory that no run wrote to
    with between_runs(out, notify):
        finish(out)
        with new_generation(out) as folder:
            _report_stored(out, folder, at, min_efficiency)
    return out / REPORT


def _report_stored(out: Path, folder: Path, at: Sequence[Mapping[str, float]], min_efficiency: float) -> None:
    study = read_study(out)
    analysis, stored = study.chosen, study.result
    targets = target_points(analysis, at or stored.configuration.get("at", ()))
    ahead = outlooks(analysis, targets)
    found = runtime(analysis, targets, min_efficiency)
    efficiency = efficiency_of(analysis)
    evidence, content = _evidence(stored), stored.provenance
    report_analysis(folder, analysis, targets, content, efficiency, ahead, found, evidence, study.others)
    publish(folder, content, replaced=stored)


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
