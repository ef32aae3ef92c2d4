"""The report as one HTML file."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis, Outlook
from pipeline.models.scaling_models import remarks
from pipeline.report.html.assets import content_security_policy, script, style_sheet
from pipeline.report.html.efficiency import efficiency_table
from pipeline.report.html.heading import facts, study_name
from pipeline.report.html.packing import json_for_script
from pipeline.report.html.payload import page_data
from pipeline.report.html.verdict import Findings, verdict


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What a report is made of.

    Attributes:
        analysis: the modelled experiment.
        callpaths: what its call paths do at the targets.
        regions: what its regions do at the targets.
        targets: float64[Q, D], the points the outlooks predict; the page opens at the last.
        provenance: the content of ``run.json``.
        filter_evidence: the content of ``app.filter.json``; None without a filter.
        efficiency: the ``efficiency`` of ``summary.json``; None leaves the section out.
    """

    analysis: Analysis
    callpaths: Outlook
    regions: Outlook
    targets: FloatArray
    provenance: Mapping[str, Any]
    filter_evidence: Mapping[str, Any] | None = None
    efficiency: Mapping[str, Any] | None = None


def report_html(report: Report) -> str:
    """Return the HTML text. It needs no network, and shows whatever names contain as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pipeline.report.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    data = page_data(
        report.analysis, report.callpaths, report.regions, report.targets, report.filter_evidence
    )
    scripts, styles = script(), style_sheet()
    text = environment.get_template("report.html.j2").render(
        title=study_name(report.provenance),
        verdict=verdict(Findings(report.analysis, report.callpaths, report.regions, report.targets[-1])),
        facts=facts(report.analysis, report.provenance),
        provenance=report.provenance,
        notes=_notes(report.analysis),
        attributes=_attributes(report.analysis),
        configuration=[(key, json.dumps(value)) for key, value in report.provenance["configuration"].items()],
        efficiency=None if report.efficiency is None else efficiency_table(report.efficiency),
        parameters=report.analysis.experiment.parameters,
        imbalance=data["imbalance"] is not None,
        filtered=data["filter"],
        callpaths=len(report.analysis.callpaths.kernels),
        policy=content_security_policy([scripts], [styles]),
        styles=Markup(styles),
        scripts=Markup(scripts),
        exact=_exact(report.analysis.parameter, data["grid"]),
        data=Markup(json_for_script(data)),
    )
    return text.encode("utf-8", "replace").decode()


def _attributes(analysis: Analysis) -> list[tuple[str, str]]:
    """What the measurement system says of itself, each statement once."""
    pairs = [(key, value) for run in analysis.experiment.runs for key, value in run.attributes.items()]
    return list(dict.fromkeys(pairs))


def _notes(analysis: Analysis) -> list[tuple[str, int]]:
    """Remarks on the models of call paths with the number of those they concern, the most frequent first."""
    return Counter(chain.from_iterable(remarks(analysis.callpaths.models))).most_common()


def _exact(parameter: str, grid: Sequence[float]) -> str:
    """The scales at which the page knows intervals exactly."""
    return f"{parameter} = " + ", ".join(f"{scale:.4g}" for scale in grid)
