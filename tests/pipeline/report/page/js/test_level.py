"""Models evaluated in the page give what they give in Python."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ingest.arrays import FloatArray
from pipeline.models.quality import Note
from pipeline.questions.analysis import Analysis, Level, look_ahead
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.js.data import data_of, with_models, without_predictors
from tests.pipeline.report.page.studies import (
    SHIFT,
    SOLVER,
    study,
    three_parameter_study,
    two_parameter_study,
)

VALUES_AND_INTERVALS = """values.map((at) =>
    Array.from(level.values(at), (value, k) => [value, ...level.interval(k, at, value)]))"""

VALUES_AND_INTERVALS_OF_CURVES = """values.map((at) => {
    const [line, scale] = [level.along(at), at[report.space.column]];
    return Array.from(line.values(scale), (value, k) =>
        [line.value(k, scale), ...line.interval(k, scale, value)]);
})"""


@pytest.mark.parametrize("name", ["callpaths", "regions"])
@pytest.mark.parametrize("made", [study, two_parameter_study])
def test_formulas_are_those_of_python_at_random_points(
    scripts: Scripts, made: Callable[[], Analysis], name: str
) -> None:
    analysis = made()
    draw = np.random.default_rng(11)
    points = analysis.experiment.points.min(axis=0) * 10 ** draw.uniform(
        0, 3, (40, len(analysis.experiment.parameters))
    )
    found = scripts.read(
        data_of(analysis),
        f"values.map((at) => Array.from(report.levels.{name}.formulas(at)))",
        *points.tolist(),
    )
    expected = getattr(analysis, name).models.values(points)
    np.testing.assert_allclose(np.array(found).T, expected, rtol=1e-12)


@pytest.mark.parametrize("made", [study, two_parameter_study])
def test_predictions_are_those_of_python_at_the_grid(scripts: Scripts, made: Callable[[], Analysis]) -> None:
    analysis = made()
    data = data_of(analysis)
    grid = data["levels"]["callpaths"]["grid"]
    points = np.repeat(np.array(data["targets"][-1:]), len(grid), axis=0)
    points[:, data["column"]] = grid
    expected = analysis.callpaths.models.predict(points)
    found = scripts.read(
        data,
        VALUES_AND_INTERVALS,
        *points.tolist(),
    )
    value, lower, upper = np.array(found).transpose(2, 1, 0)
    np.testing.assert_allclose(value, expected.value, rtol=1e-6)
    np.testing.assert_allclose(lower, expected.lower, rtol=1e-6)
    np.testing.assert_allclose(upper, expected.upper, rtol=1e-6)


def interpolated(low: FloatArray, high: FloatArray, share: FloatArray) -> FloatArray:
    """By ratio if both are positive and within a factor of 1000, else straight."""
    near = (low > 0) & (high > 0) & (low < 1e3 * high) & (high < 1e3 * low)
    with np.errstate(invalid="ignore"):
        return np.where(near, low ** (1 - share) * high**share, low + (high - low) * share)


@pytest.mark.parametrize("made", [study, two_parameter_study, three_parameter_study])
def test_predictions_anywhere_are_those_of_python(scripts: Scripts, made: Callable[[], Analysis]) -> None:
    analysis = made()
    points = analysis.experiment.points
    drawn = np.random.default_rng(13).uniform(-0.5, 3, (40, points.shape[1]))
    targets = points.min(axis=0) * (points.max(axis=0) / points.min(axis=0)) ** drawn
    expression = VALUES_AND_INTERVALS.replace("level", "report.levels.NAME")
    for name, level in (("callpaths", analysis.callpaths), ("regions", analysis.regions)):
        found = scripts.read(data_of(analysis), expression.replace("NAME", name), *targets.tolist())
        exact = level.models.predict(targets)
        expected = [exact.value, exact.lower, exact.upper]
        np.testing.assert_allclose(np.array(found).transpose(2, 1, 0), expected, rtol=2e-5)


@pytest.mark.parametrize("predictors", [True, False])
@pytest.mark.parametrize("made", [study, two_parameter_study])
def test_curves_are_interpolated_between_grid_points_as_documented(
    scripts: Scripts, made: Callable[[], Analysis], predictors: bool
) -> None:
    analysis = made()
    data = data_of(analysis) if predictors else without_predictors(data_of(analysis))
    models, grid = analysis.callpaths.models, np.array(data["levels"]["callpaths"]["grid"])
    scales = np.exp(np.random.default_rng(5).uniform(np.log(grid[0]), np.log(grid[-1]), 30))
    points = np.repeat(np.array(data["targets"][-1:]), len(scales), axis=0)
    points[:, data["column"]] = scales
    place = np.searchsorted(grid, scales) - 1
    share = np.log(scales / grid[place]) / np.log(grid[place + 1] / grid[place])
    knots = np.repeat(points[:1], len(grid), axis=0)
    knots[:, data["column"]] = grid
    known, formula = models.predict(knots), models.values(knots)
    ratio = known.value / formula
    expected = models.values(points) * ratio[:, place] ** (1 - share) * ratio[:, place + 1] ** share
    lower = np.minimum(interpolated(known.lower[:, place], known.lower[:, place + 1], share), expected)
    upper = np.maximum(interpolated(known.upper[:, place], known.upper[:, place + 1], share), expected)
    found = scripts.read(data, VALUES_AND_INTERVALS_OF_CURVES, *points.tolist())
    np.testing.assert_allclose(np.array(found).transpose(2, 1, 0), [expected, lower, upper], rtol=1e-5)
    np.testing.assert_allclose(expected, models.predict(points).value, rtol=0.05)


@pytest.mark.parametrize("made", [two_parameter_study, three_parameter_study])
def test_curves_elsewhere_go_through_predictions(scripts: Scripts, made: Callable[[], Analysis]) -> None:
    analysis = made()
    data = data_of(analysis)
    grid = np.array(data["levels"]["callpaths"]["grid"])
    points = np.repeat(0.7 * np.array(data["targets"][-1:]), len(grid), axis=0)
    points[:, data["column"]] = grid
    expected = analysis.callpaths.models.predict(points)
    found = scripts.read(data, VALUES_AND_INTERVALS_OF_CURVES, *points.tolist())
    np.testing.assert_allclose(
        np.array(found).transpose(2, 1, 0), [expected.value, expected.lower, expected.upper], rtol=2e-5
    )


def test_kernels_without_room_keep_the_interval_of_the_grid(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = two_parameter_study()
    monkeypatch.setattr("pipeline.report.page.room.PREDICTORS", 1500)
    data = data_of(analysis)
    k = min(set(range(3)) - set(data["levels"]["callpaths"]["predictor"]["kernels"]))
    scale = data["levels"]["callpaths"]["grid"][5]
    points = np.array([[scale, 50.0], [scale, 25.0]])
    found = np.array(scripts.read(data, VALUES_AND_INTERVALS, *points.tolist()))[:, k]
    exact = analysis.callpaths.models.predict(points[:1])
    np.testing.assert_allclose(
        found[0], [e[k, 0] for e in (exact.value, exact.lower, exact.upper)], rtol=1e-5
    )
    np.testing.assert_allclose(found[1] / found[1, 0], found[0] / found[0, 0], rtol=1e-5)
    formulas = analysis.callpaths.models.values(points)[k]
    assert found[1, 0] / found[0, 0] == pytest.approx(formulas[1] / formulas[0], rel=1e-5)


def test_intervals_enclose_the_value_and_are_not_known_elsewhere(scripts: Scripts) -> None:
    data = without_predictors(data_of(two_parameter_study()))
    found = scripts.read(
        data,
        "[level.interval(0, [100, 50], 0), level.interval(0, [100, 50], 1e9), "
        "level.interval(0, [100, 49], 1), "
        "level.intervalOfTotal([256, 50], 250), level.intervalOfTotal([256, 20], 250)]",
    )
    assert found[0][0] == 0
    assert found[1][1] == 1e9
    assert found[2] is None
    total = look_ahead(
        two_parameter_study(), two_parameter_study().callpaths, np.array([[256.0, 50.0]])
    ).total
    assert found[3] == [
        pytest.approx(min(total.lower[0, 0], 250)),
        pytest.approx(max(total.upper[0, 0], 250)),
    ]
    assert found[4] is None


def test_without_predictors_the_page_shows_formulas_away_from_the_grid(scripts: Scripts) -> None:
    analysis = two_parameter_study()
    point = np.array([[100.0, 20.0]])
    found = scripts.read(
        without_predictors(data_of(analysis)),
        "[...level.values(values[0]), level.value(1, values[0]), level.knows(values[0])]",
        point[0].tolist(),
    )
    assert found.pop() is False
    expected = analysis.callpaths.models.values(point)[:, 0]
    np.testing.assert_allclose(found, [*expected, expected[1]], rtol=1e-12)


def test_one_kernel_is_predicted_like_all(scripts: Scripts) -> None:
    both = "[Array.from(level.values(values)), level.region.map((_, k) => level.value(k, values))]"
    together, alone = scripts.read(data_of(study()), both, 77.0)
    assert together == alone


def test_a_formula_at_zero_takes_the_prediction_itself(scripts: Scripts) -> None:
    models = study().callpaths.models
    coefficients = models.coefficients.copy()
    coefficients[2, 0] = -1e6 * np.abs(coefficients[2, 0])
    analysis = with_models(study(), replace(models, coefficients=coefficients))
    data = data_of(study())
    data = without_predictors(data)
    data["levels"]["callpaths"]["models"] = data_of(analysis)["levels"]["callpaths"]["models"]
    scale = math.sqrt(256 * 512)
    found = scripts.read(data, "level.value(2, values)", scale)
    known = models.predict(np.array([[256.0], [512.0]])).value[2]
    assert found == pytest.approx(math.sqrt(known[0] * known[1]), rel=1e-5)
    data["levels"]["callpaths"]["models"]["nonnegative"] = False
    assert scripts.read(data, "level.formula(2, values)", [256.0]) < -1e3


def test_rivals_are_evaluated_and_have_their_probability(scripts: Scripts) -> None:
    models = study().callpaths.models
    found = scripts.read(
        data_of(study()),
        "level.rivalsOf(3).map((i) => [i, level.probability(3, i), level.formula(3, [100], i)])",
    )
    assert [i for i, _, _ in found] == [0, 1, 2]
    for i, probability, value in found:
        assert probability == pytest.approx(models.weight[3, i], rel=1e-6)
        expected = models.formula(3, i).constant + sum(
            c * 100.0 ** float(power) * math.log2(100.0) ** log
            for c, ((power, log),) in models.formula(3, i).terms
        )
        assert value == pytest.approx(expected, rel=1e-12)
    assert scripts.read(data_of(study()), "level.rivalsOf(1)") == [0]


def test_measurements(scripts: Scripts) -> None:
    kernels = study().callpaths.kernels
    data = data_of(study())
    mean, total, singles = scripts.read(
        data, "[level.measured(1, 3), level.measuredTotal(3), level.singles(1, 3)]"
    )
    assert mean == pytest.approx(kernels.mean[1, 3], rel=1e-6)
    assert total == pytest.approx(kernels.mean[:, 3].sum(), rel=1e-6)
    assert singles == pytest.approx(kernels.values[1, 3].tolist(), rel=1e-6)
    data["levels"]["callpaths"]["repetitions"]["kernels"] = [0, 1, 2, 3]
    assert scripts.read(data, "level.singles(4, 3)") == [pytest.approx(kernels.mean[4, 3], rel=1e-6)]


def test_what_was_not_measured_is_left_out(scripts: Scripts) -> None:
    analysis = study()
    values = analysis.callpaths.kernels.values.copy()
    values[1, 0, 1:] = np.nan
    values[2, 0] = np.nan
    level = Level(replace(analysis.callpaths.kernels, values=values), analysis.callpaths.models)
    data = data_of(replace(analysis, callpaths=level))
    found = scripts.read(
        data, "[level.singles(1, 0), level.singles(2, 0), level.measuredTotal(0), level.measured(2, 0)]"
    )
    assert found[0] == [pytest.approx(values[1, 0, 0], rel=1e-6)]
    assert found[1] == []
    assert found[2] == pytest.approx(np.nansum(level.kernels.mean[:, 0]), rel=1e-6)
    assert math.isnan(found[3])


def test_formulas_and_growth_as_text_are_those_of_python(scripts: Scripts) -> None:
    for analysis in (study(), two_parameter_study()):
        models = analysis.callpaths.models
        data = data_of(analysis)
        for k in range(len(models)):
            text, growth = scripts.read(
                data,
                f"[formula.formulaText(level, {k}), formula.growthText(level, {k})]",
            )
            assert text == models.formula(k).text()
            assert growth == (models.formula(k).growth if models.formula(k).growth != "1" else "constant")


@pytest.mark.parametrize(
    ("constant", "coefficient", "text"),
    [
        (12.0, 3.0, "12 + 3 * p^(3/2)"),
        (12.0, -3.0, "12 - 3 * p^(3/2)"),
        (-12.0, 3.0, "-12 + 3 * p^(3/2)"),
        (0.0, -3.0, "-3 * p^(3/2)"),
        (0.0, 0.0, "0"),
        (12.0, 0.0, "12"),
        (1.23456e-4, 9_999_999.0, "0.0001235 + 10000000 * p^(3/2)"),
        (1.23456e-5, 1.23456e7, "1.235e-5 + 1.235e7 * p^(3/2)"),
    ],
)
def test_formulas_show_signs_and_four_digits(
    scripts: Scripts, constant: float, coefficient: float, text: str
) -> None:
    models = study().callpaths.models
    coefficients = models.coefficients.copy()
    coefficients[2, 0, :2] = constant, coefficient
    analysis = with_models(study(), replace(models, coefficients=coefficients))
    found = scripts.read(
        data_of(analysis),
        "[formula.formulaText(level, 2), formula.growthText(level, 2)]",
    )
    assert found == [text, "p^(3/2)" if coefficient > 0 else "falling"]


def test_warnings_that_all_kernels_share(scripts: Scripts) -> None:
    models = study().callpaths.models
    note = np.full(5, int(Note.FEW_POINTS))
    note[2] |= Note.CANNOT_TELL
    data = data_of(with_models(study(), replace(models, note=note)))
    shared, warnings, uncertain = scripts.read(
        data, "[level.sharedWarnings, level.warnings[2], level.growthUncertain]"
    )
    assert shared == ["fewer than 5 points"]
    assert warnings == ["fewer than 5 points", "growth uncertain"]
    assert uncertain == [False, False, True, False, False]


def test_names_and_paths(scripts: Scripts) -> None:
    name, full, path, names, label, search = scripts.read(
        data_of(study()),
        "[level.name(1), level.fullName(1), level.path(4), names.pathNames(level, 2), "
        "[24, 25, 80].map((width) => names.kernelLabel(level, 4, width)), names.searchTexts(level)(2)]",
    )
    assert full == SOLVER
    assert name == "Foam::fvMatrix<Foam::Vector<double> >::solveSegregated"
    assert path == [0, 3, 4]
    assert names == ["main", name, "MPI_Allreduce"]
    assert label == [SHIFT, "<script>aler…› operator<<", "<script>alert(1)</script> › operator<<"]
    assert search == f"main {SOLVER} mpi_allreduce ".lower()
