"""The report stage: report.html of a results directory, from what lies in it."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.models.analysis import Analysis, Outlook
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.models.runtime.runtime import Runtime, runtime
from pipeline.report.html import MetricOutlook, Report, report_html
from pipeline.stages.advise import next_measurements
from pipeline.stages.model import NO_OTHERS, efficiency_of, outlooks, target_points
from pipeline.store.atomic import write_text
from pipeline.store.lock import LOCK, between_runs
from pipeline.store.results import EVIDENCE, REPORT, read_provenance, read_study


def report_analysis(
    out: Path,
    analysis: Analysis,
    targets: FloatArray,
    provenance: Mapping[str, Any],
    efficiency: Mapping[str, Any],
    ahead: tuple[Outlook, Outlook],
    found: Runtime | None,
    others: Mapping[str, Analysis] = NO_OTHERS,
) -> Path:
    """Write report.html into a results directory and return its path.

    Args:
        out: results directory; the evidence of its filter is read if there is any.
        analysis: the modelled experiment.
        targets: float64[Q, D]; the page opens at the last.
        provenance: the content of ``run.json``.
        efficiency: the ``efficiency`` of ``summary.json``.
        ahead: the `outlooks` at the targets.
        found: the runtime at the targets; None if the models are not of time.
        others: all other metrics, by name.

    Raises:
        PipelineError: the evidence is damaged, or the file cannot be written.
    """
    report = Report(
        analysis=analysis,
        callpaths=ahead[0],
        regions=ahead[1],
        targets=targets,
        provenance=provenance,
        filter_evidence=_evidence(out),
        efficiency=efficiency,
        runtime=found,
        others=tuple(_outlook(other, targets) for other in others.values()),
        advice=() if found is None else next_measurements(analysis, targets[-1]),
    )
    write_text(out / REPORT, report_html(report))
    return out / REPORT


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
        read_provenance(out)  # no lock is made in a directory that no run wrote to
    with between_runs(out, notify):
        return _report_stored(out, at, min_efficiency)


def _report_stored(out: Path, at: Sequence[Mapping[str, float]], min_efficiency: float) -> Path:
    provenance = read_provenance(out)
    study = read_study(out)
    analysis = study.chosen
    targets = target_points(analysis, at or provenance["configuration"]["at"])
    ahead = outlooks(analysis, targets)
    found = runtime(analysis, targets, min_efficiency)
    return report_analysis(
        out, analysis, targets, provenance, efficiency_of(analysis), ahead, found, study.others
    )


def _evidence(out: Path) -> dict[str, Any] | None:
    path = out / EVIDENCE
    try:
        evidence: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read ({error})", where=str(path), hint="run `pipeline run` again"
        ) from error
    return evidence
