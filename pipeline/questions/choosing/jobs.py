"""A job at several scales: what it takes, and how probably it holds its limits.

Wall time, cost and efficiency are those of `RuntimeStudy.figures`, which `pipeline predict` shows, too; the
probabilities are those of the distributions that the 90 % intervals are of. Wall time and cost are multiples
of one total, so that they err together. Efficiency errs with it by the part that is not the error of the
reference; an error that all scales share widens times and cancels from the efficiency.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from ingest.arrays import FloatArray
from pipeline.questions.choosing.limits import JobLimits
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Figures
from pipeline.statistics.joint_normal import both_below

SURE = 0.9  # probability from which on a job counts as one that holds its limits


@dataclass(frozen=True, eq=False, kw_only=True)
class Jobs:
    """A job at Q scales.

    Attributes:
        figures: measured, or predicted.
        nodes: float64[Q], NaN if the cores of a node are unknown.
        memory: bytes of a node, NaN if it was not measured.
        energy: joules, the same.
        limits: what the job must hold.
        common_error: half-width of the 90 % interval, in logarithms, of the error that all scales share.
    """

    figures: Figures
    nodes: FloatArray
    memory: Estimate
    energy: Estimate
    limits: JobLimits
    common_error: float

    def within(self, limits: JobLimits) -> "Jobs":
        """Return the same jobs with other limits."""
        return replace(self, limits=limits)

    @cached_property
    def scores(self) -> dict[str, FloatArray]:
        """By how many standard deviations each limit that is given is held, float64[Q] by name."""
        found, figures = {}, self.figures
        most = {
            "deadline": figures.wall,
            "budget": figures.core_hours,
            "memory": self.memory,
            "energy": self.energy,
        }
        for name, bound in self.limits.given.items():
            held = most.get(name)
            score = figures.of_scaling.score_at_least(bound) if held is None else held.score_at_most(bound)
            found[name] = score
        return found

    @cached_property
    def probability(self) -> FloatArray:
        """The probability that all limits hold, float64[Q]; NaN where a figure is unknown."""
        scores = dict(self.scores)
        times = [scores.pop(name) for name in ("deadline", "budget") if name in scores]
        ratio = scores.pop("efficiency", None)
        if not times:
            found = np.ones(len(self.nodes)) if ratio is None else ndtr(ratio)
        elif ratio is None:
            found = ndtr(np.min(times, axis=0))
        else:
            found = both_below(np.min(times, axis=0), ratio, self._shared_part)
        for score in scores.values():  # models of their own
            found = found * ndtr(score)
        return np.asarray(found)

    @property
    def _shared_part(self) -> FloatArray:
        """Correlation of wall time and efficiency by the error of the total there, float64[Q] up to 1."""
        wall, efficiency = self.figures.wall.above, self.figures.of_scaling.below
        size = wall * efficiency
        of_total = np.maximum(wall**2 - self.common_error**2, 0.0)
        return np.minimum(np.divide(of_total, size, out=np.zeros(len(size)), where=size > 0), 1.0)

    @property
    def tightest(self) -> list[str]:
        """The limit that fails first at each scale; empty without limits, or where nothing is known."""
        names = list(self.scores)
        if not names:
            return [""] * len(self.nodes)
        scores = np.stack([self.scores[name] for name in names])
        known = np.isfinite(self.probability)
        first = np.where(known, scores, 0.0).argmin(axis=0)
        return [names[n] if there else "" for n, there in zip(first.tolist(), known.tolist(), strict=True)]
