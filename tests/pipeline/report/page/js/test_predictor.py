"""Parts of predictions in the page give what they give in Python."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit

from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, Level, analysis_of
from pipeline.report.page.constants import constants
from pipeline.statistics.student import mixture_quantiles, student_cdf
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.js.data import data_of
from tests.pipeline.report.page.studies import study, study_of


def test_distribution_functions(scripts: Scripts) -> None:
    values = np.concatenate([np.linspace(-12, 12, 97), [-40.0, 40.0, 0.0, 1e-9]])
    found = scripts.each("data/mixture.js", "normalCdf", [[value] for value in values.tolist()])
    np.testing.assert_allclose(found, ndtr(values), rtol=1e-7)
    for degrees in (4.0, 11.5, 200.0):
        calls = [[value, degrees, degrees >= 30] for value in values.tolist()]
        found = scripts.each("data/mixture.js", "studentCdf", calls)
        np.testing.assert_allclose(found, student_cdf(values, np.array([degrees])), rtol=1e-7)


@pytest.mark.parametrize("degrees", [3.0, 11.5, 200.0])
@pytest.mark.parametrize("rivals", [1, 2, 30])
def test_quantiles_of_mixtures(scripts: Scripts, degrees: float, rivals: int) -> None:
    draw = np.random.default_rng(rivals)
    center = np.exp(draw.normal(0, 2, (20, rivals, 1)))
    scale = center * np.exp(draw.uniform(-6, 0, (20, rivals, 1)))
    weight = draw.dirichlet(np.ones(rivals), 20)
    expected = mixture_quantiles(center, scale, weight, np.full(20, degrees), np.array([0.05, 0.5, 0.95]))
    reach = float(stdtrit(degrees, 0.95))
    found = scripts.evaluate(
        "data/mixture.js",
        "quantiles, tableOf",
        "values[0].map(([center, scale, weight]) => quantiles({ center: Float64Array.from(center), "
        "scale: Float64Array.from(scale), weight: Float64Array.from(weight), "
        "table: tableOf(values[1], values[1] >= 30) }, values[2], values[3]))",
        [
            [c.tolist(), s.tolist(), w.tolist()]
            for c, s, w in zip(center[..., 0], scale[..., 0], weight, strict=True)
        ],
        degrees,
        reach,
        constants()["mixture"],
    )
    np.testing.assert_allclose(np.array(found).T, expected[..., 0], rtol=1e-5)


def common_error_of(analysis: Analysis) -> Analysis:
    """The same with errors that all measurements share."""
    levels = (
        Level(level.kernels, models.with_common_error(np.linspace(0.05, 0.3, 5), 0.2))
        for level, models in (
            (analysis.callpaths, analysis.callpaths.models),
            (analysis.regions, analysis.regions.models.coarse),  # type: ignore[attr-defined]
        )
    )
    return analysis_of(analysis.experiment, analysis.decision, *levels)


@pytest.mark.parametrize("shared", [False, True])
def test_totals_with_and_without_errors_that_all_measurements_share(scripts: Scripts, shared: bool) -> None:
    analysis = common_error_of(study()) if shared else study()
    targets = np.exp(np.random.default_rng(2).uniform(0, np.log(20_000), (40, 1)))
    found = scripts.read(
        data_of(analysis),
        "(({ regions }) => values.map((at) => [regions.total(at), "
        "Array.from(regions.values(at), (value, k) => regions.interval(k, at, value))]))(report.levels)",
        *targets.tolist(),
    )
    models = analysis.callpaths.models
    for key, total in (
        ("widened", predict_total(models, targets)),
        ("plain", predict_total(models.with_common_error(None, None), targets)),
    ):
        expected = np.vstack([total.lower, total.value, total.upper]).T
        np.testing.assert_allclose([page[0][key] for page in found], expected, rtol=1e-5)
    regions = analysis.regions.models.predict(targets)
    ends = np.array([page[1] for page in found]).transpose(2, 1, 0)
    np.testing.assert_allclose(ends, [regions.lower, regions.upper], rtol=1e-5)


def test_growing_kernels_without_doubt_do_not_fall_below_what_was_measured(scripts: Scripts) -> None:
    models = replace(study().callpaths.models, probability_growing=np.ones(5))
    analysis = replace(study(), callpaths=Level(study().callpaths.kernels, models))
    targets = np.array([[70.0], [100.0], [5000.0]])
    expected = models.predict(targets)
    found = scripts.read(
        data_of(analysis),
        "values.map((at) => Array.from(level.values(at), (value, k) => level.interval(k, at, value)[0]))",
        *targets.tolist(),
    )
    np.testing.assert_allclose(np.array(found).T, expected.lower, rtol=1e-5)


CALLED_TWICE: dict[tuple[str, ...], Callable[[float], float]] = {
    ("main",): lambda p: 20 + 0 * p,
    ("main", "solve"): lambda p: 50 + 2 * p,
    ("main", "solve", "MPI_Send"): lambda p: 2 * p**0.5,
    ("main", "MPI_Send"): lambda p: 3 + 0.2 * p**1.5,
    ("main", "write"): lambda p: 5 + 0.3 * p,
}


@pytest.mark.parametrize("room", [160_000, 2_000])
def test_regions_agree_with_their_call_paths(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr("pipeline.report.page.room.PREDICTORS", room)
    analysis = study_of(CALLED_TWICE)
    targets = np.exp(np.random.default_rng(2).uniform(0, np.log(20_000), (40, 1)))
    own = analysis.regions.models.coarse.predict(targets)  # type: ignore[attr-defined]
    expected = analysis.regions.models.predict(targets)
    assert np.abs(own.value / expected.value - 1).max() > 0.01  # there is a gap to close
    data = data_of(analysis)
    found = scripts.read(
        data,
        "(({ regions, callpaths }) => values.map((at) => [regions, callpaths].map((level) => "
        "Array.from(level.values(at)))))(report.levels)",
        *targets.tolist(),
    )
    regions, callpaths = (np.array([page[i] for page in found]) for i in range(2))
    np.testing.assert_allclose(regions.sum(axis=1), callpaths.sum(axis=1), rtol=1e-9)
    if room > 2_000:
        np.testing.assert_allclose(regions.T, expected.value, rtol=1e-5)
    else:
        assert 0 < len(data["levels"]["regions"]["predictor"]["kernels"]) < 4
