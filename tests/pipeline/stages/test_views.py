"""The stages behind plot, advise, report and inspect."""

import json

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from ingest.locate import locate
from ingest.record_codec import document
from pipeline.config.options import Options
from pipeline.questions import pop_efficiency
from pipeline.questions.planning.next_measurement import _cores, plan_measurements
from pipeline.stages.ingest import ingest
from pipeline.stages.inspect import inspect_path
from pipeline.stages.model import modelled
from pipeline.stages.plot import find_kernel, kernel_curve
from pipeline.stages.report import report_stored
from pipeline.stages.run import run
from pipeline.store.generation import open_result
from tests.cubex_writer import MetricSpec, write_cubex
from tests.foam_cases import write_foam_case
from tests.ingest.readers import timer_logs
from tests.stored_results import sign


@pytest.fixture
def analysis(strong_study):
    return modelled(ingest(locate(strong_study), "time"), Options(), "time")


def many(folder, names):
    for p in (1, 2, 4):
        write_foam_case(folder / f"app.p{p}.r1", {"main": 1.0} | dict.fromkeys(names, 1.0 * p), processes=p)
    return modelled(ingest(locate(folder), "time"), Options(), "time")


def test_a_kernel_is_a_region_else_a_call_path(analysis):
    assert find_kernel(analysis, "solve") == (analysis.regions, 1)
    assert find_kernel(analysis, "main/sum") == (analysis.callpaths, 2)


def test_an_ambiguous_pattern_lists_at_most_four_names_with_their_shares(tmp_path):
    four = many(tmp_path / "four", ["sa", "sb", "sc", "sd"])  # 4 of 1 + 4 * 4 s each
    with pytest.raises(UsageError) as error:
        find_kernel(four, "s?")
    assert (
        str(error.value) == "'s?' matches 4 kernels (sa 23.5 %, sb 23.5 %, sc 23.5 %, sd 23.5 %); choose one"
    )
    five = many(tmp_path / "five", ["sa", "sb", "sc", "sd", "se"])
    with pytest.raises(UsageError, match=r"'s\?' matches 5 kernels \(sa 19\.0 %, .*, sd 19\.0 %, \.\.\.\)"):
        find_kernel(five, "s?")
    with pytest.raises(UsageError, match=r"no kernel 'saa'; did you mean 'sa'\?"):
        find_kernel(five, "saa")
    with pytest.raises(UsageError, match="no kernel 'x'; `pipeline bottlenecks OUT` lists them"):
        find_kernel(five, "x")


def test_a_curve_reaches_to_the_largest_target(analysis):
    curve = kernel_curve(analysis, *find_kernel(analysis, "sum"), [{"p": 64.0}, {"p": 32.0}])
    assert (curve.scale[0], curve.scale[-1]) == pytest.approx((1.0, 64.0))
    assert curve.title == f"sum: {analysis.regions.models.formula(2).text()}"
    assert kernel_curve(analysis, *find_kernel(analysis, "main/sum")).title.startswith("main › sum: ")
    assert kernel_curve(analysis, *find_kernel(analysis, "sum")).scale[-1] == pytest.approx(64.0)
    within = kernel_curve(analysis, *find_kernel(analysis, "sum"), [{"p": 4.0}])
    assert within.scale[-1] == pytest.approx(4.0)


def test_a_curve_has_every_measured_value_and_the_model(analysis):
    curve = kernel_curve(analysis, *find_kernel(analysis, "sum"))
    assert (curve.parameter, curve.unit) == ("p", "effort [core-s]")
    assert sorted(set(curve.measured_at.tolist())) == [1, 2, 4, 8, 16] and len(curve.measured) == 10
    assert curve.measured[curve.measured_at == 16] == pytest.approx(0.5 * 256 * np.array([1.002, 1.004]))
    found = analysis.regions.models.take([2]).predict(curve.scale[:, None])
    for name in ("value", "lower", "upper"):
        assert np.array_equal(getattr(curve, name), getattr(found, name)[0])
    assert np.allclose(np.diff(np.log(curve.scale)), np.log(64.0) / 119)


def test_other_parameters_of_a_curve_are_at_their_largest_values(tmp_path):
    for p, n in [(p, n) for p in (1, 2, 4) for n in (10, 20, 40)]:
        write_foam_case(tmp_path / f"app.n{n}.p{p}.r1", {"main": 1.0 * n / p, "sum": 0.1 * p}, processes=p)
    analysis = modelled(ingest(locate(tmp_path), "time"), Options(), "time")
    assert (analysis.experiment.parameters, analysis.parameter) == (("n", "p"), "p")
    curve = kernel_curve(analysis, *find_kernel(analysis, "main"))
    assert curve.measured.tolist() == pytest.approx([40.0, 40.0, 40.0])
    assert curve.scale[-1] == pytest.approx(16.0)
    expected = analysis.regions.models.take([0]).predict(np.array([[40.0, 16.0]])).value[0, 0]
    assert curve.value[-1] == pytest.approx(expected)


def test_a_second_under_weak_scaling_is_paid_by_every_location(tmp_path):
    for p in (1, 2, 4, 8):
        write_foam_case(tmp_path / f"app.p{p}.r1", {"main": 1.0, "sum": 0.1 * p}, processes=2 * p)
    read = ingest(locate(tmp_path), "time")
    points = np.array([[4.0], [16.0]])
    assert _cores(modelled(read, Options(scaling="weak"), "time"), points).tolist() == [8.0, 32.0]
    assert _cores(modelled(read, Options(scaling="strong"), "time"), points).tolist() == [1.0, 1.0]
    weak = plan_measurements(modelled(read, Options(scaling="weak"), "time"), np.array([64.0]), 1e5)
    assert all(step.cost > 0 for step in weak.plan)


def test_advice_needs_models_of_time(strong_study):
    counts = modelled(ingest(locate(strong_study), "visits"), Options(), "visits")
    with pytest.raises(UsageError) as error:
        plan_measurements(counts, np.array([256.0]), 1e5)
    assert str(error.value) == (
        "the models are of visits, so the cost of a run is unknown; run `pipeline run` with --metric time"
    )


@pytest.fixture
def results(strong_study, tmp_path):
    run(strong_study, Options(out=tmp_path / "out", at=({"p": 100.0},)))
    return tmp_path / "out"


@pytest.mark.slow
def test_the_report_has_the_targets_asked_for_or_those_of_the_run(results):
    space = "\N{NO-BREAK SPACE}"
    assert report_stored(results, ()) == results / "report.html"
    assert f"at p{space}={space}100" in (results / "report.html").read_text(encoding="utf-8")
    report_stored(results, [{"p": 333.0}])
    assert f"at p{space}={space}333" in (results / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_report_needs_the_evidence_of_its_filter_as_it_was_written(results):
    (results / "app.filter.json").write_text("{torn")
    with pytest.raises(InputError, match=r"app\.filter\.json has changed since it was written\); run `pipel"):
        report_stored(results, ())
    (results / "app.filter.json").unlink()
    with pytest.raises(InputError, match=r"app\.filter\.json is missing\); run `pipeline run` again"):
        report_stored(results, ())
    sign(results)  # a result without a filter
    report_stored(results, ())


@pytest.mark.slow
def test_a_new_report_is_part_of_the_result(results):
    old = (results / "report.html").read_bytes()
    report_stored(results, [{"p": 333.0}])
    assert (results / "report.html").read_bytes() != old
    assert open_result(results).damages() == []


@pytest.mark.slow
def test_a_report_says_that_a_directory_cannot_be_locked(results, monkeypatch):
    import errno
    import fcntl

    def refuse(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    notices = []
    report_stored(results, (), notices.append)
    assert len(notices) == 1 and "cannot be locked" in notices[0]


def test_an_inspection_describes_every_run(strong_study):
    (strong_study / "README.md").write_text("x")
    file = strong_study / "app.p4.r1" / "processor0" / "1" / "uniform" / "profiling"
    file.write_text("profiling { trig")
    found = inspect_path(strong_study)
    assert (found.path, found.parameters) == (str(strong_study), ("p",))
    assert len(found.runs) == 9
    row = next(row for row in found.runs if tuple(row.at) == (8.0,) and row.repetition == 2)
    assert document(row) == {
        "path": str(strong_study / "app.p8.r2"),
        "format": "OpenFOAM",
        "at": [8.0],
        "repetition": 2,
        "callpaths": 3,
        "regions": 3,
        "locations": 8,
        "accelerators": 0,
        "processes": 8,
        "metrics": ["time [s]", "visits [occ]"],
        "metadata": {},
        "settings": {},
        "memory": None,
        "notices": [],
        "totals": {},
    }
    assert [entry.path for entry in found.skipped] == [str(strong_study / "README.md")]
    (problem,) = found.problems
    assert problem.startswith(f"{strong_study / 'app.p4.r1'}: ") and found.usable


def test_an_inspection_of_a_sound_study_finds_no_problem(strong_study):
    found = inspect_path(strong_study)
    assert (found.problems, found.usable) == ([], True)


def test_an_inspection_goes_on_without_names(tmp_path):
    for name in ("one", "another"):
        write_foam_case(tmp_path / name, {"main": float(len(name))})
    found = inspect_path(tmp_path)
    assert len(found.runs) == 2 and not found.usable
    assert "run name not understood" in found.problems[0]
    assert "`pipeline inspect DIR --propose`" in found.problems[0]


def test_an_inspection_says_that_one_point_does_not_scale(tmp_path):
    for repetition in (1, 2):
        write_foam_case(tmp_path / f"app.p1.r{repetition}", {"main": 1.0 + 0.01 * repetition})
    (problem,) = inspect_path(tmp_path).problems
    assert "all runs are repetitions of one point" in problem


def test_an_inspection_asks_for_the_scaling_that_profiles_do_not_show(tmp_path):
    for p in (1, 2, 4):
        write_foam_case(tmp_path / f"app.p{p}.r1", {"main": 1.0}, processes=p)
    (problem,) = inspect_path(tmp_path).problems
    assert "use --scaling strong or --scaling weak" in problem


def test_totals_are_exclusive_sums_of_what_may_be_summed(tmp_path):
    metrics = [
        MetricSpec("time", [[1.5, 2.0], [0.25, 4.0]], unit="sec"),
        MetricSpec("count", [[1, 2], [3, 4]], dtype="UINT64", unit=""),
        MetricSpec("min_time", [[1.5, 2.0], [0.25, 4.0]], dtype="MINDOUBLE"),
    ]
    profile = write_cubex(tmp_path / "profile.cubex", parent=[-1, 0], metrics=metrics)
    (row,) = inspect_path(profile, totals=True).runs
    assert row.totals == {"time [sec]": 7.75, "count": 10.0}


def test_an_inspection_of_a_series_file(tmp_path):
    file = tmp_path / "s.jsonl"
    lines = [
        {"params": {"p": p}, "callpath": c, "metric": m, "value": [1.0, 2.0, 3.0]}
        for p in (1, 2)
        for c in ("main", "main->a")
        for m in ("time", "bytes")
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = inspect_path(file)
    assert document(found.series) == {
        "format": found.series.format,
        "points": 2,
        "repetitions": 3,
        "callpaths": 2,
        "metrics": ["time", "bytes"],
    }
    assert (list(found.runs), found.skipped) == ([], [])


@pytest.mark.slow
def test_the_page_is_made_of_all_that_a_run_found(strong_study, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("pipeline.stages.report.report_html", lambda report: made.append(report) or "")
    out = tmp_path / "out"
    summary = document(run(strong_study, Options(out=out, at=({"p": 100.0},))).summary)
    report_stored(out, ())
    for report in made:
        assert document(report.ahead.answers.of(pop_efficiency.QUESTION)) == summary["efficiency"]
        assert report.ahead.targets.tolist() == [[100.0]]
        assert report.filter_evidence["regions"]
        assert report.provenance["configuration"]["at"] == [{"p": 100.0}]
        assert len(report.ahead.outlooks[1].order) == len(report.ahead.analysis.regions.kernels)
        assert len(report.ahead.outlooks[0].order) == len(report.ahead.analysis.callpaths.kernels)
    assert len(made) == 2


def test_an_inspection_of_a_log_reconciles_it_with_its_total(tmp_path):
    file = tmp_path / "x.log"
    file.write_text(timer_logs.petsc())
    (run,) = inspect_path(tmp_path).runs
    assert run.format == "PETSc"
    assert run.statistic.endswith("(8 processes)")
    assert run.reconciled == {"": "timers 120 s = 100.00 % of the stated 120 s"}
    assert run.overlapping == [
        ("CreateFunctionSpace (0: Main Stage)", 8.0),
        ("Mesh Partition (0: Main Stage)", 4.0),
    ]


def test_an_inspection_of_logs_notes_what_differs(tmp_path):
    (tmp_path / "a.p8.log").write_text(timer_logs.castep(processes=8))
    (tmp_path / "a.p16.log").write_text(timer_logs.namd())
    found = inspect_path(tmp_path)
    assert "the runs do not agree on 'program': CASTEP (1 run), NAMD (1 run)" in found.notices
    assert all(run.overlapping is None for run in found.runs)
