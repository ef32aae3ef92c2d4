"""What to measure next, as the report names it."""

import numpy as np
import pytest

from ingest.alignment import experiment_from_series
from ingest.errors import UsageError
from ingest.profile import Metric
from ingest.scaling import Scaling, decide_scaling
from ingest.series import MeasuredSeries
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, analyse
from pipeline.questions.planning.advice import MeasurementPlan
from pipeline.questions.planning.next_measurement import QUESTION, plan_measurements
from pipeline.questions.question import TargetForecast

TARGET = np.array([64.0])


def study(metric: str, unit: str, scaling: Scaling = Scaling.STRONG, growth: float = 1.0) -> Analysis:
    p = np.array([1.0, 2, 4, 8, 16])
    values = np.stack([50 + 0 * p, 0.2 * p**1.5])[:, :, None] * np.random.default_rng(2).normal(
        1, 0.05, (2, 5, 3)
    )
    values = values * growth ** np.log2(p)[:, None]
    series = MeasuredSeries(
        source="made.txt",
        parameters=("p",),
        points=p[:, None],
        callpaths=(("main",), ("main", "reduce")),
        metrics=(Metric(metric, unit),),
        values={metric: values},
    )
    experiment = experiment_from_series(series)
    return analyse(experiment, decide_scaling(experiment, scaling), metric, ModelOptions())


def next_plan(analysis: Analysis, target: np.ndarray) -> MeasurementPlan | None:
    return QUESTION.ask(TargetForecast(analysis=analysis, targets=target[None]))


def test_what_is_worth_measuring_costs_no_more_than_the_study_or_its_next_doubling() -> None:
    analysis = study("effort", "core-s")
    spent = float(analysis.callpaths.kernels.values.sum())
    plan = next_plan(analysis, TARGET)
    assert plan is not None and plan.plan
    assert sum(step.cost for step in plan.plan) <= spent == pytest.approx(plan.budget)
    assert plan.plan[0].at == {"p": 32} and plan.plan[0].repetitions == 2
    one = predict_total(analysis.callpaths.models, np.array([[32.0]])).value[0, 0]
    assert plan.plan[0].cost == pytest.approx(2 * one)


@pytest.mark.parametrize("growth", [1.0, 8.0])
def test_the_budget_is_the_cost_of_the_study_or_of_its_next_doubling(growth: float) -> None:
    analysis = study("effort", "core-s", growth=growth)
    plan = next_plan(analysis, TARGET)
    spent = float(analysis.callpaths.kernels.values.sum())
    doubling = float(predict_total(analysis.callpaths.models, np.array([[32.0]])).value[0, 0])
    assert (doubling > spent) == (growth > 1)
    assert plan is not None and plan.budget == pytest.approx(max(spent, doubling))


def test_nothing_is_advised_without_times_or_locations() -> None:
    assert next_plan(study("visits", "occ"), TARGET) is None
    weak = study("time", "s", Scaling.WEAK)
    assert next_plan(weak, TARGET) is None
    with pytest.raises(UsageError, match="does not say on how many cores it ran, so the cost of a run is"):
        plan_measurements(weak, TARGET, 100.0)
