"""The compare stage: two studies of one program, now and at the target scale."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.gate.check_result import CheckResult
from pipeline.gate.compared_studies import ComparedStudies, Curves, possible_renames
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelId, over_the_same
from pipeline.gate.study_check import check
from pipeline.gate.target_forecast import modelled, target_points
from pipeline.models.options import ModelOptions
from pipeline.report.check.comparison import TOTAL, comparison_verdict
from pipeline.report.check.document import ComparisonJson, comparison_document
from pipeline.stages.gate_study import GateStudy, require_common


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoStudies:
    """What comparing two studies found.

    Attributes:
        names: of A and B.
        result: B checked against A.
        renamed: kernels that are perhaps one.
        totals: of both at the targets.
        compared: both studies.
    """

    names: tuple[str, str]
    result: CheckResult
    renamed: Sequence[tuple[KernelId, KernelId]]
    totals: Curves
    compared: ComparedStudies

    @property
    def document(self) -> ComparisonJson:
        """All of it as plain data."""
        return comparison_document(self.result, self.renamed, *self.names)

    @property
    def verdict(self) -> str:
        """What B takes, how that compares with A, and what differs, in one line."""
        return comparison_verdict(self.result, self.totals)


def compare_studies(
    names: tuple[str, str], studies: Sequence[GateStudy], rules: CheckOptions, models: ModelOptions
) -> TwoStudies:
    """Compare two studies.

    Args:
        names: of A and B, for the user.
        studies: A and B, as `read_alike` reads them.
        rules: targets, and from which factor on a difference counts.
        models: how to fit.
    """
    one, two = over_the_same(*(study.measurements for study in studies))
    one, two = (modelled(study, models) for study in (one, two))
    compared = ComparedStudies.of(one, two, models, rules.share_floor)
    require_common(compared, *names)
    return TwoStudies(
        names=names,
        result=check(two, one, rules, models, datetime.date.today()),
        renamed=possible_renames(compared.matched, rules.share_floor),
        totals=compared.curves([TOTAL], target_points(two, rules.targets)),
        compared=compared,
    )


def comparison_rules(factor: float, targets: Sequence[Mapping[str, float]] = ()) -> CheckOptions:
    """Return the rules of a comparison: differences up to a factor are not reported."""
    return CheckOptions(targets=tuple(targets), factor=factor, common_factor=min(factor, 1.05))
