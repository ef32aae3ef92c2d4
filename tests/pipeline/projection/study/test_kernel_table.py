"""What limits kernels, by verdicts on their counters, and how sure that is without them."""

import numpy as np
import pytest

from pipeline.projection.rooflines.region_verdicts import Bound, RegionVerdict, Use
from pipeline.projection.study.kernel_table import TYPICAL_MIX, KernelTable, limits_of
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


@pytest.mark.parametrize(
    "own", [(0.1, 0.25, 0.0, 0.65), (0.1, 0.45, 0.0, 0.45), (1.0, 0.0, 0.0, 0.0), (0.15, 0.65, 0.2, 0.0)]
)
def test_the_interval_of_a_stranger_holds_each_program_learned_from(own):
    """They miss their own mixes by 20 %."""
    random, one = np.random.default_rng(0), np.zeros(1, dtype=np.int64)
    typical, truly = (
        np.array([dict(zip(TYPICAL_MIX, mix, strict=True)).get(resource, 0.0) for resource in RESOURCES])
        for mix in (TYPICAL_MIX.values(), own)
    )
    table = KernelTable(
        way=one,
        pattern=one,
        finishes=one > 0,
        mix=typical[None],
        tested=one > 0,
        doubt=np.ones(1),
        signs=("",),
        visits=None,
        moved=None,
    )
    slower = random.normal(scale=0.4, size=(len(RESOURCES), 400))  # logarithms, of 400 pairs of machines
    there = table.drawn_mix(one, random)[1:, 0] @ slower
    there += table.method_error(one) * random.standard_normal((len(there), 1))
    truth = truly @ slower + random.normal(scale=0.2, size=400)
    lower, upper = np.quantile(there, [0.05, 0.95], axis=0)
    assert np.mean((lower <= truth) & (truth <= upper)) > 0.88
    assert np.median(upper - lower) < np.log(3.5)
