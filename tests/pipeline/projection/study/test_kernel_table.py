"""What limits kernels, by verdicts on their counters."""

import pytest

from pipeline.projection.rooflines.region_verdicts import Bound, RegionVerdict, Use
from pipeline.projection.study.kernel_table import limits_of
from pipeline.projection.study.study_machine import RESOURCES, Resource


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (RegionVerdict(bound=Bound.MEMORY, level="DRAM"), Resource.MEMORY),
        (RegionVerdict(bound=Bound.MEMORY, level="L2"), Resource.L2),
        (RegionVerdict(bound=Bound.ARITHMETIC), Resource.ARITHMETIC),
        (RegionVerdict(bound=Bound.LATENCY, not_judged=()), Resource.LATENCY),
        (RegionVerdict(bound=Bound.LATENCY, not_judged=("L1",)), None),
        (RegionVerdict(bound=Bound.ASSUMED), None),
        (RegionVerdict(bound=Bound.MEMORY, level="DRAM", uses={"DRAM": Use(2.0, 1.0)}), None),
        (None, None),
    ],
)
def test_a_verdict_without_doubts_tells_what_limits(found, expected):
    limits, tested = limits_of([found])
    assert tested[0] == (expected is not None)
    assert [one for one, share in zip(RESOURCES, limits[0], strict=True) if share] == (
        [expected] if expected else []
    )
