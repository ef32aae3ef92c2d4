"""What differs between two sides of a call tree: growth, colours, and what only one side has."""

import math
from typing import Any

import numpy as np
import pytest

from pipeline.models.total import predict_total
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.studies import page_data_of as data_of
from tests.pipeline.report.page.studies import study, study_of, two_parameter_study

# main > a, b > c; side A has no b, side B no a.
A, B = [1, 4, 0, 0], [3, 0, 2, 6]
MADE = """((...sides) => {
    const level = { region: [0, 1, 2, 3], parent: [-1, 0, 0, 2], name: (k) => "mabc"[k] };
    const side = (exclusive) => (
        { name: "x", kind: "measured", exclusive: Float64Array.from(exclusive), range: () => null });
    const made = new Difference(new Tree(level), ...sides.map(side));
    return EXPRESSION;
})"""
SIDE = "(({ exclusive, range, kind }) => [kind, exclusive[2], range(2)])"


def of(scripts: Scripts, expression: str, a: list[float] = A, b: list[float] = B) -> Any:
    found = MADE.replace("EXPRESSION", expression)
    names = "const { Difference } = await import('/data/difference.js'); return "
    return scripts.evaluate(
        "data/call_tree.js", "Tree", f"(async () => {{ {names}{found}(...values); }})()", a, b
    )


def test_what_only_one_side_has(scripts: Scripts) -> None:
    assert of(scripts, "[...made.only]") == [0, -1, 1, 1]
    assert of(scripts, "[made.missing(-1), made.missing(1)]") == [[1], [2]]
    assert of(scripts, "[made.total.a, made.total.b, made.common]") == [5, 11, 2.2]


def test_growth_is_of_own_values_against_the_program_or_by_itself(scripts: Scripts) -> None:
    own = of(scripts, "[0, 1, 2, 3].map((k) => made.growth(k, 'none'))")
    assert own == [math.log2(3), -math.inf, math.inf, math.inf]
    against = of(scripts, "[0, 1, 2].map((k) => made.growth(k, 'program'))")
    assert against == [pytest.approx(math.log2(3 / 2.2)), -math.inf, math.inf]
    assert math.isnan(of(scripts, "made.growth(2, 'none')", A, [1, 4, 0, 0]))


def test_callers_with_next_to_nothing_of_their_own_have_no_colour(scripts: Scripts) -> None:
    a, b = [0.1, 10, 0, 0], [0.9, 88, 0.1, 100]
    assert math.isnan(of(scripts, "made.colour(0, 'none')", a, b))
    assert math.isnan(of(scripts, "made.colour(2, 'none')", a, b))
    assert of(scripts, "made.colour(1, 'none')", a, b) == pytest.approx(math.log2(8.8))
    assert of(scripts, "made.colour(0, 'none')", [0.2, 10, 0, 0], b) == pytest.approx(math.log2(4.5))


def test_an_unchanged_share_is_neutral(scripts: Scripts) -> None:
    doubled = [2.0 * value for value in A]
    assert of(scripts, "[0, 1].map((k) => made.growth(k, 'program'))", A, doubled) == [0, 0]
    assert of(scripts, "[0, 1].map((k) => made.growth(k, 'none'))", A, doubled) == [1, 1]


@pytest.mark.parametrize(
    ("b", "end"),
    [
        ([1, 4, 0, 0], 1.1),
        ([1.05, 4, 0, 0], 1.1),
        ([1, 5.5, 0, 0], 1.5),
        ([1, 20, 0, 0], 8),
        ([9, 4, 0, 0], 8),
    ],
)
def test_the_scale_of_colours_ends_at_a_round_factor(scripts: Scripts, b: list[float], end: float) -> None:
    assert of(scripts, "made.end('none')", A, b) == pytest.approx(math.log2(end))


def test_rare_growth_does_not_stretch_the_scale_of_colours(scripts: Scripts) -> None:
    assert of(scripts, "made.end('none')", [100, 100, 1, 100], [100, 100, 9, 100]) == pytest.approx(
        math.log2(1.1)
    )


def test_widths_are_those_of_a_side_or_of_the_larger_values(scripts: Scripts) -> None:
    expected = {"a": [5, 4, 0, 0], "b": [11, 0, 8, 6], "larger": [15, 4, 8, 6]}
    for width, values in expected.items():
        assert of(scripts, f"[...made.widths('{width}')]") == values


def test_the_largest_differences_come_first_whatever_their_sign(scripts: Scripts) -> None:
    assert of(scripts, "made.leading(3)") == [3, 1, 0] or of(scripts, "made.leading(3)") == [3, 1, 2]
    assert of(scripts, "made.leading(1).map((k) => made.added(k))") == [6]
    assert of(scripts, "made.leading(9)", A, A) == []


def test_colours_are_continuous_symmetric_and_end(scripts: Scripts) -> None:
    cases = [-9, -2, -1, 0, 0.5, 2, math.inf, -math.inf, math.nan]
    found = scripts.each("draw/nodes.js", "growthPlace", [(growth, 2, 2) for growth in cases])
    assert found == [-100, -100, -50, 0, 25, 100, 100, -100, 0]


def test_it_opens_with_the_smallest_and_the_largest_measured_scale(scripts: Scripts) -> None:
    assert scripts.read(data_of(study()), "scales.openingPair(report)") == [0, 4]
    a, b = scripts.read(
        data_of(two_parameter_study()), "scales.openingPair(report).map((i) => report.positions.points[i])"
    )
    assert (a[0], b[0]) == (4, 64)
    assert a[1] == b[1]
    one = data_of(study_of({("main",): lambda p: 10 + 0 * p, ("main", "f"): lambda p: p}, (4, 8)))
    one["points"], one["largest"] = one["points"][:1], 0
    assert scripts.read(one, "scales.openingPair(report)") == [0, "target"]


def test_sides_have_measurements_with_their_range_and_predictions_with_their_interval(
    scripts: Scripts,
) -> None:
    kernels, models = study().callpaths.kernels, study().callpaths.models
    measured = scripts.read(
        data_of(study()),
        f"{SIDE}(differences.sideAt(level, 1, []))",
    )
    runs = kernels.values[2, 1]
    assert measured[0] == "measured"
    assert measured[1] == pytest.approx(runs.mean(), rel=1e-4)
    assert measured[2] == {
        "lower": pytest.approx(runs.min(), rel=1e-4),
        "upper": pytest.approx(runs.max(), rel=1e-4),
        "of": "3 runs",
    }
    kind, value, ends = scripts.read(
        data_of(study()),
        f"{SIDE}(differences.sideAt(level, 'target', [256]))",
    )
    expected = models.predict(np.array([[256.0]]))
    assert kind == "model"
    assert value == pytest.approx(expected.value[2, 0], rel=1e-4)
    assert ends["lower"] == pytest.approx(expected.lower[2, 0], rel=1e-4)
    assert ends["upper"] == pytest.approx(expected.upper[2, 0], rel=1e-4)
    assert ends["of"] == "90 % interval"
    whole = scripts.read(data_of(study()), "differences.sideAt(level, 'target', [256]).whole")
    total = predict_total(models, np.array([[256.0]]))
    assert whole["lower"] == pytest.approx(total.lower[0, 0], rel=1e-4)
    assert whole["upper"] == pytest.approx(total.upper[0, 0], rel=1e-4)


def test_lost_efficiency_is_said_under_strong_scaling_only(scripts: Scripts) -> None:
    expression = """scales.lossNote({ program: { strong: values[0] } },
        { a: { kind: "measured" }, b: { whole: values[2] ?? null }, total: { a: 8, b: 10 }, common: 1.25 },
        values[1])"""
    data = data_of(study())
    assert scripts.read(data, expression, True, [4, 64]) == [
        "Parallel efficiency at B relative to A: 80.0 %."
    ]
    assert scripts.read(data, expression, True, [4, 64], {"lower": 9, "upper": 16}) == [
        "Parallel efficiency at B relative to A: 80.0 % (50.0 % to 88.9 %)."
    ]
    assert scripts.read(data, expression, False, [4, 64]) == []
    assert scripts.read(data, expression, True, [64, 4]) == []
