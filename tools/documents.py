"""What `--json` of every command writes: the one table of documents and of the commands that write them.

The shape of a document is the type that the function returns which makes it. Here it is named, not imported:
`document_schema` makes the schema that is published as ``docs/reference/schemas/NAME.schema.json``.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import GenericAlias
from typing import Any

from tools.json_schema import json_schema


@dataclass(frozen=True, kw_only=True)
class Document:
    """A shape of JSON."""

    title: str  # of its schema
    type: str = ""  # ``module:name`` of the type; empty if the published schema itself declares the shape
    is_list: bool = False  # whether it is a list of these


DOCUMENTS: Mapping[str, Document] = {
    "inspection": Document(
        title="What is in a profile or a directory of runs",
        type="pipeline.columns.measured_runs:Inspection",
    ),
    "intact": Document(title="A results directory as it was written", type="pipeline.stages.inspect:Intact"),
    "summary": Document(title="summary.json of pipeline"),
    "groups": Document(title="A study per value of some metadata", type="pipeline.stages.run:RunGroups"),
    "potential": Document(
        title="What kernels would gain in wall time", type="pipeline.questions.what_if:PotentialAt"
    ),
    "choice": Document(title="Jobs at several scales", type="pipeline.questions.choice:JobChoice"),
    "isoefficiency": Document(
        title="Sizes and scales that keep an efficiency",
        type="pipeline.questions.isoefficiency:Isoefficiency",
    ),
    "filter": Document(title="The evidence of a filter", type="filters.explanation:FilterEvidence"),
    "simulation": Document(
        title="A profile under a filter", type="pipeline.columns.filter_effects:SimulatedFilter"
    ),
    "verification": Document(
        title="A filter, measured and predicted", type="pipeline.columns.filter_effects:VerifiedFilter"
    ),
    "plan": Document(
        title="Measurements in their order", type="pipeline.questions.planning.advice:Advice", is_list=True
    ),
    "plans": Document(
        title="Measurements for several targets",
        type="pipeline.questions.planning.next_measurement:PlanOfTarget",
        is_list=True,
    ),
    "baseline": Document(title="A baseline that was written", type="pipeline.cli.check:WrittenBaseline"),
    "check": Document(title="check.json: what `pipeline check` decided and why"),
    "comparison": Document(
        title="Two studies compared", type="pipeline.report.check.document:StudyComparison"
    ),
    "projection": Document(
        title="An application on a machine",
        type="pipeline.projection.applications.projections:ApplicationProjection",
    ),
    "sweep": Document(
        title="An application over an input", type="pipeline.projection.applications.projections:Sweep"
    ),
    "study-projection": Document(
        title="A study on another machine", type="pipeline.columns.two_machines:StudyOnTwoMachines"
    ),
    "shipped": Document(title="Shipped applications and machines", type="pipeline.columns.shipped:Shipped"),
    "held-out": Document(
        title="Measurements held out of an application", type="pipeline.questions.held_out:HeldOutComparison"
    ),
    "sensitivities": Document(
        title="Sensitivities of a projection", type="pipeline.projection.expressions.evaluation:Sensitivities"
    ),
    "ports": Document(
        title="Loops on processor cores", type="pipeline.projection.ports.loop_estimate:PortsReport"
    ),
    "machines": Document(title="Shipped machines", type="pipeline.columns.shipped:Machines"),
    "campaign": Document(title="A campaign as it stands", type="pipeline.columns.campaigns:ShownCampaign"),
    "added": Document(title="What was added to a history", type="pipeline.stages.history:Added"),
    "history": Document(title="Kernels across commits", type="pipeline.report.check.history:History"),
}
"""By the names of their schemas."""

WRITTEN: Mapping[str, Mapping[str, str]] = {
    "inspect": {"": "inspection", "of a results directory": "intact"},
    "run": {"": "summary", "`--group-by`": "groups"},
    "bottlenecks": {"": "summary", "`--potential`": "potential"},
    "predict": {"": "summary"},
    "choose": {
        "": "choice",
        "`--isoefficiency`": "isoefficiency",
        "`--measure`": "plan",
        "`--measure`, several `--at`": "plans",
    },
    "filter": {"": "filter", "`--apply`": "simulation", "`--verify`": "verification"},
    "baseline": {"": "baseline"},
    "check": {"": "check"},
    "compare": {"": "comparison"},
    "project": {
        "": "projection",
        "a swept input": "sweep",
        "of a results directory": "study-projection",
        "`--list`": "shipped",
        "`--show sensitivities`": "sensitivities",
        "`--hold-out`": "held-out",
    },
    "ports": {"": "ports"},
    "machine list": {"": "machines"},
    "campaign plan": {"": "campaign"},
    "campaign submit": {"": "campaign"},
    "campaign status": {"": "campaign"},
    "campaign reset": {"": "campaign"},
    "campaign next": {"": "campaign"},
    "campaign loop": {"": "campaign"},
    "history add": {"": "added"},
    "history show": {"": "history"},
}
"""By command: which document it writes by default, and with which options another one."""

WITHOUT: Mapping[str, str] = {
    "plot": "draws; `predict --json` has the numbers",
    "report": "writes a page; `predict --json` has the numbers",
    "export": "writes the format of another tool",
    "machine measure": "writes a machine file, which is TOML",
    "campaign init": "writes a description to be edited, which is TOML",
    "serve-mcp": "its tools return the documents of the other commands",
    "history": "writes a page; `history show --json` has the numbers",
}
"""Commands without `--json`, and why."""


def document_schema(name: str) -> dict[str, Any] | None:
    """Return the schema of a document; None if the published one is its declaration."""
    document = DOCUMENTS[name]
    if not document.type:
        return None
    module, _, kind = document.type.partition(":")
    declared: Any = getattr(importlib.import_module(module), kind)
    if document.is_list:
        declared = GenericAlias(list, (declared,))
    return json_schema(declared, document.title)
