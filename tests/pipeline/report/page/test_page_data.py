"""The page's data as a whole, and the small parts of it: regions, metrics, imbalance, filter."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.profile import MetricKind
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, decide_scaling
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import Analysis, analyse
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.runtime import runtime
from pipeline.report.page import page_data as module
from pipeline.report.page.embedding import compressed, modules
from pipeline.report.page.page_data import (
    METRICS,
    MOST_UNEVEN,
    filter_data,
    imbalance_data,
    program_data,
    region_data,
    region_numbers,
    short_unit,
)
from pipeline.report.page.positions import positions_of
from tests.pipeline.report.page.studies import (
    EVIDENCE,
    SCRIPT,
    SHIFT,
    SOLVER,
    answered,
    as_carried,
    floats,
    page_data_of,
    sized_study,
    study,
    study_of,
    two_parameter_study,
)
from tests.profiles import make_profile


def data_of(analysis: Analysis, evidence: dict[str, Any] | None = None) -> Any:
    return page_data_of(analysis, None, evidence)


def numbers_of(analysis: Analysis) -> dict[str, int]:
    return region_numbers([analysis.regions.kernels, analysis.callpaths.kernels])


def regions_of(analysis: Analysis) -> Any:
    return as_carried(region_data(analysis, numbers_of(analysis)))


def imbalance(analysis: Analysis) -> Any:
    return as_carried(imbalance_data(analysis, np.arange(len(analysis.callpaths.kernels))))


def test_what_was_measured_and_what_can_be_asked() -> None:
    data = data_of(two_parameter_study())
    assert data["parameters"] == ["p", "n"]
    assert data["column"] == 0
    assert data["points"] == two_parameter_study().experiment.points.tolist()
    assert data["points"][data["largest"]] == [64.0, 50.0]
    assert data["lines"][0] == [256.0, 50.0]
    assert (data["scales"][0], data["scales"][-1], data["reach"]) == (4.0, 65536.0, 1024.0)
    for level in data["levels"].values():
        assert len(floats(level["value"], len(data["scales"]) * 5)) == len(level["region"])
    assert data["limits"] == {"growing": 0.9, "noteworthy": 0.01, "far": 4.0, "veryFar": 8.0}
    assert ["visits", "time_per_visit"] in data["factors"]
    compressed(data)  # which refuses what JSON has not


def test_columns_of_kernels_that_the_view_draws_have_headings() -> None:
    drawn = re.findall(r'\bcolumn\(\s*"(\w+)"', modules()["views/kernels.js"])
    assert {"kernel", "upper"} < set(drawn) <= {head["key"] for head in data_of(study())["heads"]}


def test_what_is_modelled() -> None:
    strong, neither = data_of(study()), data_of(two_parameter_study())
    assert (strong["metric"], strong["unit"], strong["relativeGrowth"]) == ("effort", "core-s", False)
    assert (neither["metric"], neither["unit"], neither["relativeGrowth"]) == ("time", "s", True)


def test_levels_are_not_mixed_up() -> None:
    shared = {
        ("main",): lambda p: 100 + 0 * p,
        ("main", "MPI_Send"): lambda p: 3 + 0 * p,
        ("main", "solve"): lambda p: 50 + 0 * p,
        ("main", "solve", "MPI_Send"): lambda p: 2 + 0 * p,
    }
    data = data_of(study_of(shared))
    assert [region["name"] for region in data["regions"]] == ["main", "MPI_Send", "solve"]
    assert data["levels"]["regions"]["region"] == [0, 1, 2]
    assert data["levels"]["callpaths"]["region"] == [0, 1, 2, 1]
    callpaths = data["levels"]["callpaths"]
    assert len(floats(callpaths["value"], len(data["scales"]))) == 4


def test_other_metrics_are_summed_over_locations_and_averaged_over_repetitions() -> None:
    (visits,) = data_of(study())["metrics"]
    assert (visits["name"], visits["unit"]) == ("visits", "occ")
    expected = [[10.0 * depth * p for p in (4, 8, 16, 32, 64)] for depth in (1, 2, 3, 2, 3)]
    np.testing.assert_allclose(floats(visits["values"], 5), expected)


def metric_study(names: tuple[str, ...]) -> Analysis:
    """A study with several metrics; call path i has the value i + 1 of each on both locations."""
    runs = []
    for p in (2, 4, 8, 16, 32):
        paths = (("main",), ("main", "solve"))
        values = {name: {path: np.full(p, float(i + 1)) for i, path in enumerate(paths)} for name in names}
        kinds = dict.fromkeys(names, MetricKind.EXCLUSIVE)
        runs.append(MeasuredRun((float(p),), 0, reduce_profile(make_profile(values, kinds=kinds), names)))
    experiment = align(("p",), runs)
    return analyse(experiment, decide_scaling(experiment, Scaling.STRONG), "time", ModelOptions())


def test_only_the_first_metrics_are_shown() -> None:
    assert METRICS == 4
    metrics = data_of(metric_study(("a", "time", "b", "c", "d", "e")))["metrics"]
    assert [metric["name"] for metric in metrics] == ["a", "b", "c", "d"]
    np.testing.assert_allclose(
        floats(metrics[3]["values"], 5), [[i * p for p in (2, 4, 8, 16, 32)] for i in (1, 2)]
    )


def test_seconds_have_one_symbol() -> None:
    assert [short_unit(unit) for unit in ("sec", "s", "bytes", "")] == ["s", "s", "bytes", ""]
    assert data_of(study())["imbalance"]["unit"] == "s"


def test_regions_have_only_what_is_known() -> None:
    rows = {row["name"]: row for row in regions_of(study())}
    assert rows[SCRIPT] == {"name": SCRIPT, "paradigm": "compiler"}
    assert rows[SOLVER]["short"] == "Foam::fvMatrix<Foam::Vector<double> >::solveSegregated"
    assert list(rows) == list(numbers_of(study()))
    assert numbers_of(study()) == {name: i for i, name in enumerate(rows)}
    assert {row["name"]: row for row in regions_of(two_parameter_study())}["solve"] == {"name": "solve"}


def test_regions_have_linker_names_and_sources() -> None:
    analysis = study()
    table = analysis.experiment.regions
    known = replace(
        table,
        mangled=("_main", "", *table.mangled[2:]),
        file=("a.cpp", "b.cpp", "", "c.cpp", ""),
        line=np.array([7, 0, 9, 1, -1]),
        paradigm=("", "", "mpi", "", ""),
    )
    rows = regions_of(replace(analysis, experiment=replace(analysis.experiment, regions=known)))
    assert rows[0] == {"name": "main", "mangled": "_main", "source": "a.cpp:7"}
    assert rows[1]["source"] == "b.cpp"
    assert "mangled" not in rows[1]
    assert rows[2] == {"name": "MPI_Allreduce", "paradigm": "mpi"}
    assert rows[3]["source"] == "c.cpp:1"


def test_regions_that_only_call_paths_have_come_last() -> None:
    analysis = study()
    without = replace(
        analysis,
        regions=replace(
            analysis.regions,
            kernels=replace(analysis.regions.kernels, callpaths=(("operator<<",), ("other",))),
        ),
    )
    numbers = numbers_of(without)
    assert list(numbers)[:3] == [SHIFT, "other", "main"]
    assert regions_of(without)[1] == {"name": "other"}


def test_imbalance_is_led_by_the_call_path_with_the_largest_excess() -> None:
    data = imbalance(study())
    kernels = study().callpaths.kernels
    assert kernels.callpaths[data["kernels"][0]][-1] == SOLVER
    low, mean, high = (floats(data[key], 5) for key in ("low", "mean", "high"))
    assert ((low <= mean) & (mean <= high)).all()
    np.testing.assert_allclose(high[0] / low[0], 1.2, rtol=1e-4)
    assert data["locations"] == [4, 8, 16, 32, 64]
    reduction = study().experiment.values["time"]
    for values, found in ((reduction.min, low), (reduction.mean, mean), (reduction.max, high)):
        np.testing.assert_allclose(found, values[kernels.node].mean(axis=2)[data["kernels"]], rtol=1e-4)


def uneven_study(excess: dict[str, list[float]], locations: int = 2) -> Analysis:
    """Two locations at every point; the first has twice the given excess more of each callee of main."""
    runs = []
    for i, p in enumerate((2, 4, 8, 16, 32)):
        time = {("main",): [0.1, 0.1][:locations]}
        time |= {("main", name): [100 + 2 * values[i], 100.0][:locations] for name, values in excess.items()}
        runs.append(MeasuredRun((float(p),), 0, reduce_profile(make_profile({"time": time}), ("time",))))
    experiment = align(("p",), runs)
    return analyse(experiment, decide_scaling(experiment, Scaling.STRONG), "time", ModelOptions())


def test_the_most_uneven_are_those_with_the_largest_share_of_the_excess_of_a_point() -> None:
    analysis = uneven_study({"early": [3, 0, 0, 0, 0], "late": [1, 10, 10, 10, 60], "even": [0, 0, 0, 0, 0]})
    data = imbalance(analysis)
    names = [analysis.callpaths.kernels.callpaths[k][-1] for k in data["kernels"]]
    assert names == ["late", "early"]


def test_imbalance_shows_only_the_most_uneven(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_UNEVEN == 100
    monkeypatch.setattr(module, "MOST_UNEVEN", 2)
    data = imbalance(uneven_study({"a": [1] * 5, "b": [3] * 5, "c": [2] * 5}))
    assert data["kernels"] == [2, 3]


def test_the_equally_uneven_stay_in_the_order_of_the_tree() -> None:
    data = imbalance(uneven_study({f"f{i:02}": [1] * 5 for i in range(40)}))
    assert data["kernels"] == list(range(1, 41))


def test_no_imbalance_without_locations_or_with_one() -> None:
    assert imbalance(two_parameter_study()) is None
    assert imbalance(uneven_study({"a": [1, 2, 3, 4, 5]}, locations=1)) is None


def test_no_imbalance_of_what_does_not_differ() -> None:
    analysis = study()
    visits = analyse(analysis.experiment, analysis.decision, "visits", ModelOptions())
    assert imbalance(visits) is None
    assert [metric["name"] for metric in data_of(visits)["metrics"]] == ["time"]


def test_points_without_runs_have_no_locations() -> None:
    analysis = study()
    runs = tuple(run for run in analysis.experiment.runs if run.point > 0)
    data = imbalance(replace(analysis, experiment=replace(analysis.experiment, runs=runs)))
    assert data["locations"] == [0, 8, 16, 32, 64]


def test_decisions_of_the_filter_are_a_table() -> None:
    data = as_carried(filter_data(EVIDENCE))
    assert data["names"] == [SOLVER, SCRIPT, SHIFT]
    assert {column["title"]: column["texts"] for column in data["columns"]} == {
        "region": ["Foam::fvMatrix<Foam::Vector<double> >::solveSegregated", SCRIPT, SHIFT],
        "decision": ["kept", "kept", "dropped"],
        "visits": ["10", "20", "1.00 million"],
        "time [core-s]": ["99.0", "5.00", "3.00"],
        "reason": ["it is long", "it is long", "no rule keeps it"],
    }
    assert data_of(study(), EVIDENCE)["filter"] == data


def test_values_of_the_filter_have_five_digits() -> None:
    row = {"region": "a", "kept": True, "why": "", "visits": 1234567.0, "time": 0.123456789}
    data = as_carried(filter_data({"method": "", "regions": [row]}))
    assert [column["values"] for column in data["columns"][2:4]] == [[1234600.0], [0.12346]]


def test_no_filter_without_evidence_or_decisions() -> None:
    assert filter_data(None) is None
    assert filter_data({"method": "paper rule", "regions": []}) is None
    assert data_of(study())["filter"] is None


def test_figures_that_are_not_available_have_no_chart() -> None:
    analysis = two_parameter_study()
    report = answered(analysis)
    assert report.ahead.runtime is not None
    found = as_carried(
        program_data(analysis, report.ahead.runtime, positions_of(analysis, report.ahead.targets))
    )
    assert [chart["name"] for chart in found["charts"]] == ["wall"]
    assert not found["strong"]
    (chart,) = found["charts"]
    assert [len(line["points"]["scale"]) for line in chart["lines"]] == [5] * 5


def test_figures_at_positions_are_those_of_the_runtime() -> None:
    report = answered(study())
    assert report.ahead.runtime is not None
    positions = positions_of(study(), report.ahead.targets)
    found = as_carried(program_data(study(), report.ahead.runtime, positions))
    assert found["strong"]
    assert [(row["label"], row["unit"]) for row in found["answers"]] == [
        ("wall time", "s"),
        ("speed-up", ""),
        ("efficiency", "%"),
    ]
    place = positions.scales.tolist().index(256.0)
    for row, name in zip(found["answers"], ("wall", "speedup", "efficiency"), strict=True):
        expected = getattr(report.ahead.runtime.figures, name)
        for end in ("value", "lower", "upper"):
            assert row[end][place] == pytest.approx(getattr(expected, end)[-1], rel=1e-8)
    (line,) = found["charts"][0]["lines"]
    analysis = study()
    measured, _ = RuntimeStudy(analysis).measured_at(positions.points)
    speedup = runtime(analysis, report.ahead.targets).figures.speedup.value[: len(analysis.experiment.points)]
    shown, curve = np.array(found["answers"][1]["value"]), np.array(line["curve"]["value"])
    assert 1 < measured.sum() < len(measured)
    assert (shown[~measured] == curve[~measured]).all()
    assert shown[measured] == pytest.approx(speedup, rel=1e-8)


def test_figures_over_a_size_and_a_scale_are_those_of_the_runtime() -> None:
    report = answered(sized_study())
    assert report.ahead.runtime is not None
    positions = positions_of(sized_study(), report.ahead.targets)
    found = as_carried(program_data(sized_study(), report.ahead.runtime, positions))["surface"]
    assert (found["scaled"], found["size"], found["share"]) == ("p", "n", report.ahead.runtime.threshold)
    points = np.array([[p, n] for n in found["sizes"] for p in found["scales"]])
    figures = RuntimeStudy(sized_study()).figures(points, np.zeros(len(points), dtype=np.bool_))
    assert found["wall"] == pytest.approx(figures.wall.value)
    for end in ("value", "lower", "upper"):
        assert found["efficiency"][end] == pytest.approx(getattr(figures.efficiency, end))
    assert max(found["sizes"]) == 64
    positions = positions_of(study(), answered(study()).ahead.targets)
    assert program_data(study(), report.ahead.runtime, positions).surface is None
