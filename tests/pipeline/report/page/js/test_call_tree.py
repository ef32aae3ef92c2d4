"""Values over the call tree and the boxes of its icicles."""

import math

import numpy as np
import pytest

from ingest.arrays import FloatArray
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.studies import page_data_of as data_of
from tests.pipeline.report.page.studies import study, study_of


def test_inclusive_values_are_those_of_the_call_tree(scripts: Scripts) -> None:
    analysis = study()
    found = scripts.read(
        data_of(analysis),
        "(({ exclusive, inclusive, total }) => [[...exclusive], [...inclusive], total])"
        "(report.tree.values(-1, 2, []))",
    )
    mean = analysis.callpaths.kernels.mean[:, 2]
    np.testing.assert_allclose(found[0], mean, rtol=1e-4)
    expected = [mean.sum(), mean[1] + mean[2], mean[2], mean[3] + mean[4], mean[4]]
    np.testing.assert_allclose(found[1], expected, rtol=1e-4)
    assert found[2] == pytest.approx(mean.sum(), rel=1e-4)


def test_values_of_the_tree_at_the_target_and_of_other_metrics(scripts: Scripts) -> None:
    data = data_of(study())
    predicted, visits, largest = scripts.read(
        data,
        "[report.tree.values(-1, 'target', [256]).exclusive, report.tree.values(0, 1, []).exclusive, "
        "report.tree.values(0, 'target', [256]).exclusive].map((values) => [...values])",
    )
    expected = study().callpaths.models.predict(np.array([[256.0]])).value[:, 0]
    np.testing.assert_allclose(predicted, expected, rtol=1e-4)
    assert visits == [80, 160, 240, 160, 240]
    assert largest == [640, 1280, 1920, 1280, 1920]


def test_growth_of_the_tree_is_the_local_exponent(scripts: Scripts) -> None:
    effort = {("main",): lambda p: 10 + 0 * p, ("main", "solve"): lambda p: 0.5 * p}
    data = data_of(study_of(effort))
    alone, whole, colours, relative = scripts.read(
        data,
        "[[...report.tree.growth(false, [256]).exponent], [...report.tree.growth(true, [256]).exponent], "
        "[0, 1].map(report.tree.growth(false, [256]).relative), "
        "[0, 1].map(Object.assign(report.tree, { relativeGrowth: true }).growth(false, [256]).relative)]",
    )
    assert alone == [pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.02)]
    assert whole[1] == alone[1]
    assert whole[0] == pytest.approx(math.log((10 + 128 * 1.1) / 138) / math.log(1.1), abs=0.02)
    assert colours == alone
    of_all = math.log((10 + 128 * 1.1) / 138) / math.log(1.1)
    assert relative == pytest.approx([-of_all, 1 - of_all], abs=0.02)


def test_boxes_of_the_icicle_fill_the_width_of_their_caller(scripts: Scripts) -> None:
    found, whole = scripts.read(
        data_of(study()),
        "(({ found, whole }) => [found, whole])"
        "(boxes.boxesBelow(report.tree, report.tree.values(-1, 4, []), -1, 600))",
    )
    mean = study().callpaths.kernels.mean[:, 4]
    assert whole == pytest.approx(mean.sum(), rel=1e-4)
    boxes = {box["k"]: box for box in found}
    assert (boxes[0]["x"], boxes[0]["wide"], boxes[0]["depth"]) == (0, pytest.approx(600), 0)
    scale = 600 / mean.sum()
    assert boxes[1]["wide"] == pytest.approx((mean[1] + mean[2]) * scale, rel=1e-4)
    assert boxes[3]["x"] == pytest.approx(boxes[1]["wide"], rel=1e-4)
    assert (boxes[2]["x"], boxes[2]["depth"]) == (0, 2)
    zoomed = scripts.read(
        data_of(study()), "boxes.boxesBelow(report.tree, report.tree.values(-1, 4, []), 3, 600).found"
    )
    assert {box["k"] for box in zoomed} == {3, 4}
    narrow = scripts.read(
        data_of(study()), "boxes.boxesBelow(report.tree, report.tree.values(-1, 4, []), -1, 20).found"
    )
    wide = {k for k in range(5) if box_width(mean, k) * 20 / mean.sum() >= 1.5}
    assert {box["k"] for box in narrow if not box["others"]} == wide


def box_width(mean: FloatArray, k: int) -> float:
    below = {0: [0, 1, 2, 3, 4], 1: [1, 2], 2: [2], 3: [3, 4], 4: [4]}
    return float(mean[below[k]].sum())
