"""Programs whose growth is known: expectations that hold and that do not."""

from dataclasses import astuple

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.models.formulas import read_growths
from pipeline.models.options import Expectation, ModelOptions
from pipeline.questions.analysis import analyse, default_target
from pipeline.questions.expected_growth import Judgement, judged
from tests.pipeline.questions.runtime.programs import STRONG, experiment

LAWS = {
    "1": lambda p: 1.0,
    "log2(p)": np.log2,
    "p^(1/2)": np.sqrt,
    "p": lambda p: p,
    "p * log2(p)": lambda p: p * np.log2(p),
}


def expect(growth, region="", metric="time"):
    return Expectation(
        region=region, metric=metric, growth=growth, exponents=read_growths(growth), place="pipeline.toml:3"
    )


def analysed(times, scales=(4, 8, 16, 32, 64)):
    return analyse(experiment([(p,) for p in scales], times), STRONG, "time", ModelOptions())


def judge(analysis, *expectations, at=None):
    target = default_target(analysis)[-1] if at is None else np.array([float(at)])
    return judged(expectations, analysis.experiment, {"time": analysis}, target)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.02, 0.05])
@pytest.mark.parametrize("scales", [(4, 8, 16, 32, 64), (1, 4, 16, 64)])
def test_what_follows_is_rarely_flagged_and_what_exceeds_by_a_root_of_p_is_found(scales, noise):
    random = np.random.default_rng(11)
    follows, exceeds = [], []
    for _ in range(4):
        constant = random.uniform(0, 1, len(LAWS))

        def times(at, constant=constant):
            found, p = {}, float(at[0])
            for k, law in enumerate(LAWS.values()):
                core_seconds = law(p) / law(4.0)
                found[f"follows{k}"] = (constant[k] + core_seconds) * random.lognormal(0, noise) / p
                found[f"exceeds{k}"] = core_seconds * p**0.5 * random.lognormal(0, noise) / p
            return found

        analysis = analysed(times, scales)
        follows += judge(analysis, *(expect(law, f"follows{k}") for k, law in enumerate(LAWS)))
        exceeds += judge(analysis, *(expect(law, f"exceeds{k}") for k, law in enumerate(LAWS)))
    assert np.mean([one.judgement is Judgement.EXCEEDED for one in follows]) <= 0.1
    assert np.mean([one.judgement is Judgement.MET for one in follows]) >= 0.6
    assert np.mean([one.judgement is Judgement.EXCEEDED for one in exceeds]) >= 0.8


def two_kernels(at):
    return {"work": 64 / at[0], "MPI_Allreduce": 0.1, "MPI_Isend": 0.2 / at[0]}


def test_the_factors_are_those_of_the_function_and_of_the_program():
    (found,) = judge(analysed(two_kernels, (1, 2, 4, 8, 16)), expect("p", "MPI_Allreduce"), at=64)
    assert (found.start, found.at) == ({"p": 2.0}, {"p": 64.0})  # one process communicates with nobody
    assert found.allowed_factor == pytest.approx(32)
    assert found.predicted_factor.value == pytest.approx(32, rel=0.05)
    assert found.judgement is Judgement.MET
    assert found.probability_met > 0.9


def test_groups_patterns_and_the_total_are_added_up():
    analysis = analysed(two_kernels)
    whole, pattern, group, path = judge(
        analysis, expect("1"), expect("1", "MPI_*"), expect("1", "communication"), expect("1", "main/MPI_*")
    )
    grown = [(0.1 * p + 0.2) / (0.4 + 0.2) for p in (256,)]
    assert astuple(pattern.predicted_factor) == pytest.approx(astuple(group.predicted_factor), rel=0.05)
    assert pattern.predicted_factor.value == pytest.approx(grown[0], rel=0.1)
    assert path.predicted_factor.value == pytest.approx(grown[0], rel=0.1)
    assert whole.predicted_factor.value == pytest.approx((64 + 25.6 + 0.2) / (64 + 0.4 + 0.2), rel=0.1)
    assert pattern.judgement is Judgement.EXCEEDED


def test_too_few_scales_tell_nothing():
    (found,) = judge(analysed(two_kernels, (4, 8)), expect("1", "work"))
    assert (found.judgement, found.probability_met) == (Judgement.UNDECIDED, None)
    assert found.reason == "too few scales were measured"


def test_nothing_below_the_target_tells_nothing():
    (found,) = judge(analysed(two_kernels), expect("p", "work"), at=4)
    assert "below the target" in found.reason


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (expect("p", "nothing"), "nothing matches 'nothing'"),
        (expect("p", "waiting"), "there is no waiting here"),
        (expect("q"), "no parameter 'q'"),
        (expect("p", metric="joules"), "metric 'joules' was not measured"),
    ],
)
def test_what_is_not_there_is_refused_with_its_place(wrong, what):
    with pytest.raises(UsageError) as refused:
        judge(analysed(two_kernels), wrong)
    assert what in str(refused.value)
    assert refused.value.where == "pipeline.toml:3"
