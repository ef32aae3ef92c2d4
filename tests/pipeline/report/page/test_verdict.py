"""Three sentences made from data."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.cpp_names import short_name
from ingest.scaling import Scaling
from pipeline.models.prediction import Prediction
from pipeline.models.quality import Note
from pipeline.questions.analysis import Analysis, Level, look_ahead
from pipeline.report.page.page import Findings, leaders, verdict
from pipeline.wording.quantities import estimate_text, percent, readable_unit
from tests.pipeline.models.made import changed
from tests.pipeline.report.page.studies import SOLVER, study, study_of, two_parameter_study


def findings(analysis: Analysis, *target: float) -> Findings:
    at = np.array([target])
    callpaths = look_ahead(analysis, analysis.callpaths, at)
    return Findings(analysis, callpaths, look_ahead(analysis, analysis.regions, at), at[0])


def sentences(made: Findings) -> list[str]:
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in verdict(made)]


def shares(made: Findings, region: str) -> tuple[str, str]:
    k = made.analysis.regions.kernels.callpaths.index((region,))
    return percent(made.regions.share_measured[k]), percent(made.regions.share_target[k])


def test_a_change_of_leaders_beyond_the_measurements_is_dated() -> None:
    made = findings(study(), 256.0)
    (first, start), (second, since) = leaders(made)
    names = study().regions.kernels.callpaths
    assert (names[first], names[second]) == ((SOLVER,), ("MPI_Allreduce",))
    assert start == 4.0
    assert since == pytest.approx(100 ** (2 / 3) * 0.05 ** (-2 / 3), rel=0.05)
    at = made.regions.crossovers[-1].at
    assert sentences(made)[0] == (
        f"Up to about p = {at:.3g} {short_name(SOLVER)} dominates ({shares(made, SOLVER)[0]} of the effort "
        f"at p = 64); beyond that, MPI_Allreduce overtakes it and takes {shares(made, 'MPI_Allreduce')[1]} "
        "at p = 256."
    )


def test_without_a_change_one_region_dominates() -> None:
    made = findings(study(), 64.0)
    now, then = shares(made, SOLVER)
    assert sentences(made)[0] == (
        f"{short_name(SOLVER)} dominates at every scale: {now} of the effort at p = 64, {then} at p = 64."
    )


THREE_LEADERS = {
    ("main",): lambda p: 20 + 0 * p,
    ("main", "linear"): lambda p: p,
    ("main", "square"): lambda p: 0.01 * p**2,
}


def test_a_change_within_the_measurements_names_the_new_leader() -> None:
    made = findings(study_of({path: THREE_LEADERS[path] for path in list(THREE_LEADERS)[:2]}), 256.0)
    assert [made.name(k) for k, _ in leaders(made)] == ["main", "linear"]
    now, then = shares(made, "linear")
    assert sentences(made)[0] == (
        f"Up to about p = {made.regions.crossovers[-1].at:.3g} main dominates, from there on linear: "
        f"{now} of the effort at p = 64, {then} at p = 256."
    )


def test_of_several_leaders_the_last_two_are_told() -> None:
    made = findings(study_of(THREE_LEADERS), 256.0)
    assert [made.name(k) for k, _ in leaders(made)] == ["main", "linear", "square"]
    first, second = (
        next(
            c.at
            for c in made.regions.crossovers
            if made.name(c.overtakes) == name and made.name(c.overtaken) == past
        )
        for name, past in (("linear", "main"), ("square", "linear"))
    )
    assert first == pytest.approx(20, rel=0.05)
    assert second == pytest.approx(100, rel=0.1)  # predicted: the trend has a say beyond p = 64
    assert sentences(made)[0].startswith(f"From about p = {first:.3g} to {second:.3g} linear dominates (")


def test_a_change_that_is_no_listed_crossover_is_taken_from_the_leaders() -> None:
    made = findings(study(), 256.0)
    unlisted = replace(made, regions=replace(made.regions, crossing=tuple))
    since = leaders(made)[-1][1]
    assert sentences(unlisted)[0].startswith(f"Up to about p = {since:.3g} ")


def test_leaders_are_looked_for_up_to_the_largest_measured_scale_at_least() -> None:
    made = findings(study_of(THREE_LEADERS), 10.0)
    assert [made.name(k) for k, _ in leaders(made)] == ["main", "linear"]


def test_nothing_dominates_where_nothing_takes_time() -> None:
    made = findings(study_of({("main",): lambda p: 0 * p}), 256.0)
    first, second, third = sentences(made)
    assert first == "No region is predicted to take any effort at p = 256."
    assert second.startswith("At p = 256 the predicted total is 0 core-s ")
    assert second.endswith("(effort, 90 % interval); perfect scaling would keep it constant.")
    assert "error" not in third


def test_the_total_is_that_of_the_call_paths_with_its_interval() -> None:
    made = findings(study(), 256.0)
    total = made.callpaths.total
    measured = study().callpaths.kernels.mean[:, -1].sum()
    assert sentences(made)[1] == (
        f"At p = 256 the predicted total is "
        f"{estimate_text(total.value[0, 0], total.lower[0, 0], total.upper[0, 0], 'core-s')} "
        "(effort, 90 % interval), "
        f"{total.value[0, 0] / measured:.2g} times the measured total at p = 64; "
        "perfect scaling would keep it constant; "
        "MPI_Allreduce adds most, growing like p^(3/2)."
    )


def with_total(made: Findings, value: float, low: float, high: float) -> Findings:
    total = Prediction(np.array([[value]]), np.array([[low]]), np.array([[high]]))
    return replace(made, callpaths=replace(made.callpaths, total=total))


def test_large_totals_are_told_in_core_hours() -> None:
    made = with_total(findings(study(), 256.0), 1.054e9, 0.9e9, 2.2e10)
    second = sentences(made)[1]
    assert "the predicted total is 293,000 core-hours (250,000 to 6.1 million core-hours) (effort, " in second
    measured = study().callpaths.kernels.mean[:, -1].sum()
    assert f", {1.054e3 / measured:.2g} million times the measured total at p = 64;" in second


def test_values_that_do_not_scale_promise_no_perfect_scaling() -> None:
    second = sentences(findings(two_parameter_study(), 256.0, 50.0))[1]
    assert "perfect scaling" not in second
    assert "(time, 90 % interval)" in second
    assert second.startswith("At p = 256 the predicted total is ")


def test_weak_scaling_names_the_time_of_a_location() -> None:
    weak = study_of({("main",): lambda p: 3 * p}, scaling=Scaling.WEAK)
    second = sentences(findings(weak, 256.0))[1]
    assert ") (time, 90 % interval)" in second
    assert "perfect scaling would keep it constant" in second


def test_nothing_is_said_of_a_driver_where_nothing_rises() -> None:
    falling = study_of({("main",): lambda p: 100 / p, ("main", "more"): lambda p: 50 / p})
    assert "adds most" not in sentences(findings(falling, 256.0))[1]


def test_a_driver_that_rises_without_growing_has_no_growth() -> None:
    made = findings(study(), 256.0)
    k = study().regions.kernels.callpaths.index((SOLVER,))
    value = made.regions.prediction.value.copy()
    value[k] = 1e6
    raised = replace(
        made, regions=replace(made.regions, prediction=replace(made.regions.prediction, value=value))
    )
    assert sentences(raised)[1].endswith(f"; {short_name(SOLVER)} adds most.")


def with_notes(analysis: Analysis, notes: dict[str, Note]) -> Analysis:
    models, names = analysis.regions.models, analysis.regions.kernels.callpaths
    note = np.array([notes.get(path[-1], Note(0)) for path in names], dtype=np.int64)
    return replace(analysis, regions=Level(analysis.regions.kernels, changed(models, note=note)))


def test_trust_names_points_repetitions_reach_and_error() -> None:
    made = findings(study(), 256.0)
    matter = made.regions.share_target >= 0.01
    error = float(np.median(study().regions.models.quality.cv_smape[matter]))
    assert sentences(made)[2] == (
        "The models are fitted to 5 points with up to 3 repetitions and extrapolated to 4 times the largest "
        f"measured scale; the median error of a point left out of the fit is {error:.2g} %."
    )
    assert "extrapolated" not in sentences(findings(study(), 64.0))[2]
    single = study_of({("main",): lambda p: 100 + p}, repetitions=1)
    assert "5 points with one repetition and" in sentences(findings(single, 256.0))[2]


def test_models_that_miss_measurements_are_counted_among_regions_that_matter() -> None:
    made = findings(study(), 256.0)
    matters = made.regions.share_target >= 0.01
    first = int(np.flatnonzero(matters)[0])
    for missed, count in (
        (np.arange(len(matters)) == first, f"1 of {matters.sum()}"),
        (matters, f"all {matters.sum()}"),
    ):
        standing = replace(made.regions.standing, unreliable=missed)
        third = sentences(replace(made, regions=replace(made.regions, standing=standing)))[2]
        assert third.endswith(
            f" %; models of {count} regions above 1 % miss measurements by far, "
            "so nothing is concluded from them."
        )
    standing = replace(made.regions.standing, unreliable=~matters)
    small = sentences(replace(made, regions=replace(made.regions, standing=standing)))[2]
    assert "miss measurements" not in small


def test_long_names_are_cut_and_scales_do_not_break() -> None:
    name = "a" * 40 + "b" * 40
    made = findings(study_of({(name,): lambda p: 100 + p}), 256.0)
    first = verdict(made)[0]
    assert first.startswith(f"{'a' * 30}…{'b' * 29} dominates")
    assert "at p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}256." in first


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (35_999.0, "core-s", (1.0, "core-s")),
        (36_000.0, "core-s", (1 / 3600, "core-hours")),
        (1e9, "s", (1.0, "s")),
        (1e9, "", (1.0, "")),
    ],
)
def test_only_many_core_seconds_become_core_hours(
    value: float, unit: str, expected: tuple[float, str]
) -> None:
    assert readable_unit(value, unit) == expected


def test_values_without_a_unit_leave_no_gap() -> None:
    analysis = study()
    bare = replace(
        analysis, callpaths=Level(replace(analysis.callpaths.kernels, unit=""), analysis.callpaths.models)
    )
    assert (
        "the predicted total is 343 (not predictable) (effort, "
        in sentences(with_total(findings(bare, 256.0), 343.0, 1.0, 400.0))[1]
    )
