"""The report stage: report.html of a results directory, from what lies in it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest.arrays import FloatArray
from ingest.errors import InputError
from pipeline.models.analysis import Analysis, look_ahead
from pipeline.report.html import Report, write_report
from pipeline.store.results import EVIDENCE, REPORT, read_analysis, read_provenance


def report_analysis(
    out: Path,
    analysis: Analysis,
    targets: FloatArray,
    provenance: Mapping[str, Any],
    efficiency: Mapping[str, Any],
) -> Path:
    """Write report.html into a results directory and return its path.

    Args:
        out: results directory; the evidence of its filter is read where there is one.
        analysis: the modelled experiment.
        targets: float64[Q, D]; the page opens at the last.
        provenance: the content of ``run.json``.
        efficiency: the ``efficiency`` of ``summary.json``.

    Raises:
        PipelineError: where the evidence is damaged or the file cannot be written.
    """
    callpaths, regions = (
        look_ahead(analysis, level, targets) for level in (analysis.callpaths, analysis.regions)
    )
    report = Report(analysis, callpaths, regions, targets, provenance, _evidence(out), efficiency)
    write_report(out / REPORT, report)
    return out / REPORT


def report_stored(out: Path, at: Sequence[Mapping[str, float]]) -> Path:
    """Write report.html of a stored result again, for the targets of its run where none are given.

    Raises:
        PipelineError: where the directory is no whole result, or a target names no parameter of it.
    """
    from pipeline.models.efficiency import efficiencies
    from pipeline.report.efficiency import efficiency_summary
    from pipeline.stages import target_points

    provenance = read_provenance(out)
    analysis = read_analysis(out)
    targets = target_points(analysis, at or provenance["configuration"]["at"])
    found = efficiencies(analysis.experiment, analysis.decision)
    return report_analysis(out, analysis, targets, provenance, efficiency_summary(analysis.experiment, found))


def _evidence(out: Path) -> dict[str, Any] | None:
    path = out / EVIDENCE
    try:
        evidence: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read ({error})", where=str(path), mend="run `pipeline run` again"
        ) from error
    return evidence
