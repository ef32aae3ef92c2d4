"""What models say of themselves."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.models.forms import term
from pipeline.models.quality import Note
from pipeline.models.scaling_models import ANCHORS, remarks
from tests.pipeline.models.made import SQUARE, changed, grid_of, one_parameter

MODELS = one_parameter(
    [[[5.0, 2.0], [1.0, 0.5]], [[7.0, 0.0], [7.0, 0.0]], [[0.0, 3.0], [0, 0]], [[9.0, -1.0], [0, 0]]],
    [[1, 2], [0, 0], [2, -1], [1, -1]],
)


def test_formulas_growth_and_terms_of_the_chosen_model_and_of_rivals():
    found = [MODELS.formula(k) for k in range(4)]
    assert [one.text() for one in found] == ["5 + 2 * p", "7", "3 * p^2", "9 - 1 * p"]
    assert [one.growth for one in found] == ["p", "1", "p^2", "1"]
    assert MODELS.formula(0, 1).text() == "1 + 0.5 * p^2"
    assert MODELS.formula(0, 1).constant == 1.0
    assert MODELS.formula(0, 1).terms == ((0.5, SQUARE),)
    assert MODELS.hypothesis(1, 1) == ()
    assert len(MODELS) == 4


def test_the_chosen_formulas_give_values_that_are_not_negative_if_nothing_is():
    points = np.array([[2.0], [10.0]])
    assert MODELS.formula_values(points).tolist() == [[9, 25], [7, 7], [12, 300], [7, 0]]
    assert changed(MODELS, nonnegative=False).formula_values(points)[3].tolist() == [7, -1]


def test_a_part_of_the_models_keeps_everything_of_its_kernels():
    part = MODELS.take([2, 0])
    for record in (grid_of(MODELS), MODELS.quality):
        kept = grid_of(part) if record is not MODELS.quality else part.quality
        assert all((getattr(kept, name) == of_all[[2, 0]]).all() for name, of_all in vars(record).items())
    assert (part.rivals.degrees == MODELS.rivals.degrees[[2, 0]]).all()
    assert [part.formula(k).text() for k in (0, 1)] == ["3 * p^2", "5 + 2 * p"]
    assert part.hypotheses is MODELS.hypotheses


def test_predictions_of_the_same_points_are_the_same_whatever_else_is_asked():
    at = np.array([[128.0], [256.0], [128.0]])
    found = MODELS.predict(at)
    assert (found.value[:, 0] == found.value[:, 2]).all()
    again = MODELS.predict(at[::-1])
    assert (again.value == found.value[:, ::-1]).all()
    many = np.arange(1.0, 200.0)[:, None]
    assert (MODELS.predict(many).value[:, [127]] == found.value[:, [0]]).all()


def test_kernels_in_blocks_are_predicted_alike(monkeypatch):
    wide = changed(MODELS, covariance=np.tile(np.diag([0.1, 0.01]), (4, 2, 1, 1)))
    at = np.array([[128.0], [256.0]])
    whole = wide.predict(at)
    monkeypatch.setattr("pipeline.models.rivals._BLOCK", 1)
    parts = replace(wide).predict(at)
    assert (whole.value == parts.value).all() and (whole.upper == parts.upper).all()


def test_remarks_in_words_and_parameters_that_do_not_matter():
    note = np.array([Note.FEW_POINTS, 0, Note.CONFOUNDED, 0])
    two = changed(
        MODELS,
        parameters=("p", "n"),
        terms=(term((1, 0), (0, 0)), term((1, 0), (1, 0)), term((0, 0), (0, 1))),
        first=np.array([4.0, 1.0]),
        last=np.array([64.0, 9.0]),
        note=note,
        points=np.array([5, 5, 5, 0]),
    )
    assert remarks(two) == [
        ("fewer than 5 points", "does not depend on n"),
        ("does not depend on p", "does not depend on n"),
        ("parameters change together in all runs: their effects cannot be distinguished",),
        (),
    ]
    assert [two.dropped(k) for k in range(4)] == [("n",), ("p", "n"), (), ()]
    unvaried = replace(two, last=np.array([64.0, 1.0]))
    assert [unvaried.dropped(k) for k in range(4)] == [(), (), (), ()]
    assert remarks(MODELS) == [()] * 4


@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_half_widths_of_a_sum_add_up_as_correlated_errors_do(correlation):
    wide = changed(MODELS, covariance=np.tile(np.diag([0.1, 0.01]), (4, 2, 1, 1))).predict(np.array([[99.0]]))
    total = wide.combine(lambda a: a.sum(axis=0, keepdims=True), correlation)
    for end, part in ((total.upper, wide.upper), (total.lower, wide.lower)):
        half = np.abs(part - wide.value)[:, 0]
        matrix = np.full((4, 4), correlation) + (1 - correlation) * np.eye(4)
        assert abs(end - total.value)[0, 0] == pytest.approx(np.sqrt(half @ matrix @ half))


def test_a_curve_agrees_with_predictions_also_where_there_is_one_scale():
    scales = np.geomspace(2.0, 16.0, 5)

    def along(scale):
        return scale[:, None]

    drawn = MODELS.curve(along, np.geomspace(2.0, 16.0, ANCHORS))(scales)
    assert drawn == pytest.approx(MODELS.predict(along(scales)).value, rel=1e-6)
    one = np.full(3, 4.0)
    drawn = MODELS.curve(along, np.geomspace(4.0, 4.0, ANCHORS))(one)
    assert drawn == pytest.approx(MODELS.predict(along(one)).value, rel=1e-6)


def test_a_curve_that_was_made_is_that_of_its_own_points():
    scales = np.array([3.0, 40.0, 90.0])
    wide, narrow = (np.geomspace(2.0, last, ANCHORS) for last in (128.0, 100.0))
    alone = [replace(MODELS).curve(lambda one: one[:, None], ends)(scales) for ends in (wide, narrow)]
    models = replace(MODELS)
    for ends, expected in zip((wide, narrow, wide), (alone[0], alone[1], alone[0]), strict=True):
        assert (models.curve(lambda one: one[:, None], ends)(scales) == expected).all()
