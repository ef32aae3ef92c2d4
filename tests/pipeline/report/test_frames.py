"""Tables of pandas that other tests do not look at closely."""

import numpy as np

from pipeline.report.frames import checked_kernels_frame, facts_html, frame_html, pd

COLUMNS = ["level", "kernel", "verdict", "ratio", "lower", "upper", "ratio_at", "evidence"]


def kernel(level, stated=None, evidence=()):
    return {
        "level": level,
        "callpath": ["main", "f"],
        "region": "f",
        "verdict": "regression",
        "stated": stated,
        "evidence": [{"text": text} for text in evidence],
    }


def test_a_check_has_one_row_per_kernel_with_the_ratio_that_the_verdict_rests_on():
    ratio = {"ratio": 1.5, "lower": 1.25, "upper": 1.75}
    rows = [kernel("callpath", {"at": {"p": 8.0}, **ratio}, ("one", "two")), kernel("region")]
    document = {"kernels": [*rows, kernel("total", {"at": {}, **ratio})]}
    frame = checked_kernels_frame(document)
    assert frame.columns.tolist() == COLUMNS
    of_f = ["callpath", ("main", "f"), "regression", 1.5, 1.25, 1.75, "p = 8", "one; two"]
    assert frame.iloc[0].tolist() == of_f
    assert list(frame["ratio_at"]) == ["p = 8", "", "all points"]
    assert frame.iloc[1, :3].tolist() == ["region", "f", "regression"]
    assert np.isnan(frame.iloc[1, 3:6].astype(float)).all()


def test_a_check_without_kernels_has_the_same_columns():
    assert checked_kernels_frame({"kernels": []}).columns.tolist() == COLUMNS


def test_notebooks_show_the_first_rows_and_count_the_others():
    def shown(rows):
        return frame_html("a <b>", pd.DataFrame({"x": range(rows)}))

    assert shown(15).startswith("<p>a &lt;b&gt;</p><table") and "more row" not in shown(15)
    assert shown(16).endswith("<p>and 1 more row</p>") and shown(16).count("<tr>") == 15
    assert shown(17).endswith("<p>and 2 more rows</p>")
    assert facts_html("t", {"a&": "<1"}) == ("<p>t</p><table><tr><th>a&amp;</th><td>&lt;1</td></tr></table>")
