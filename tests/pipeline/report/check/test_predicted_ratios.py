"""Of two studies every output says one ratio at a target: that of what `pipeline predict` says of either."""

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.gate.compared_studies import ComparedStudies
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import Scope
from pipeline.gate.study_check import check
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import LEAST_LOWER
from pipeline.models.total import agreeing, predict_total
from pipeline.report.check.ci_servers import check_markdown
from pipeline.report.check.document import check_document, comparison_document
from pipeline.report.check.terminal import predicted_totals, show_comparison
from pipeline.report.page.comparison_page import comparison_html
from pipeline.wording.quantities import estimate_text, figure, interval_text
from tests.pipeline.gate.studies import SCALES, study
from tests.pipeline.report.check.results import compared
from tests.pipeline.report.page.studies import carried, floats
from tests.terminal_output import printed

TARGETS = ({"p": 300.0}, {"p": 1000.0})
POINTS = np.array([[target["p"]] for target in TARGETS])
OPTIONS = CheckOptions(targets=TARGETS, share_floor=0.001)


@st.composite
def pairs(draw):
    """Two studies of one program; the kernels of both have some growth each, noise and repetitions."""
    p = np.array(SCALES, dtype=float)
    names = [("main", f"k{k}") for k in range(draw(st.integers(1, 12)))] + [("main", "other", "k0")]

    def one(seed):
        efforts = {path: draw(st.floats(0.3, 30)) * (p / 8) ** draw(st.floats(-0.4, 1.2)) for path in names}
        noise, repetitions = draw(st.floats(0.001, 0.15)), draw(st.integers(1, 4))
        return study(efforts, noise=noise, repetitions=repetitions, seed=seed)

    return one(1), one(2)


def predicted(whole):
    """Values, lower and upper ends as the models of call paths and regions predict them, float64[3, K, Q]."""
    rows = [whole.rows_of(level) for level in (Scope.TOTAL, Scope.REGION, Scope.CALLPATH)]
    models, regions = (fit(("p",), whole.points, whole.values[some], parts=True) for some in rows[:0:-1])
    found = np.empty((3, len(whole.kernels), len(POINTS)))
    parts = predict_total(models, POINTS), agreeing(regions, models).predict(POINTS), models.predict(POINTS)
    for some, part in zip(rows, parts, strict=True):
        found[:, some] = np.stack([part.value, np.maximum(part.lower, LEAST_LOWER * part.value), part.upper])
    return found


def in_words(ratio):
    return figure(ratio[0]), interval_text(ratio[1], ratio[2], of=ratio[0])


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 10, deadline=None)  # 3 in `make test`, 10 in `make slow`
@given(pairs())
def test_terminal_json_and_page_say_the_ratio_of_the_two_predictions(both):
    one, two = both
    result = check(two, one, OPTIONS, ModelOptions(), datetime.date(2026, 11, 21))
    before, after = predicted(one), predicted(two)
    sides = [np.log(part / part[0]) for part in (before, after)]
    value = after[0] / before[0]
    lower, upper = (
        value * np.exp(sign * np.hypot(sides[1][end], sides[0][3 - end])) for sign, end in ((-1, 1), (1, 2))
    )
    expected = np.stack([value, lower, upper])
    rows = {kernel: row for row, kernel in enumerate(one.kernels)}

    assert any(kernel.kernel.level is Scope.TOTAL for kernel in result.kernels)
    for kernel in result.kernels:
        row = rows[kernel.kernel]
        assert [change.at for change in kernel.target] == list(TARGETS)
        assert [change.ratio for change in kernel.target] == value[row].tolist()  # exactly
        found = np.array([[change.ratio, change.lower, change.upper] for change in kernel.target]).T
        assert found == pytest.approx(expected[:, row], rel=1e-9)
        for side, ends in ((kernel.baseline, before), (kernel.candidate, after)):
            assert [p[0] for p in side.predicted] == ends[0, row].tolist()
            assert [p[2] for p in side.predicted] == ends[2, row].tolist()

    for kernels in (check_document(result)["kernels"], comparison_document(compared(result)).kernels):
        for kernel in kernels:
            row = [
                r
                for k, r in rows.items()
                if (k.level.value, *k.callpath) == (kernel["level"], *kernel["callpath"])
            ]
            assert [c["ratio"] for c in kernel["target"]] == pytest.approx(value[row[0]], rel=1e-9)

    shown = printed(show_comparison, compared(result), limit=99, width=200, details=True)
    assert len(predicted_totals(compared(result))) == 2
    for text, ratio in zip(predicted_totals(compared(result)), expected[:, 0].T, strict=True):
        assert text in shown and text.endswith(f"b / a {estimate_text(*ratio)}")
    changed = [one for one in result.kernels if one.verdict.value != "unchanged"]
    table = shown.splitlines()
    for kernel in changed:
        ratio, interval = in_words(expected[:, rows[kernel.kernel], -1])
        name = kernel.kernel.region
        assert any(name in line and ratio in line.split() and interval in line for line in table)
        assert interval in check_markdown(result).replace("\\", "")

    data = carried(comparison_html(compared(result), ComparedStudies.of(one, two, ModelOptions(), 0.01)))
    places = [data["scales"].index(target["p"]) for target in TARGETS]
    ratios = floats(data["ratio"]["value"], len(data["scales"]))[1:, places]
    for kernel, ratio in zip(result.kernels, ratios, strict=True):
        assert ratio == pytest.approx(value[rows[kernel.kernel]], rel=1e-3)
    for side, ends in zip(data["studies"], (before, after), strict=True):
        callpaths, total = side["callpaths"], side["callpaths"]["total"]
        sums = floats(callpaths["value"], len(data["scales"]))[:, places].sum(axis=0)
        assert sums == pytest.approx(ends[0, 0], rel=1e-3)
        for end, expected in (("lower", ends[1, 0]), ("upper", ends[2, 0])):
            assert [total[end][place] for place in places] == pytest.approx(expected, rel=1e-3)
