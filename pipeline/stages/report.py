"""The report stage: report.html of a results directory, from what lies in it."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pipeline.models.formulas import read_growths
from pipeline.models.options import MIN_EFFICIENCY, Expectation
from pipeline.projection.rooflines.rooflines import StudyRoofline, study_roofline
from pipeline.questions.analysis import Analysis
from pipeline.questions.question import TargetForecast
from pipeline.report.page import Report, report_html
from pipeline.report.page.page_data import filter_data
from pipeline.stages.model import forecast_at
from pipeline.store.atomic import write_text
from pipeline.store.freshness import state_of
from pipeline.store.generation import StoredResult, damaged, finish, new_generation, open_result, publish
from pipeline.store.lock import LOCK, Notify, between_runs
from pipeline.store.results import DAMAGE, EVIDENCE, REPORT, StoredStudy, read_study
from pipeline.store.stored_locations import LOCATIONS, read_locations

Part = TypeVar("Part")


def page_of(
    ahead: TargetForecast,
    provenance: Mapping[str, Any],
    evidence: Mapping[str, Any] | None = None,
    **more: Any,  # noqa: ANN401  # fields of `Report`
) -> str:
    """Return report.html, which opens at the last target, from ``run.json`` and, with a filter,
    ``app.filter.json``.
    """
    changed = (state_of(Path(entry["path"])).modified for entry in provenance["inputs"])
    return report_html(
        Report(
            ahead=ahead,
            provenance=provenance,
            filter_evidence=evidence,
            **{"files": [datetime.fromtimestamp(time / 1e9, UTC).date() for time in changed if time], **more},
        )
    )


def report_stored(
    out: Path,
    at: Sequence[Mapping[str, float]],
    notify: Notify = lambda _: None,
    min_efficiency: float = MIN_EFFICIENCY,
    *,
    measured_on: str | Path | None = None,
) -> Path:
    """Write report.html of a stored result again, for the targets of its run if none are given.

    It shows the roofline of the machine measured on, a file or a name, if that is given.
    """
    if not (out / LOCK).exists():
        open_result(out)  # no lock is made in a directory that no run wrote to
    with between_runs(out, notify):
        finish(out)
        with new_generation(out) as folder:
            study = read_study(out)
            write_text(folder / REPORT, _page_of_study(study, at, min_efficiency, measured_on))
            publish(folder, study.result.provenance, replaced=study.result)
    return out / REPORT


def stored_page(
    out: Path,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float = MIN_EFFICIENCY,
    measured_on: str | Path | None = None,
) -> str:
    """Return the page that `report_stored` writes; the one that is stored stays."""
    return _page_of_study(read_study(out), at, min_efficiency, measured_on)


def _page_of_study(
    study: StoredStudy,
    at: Sequence[Mapping[str, float]],
    min_efficiency: float,
    measured_on: str | Path | None,
) -> str:
    analysis, stored, content = study.chosen, study.result, study.result.provenance
    expected = _expectations(stored)
    targets = at or stored.configuration.get("at", ())
    ahead = forecast_at(analysis, targets, min_efficiency, study.others, expected)
    roofline = None if measured_on is None else _roofline(analysis, measured_on)
    locations = _stored_part(stored, LOCATIONS, read_locations) or ()
    evidence = _stored_part(stored, EVIDENCE, _read_evidence)
    return page_of(ahead, content, evidence, roofline=roofline, locations=locations)


def _expectations(stored: StoredResult) -> list[Expectation]:
    """Return what the run expected of growth."""
    found = stored.configuration.get("expectations", ())
    try:
        return [Expectation(**{**one, "exponents": read_growths(one["growth"]) or {}}) for one in found]
    except DAMAGE as error:
        raise damaged(stored.directory, f"run.json: {error}") from error


def _roofline(analysis: Analysis, measured_on: str | Path) -> StudyRoofline:
    from pipeline.projection.machines.machine_values import load_machine

    return study_roofline(analysis.experiment, load_machine(measured_on), analysis.largest)


def _stored_part(stored: StoredResult, name: str, read: Callable[[bytes], Part]) -> Part | None:
    """Return what a file holds that not all results have; None without it."""
    if name not in stored.digests:
        return None
    content = stored.read(name)
    try:
        return read(content)
    except DAMAGE as error:
        raise damaged(stored.directory, f"{name}: {type(error).__name__}: {error}") from error


def _read_evidence(content: bytes) -> Mapping[str, Any]:
    evidence: Mapping[str, Any] = json.loads(content)
    filter_data(evidence)
    return evidence
