"""What the scripts know of kernels is what Python gave them; at other points they know nothing."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pipeline.models.quality import Note
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, Level, default_target
from pipeline.report.page.positions import positions_of
from tests.pipeline.models.made import changed
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.studies import (
    SHIFT,
    SOLVER,
    study,
    three_parameter_study,
    two_parameter_study,
)
from tests.pipeline.report.page.studies import page_data_of as data_of

KNOWN = """values.map((at) => report.levels.NAME.region.map((_, k) => {
    const level = report.levels.NAME;
    return [level.value(k, at), level.values(at)[k], ...Object.values(level.interval(k, at) ?? [0, 0])];
}))"""


@pytest.mark.parametrize("name", ["callpaths", "regions"])
@pytest.mark.parametrize("made", [study, two_parameter_study, three_parameter_study])
def test_predictions_at_positions_are_those_of_python(
    scripts: Scripts, made: Callable[[], Analysis], name: str
) -> None:
    analysis = made()
    points = positions_of(analysis, default_target(analysis)).points
    expected = getattr(analysis, name).models.predict(points)
    found = scripts.read(data_of(analysis), KNOWN.replace("NAME", name), *points.tolist())
    value, same, lower, upper = np.array(found).transpose(2, 1, 0)
    np.testing.assert_allclose(value, expected.value, rtol=1e-4)
    np.testing.assert_array_equal(value, same)
    known = upper > 0
    assert known.sum() > 0.6 * known.size
    np.testing.assert_allclose(lower[known], expected.lower[known], rtol=1e-4)
    np.testing.assert_allclose(upper[known], expected.upper[known], rtol=1e-4)


def test_totals_are_those_of_python(scripts: Scripts) -> None:
    total = predict_total(study().callpaths.models, np.array([[256.0]]))
    read = "[level.totalAt([256]), ...Object.values(level.intervalOfTotal([256]))]"
    expected = [total.value[0, 0], total.lower[0, 0], total.upper[0, 0]]
    assert scripts.read(data_of(study()), read) == pytest.approx(expected, rel=1e-8)


def test_nothing_is_known_between_positions(scripts: Scripts) -> None:
    read = """[level.value(0, values), level.values(values)[1], level.totalAt(values),
        level.formulaValue(0, values, 0), level.interval(0, values), level.intervalOfTotal(values)]"""
    found = scripts.read(data_of(study()), read, 77.7)
    assert all(map(math.isnan, found[:4]))
    assert found[4:] == [None, None]


def test_positions_are_found_and_the_nearest_one_is_taken(scripts: Scripts) -> None:
    data = data_of(two_parameter_study())
    found = scripts.read(
        data,
        """(({ positions }) => [positions.placeOf([64, 50]), positions.placeOf([64, 20]),
        positions.placeOf([64, 21]), positions.nearest(1e9), positions.nearest(65),
        positions.nearestPoint([63, 22]), positions.lineOf([7, 10]), positions.around([64, 50]),
        positions.curveScales([4, 50]).at(-1) > 64, positions.pointsAlong([9, 20])])(report)""",
    )
    count = len(data["scales"])
    place = data["scales"].index(64.0)
    line = data["lines"].index([256.0, 20.0])
    assert found[:3] == [place, line * count + place, -1]
    assert found[3:6] == [65536, 64, [64, 20]]
    assert found[6] == data["lines"].index([256.0, 10.0])
    assert found[7] == data["scales"][place : place + 2]
    assert found[8] is True
    assert [data["points"][i] for i in found[9]] == [[p, 20.0] for p in (4.0, 8.0, 16.0, 32.0, 64.0)]


def test_formulas_of_rivals_have_curves_and_probabilities(scripts: Scripts) -> None:
    models = study().callpaths.models
    read = """level.rivals[3].map(({ text, probability }, i) =>
        [text, probability, level.formulaValue(3, [64], i)])"""
    found = scripts.read(data_of(study()), read)
    assert [text for text, _, _ in found] == [models.formula(3, i).text() for i in range(3)]
    for i, (_, probability, value) in enumerate(found):
        assert probability == pytest.approx(models.rivals.take(np.array([3])).weight[i], abs=0.005)
        formula = models.formula(3, i)
        expected = formula.constant + sum(
            c * 64.0 ** float(power) * math.log2(64.0) ** log for c, ((power, log),) in formula.terms
        )
        assert value == pytest.approx(expected, rel=1e-4)


def test_measurements(scripts: Scripts) -> None:
    kernels = study().callpaths.kernels
    data = data_of(study())
    mean, total, singles = scripts.read(
        data, "[level.measured(1, 3), level.measuredTotal(3), level.singles(1, 3)]"
    )
    assert mean == pytest.approx(kernels.mean[1, 3], rel=1e-4)
    assert total == pytest.approx(kernels.mean[:, 3].sum(), rel=1e-4)
    assert singles == pytest.approx(kernels.values[1, 3].tolist(), rel=1e-4)
    data["levels"]["callpaths"]["repetitions"]["kernels"] = [0, 1, 2, 3]
    assert scripts.read(data, "level.singles(4, 3)") == [pytest.approx(kernels.mean[4, 3], rel=1e-4)]


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
    assert found[0] == [pytest.approx(values[1, 0, 0], rel=1e-4)]
    assert found[1] == []
    assert found[2] == pytest.approx(np.nansum(level.kernels.mean[:, 0]), rel=1e-4)
    assert math.isnan(found[3])


def test_warnings_are_those_of_the_kernel(scripts: Scripts) -> None:
    models = study().callpaths.models
    note = np.full(5, int(Note.FEW_POINTS))
    note[2] |= Note.CANNOT_TELL
    data = data_of(replace(study(), callpaths=Level(study().callpaths.kernels, changed(models, note=note))))
    warnings = scripts.read(data, "[level.warnings[1], level.warnings[2]]")
    assert warnings == [["fewer than 5 points"], ["fewer than 5 points", "growth uncertain"]]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("12", "12"),
        ("-12 + 3 * p^(3/2)", "−12 + 3·<i>p</i><sup>3/2</sup>"),
        ("12 - 3 * p^2", "12 − 3·<i>p</i><sup>2</sup>"),
        ("1.235e-05 * p^(-1/2)", "1.235<span>·10<sup>−5</sup></span>·<i>p</i><sup>−1/2</sup>"),
        (
            "2 * size * log2(size)^2",
            "2·<i>size</i>·<span>log<sub>2</sub></span>(<i>size</i>)<sup>2</sup>",
        ),
        (
            "(12^4 + (3 * n)^4)^(1/4)",
            "(12<sup>4</sup> + (3·<i>n</i>)<sup>4</sup>)<sup>1/4</sup>",
        ),
    ],
)
def test_formulas_are_typeset(scripts: Scripts, text: str, html: str) -> None:
    found = scripts.read(data_of(study()), "nodes.formulaNode(values[0]).innerHTML", text)
    assert found.replace("\u2009", "") == html


def test_names_and_paths(scripts: Scripts) -> None:
    name, full, path, names, label, search = scripts.read(
        data_of(study()),
        "[level.name(1), level.fullName(1), level.path(4), level.pathNames(2), "
        "[24, 25, 80].map((width) => names.kernelLabel(level, 4, width)), level.searchText(2)]",
    )
    assert full == SOLVER
    assert name == "Foam::fvMatrix<Foam::Vector<double> >::solveSegregated"
    assert path == [0, 3, 4]
    assert names == ["main", name, "MPI_Allreduce"]
    assert label == [SHIFT, "<script>aler…› operator<<", "<script>alert(1)</script> › operator<<"]
    assert search == f"main {SOLVER} mpi_allreduce ".lower()
