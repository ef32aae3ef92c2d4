"""A campaign on a simulated machine: a fixed design, and rounds that are decided one by one."""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.adaptive.programs import Array, Program, Random
from ingest.calltree import CallTreeBuilder
from ingest.experiment import Experiment, RunRecord
from ingest.profile import Metric, RegionTable
from ingest.reduction import Reduction
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.fit import fit
from pipeline.models.kernels import callpath_kernels
from pipeline.questions.analysis import Analysis, Level
from pipeline.questions.planning.plan import WantedFigure, answer, relative_width
from pipeline.questions.planning.rounds import End, MadeRound, Progress, Purpose, next_round

REPETITIONS = 5
MOST_ROUNDS = 40


@dataclass
class Runs:
    """What was measured: efforts float64[K] by point, in the order of the runs."""

    program: Program
    random: Random
    measured: dict[tuple[float, ...], list[Array]] = field(default_factory=dict)

    def make(self, point: Array, repetitions: int) -> None:
        runs = self.measured.setdefault(tuple(point.tolist()), [])
        runs.extend(self.program.run(point, self.random) for _ in range(repetitions))

    def made(self, point: Array) -> list[Array]:
        return self.measured.get(tuple(point.tolist()), [])

    @property
    def cost(self) -> float:
        return sum(float(run.sum()) for runs in self.measured.values() for run in runs)

    def modelled(self) -> Analysis:
        """Align and model the runs, as `pipeline run` does, without what the answer does not need."""
        experiment = self._experiment()
        strong = "p" in self.program.parameters
        decision = ScalingDecision(Scaling.STRONG if strong else Scaling.NONE, "p" if strong else "", "")
        kernels = callpath_kernels(experiment, "time", decision.scaling)
        models = fit(experiment.parameters, experiment.points, kernels.values, parts=True)
        level = Level(kernels, models)
        return Analysis(experiment, decision, level, level)

    def _experiment(self) -> Experiment:
        points = np.array(sorted(self.measured))
        most = max(map(len, self.measured.values()))
        kernels = len(self.made(points[0])[0])
        values = np.full((kernels, len(points), most), np.nan)
        records = []
        for point, at in enumerate(points):
            cores = self.program.cores(at)
            for repetition, run in enumerate(self.made(at)):
                values[:, point, repetition] = run
                records.append(_record(point, repetition, cores))
        tree_of = CallTreeBuilder()
        for kernel in range(kernels):
            tree_of.add((f"kernel {kernel}",))
        _, tree, names = tree_of.build()
        return Experiment(
            parameters=self.program.parameters,
            points=points,
            tree=tree,
            regions=RegionTable.named(names, ("",) * len(names)),
            metrics=(Metric("time", "s"),),
            values={"time": Reduction(values, values, values, values)},
            runs=tuple(records),
        )


def _record(point: int, repetition: int, cores: int) -> RunRecord:
    return RunRecord(
        source="",
        point=point,
        repetition=repetition,
        process=np.arange(cores),
        classes=(),
        class_time=np.zeros((0, cores)),
        device_time=np.zeros((0, 0)),
        attributes={},
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a campaign ended.

    Attributes:
        cost: core-seconds of all runs.
        width: of the answer, relative to its value.
        error: of the answer, relative to the truth.
        inside: whether its interval holds the truth.
    """

    cost: float
    width: float
    error: float
    inside: bool


@dataclass(frozen=True, kw_only=True)
class Campaign(Outcome):
    """How a campaign in rounds ended.

    Attributes:
        end: why; None if after `MOST_ROUNDS`.
        rounds: purpose, planned and reached width of each.
    """

    end: End | None
    rounds: tuple[tuple[Purpose, float, float], ...]


def question_of(program: Program, width: float = 0.0) -> WantedFigure:
    return WantedFigure(at=program.target, quantity=program.quantity, width=width)


def judged(runs: Runs, analysis: Analysis) -> Outcome:
    found = answer(analysis, question_of(runs.program))
    truth = runs.program.truth
    return Outcome(
        cost=runs.cost,
        width=relative_width(found),
        error=float(found.value[0] / truth - 1),
        inside=bool(found.lower[0] <= truth <= found.upper[0]),
    )


def fixed_design(program: Program, random: Random, repetitions: int = REPETITIONS) -> Outcome:
    """Measure five values of each parameter, combined, five times or as often as asked."""
    runs = Runs(program, random)
    for point in program.scales:
        runs.make(point, repetitions)
    return judged(runs, runs.modelled())


def in_rounds(program: Program, width: float, budget: float, random: Random) -> Campaign:
    """Measure round by round until the answer is as narrow as wanted, or the budget is spent."""
    runs, question = Runs(program, random), question_of(program, width)
    points = program.candidates
    analysis, rounds, end = None, [], None
    for _ in range(MOST_ROUNDS):
        progress = Progress(
            points=points,
            done=np.array([len(runs.made(point)) for point in points]),
            cost=_costs(runs, analysis, points),
            repetitions=REPETITIONS,
            budget=budget - runs.cost,
            rounds=[
                MadeRound(extra=purpose is Purpose.EXTRA, foreseen=foreseen, width=reached)
                for purpose, foreseen, reached in rounds
            ],
        )
        found = next_round(progress, question, analysis)
        if found.purpose is None:
            end = found.end
            break
        for point, repetitions in zip(points, found.repetitions.tolist(), strict=True):
            if repetitions:
                runs.make(point, repetitions)
        analysis = runs.modelled()
        rounds.append((found.purpose, found.expected, relative_width(answer(analysis, question))))
    return Campaign(**vars(judged(runs, analysis)), end=end, rounds=tuple(rounds))


def _costs(runs: Runs, analysis: Analysis | None, points: Array) -> Array:
    """Mean cost of the runs at each point; elsewhere what the models predict, NaN before there are any."""
    if analysis is None:
        return np.full(len(points), np.nan)
    cost = analysis.callpaths.models.predict(points).value.sum(axis=0)
    for place, point in enumerate(points):
        if made := runs.made(point):
            cost[place] = np.mean([run.sum() for run in made])
    return np.asarray(cost)
