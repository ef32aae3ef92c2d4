"""What the models say at a scale: shares, flags, leading kernels, local growth."""

import math

import numpy as np
import pytest

from pipeline.questions.analysis import look_ahead
from pipeline.report.page.embedding import script_name
from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.studies import page_data_of as data_of
from tests.pipeline.report.page.studies import study, study_of

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("target", [4.0, 64.0, 200.0, 4096.0])
def test_shares_and_flags_are_those_of_python(scripts: Scripts, target: float) -> None:
    analysis = study()
    targets = np.array([[target]])
    expected = look_ahead(analysis, analysis.regions, targets)
    found = scripts.read(
        data_of(analysis, targets),
        "(({ total, shareMeasured, shareAtTarget, flags }) => "
        "[total, [...shareMeasured], [...shareAtTarget], flags])"
        "(shares.sharesAt(report.levels.regions, values[0], report.limits))",
        [target],
    )
    total, measured, at_target, flags = found
    assert total == pytest.approx(expected.prediction.value.sum(), rel=1e-4)
    np.testing.assert_allclose(measured, expected.share_measured, rtol=1e-4)
    np.testing.assert_allclose(at_target, expected.share_target, rtol=1e-4)
    renamed = [
        {f.replace("coming_bottleneck", "future_bottleneck") for f in names} for names in expected.flags
    ]
    assert [set(names) for names in flags] == renamed


@pytest.mark.parametrize("mark", ["unreliable", "not_measurable", "start_up"])
def test_nothing_is_concluded_from_kernels_that_are_marked(scripts: Scripts, mark: str) -> None:
    data = data_of(study())
    read = "shares.sharesAt(report.levels.regions, [256], report.limits).flags"
    before = scripts.read(data, read)
    standing = data["levels"]["regions"]["standing"]
    marked = [k for k, names in enumerate(before) if "future_bottleneck" in names]
    assert marked
    standing[script_name(mark)] = [int(k in marked) for k in range(len(before))]
    for k, names in enumerate(scripts.read(data, read)):
        if k in marked:
            assert mark in names
            assert not {"future_bottleneck", "dominant_at_target"} & set(names)
            assert ("growing" in names) == (mark == "start_up")
        elif mark != "start_up":
            assert names == before[k]


def test_flags_need_probability_growth_and_share(scripts: Scripts) -> None:
    data = data_of(study())
    read = "shares.sharesAt(report.levels.regions, [256], {0}).flags[2].includes('{1}')"
    limits = "{{ growing: {}, noteworthy: {} }}"
    for growing, noteworthy, flag, there in (
        (0.9, 0.01, "growing", True),
        (1.1, 0.01, "growing", False),
        (0.9, 0.01, "future_bottleneck", True),
        (0.9, 0.99, "future_bottleneck", False),
        (0.9, 0.99, "growing", True),
    ):
        expression = read.format(limits.format(growing, noteworthy), flag)
        assert scripts.read(data, expression) == there


def test_nothing_dominates_if_everything_is_zero(scripts: Scripts) -> None:
    analysis = study_of({("main",): lambda p: 0 * p})
    flags, share = scripts.read(
        data_of(analysis),
        "(({ flags, shareAtTarget }) => [flags, [...shareAtTarget]])"
        "(shares.sharesAt(report.tree.level, [256], report.limits))",
    )
    assert (flags, share) == ([[]], [0])


def test_leading_kernels_are_those_with_the_largest_share_anywhere(scripts: Scripts) -> None:
    effort = {("main",): lambda p: 1 + 0 * p} | {
        ("main", f"f{i}"): (lambda p, i=i: 10.0 + i + 0 * p) for i in range(7)
    }
    effort[("main", "late")] = lambda p: 0.01 * p**2
    analysis = study_of(effort)
    leading = scripts.read(
        data_of(analysis), "shares.leadingKernels(report.levels.regions, report.positions.opening)"
    )
    names = [analysis.regions.kernels.callpaths[k][-1] for k in leading]
    assert len(names) == 7
    assert names[0] == "late"
    assert set(names[1:]) == {f"f{i}" for i in range(1, 7)}


def test_elasticity_is_the_local_exponent(scripts: Scripts) -> None:
    (found,) = scripts.evaluate(
        "data/shares.js", "elasticity", "[[...elasticity([1, 2, 0, 5], [1.1, 2 * 1.1 ** 1.5, 3, 0], 1.1)]]"
    )
    assert found == [pytest.approx(1), pytest.approx(1.5), 0, 0]


def test_sums_and_largest(scripts: Scripts) -> None:
    assert scripts.each("data/shares.js", "sum", [[[1, NAN, 2, INF]], [[]]]) == [3, 0]
    assert scripts.each("data/shares.js", "largestOf", [[[1, 5, 5, 2]], [[3]]]) == [1, 0]
