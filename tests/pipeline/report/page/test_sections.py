"""What the templates show beside the verdict."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pipeline.models.quality import Note
from pipeline.questions.analysis import Analysis
from pipeline.report.page.sections import (
    attributes,
    configuration_rows,
    counted,
    efficiency_table,
    facts,
    model_warnings,
    predicted_efficiency,
    prediction_text,
    repetitions_text,
    study_name,
)
from tests.pipeline.models.made import changed
from tests.pipeline.report.page.studies import (
    EFFICIENCY,
    PROVENANCE,
    answered,
    study,
    study_of,
    two_parameter_study,
)


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["a/hpcg/app.p1/profile.cubex", "a/hpcg/app.p2/profile.cubex"], "hpcg"),
        (["data/series.txt"], "series"),
        (["/x/y", "/z"], "Scaling study"),
        ([], "Scaling study"),
    ],
)
def test_the_study_is_named_by_its_inputs(paths: list[str], name: str) -> None:
    assert study_name({"inputs": [{"path": path} for path in paths]}) == name


def test_facts_are_points_and_scaling() -> None:
    analysis = study_of(
        {("main",): lambda p: 9 + 0 * p, ("main", "main"): lambda p: 5 + 0 * p}, processes=(4, 8, 16, 32, 64)
    )
    analysis = replace(analysis, decision=replace(analysis.decision, reason="strong scaling, as asked"))
    assert facts(analysis) == [
        ("Measurements", "5 points: p = 4, 8, 16, 32, 64; up to 3 repetitions"),
        ("Scaling", "strong scaling, as asked"),
    ]


def test_facts_that_are_not_known_are_left_out() -> None:
    names = [name for name, _ in facts(two_parameter_study())]
    assert names == ["Measurements", "Scaling"]
    assert facts(two_parameter_study())[0][1] == (
        "25 points: p = 4, 8, 16, 32, 64; n = 10, 20, 30, 40, 50; up to 2 repetitions"
    )


@pytest.mark.parametrize(("count", "listed"), [(8, True), (9, False)])
def test_many_values_of_a_parameter_show_as_a_range(count: int, listed: bool) -> None:
    analysis = study_of({("main",): lambda p: 1 + p}, processes=range(2, 2 + count), repetitions=1)
    text = dict(facts(analysis))["Measurements"]
    shown = ", ".join(map(str, range(2, 2 + count))) if listed else "2 .. 10"
    assert text == f"{count} points: p = {shown}; one repetition"


def with_attributes(analysis: Analysis, *told: dict[str, str]) -> Analysis:
    runs = tuple(
        replace(run, attributes=told[i % len(told)]) for i, run in enumerate(analysis.experiment.runs)
    )
    return replace(analysis, experiment=replace(analysis.experiment, runs=runs))


def test_statements_of_runs_are_listed_once() -> None:
    analysis = with_attributes(study(), {"Creator": "Score-P 8", "other": "x"}, {"other": "x", "system": ""})
    assert attributes(analysis.experiment) == [("Creator", "Score-P 8"), ("other", "x"), ("system", "")]


def test_nouns_follow_their_number() -> None:
    assert [counted(number, "point") for number in (0, 1, 2)] == ["0 points", "1 point", "2 points"]


def test_repetitions_in_words() -> None:
    assert [repetitions_text(count) for count in (1, 2, 3)] == [
        "one repetition",
        "up to 2 repetitions",
        "up to 3 repetitions",
    ]


def test_what_predictions_are_based_on() -> None:
    text = prediction_text("p", np.array([5.65685, 16.0, 131072.0]))
    assert "computed at 3 scales from p = 5.65685 to 131072, where the slider stops." in text


def test_efficiency_leaves_out_what_is_unknown_everywhere() -> None:
    names, *points = efficiency_table(EFFICIENCY.points, ())
    assert [column.heading for column in points] == ["p = 4"]
    assert names.texts == [
        "global efficiency",
        "\u2003parallel efficiency",
        "\u2003\u2003load balance",
        "\u2003\u2003communication efficiency",
        "\u2003computation scalability",
    ]
    assert (points[0].texts[0], points[0].styles[0]) == ("90.0 %", "green")
    assert efficiency_table((), ()) == []


@pytest.mark.parametrize(
    ("value", "text", "style"),
    [
        (0.8, "80.0 %", "green"),
        (0.799, "79.9 %", "yellow"),
        (0.6, "60.0 %", "yellow"),
        (0.5994, "59.9 %", "red"),
        (1.25, "125.0 %", "green"),
        (None, "-", "dim"),
    ],
)
def test_efficiencies_are_rated(value: float | None, text: str, style: str) -> None:
    point = replace(EFFICIENCY.points[0], at={"p": 4, "n": 20.5}, ipc=0.5)
    names, one, two = efficiency_table((replace(point, ipc=value), point), ())
    row = list(names.texts).index("\u2003\u2003IPC scalability")
    assert [one.heading, two.heading] == ["p = 4, n = 20.5"] * 2
    assert (one.texts[row], one.styles[row]) == (text, style)
    assert (two.texts[row], two.styles[row]) == ("50.0 %", "red")


def test_warnings_about_models_come_with_their_number_the_most_frequent_first() -> None:
    models = study().callpaths.models
    note = np.array(
        [Note.CANNOT_TELL, Note.FEW_POINTS, 0, Note.FEW_POINTS | Note.CANNOT_TELL, Note.CANNOT_TELL]
    )
    assert model_warnings(changed(models, note=note)) == [("growth uncertain", 3), ("fewer than 5 points", 2)]


def test_options_are_shown_as_json() -> None:
    assert configuration_rows(PROVENANCE) == [
        ("at", "[]"),
        ("metric", '"time"'),
        ("filter", '{"top_time": 0.25}'),
    ]


def test_efficiencies_are_predicted_at_targets_that_were_not_measured() -> None:
    effort: dict[tuple[str, ...], Any] = {("main",): lambda p: 100 + 0 * p}
    effort[("main", "MPI_Allreduce")] = lambda p: 0.5 * p
    report = answered(study_of(effort), np.array([[64.0], [256.0]]))
    assert report.ahead.runtime is not None
    assert report.ahead.runtime.pop is not None
    measured, row = predicted_efficiency(["p"], report.ahead.runtime)
    assert measured.at == {"p": 64.0}
    assert row.at == {"p": 256.0}
    assert row.overall == report.ahead.runtime.pop.overall[-1]
    assert row.ipc is None
    _, *points = efficiency_table(EFFICIENCY.points, [row, replace(row, at={"p": 4.0})])
    assert [column.heading for column in points] == ["p = 4", "p = 256 (predicted)"]
    assert points[1].texts[0] == f"{100 * row.overall:.1f} %"
    assert predicted_efficiency(["p"], None) == []
