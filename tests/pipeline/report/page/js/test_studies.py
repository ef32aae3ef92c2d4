"""The page predicts every kind of study and of kernel as Python does, with whatever constants Python has."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from ingest.alignment import experiment_from_series
from ingest.arrays import FloatArray
from ingest.profile import Metric
from ingest.scaling import Scaling, decide_scaling
from ingest.series import Series
from pipeline.models import prediction, total, trend
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, analyse
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import Comparison, Study
from pipeline.report.page import report_html
from pipeline.report.page.constants import constants
from pipeline.report.page.program import ANSWERS
from pipeline.statistics import student
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.studies import answered, study, study_of, three_parameter_study
from tests.pipeline.report.page.test_page import data_of

PREDICTED = """values.map((at) => ({
    ...Object.fromEntries(Object.entries(report.levels).map(([name, level]) =>
        [name, Array.from(level.values(at), (value, k) => [...level.interval(k, at, value), value])])),
    total: report.levels.callpaths.total(at).widened,
    figures: report.program.figures(at),
}))"""
SHAPES: dict[tuple[str, ...], Callable[[float], float]] = {
    ("main",): lambda p: 20 + 0 * p,
    ("main", "knee"): lambda p: (50**4 + (2 * p) ** 4) ** 0.25,
    ("main", "divided"): lambda p: 400 / p,
    ("main", "never"): lambda p: 0 * p,
    ("main", "later"): lambda p: max(p - 8, 0) * 0.1,
    ("main", "MPI_Send"): lambda p: 0.2 * p**1.5,
}
SCALES = (2, 4, 8, 16, 32, 64, 128)


def over_size() -> Analysis:
    """The same over the size of a problem."""
    draw = np.random.default_rng(5).normal(1, 0.01, (len(SHAPES), len(SCALES), 3))
    values = np.array([[float(of_n(float(n))) for n in SCALES] for of_n in SHAPES.values()])[..., None] * draw
    series = Series(
        source="size.txt",
        parameters=("n",),
        points=np.array(SCALES, dtype=np.float64)[:, None],
        callpaths=tuple(SHAPES),
        metrics=(Metric("time", "s"),),
        values={"time": values},
    )
    experiment = experiment_from_series(series)
    return analyse(experiment, decide_scaling(experiment), "time", ModelOptions())


MADE: dict[Comparison, Callable[[], Analysis]] = {
    Comparison.STRONG: cache(lambda: study_of(SHAPES, SCALES)),
    Comparison.WEAK: cache(lambda: study_of(SHAPES, SCALES, scaling=Scaling.WEAK)),
    Comparison.SIZE: cache(over_size),
}


def drawn(analysis: Analysis, count: int = 25) -> FloatArray:
    """Points from below to far beyond the measured ones, the last just beyond them."""
    points = analysis.experiment.points
    ends = np.log(points.min(axis=0) / 2), np.log(points.max(axis=0) * 20)
    found = np.exp(np.random.default_rng(8).uniform(*ends, (count, points.shape[1])))
    return np.vstack([found, 1.1 * points.max(axis=0)])


def agrees(scripts: Scripts, analysis: Analysis) -> None:
    targets = drawn(analysis)
    pages = scripts.read(data_of(report_html(answered(analysis))), PREDICTED, *targets.tolist())
    for name, level in (("regions", analysis.regions), ("callpaths", analysis.callpaths)):
        exact = level.models.predict(targets)
        found = np.array([page[name] for page in pages]).transpose(2, 1, 0)
        np.testing.assert_allclose(found, [exact.lower, exact.upper, exact.value], rtol=1e-4, atol=1e-9)
    whole = predict_total(analysis.callpaths.models, targets)
    found = np.array([page["total"] for page in pages]).T
    np.testing.assert_allclose(found, np.vstack([whole.lower, whole.value, whole.upper]), rtol=1e-4)
    figures = Study(analysis).figures(targets, np.zeros(len(targets), dtype=np.bool_))
    for name in ANSWERS:
        expected: Estimate = getattr(figures, name)
        for part in ("value", "below", "above"):
            of_page = [page["figures"][name][part] for page in pages]
            np.testing.assert_allclose(
                np.array(of_page, dtype=float), getattr(expected, part), rtol=1e-3, atol=1e-5
            )


@pytest.mark.parametrize("comparison", MADE)
def test_strong_weak_and_size_with_zeros_knees_and_falling_terms(
    scripts: Scripts, comparison: Comparison
) -> None:
    analysis = MADE[comparison]()
    assert Study(analysis).comparison is comparison
    agrees(scripts, analysis)


def test_the_studies_have_what_they_should() -> None:
    for comparison, made in MADE.items():
        kernels, models = made().callpaths.kernels, made().callpaths.models
        assert (kernels.mean[3] == 0).all()
        assert (kernels.mean[4, :3] == 0).all() and (kernels.mean[4, 3:] > 0).all()
        knees, falling = (models.chosen[k][models.chosen[k] >= 0] for k in (1, 2))
        assert (models.sharpness[knees] > 1).any() == (comparison is Comparison.SIZE)  # sizes have knees
        powers = [models.terms[t][0][0] for t in models.hypotheses[falling].ravel().tolist() if t >= 0]
        assert min(powers) < 0


@pytest.mark.parametrize("made", [study, three_parameter_study])
def test_changed_constants_change_the_page(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch, made: Callable[[], Analysis]
) -> None:
    before = constants()
    for module, names in (
        (trend, "HALF_LIFE STEEPEST_FALL RIDGE FULL_REACH LOPSIDED BELOW ABOVE"),
        (total, "MOST_VARIANCE BEND APART SIDE_BELOW SIDE_ABOVE"),
        (student, "NEGLIGIBLE MARGIN"),
    ):
        for name in names.split():
            monkeypatch.setattr(module, name, 1.2 * getattr(module, name))
    for module in (prediction, total):
        monkeypatch.setattr(module, "LEAST", 1e-8)
    monkeypatch.setattr(student, "STEPS", 12)
    after = constants()
    changed = {
        name for module in after for name in after[module] if after[module][name] != before[module][name]
    }
    same = {"upper", "width", "farther", "smallestEnd", "twoSided", "halvings", "steepest"}
    assert changed == {name for module in after for name in after[module]} - same - set(after["crossovers"])
    agrees(scripts, made.__wrapped__())  # type: ignore[attr-defined]
