"""What the page predicts with: which kernels have it, and what it is made of."""

import base64
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.arrays import FloatArray
from pipeline.projection.study.projected_study import ProjectedModels
from pipeline.questions.analysis import default_target
from pipeline.report.page import predictor
from pipeline.report.page.predictor import by_weight, predictor_data, rivals_data, root
from pipeline.report.page.room import PREDICTORS
from pipeline.report.page.scales import scales_of
from tests.pipeline.report.page.studies import study, two_parameter_study


@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 1000))
def test_roots_give_the_covariance_whatever_its_rank(size: int, rank: int, seed: int) -> None:
    half = np.random.default_rng(seed).normal(size=(3, size, min(rank, size)))
    covariance = half @ half.transpose(0, 2, 1)
    lower = root(covariance)
    np.testing.assert_allclose(np.triu(lower, 1), 0)
    np.testing.assert_allclose(lower @ lower.transpose(0, 2, 1), covariance, atol=1e-6)


def test_kernels_are_sorted_by_the_largest_share_that_they_have_anywhere() -> None:
    kernels = study().callpaths.kernels
    prediction = study().callpaths.models.predict(np.array([[4.0], [64.0], [4096.0]]))
    found = by_weight(kernels, prediction)
    share = prediction.value / prediction.value.sum(axis=0)
    assert set(found.order[:2].tolist()) == {1, 2}  # the solver at first, MPI_Allreduce far ahead
    assert sorted(found.order.tolist()) == list(range(5))
    for place, rest in enumerate(found.rest[:-1].tolist()):
        assert rest >= share[found.order[place:]].sum(axis=0).max() - 1e-12
    assert (np.diff(found.rest) <= 0).all()
    assert found.rest[-1] == 0


def data_of_callpaths(room: int = PREDICTORS) -> tuple[list[int], int]:
    level, scales = study().callpaths, scales_of(study(), default_target(study()))
    prediction = level.models.predict(scales.grid)
    data = predictor_data(level.models, level.kernels, prediction, np.arange(5), room)
    assert data is not None
    return data["kernels"], len(str(data["rivals"]))


def test_the_weightiest_kernels_get_the_room_that_there_is() -> None:
    everything, size = data_of_callpaths()
    assert everything == [0, 1, 2, 3, 4]
    fewer, smaller = data_of_callpaths(size // 2)
    assert {1, 2} & set(fewer)
    assert len(fewer) < 5
    assert smaller < size
    assert data_of_callpaths(0)[0] == []


def test_what_adds_up_to_nothing_needs_no_predictor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictor, "REST", 0.2)
    kernels, _ = data_of_callpaths()
    assert {1, 2} <= set(kernels)
    assert len(kernels) < 5


def test_rivals_have_their_own_coefficients_in_sequence() -> None:
    models = two_parameter_study().callpaths.models
    data = rivals_data(models)

    def numbers(text: str, kind: str) -> FloatArray:
        return np.frombuffer(base64.b64decode(text), dtype=kind).astype(np.float64)

    assert data["count"] == (models.chosen >= 0).sum(axis=1).tolist()
    assert sum(data["count"]) == len(data["hypothesis"]) == len(numbers(data["weight"], "<f4"))
    widths = [len(data["hypotheses"][h]) + 1 for h in data["hypothesis"]]
    coefficients = numbers(data["coefficients"], "<f8")
    assert len(coefficients) == sum(widths)
    assert len(numbers(data["root"], "<f4")) == sum(width * (width + 1) // 2 for width in widths)
    second = sum(widths[: data["count"][0]])
    np.testing.assert_array_equal(
        coefficients[second : second + widths[data["count"][0]]],
        models.coefficients[1, 0, : widths[data["count"][0]]],
    )


def test_models_of_another_machine_have_none() -> None:
    level = study().callpaths
    own = {name: getattr(level.models, name) for name in level.models.__dataclass_fields__}
    there = ProjectedModels(**own, here=level.models, transfer=None, kernels=np.arange(5), known={})  # type: ignore[arg-type]
    prediction = level.models.predict(np.array([[64.0]]))
    assert predictor_data(there, level.kernels, prediction, np.arange(5), PREDICTORS) is None


def test_regions_predict_before_they_agree_with_call_paths() -> None:
    level = study().regions
    prediction = level.models.predict(np.array([[64.0]]))
    data = predictor_data(level.models, level.kernels, prediction, np.arange(5), PREDICTORS)
    assert data is not None
    assert data["whole"] is None
    assert data["kernels"] == [0, 1, 2, 3, 4]
    widened = replace(study().callpaths.models, common_error=np.full(5, 0.1))
    callpaths = predictor_data(widened, study().callpaths.kernels, prediction, np.arange(5), PREDICTORS)
    assert callpaths is not None
    assert callpaths["whole"] is not None
    assert callpaths["rivals"]["common"] is not None


def test_the_page_loads_no_symbolic_models() -> None:
    code = "import sys, pipeline.report.page; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
