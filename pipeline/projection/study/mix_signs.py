"""Signs in a study of what limits a kernel without counters: its name, and its time within a node.

A name moves the mix halfway to what limits computing of its class: operations for each byte (Williams,
Waterman, Patterson, "Roofline", 2009). It makes the mix no surer. Stencils have no class, since public times
of a high-order one follow bandwidth no more than others do; nor have forces, which finite elements have, too.

Within a node only the bandwidth of a process changes. How much its cost grows with what that falls by, in
logarithms, is the exponent of bandwidth: a second measurement of it beside the mix.
"""

import re
from collections.abc import Sequence

import numpy as np

from ingest.arrays import FloatArray
from ingest.cpp_names import short_name
from pipeline.projection.study.study_machine import RESOURCES, Resource

_MEMORY = RESOURCES.index(Resource.MEMORY)
_CLASSES = (
    ("dense algebra", r"[sdczh]?(?:gemm|trsm|syrk|getrf|potrf)|matmul", (Resource.ARITHMETIC,)),
    ("Fourier transform", r"[dsr]?i?fftw?f?", (Resource.MEMORY, Resource.ARITHMETIC)),
    ("sparse or vector algebra", r"spmv|symgs|sparse|[sdw]?axpb?y|triad", (Resource.MEMORY,)),
    ("particles", r"nonbonded|nbnxn|lennard|lj", (Resource.ARITHMETIC, Resource.CLOCK)),
)
"""What a word of a name says, and what limits computing of that class, each as likely."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SIGN_ERROR = 0.1  # of a cost within a node: clocks that fall with the busy cores, imbalance, repetitions
FALLS = BEYOND = 2.0  # by which factor bandwidth has to fall; by how many deviations a cost may miss it


def signs_of(
    names: Sequence[str], typical: FloatArray, variance: float, within: tuple[FloatArray, FloatArray] | None
) -> tuple[FloatArray, FloatArray, list[str]]:
    """Return mixes float64[K, resource], what is left of the doubt about bandwidth, and the signs in words.

    Args:
        typical: float64[resource], the mix without signs.
        variance: of its exponent of bandwidth.
        within: `exponents_within` a node, if a study has several scales there.
    """
    found = [_class_of(name) for name in names]
    mix = np.stack([(typical + of_class) / 2 if word else typical for word, of_class in found])
    slope, error = within if within is not None else np.full((2, len(names)), np.nan)
    told = np.isfinite(slope)
    gain = np.where(told, variance / (variance + error**2), 0.0)
    before = mix[:, _MEMORY]
    after = before + gain * (np.where(told, slope, 0.0) - before)
    mix = mix * ((1.0 - after) / (1.0 - before))[:, None]
    mix[:, _MEMORY] = after
    words = [[f"the name says {word}"] if word else [] for word, _ in found]
    for k in np.flatnonzero(told).tolist():
        words[k].append(f"times within a node say {100 * slope[k]:.0f} % bandwidth")
    return mix, np.sqrt(1.0 - gain), [", ".join(some) for some in words]


def exponents_within(cost: FloatArray, bandwidth: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the exponents of bandwidth of K kernels, 0 to 1, and their standard deviations, float64[K] each.

    They are NaN for a kernel that took no time at some scale, or whose cost, float64[K, P], grows faster, or
    earlier, than the bandwidth of a process, float64[P], lets it, as that of serial parts does. None if
    bandwidth hardly falls.
    """
    if len(bandwidth) < 2 or bandwidth.max() <= FALLS * bandwidth.min():
        return None
    known = np.asarray((cost > 0).all(axis=1))
    x, y = -np.log(bandwidth), np.log(np.where(known[:, None], cost, 1.0))
    x, y = x - x.mean(), y - y.mean(axis=1, keepdims=True)
    spread = (x**2).sum()
    slope = y @ x / spread
    left = ((y - slope[:, None] * x) ** 2).sum(axis=1) / max(len(x) - 2, 1)
    error = np.sqrt(np.maximum(left, SIGN_ERROR**2) / spread)
    early = np.ptp(y[:, x == x.min()], axis=1) > BEYOND * SIGN_ERROR
    usable = known & ~early & (slope <= 1.0 + BEYOND * error)
    return np.where(usable, np.clip(slope, 0.0, 1.0), np.nan), error


def _class_of(name: str) -> tuple[str, FloatArray]:
    words = [word.lower() for word in _WORD.findall(short_name(name))]
    said = (one for one in _CLASSES if any(re.fullmatch(one[1], word) for word in words))
    found, _, limits = next(said, ("", "", ()))
    return found, np.array([(one in limits) / max(len(limits), 1) for one in RESOURCES])
