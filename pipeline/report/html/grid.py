"""At which scales the page has predictions: closest where these bend, so that little is lost in between.

Intervals of scales are halved, those first whose middle the ends predict worst, as adaptive quadrature does.
The page interpolates logarithms over the logarithm of the scale.
"""

from collections.abc import Callable

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.analysis import Analysis
from pipeline.models.prediction import Prediction
from pipeline.models.total import predict_total
from pipeline.report.html.scales import Scales

MOST = 128  # scales
WORK = 2_000_000  # rival models times scales that are evaluated: about two seconds
CLOSE_ENOUGH = 0.005  # relative error in the middle, from which an interval is halved again
NARROWEST = 0.01  # logarithm of the ratio of neighbouring scales
NOTICEABLE = 0.005  # share of the total from which a kernel counts
BATCH = 16  # intervals halved at once
LEAST = 1e-300

Evaluate = Callable[[FloatArray], FloatArray]


def refined(analysis: Analysis, scales: Scales) -> FloatArray:
    """Return at which scales to predict, float64[G]: those of the grid first, then the most needed first.

    Args:
        analysis: the modelled experiment; of its kernels the regions decide, and their sum.
        scales: the range, and a grid to begin with.
    """
    start = scales.grid[:, scales.column]
    if analysis.callpaths.models.joint_total(scales.grid[:1], 0.9) is not None:
        return start  # joint draws of two machines take too long for many scales
    levels = (analysis.callpaths.models, analysis.regions.models)
    rivals = sum(int((models.chosen >= 0).sum()) for models in levels)
    most = int(np.clip(WORK // max(rivals, 1), len(start), MOST))
    return halved(lambda asked: _ends(analysis, scales.along(asked)), start, most)


def _ends(analysis: Analysis, points: FloatArray) -> FloatArray:
    """float64[3, K + 1, Q], lower ends, values and upper ends of regions and of their sum."""
    parts = analysis.regions.models.predict(points)
    if not analysis.additive:
        return np.stack([parts.lower, parts.value, parts.upper])
    total: Prediction = predict_total(analysis.callpaths.models, points)
    pairs = ((parts.lower, total.lower), (parts.value, total.value), (parts.upper, total.upper))
    return np.stack([np.vstack(pair) for pair in pairs])


def halved(evaluate: Evaluate, start: FloatArray, most: int) -> FloatArray:
    """Return scales in the order in which they were found to be needed, float64[G], up to about `most`.

    Args:
        evaluate: gives lower ends, values and upper ends float64[3, K, Q] at scales float64[Q].
        start: ascending scales to begin with.
        most: how many scales to return at most, but not fewer than `start`.
    """
    logs, found = np.log(start), evaluate(start)
    needed = list(start.tolist())
    doubt = np.full(len(logs) - 1, np.inf)  # error of an interval's middle, as far as it is known
    while len(needed) < most:
        doubt[np.diff(logs) < NARROWEST] = 0.0
        worst = np.argsort(-doubt, kind="stable")[: min(BATCH, most - len(needed))]
        worst = np.sort(worst[doubt[worst] > CLOSE_ENOUGH])
        if not len(worst):
            break
        middles = (logs[worst] + logs[worst + 1]) / 2
        there = evaluate(np.exp(middles))
        error = _errors(found[..., worst], found[..., worst + 1], there)
        needed += np.exp(middles)[np.argsort(-error, kind="stable")].tolist()
        doubt[worst] = error
        doubt = np.insert(doubt, worst, error)
        logs, found = np.insert(logs, worst + 1, middles), np.insert(found, worst + 1, there, axis=2)
    return np.array(needed)


def _errors(left: FloatArray, right: FloatArray, middle: FloatArray) -> FloatArray:
    """Return how far the middle between two scales is off if interpolated, the worst kernel, float64[Q].

    Lower ends count relative to the value, since they may come close to zero.
    """
    ends = np.log(np.maximum(np.stack([left, right]), LEAST)).mean(axis=0)
    with np.errstate(over="ignore"):
        off = np.abs(np.exp(ends) - middle)
    against = np.maximum(np.stack([middle[1], middle[1], middle[2]]), LEAST)
    return np.asarray(np.where(_counts(middle[1]), off / against, 0.0).max(axis=(0, 1), initial=0.0))


def _counts(value: FloatArray) -> BoolArray:
    """Tell which kernels, rows of float64[K, Q], take a noticeable part of the largest."""
    return np.asarray(value > NOTICEABLE * np.maximum(value.max(axis=0, initial=0.0), LEAST))
