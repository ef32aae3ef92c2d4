"""Tables of studies that are unlike most: without a sum, without kernels, far beyond the measured range."""

import pytest

from pipeline.columns.kernel_tables import predictions_table, ranking_table, remark_sentences
from pipeline.columns.scales import scales_table
from tests.documents import as_summary
from tests.pipeline.report.terminal import summaries
from tests.pipeline.report.terminal.summaries import interval, kernel


def summary(**changes):
    content = summaries.summary()
    return as_summary(content | {"total": content["total"] | {"callpath": ["total"]}} | changes)


def of(table):
    """Return the values of a table by their keys."""
    return {key: list(column.values) for key, column in zip(table.keys, table.for_programs, strict=True)}


def two_targets(name, near, far, share):
    predictions = [{"at": {"p": p}, **interval(value)} for p, value in ((16, near), (32, far))]
    return kernel(name, 0.5, predictions=predictions, share_at_target=share)


TARGETS = [{"at": {"p": 16}}, {"at": {"p": 32}}]


def test_shares_are_those_at_the_target_of_the_row():
    rows = [two_targets("a", 30.0, 60.0, 0.6), two_targets("b", 10.0, 40.0, 0.4)]
    found = of(ranking_table(summary(regions=rows, targets=TARGETS), by="regions", limit=1))
    assert found["kernel"] == ["a", "a"]
    assert (found["p"], found["share_at_target"]) == ([16, 32], [0.75, 0.6])


def test_metrics_without_a_sum_have_neither_total_nor_shares():
    row = {**two_targets("a", 30.0, 60.0, None), "share_measured": None, "unit": "s"}
    content = summary(regions=[row], targets=TARGETS, total=None)
    ranking = ranking_table(content, by="regions", limit=9)
    assert of(ranking)["share_at_target"] == [None, None] == of(ranking)["share_measured"]
    found = of(predictions_table(content, by="regions", limit=9))
    assert (found["kernel"], found["value [s]"]) == (["a", "a"], [30.0, 60.0])


def test_shares_of_nothing_are_none_at_all():
    rows = [two_targets("a", 0.0, 0.0, 0.0)]
    found = of(ranking_table(summary(regions=rows, targets=TARGETS), by="regions", limit=9))
    assert found["share_at_target"] == [0.0, 0.0]


@pytest.mark.parametrize("table", [ranking_table, predictions_table])
def test_a_study_of_nothing_has_columns_without_kernels(table):
    found = table(summary(regions=[]), by="regions", limit=9)
    assert found.keys[0] == "kernel" and set(found.for_programs[0].values) <= {"total"}


def test_targets_far_beyond_are_notes_of_every_table():
    content = summary(targets=[{"at": {"p": 64}}])
    for table in (ranking_table, predictions_table):
        assert table(content, by="regions", limit=1).notes == [
            "2 more left out; --limit shows them",
            "p = 64: 8 times beyond the measured range (far: check it with a run in between)",
        ]
    assert scales_table(content).notes[0].startswith("p = 64: 8 times beyond")


def test_shares_and_remarks_of_a_shortened_summary_are_not_those_of_its_rows_alone():
    rows = [two_targets("a", 30.0, 60.0, 0.6)]
    total = {**rows[0], "predictions": [{**entry, "value": 120.0} for entry in rows[0]["predictions"]]}
    short = summary(
        regions=rows,
        kernels=[{**rows[0], "notes": ["odd"]}],
        targets=TARGETS,
        total=total,
        not_listed={"kernels": 4, "regions": 2},
    )
    found = ranking_table(short, by="regions", limit=9)
    assert found.notes[0] == "2 more left out; `pipeline bottlenecks --limit` shows them"
    assert of(found)["share_at_target"] == [0.25, 0.6]
    assert remark_sentences(short) == ["odd (1 call path of the 1 largest)"]
