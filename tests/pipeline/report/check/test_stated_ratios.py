"""Every output shows the ratio that a verdict rests on, and where it was measured."""

import csv
import io
import json
import re

import pytest

from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from pipeline.report.check.ci_servers import check_markdown
from pipeline.report.check.document import check_document
from pipeline.report.check.terminal import check_table, comparison_table, show_check
from pipeline.report.frames import checked_kernels_frame
from pipeline.report.page.comparison_page import comparison_html
from pipeline.report.render.text_formats import csv_text, json_text
from tests.pipeline.gate.studies import many, study
from tests.pipeline.report.check.results import TODAY, compared, kernel, result, studies
from tests.pipeline.report.page.studies import carried
from tests.terminal_output import printed

PATH = "main/k5"


@pytest.fixture(scope="module")
def slower_at_16():
    """A check of a kernel that takes twice the time at the second of five scales, and less at the largest."""
    after = study(many(k5=[15, 30, 15, 15, 12.5]), seed=2)
    return check(after, study(many(), seed=1), CheckOptions(), ModelOptions(), TODAY)


def test_rows_show_the_scale_at_which_the_regression_was_found(slower_at_16):
    (one,) = [one for one in slower_at_16.kernels if "/".join(one.kernel.callpath) == PATH]
    assert one.measured[-1].ratio < 1 < 1.9 < one.stated.ratio
    ratio = f"{one.stated.ratio:.2f}"

    (line,) = [
        line
        for line in printed(show_check, slower_at_16, width=140, details=True).splitlines()
        if re.match(r"regression .*k5", line)
    ]
    assert re.search(rf"\s{ratio}\s+p = 16\s", line)
    row = check_markdown(slower_at_16).partition("main › k5 |")[2].partition("\n")[0]
    assert f"| {ratio} |" in row and "| p = 16 |" in row

    for table in (check_table(slower_at_16, limit=9), comparison_table(compared(slower_at_16), limit=9)):
        rows = [*csv.DictReader(io.StringIO(csv_text(table))), *json.loads(json_text(table))]
        found = [row for row in rows if row["kernel"] == PATH]
        assert [float(row["ratio"]) for row in found] == pytest.approx([one.stated.ratio] * 2)
        assert [row["ratio_at"] for row in found] == ["p = 16"] * 2

    columns = {
        one["key"]: one for one in carried(comparison_html(compared(slower_at_16), studies()))["columns"]
    }
    row = columns["kernel"]["values"].index(PATH)
    assert (columns["ratio"]["texts"][row], columns["ratio_at"]["texts"][row]) == (ratio, "p = 16")

    document = check_document(slower_at_16)
    (stated,) = [row["stated"] for row in document["kernels"] if row["callpath"] == ["main", "k5"]]
    assert (stated["at"], stated["ratio"]) == ({"p": 16.0}, pytest.approx(one.stated.ratio))
    frame = checked_kernels_frame(document).set_index("kernel")
    assert frame.loc[[("main", "k5")], "ratio_at"].tolist() == ["p = 16"]


def test_where_all_ratios_are_those_of_the_largest_point_nothing_is_said():
    one = result(kernel())
    assert "ratio at" not in printed(show_check, one, width=140, details=True)
    assert "ratio at" not in check_markdown(one)
    (at,) = (
        column["texts"]
        for column in carried(comparison_html(compared(one), studies()))["columns"]
        if column["key"] == "ratio_at"
    )
    assert at == [""]
    assert [row["ratio_at"] for row in json.loads(json_text(check_table(one, limit=9)))] == [None]
