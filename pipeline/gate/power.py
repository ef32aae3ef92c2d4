"""What a check would have seen: how small a change may be that it finds in 9 of 10 cases."""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from pipeline.gate.common_factor import CommonChange
from pipeline.gate.hypothesis_tests import POWER, TestFamily
from pipeline.gate.matching import Matched
from pipeline.gate.measurements import Scope
from pipeline.gate.options import CheckOptions
from pipeline.gate.result import Power
from pipeline.gate.verdicts import hides_regression
from pipeline.wording.quantities import figure, value_text

COVERED = 0.8  # share of the total at the largest common scale that the largest kernels take


def power_of(
    matched: Matched, family: TestFamily, common: CommonChange | None, options: CheckOptions
) -> Power | None:
    """Return what was detectable at the largest common scale and at all; None without a common point.

    Args:
        matched: the two studies.
        family: the tests.
        common: the test of what all kernels share; None if it was not made.
        options: the factors and the level.
    """
    if not len(matched.points):
        return None
    at = matched.largest[1]
    kernels = [matched.candidate.kernels[row] for row in family.rows.tolist()]
    share = matched.candidate.share[family.rows, at]
    single = np.flatnonzero([k.level is Scope.CALLPATH for k in kernels])
    order = single[np.argsort(-share[single], kind="stable")]
    part = np.cumsum(share[order])
    largest = order[: int(np.searchsorted(part, COVERED * part[-1]) + 1)] if len(order) else order
    noisy = np.array([hides_regression(family.detectable[n], share[n], options) for n in largest], dtype=bool)
    rough, largest = largest[noisy], largest[~noisy]
    total = [n for n, kernel in enumerate(kernels) if kernel.level is Scope.TOTAL]
    last = int(np.argmax(matched.scale))
    everywhere = np.fmin(family.detectable, family.detectable_everywhere)
    everywhere = everywhere if len(matched.points) > 1 else np.full(len(everywhere), np.nan)
    return Power(
        at=matched.candidate.named(matched.points[[last]])[0],
        points=len(matched.points),
        kernels=len(largest),
        share=float(share[largest].sum()),
        kernel_factor=_worst(family.detectable[largest]),
        kernel_everywhere=_worst(everywhere[largest]),
        total_factor=_worst(family.detectable[total]),
        total_everywhere=_worst(everywhere[total]),
        common_factor=_of_common(common, options),
        has_common=len(single) > 1,
        noisy=len(rough),
        noisy_factor=_worst(family.detectable[rough]),
    )


def _worst(factors: np.ndarray) -> float | None:
    return float(factors.max()) if len(factors) and np.isfinite(factors).all() else None


def _of_common(common: CommonChange | None, options: CheckOptions) -> float | None:
    """Smallest factor of all kernels together, at all points, that is found."""
    if common is None or not common.mean.known[0, 0]:
        return None
    level = options.false_alarms / (1 + int(common.points.known.sum()))
    degrees, error = common.mean.degrees[0, 0], common.mean.error[0, 0]
    reach = (stdtrit(degrees, 1 - level) + stdtrit(degrees, POWER)) * error
    return float(np.exp(min(np.log(options.common_factor) + reach, 700.0)))


def lacking_power(power: Power | None, detect: float | None) -> Sequence[str]:
    """Return why a change by the factor `detect` could have been missed, one sentence each; none if not."""
    if detect is None:
        return ()
    wished = value_text(detect)
    if power is None:
        return (
            f"no point was measured in both studies, so that a factor of {wished} could not have been seen",
        )
    found = []
    for what, factor in (
        (f"the {power.kernels} largest kernels that are not noisy", power.kernel_factor),
        (f"the {power.noisy} noisy ones of the largest kernels", power.noisy_factor if power.noisy else 1.0),
        ("the total", power.total_factor),
        ("all kernels together", power.common_factor if power.has_common else 1.0),
    ):
        if factor is None:
            found.append(f"without repetitions no factor is known to be seen in {what}")
        elif factor > detect:
            found.append(
                f"a factor of {wished} could have been missed: in {what} the check finds "
                f"{figure(factor)} and more"
            )
    return tuple(found)
