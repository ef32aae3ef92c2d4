"""Signs in a study of what limits a kernel without counters: its name, and its time within a node.

A name moves the mix halfway to what computing of its class is limited by on any processor: dense algebra and
Fourier transforms by their operations for each byte (Williams, Waterman, Patterson, "Roofline", 2009), sparse
and vector algebra by bandwidth, pairs of particles, which stay in caches, by arithmetic and clock. It makes
the mix no surer. Stencils have no class: public times of a high-order one follow bandwidth no more than others
do. Nor have forces, which finite elements have, too.

Within a node all that changes for a process is its bandwidth. How much its cost grows with what that
bandwidth falls by, in logarithms, is the exponent of bandwidth itself: 1 if it limits alone, 0 if it never
does. It joins the mix as a second measurement of that exponent.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.cpp_names import short_name
from pipeline.projection.study.study_machine import RESOURCES, Resource

_MEMORY = RESOURCES.index(Resource.MEMORY)
_HALF = {Resource.MEMORY: 0.5, Resource.ARITHMETIC: 0.5}
_CLASSES: tuple[tuple[str, re.Pattern[str], Mapping[Resource, float]], ...] = (
    (
        "dense algebra",
        re.compile(r"[sdczh]?(?:gemm|trsm|syrk|getrf|potrf)|matmul"),
        {Resource.ARITHMETIC: 1.0},
    ),
    ("Fourier transform", re.compile(r"[dsr]?i?fftw?f?"), _HALF),
    (
        "sparse or vector algebra",
        re.compile(r"spmv|symgs|sparse|w?axpb?y|daxpy|saxpy|triad"),
        {Resource.MEMORY: 1.0},
    ),
    ("particles", re.compile(r"nonbonded|nbnxn|lennard|lj"), {Resource.ARITHMETIC: 0.5, Resource.CLOCK: 0.5}),
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SIGN_ERROR = 0.1  # of a cost within a node: clocks that fall with the busy cores, imbalance, repetitions
FALLS = 2.0  # a bandwidth that falls by no more than that tells nothing
BEYOND = 2.0  # standard deviations by which a cost may grow faster than by bandwidth alone


@dataclass(frozen=True, eq=False, kw_only=True)
class Signs:
    """What signs say of K kernels.

    Attributes:
        mix: float64[K, resource].
        doubt: float64[K], what is left of the standard deviation of the exponent of bandwidth, 0 to 1.
        words: the signs of each kernel; empty if it has none.
    """

    mix: FloatArray
    doubt: FloatArray
    words: tuple[str, ...]


def signs_of(
    names: Sequence[str], typical: FloatArray, variance: float, within: tuple[FloatArray, FloatArray] | None
) -> Signs:
    """Return the mixes that signs tell.

    Args:
        typical: float64[resource], the mix without signs.
        variance: of its exponent of bandwidth.
        within: `exponents_within` a node, if a study has several scales there.
    """
    found = [_class_of(name) for name in names]
    mix = np.stack([(typical + _weights(of_class)) / 2 if word else typical for word, of_class in found])
    words = [f"its name ({word})" if word else "" for word, _ in found]
    slope, error = within if within is not None else np.full((2, len(names)), np.nan)
    told = np.isfinite(slope)
    gain = np.where(told, variance / (variance + error**2), 0.0)
    before = mix[:, _MEMORY]
    after = before + gain * (np.where(told, slope, 0.0) - before)
    mix = mix * ((1.0 - after) / (1.0 - before))[:, None]
    mix[:, _MEMORY] = after
    for k in np.flatnonzero(told).tolist():
        grows = f"its time per core within a node (exponent of bandwidth {slope[k]:.1f})"
        words[k] = " and ".join(filter(None, (words[k], grows)))
    return Signs(mix=mix, doubt=np.sqrt(1.0 - gain), words=tuple(words))


def exponents_within(cost: FloatArray, bandwidth: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the exponents of bandwidth of K kernels, 0 to 1, and their standard deviations, float64[K] each.

    They are NaN for a kernel that took no time at some scale, or whose cost grows faster than bandwidth alone
    lets it. None if bandwidth hardly falls.

    Args:
        cost: float64[K, P], core-seconds (or seconds of a core that has the same work) within a node.
        bandwidth: float64[P], that a process has there.
    """
    if len(bandwidth) < 2 or bandwidth.max() <= FALLS * bandwidth.min():
        return None
    known = (cost > 0).all(axis=1)
    x, y = -np.log(bandwidth), np.log(np.where(known[:, None], cost, 1.0))
    x, y = x - x.mean(), y - y.mean(axis=1, keepdims=True)
    spread = (x**2).sum()
    slope = y @ x / spread
    left = ((y - slope[:, None] * x) ** 2).sum(axis=1) / max(len(x) - 2, 1)
    error = np.sqrt(np.maximum(left, SIGN_ERROR**2) / spread)
    known &= slope <= 1.0 + BEYOND * error
    return np.where(known, np.clip(slope, 0.0, 1.0), np.nan), error


def _class_of(name: str) -> tuple[str, Mapping[Resource, float]]:
    """Return the class that a word of a name says, and what limits it; an empty one if there is none."""
    words = [word.lower() for word in _WORD.findall(short_name(name))]
    for found, pattern, limits in _CLASSES:
        if any(pattern.fullmatch(word) for word in words):
            return found, limits
    return "", {}


def _weights(of_class: Mapping[Resource, float]) -> FloatArray:
    return np.array([of_class.get(resource, 0.0) for resource in RESOURCES])
