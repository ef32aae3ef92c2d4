"""How far the predictions of a study can be trusted, by stated rules (docs/explanations/runtime.md).

Their bounds are from 204 forecasts of real series, where 98 % of the totals of high trust came within 25 % of
the truth, 80 % of medium and 59 % of low. The back-test says most, then the interval; neither the number of
scales beyond four nor repetitions say more.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import OverheadCorrection
from ingest.number_text import figure, percent
from ingest.run_checks import COVERED
from pipeline.models.back_test import BackTest
from pipeline.questions.analysis import SCALES_NEEDED, SCALES_WANTED
from pipeline.statistics import TWO_SIDED


class Trust(Enum):
    """How far something can be trusted, the least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def __lt__(self, other: "Trust") -> bool:
        return _LEVELS.index(self) < _LEVELS.index(other)


_LEVELS = tuple(Trust)


def _after(*met: bool) -> Trust:
    """Return the trust that bounds allow by how many are met."""
    return _LEVELS[sum(met)]


FAR, VERY_FAR = 4.0, 8.0  # times the measured range
_SCALES_ENOUGH = 4
_REPETITIONS_WANTED = 3
_SMALL_ERROR, _LARGE_ERROR = 0.1, 0.3  # of the back-test
_NARROW, WIDE = 1.8, 3.0  # upper over lower end of an interval
_SUREST, _UNSURE = 2.0, 5.0  # the same of what a correction leaves
_LARGEST = 1e9  # factors above are not written out
_LITTLE_OVERHEAD, _MUCH_OVERHEAD = 0.05, 0.2  # of the measured computing time
_LITTLE_NOISE, _MUCH_NOISE = 0.05, 0.15  # relative standard deviation of a repetition
_PERCENT_BELOW = 0.995  # of the same: from here on a factor says it


@dataclass(frozen=True)
class Reason:
    """One reason for the trust in predictions."""

    # ``scales``, ``repetitions``, ``noise``, ``overhead``, ``total``, ``extrapolation``, ``interval`` or
    # ``back-test``
    name: str
    value: float  # the figure that is judged, NaN if it is not available
    trust: Trust  # what it alone allows
    text: str  # the same in words


@dataclass(frozen=True)
class Verdict:
    """The least trust that any reason allows, with the reasons."""

    verdict: Trust
    reasons: tuple[Reason, ...]


def extrapolation_text(factor: float) -> str:
    """Say how far a point lies beyond the measured range: ``inside``, ``near``, ``far`` or ``very far``."""
    if factor <= 1:
        return "inside"
    return "near" if factor <= FAR else "far" if factor <= VERY_FAR else "very far"


def verdict(
    *,
    scales: int,
    repetitions: int,
    noise: float,
    extrapolation: float,
    spread: float,
    back_test: BackTest | None,
    correction: OverheadCorrection | None = None,
    overhead_left: float = 0.0,
    covered: float = 1.0,
) -> Verdict:
    """Judge a study by the rules.

    Scales are counted along the parameter that scales, repetitions at the point that has most; noise is the
    relative standard deviation of one of the total, NaN if nothing was repeated. The farthest target lies
    beyond the measured range by the factor `extrapolation`, where the ends of the interval of the total have
    the ratio `spread`. `overhead_left` is the share of measured computing time that overhead takes if it was
    left there, and `covered` the share of the total that a run states that its timers are, of the run where
    it is worst.
    """
    reasons = (
        _scales(scales),
        _repetitions(repetitions),
        _noise(noise),
        *(() if correction is None else (_overhead(correction),)),
        *(() if not overhead_left else (_overhead_left(overhead_left),)),
        *(() if COVERED[0] <= covered <= COVERED[1] else (_covered(covered),)),
        _extrapolation(extrapolation),
        _interval(spread),
        _back_test(back_test),
    )
    return Verdict(min(reason.trust for reason in reasons), reasons)


def _scales(count: int) -> Reason:
    trust = _after(count >= SCALES_NEEDED, count >= _SCALES_ENOUGH)
    wanted = "" if trust is Trust.HIGH else f" ({SCALES_WANTED} wanted)"
    return Reason("scales", count, trust, f"{count} scale{'' if count == 1 else 's'}{wanted}")


def _repetitions(count: int) -> Reason:
    enough = count >= _REPETITIONS_WANTED
    wanted = "" if enough else f" ({_REPETITIONS_WANTED} wanted)"
    text = f"{count} repetition{'' if count == 1 else 's'}{wanted}"
    return Reason("repetitions", count, Trust.HIGH, text)


def _overhead(correction: OverheadCorrection) -> Reason:
    """A correction that nothing but the profiles themselves supports is not trusted much."""
    spread = float(np.exp(2 * TWO_SIDED * correction.total_deviation))
    trust = _after(spread <= _SUREST, spread <= _UNSURE)
    if (correction.share > _MUCH_OVERHEAD and not correction.supported) or not correction.hooks_counted:
        trust = min(trust, Trust.MEDIUM)
    contradicted = "; the plain times given contradict it" if correction.contradiction else ""
    trust = Trust.LOW if contradicted else trust
    text = (
        f"instrumentation takes {percent(correction.share)} of the measured computing time; what is left is "
        f"uncertain by a factor of {_whole_or_short(spread**0.5, 2)}{contradicted}"
    )
    return Reason("overhead", spread, trust, text)


def _overhead_left(share: float) -> Reason:
    """Times are too large by what measuring takes of them."""
    trust = _after(share <= _MUCH_OVERHEAD, share <= _LITTLE_OVERHEAD)
    text = f"instrumentation takes {percent(share)} of the computing time, and times are as measured"
    return Reason("overhead", share, trust, text)


def _covered(share: float) -> Reason:
    text = f"the timers are {percent(share)} of the total that a run states"
    return Reason("total", share, _after(share > 1), text)


def _extrapolation(factor: float) -> Reason:
    trust = _after(factor <= FAR, factor <= VERY_FAR)
    if factor <= 1:
        return Reason("extrapolation", factor, trust, "the target lies inside the measured range")
    far = f" ({extrapolation_text(factor)})" if factor > FAR else ""
    return Reason(
        "extrapolation", factor, trust, f"{_whole_or_short(factor, 3)} times beyond the measured range{far}"
    )


def _interval(spread: float) -> Reason:
    trust = _after(spread <= _NARROW, spread <= WIDE)
    return Reason(
        "interval", spread, trust, f"the 90 % interval spans a factor of {_whole_or_short(spread, 2)}"
    )


def _whole_or_short(factor: float, digits: int) -> str:
    """Write a factor with some digits, without an exponent."""
    if not factor < _LARGEST:
        return f"more than {_LARGEST:,.0f}"
    return f"{float(f'{factor:.{digits}g}'):,.12g}"


def _back_test(found: BackTest | None) -> Reason:
    if found is None:
        return Reason("back-test", float("nan"), Trust.MEDIUM, "no back-test: too few scales")
    error = abs(found.relative_error)
    trust = _after(error <= _SMALL_ERROR, error <= _LARGE_ERROR)
    if not found.inside:
        trust = min(trust, Trust.MEDIUM)
    side = "above" if found.relative_error > 0 else "below"
    place = "inside" if found.inside else "outside"
    text = (
        f"without the largest scale, its total is predicted {100 * error:.0f} % {side} what was "
        f"{found.judged_by}, which lies {place} the 90 % interval"
    )
    return Reason("back-test", found.relative_error, trust, text)


def _noise(deviation: float) -> Reason:
    if not np.isfinite(deviation):
        return Reason("noise", deviation, Trust.HIGH, "the noise is unknown: nothing was repeated")
    trust = _after(deviation <= _LITTLE_NOISE, deviation <= _MUCH_NOISE)
    percents, of_logarithms = f"{100 * deviation:.2g} %", f"a factor of {figure(np.exp(deviation), 2)}"
    by = of_logarithms if deviation >= _PERCENT_BELOW else percents
    return Reason("noise", deviation, trust, f"repetitions differ by {by}")


def noise_of(totals: FloatArray) -> float:
    """Return the relative standard deviation of a repetition of float64[P, R] totals, pooled over points."""
    usable = np.isfinite(totals) & (totals > 0)
    count = usable.sum(axis=1)
    logs = np.log(np.where(usable, totals, 1.0))
    mean = logs.sum(axis=1) / np.maximum(count, 1)
    squares = (np.where(usable, logs - mean[:, None], 0.0) ** 2).sum()
    degrees = np.maximum(count - 1, 0).sum()
    return float(np.sqrt(squares / degrees)) if degrees else float("nan")
