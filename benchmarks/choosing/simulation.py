"""Studies with a known truth, and what `choose` says of them."""

from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.functions import Array
from ingest.alignment import experiment_from_series
from ingest.scaling import Scaling, ScalingDecision
from ingest.series import SeriesBuilder
from pipeline.models.back_test import TREND_ERROR
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis, analyse
from pipeline.questions.choice import SURELY_HOLDS, JobLimits, Jobs, choose
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.limits import job_points

REGIMES = (
    ("within", 0.0, 0.0),
    ("within", 0.1, 0.0),
    ("beyond", 0.1, 0.0),
    ("beyond", 0.2, 0.0),
    ("beyond", 0.1, TREND_ERROR),
)
"""Scales up to the largest measured, or from there up to 4 times that; by how much kernels stray from a power
of p per doubling, which real programs do: standard deviation of a random walk of the logarithm; by which
power of p the total bends beyond: a standard deviation, on real series what `TREND_ERROR` says."""
OUTCOMES = ("deadline", "efficiency", "both")
NOISE, REPETITIONS, SCALES, SMALLEST = 0.03, 3, 6, 4.0
LARGEST = SMALLEST * 2.0 ** (SCALES - 1)
GROWTH = (0.25, 0.5, 0.75, 1.0)  # of p, of what does not scale
HALVINGS, PER_DOUBLING = 50, 8


@dataclass(frozen=True)
class Outcome:
    """What became of what was said of one study.

    Attributes:
        deadline, efficiency, both: whether limits that were said to hold with 90 % do.
        cost: of the job chosen under a deadline over that of the cheapest that holds it; NaN if none is
            chosen, or none holds it.
        chosen_holds: whether that job does.
    """

    deadline: bool
    efficiency: bool
    both: bool
    cost: float
    chosen_holds: bool


@dataclass(frozen=True, eq=False)
class Program:
    """A strongly scaling program: core-seconds of its kernels are about factors times powers of p."""

    factors: Array
    powers: Array
    walks: Array  # float64[K, n], logarithms by which they stray, `PER_DOUBLING` steps from `SMALLEST` on
    bend: float  # power of p that all take beyond the largest measured scale

    def effort(self, p: Array) -> Array:
        """Core-seconds of every kernel, float64[K, Q]."""
        steps = np.log2(p / SMALLEST) * PER_DOUBLING
        strayed = [np.interp(steps, np.arange(len(walk)), walk) for walk in self.walks]
        bent = np.maximum(p / LARGEST, 1.0) ** self.bend
        return np.asarray(self.factors[:, None] * p[None] ** self.powers[:, None] * np.exp(strayed) * bent)

    def wall(self, p: Array) -> Array:
        return np.asarray(self.effort(p).sum(axis=0) / p)


def outcome(random: np.random.Generator, where: str, stray: float, bend: float) -> Outcome:
    """Measure a program, and ask for jobs."""
    program, scales = _program(random, stray, bend), SMALLEST * 2.0 ** np.arange(SCALES)
    analysis = _measured(random, program, scales)
    last = scales[-1] * (4.0 if where == "beyond" else 1.0)
    target = np.array([last])
    study = RuntimeStudy(analysis)
    jobs = choose(study, job_points(study, target), JobLimits()).at_scales
    p = jobs.figures.points[:, 0]
    wall, efficiency = program.wall(p), program.wall(scales[:1]) * scales[0] / (program.wall(p) * p)
    beyond = np.flatnonzero(p > (scales[-1] if where == "beyond" else scales[0]))
    place = int(random.choice(beyond))
    limits = [_just_held(jobs, place, names) for names in (("deadline",), ("efficiency",), OUTCOMES[:2])]
    held = [
        (one.deadline is None or wall[place] <= one.deadline)
        and (one.efficiency is None or efficiency[place] >= one.efficiency)
        for one in limits
    ]
    deadline = float(np.quantile(wall, random.uniform(0.1, 0.9)) * random.uniform(1.0, 1.3))
    cost, holds = _cheapest(jobs, analysis, target, deadline, wall)
    return Outcome(*held, cost, holds)


def _just_held(jobs: Jobs, place: int, names: tuple[str, ...]) -> JobLimits:
    """Return limits that hold at a scale with 90 %, each as many standard deviations away."""
    wall, efficiency = (one.take(np.array([place])) for one in (jobs.figures.wall, jobs.figures.efficiency))

    def limits(sides: float) -> JobLimits:
        bounds = {
            "deadline": float(wall.value[0] * np.exp(sides * wall.above[0])),
            "efficiency": float(efficiency.value[0] * np.exp(-sides * efficiency.below[0])),
        }
        return JobLimits(**{name: bounds[name] for name in names})

    low, high = 0.0, 3.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = jobs.within(limits(middle)).probability[place] >= SURELY_HOLDS
        low, high = (low, middle) if enough else (middle, high)
    return limits(high)


def _cheapest(
    jobs: Jobs, analysis: Analysis, target: Array, deadline: float, wall: Array
) -> tuple[float, bool]:
    """Return the cost of the cheapest job that is said to hold a deadline over that of the one that does."""
    study = RuntimeStudy(analysis)
    chosen = choose(study, job_points(study, target), JobLimits(deadline=deadline))
    found = {name: chosen.jobs.index(job) for name, job in chosen.best.items()}
    cost = wall * jobs.figures.locations
    holding = wall <= deadline
    if "cheapest" not in found or not holding.any():
        return np.nan, False
    return float(cost[found["cheapest"]] / cost[holding].min()), bool(holding[found["cheapest"]])


def _program(random: np.random.Generator, stray: float, bend: float) -> Program:
    """Work that scales perfectly, and two kernels of 3 to 50 % of it at the largest measured scale."""
    powers = np.array([0.0, *random.choice(GROWTH, 2)])
    shares = np.array([1.0, *random.uniform(0.03, 0.5, 2)])
    steps = random.normal(0, stray / np.sqrt(PER_DOUBLING), (len(shares), (SCALES + 2) * PER_DOUBLING))
    power = float(random.normal(0, bend)) if bend else 0.0
    return Program(random.uniform(50, 5000) * shares / LARGEST**powers, powers, steps.cumsum(axis=1), power)


def _measured(random: np.random.Generator, program: Program, scales: Array) -> Analysis:
    """Measure a program: noise that its kernels share, and noise of each."""
    builder = SeriesBuilder(source="simulated", parameters=("p",))
    shape = (len(scales), REPETITIONS)
    common = random.normal(1, NOISE, shape)
    for kernel, effort in enumerate(program.effort(scales)):
        values = effort[:, None] * common * random.normal(1, NOISE, shape)
        for p, repetitions in zip(scales.tolist(), values.tolist(), strict=True):
            builder.add(f"main->kernel{kernel}", "effort", (p,), repetitions)
    decision = ScalingDecision(Scaling.STRONG, "p", "simulated")
    return analyse(experiment_from_series(builder.series()), decision, "effort", ModelOptions())
