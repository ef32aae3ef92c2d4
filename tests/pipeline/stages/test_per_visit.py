"""Values per visit of a region."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pipeline as pl
from ingest.alignment import MeasuredRun, align
from ingest.errors import InputError, UsageError
from ingest.locate import locate
from ingest.profile import Metric, MetricKind
from ingest.record_codec import document
from ingest.reduction import reduce_profile
from pipeline.config.options import Options
from pipeline.questions.planning.next_measurement import plan_measurements
from pipeline.questions.runtime.runtime import runtime
from pipeline.report.page.sections import facts
from pipeline.report.proposal import proposal_sentences
from pipeline.stages.check import read_study
from pipeline.stages.ingest import Ingested, ingest
from pipeline.stages.model import modelled
from pipeline.stages.run import run
from pipeline.stages.selection import per_visit, selected, without_kernels
from pipeline.store.results import read_experiment, write_experiment
from tests.documents import summary_of
from tests.ingest.readers.timer_logs import castep, dealii, lammps
from tests.profiles import make_profile

MAIN, STEP, SOLVE, SEND = ("main",), ("main", "step"), ("main", "step", "solve"), ("main", "step", "MPI_Send")
OTHER = ("main", "other", "step")
OPTIONS = Options(scaling="strong")
SAMPLE = Path(__file__).parents[3] / "sample_profiles" / "hpcg-strong"


def study(steps, *, scales=(1, 2, 4, 8, 16), noise=(1.0, 1.02)):
    """A program of some number of steps in each repetition, which only the first location visits.

    Args:
        steps: gives them from scale and repetition.
        scales: numbers of processes.
        noise: of each repetition.
    """
    runs = []
    for p in scales:
        for repetition, factor in enumerate(noise):
            count = steps(p, repetition)
            every = {MAIN: 0.001, STEP: 0.01 / p, SOLVE: 2.0 / p, SEND: 0.02}
            time = {path: [seconds * factor * count] * p for path, seconds in every.items()}
            visits = {MAIN: [1] * p, STEP: [count] + [0] * (p - 1), SOLVE: [3 * count] * p, SEND: [count] * p}
            profile = make_profile({"time": time, "visits": visits}, source=f"p{p}.r{repetition}")
            reduced = reduce_profile(profile, ["time", "visits"])
            runs.append(MeasuredRun((float(p),), repetition, reduced))
    return Ingested(experiment=align(["p"], runs))


def mixed(p, repetition):
    return (10, 20)[repetition]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=10, max_size=10))
def test_the_number_of_steps_of_a_run_does_not_matter(counts):
    numbers = {p: i for i, p in enumerate((1, 2, 4, 8, 16))}
    one = per_visit(study(lambda *_: 1), "step").experiment
    some = per_visit(study(lambda p, r: counts[2 * numbers[p] + r]), "step").experiment
    for reduction in ("sum", "mean", "min", "max"):
        np.testing.assert_allclose(
            getattr(some.values["time"], reduction), getattr(one.values["time"], reduction), rtol=1e-12
        )
    for mine, other in zip(some.runs, one.runs, strict=True):
        np.testing.assert_allclose(mine.class_time, other.class_time, rtol=1e-12)


def test_visits_are_divided_too_and_steps_of_the_master_count():
    found = per_visit(study(mixed), "step").experiment
    visits = dict(zip(found.callpaths, found.values["visits"].sum, strict=True))
    np.testing.assert_allclose(visits[STEP], 1.0)
    np.testing.assert_allclose(visits[SOLVE][-1], 3 * 16)
    np.testing.assert_allclose(visits[MAIN][:, 1], np.array([1, 2, 4, 8, 16]) / 20)
    np.testing.assert_array_equal(found.per.visits, [[10.0, 20.0]] * 5)
    assert (found.per.region, found.per.of_a_run) == ("step", 15.0)
    assert found.notices[-1] == "all values are per visit of 'step' (10 to 20 visits per run)"


def test_models_and_wall_times_are_per_step():
    options = replace(OPTIONS, per="step")
    once, per = (modelled(selected(study(s), options), options, "time") for s in (lambda *_: 1, mixed))
    np.testing.assert_allclose(
        per.callpaths.models.predict(np.array([[64.0]])).value,
        once.callpaths.models.predict(np.array([[64.0]])).value,
        rtol=1e-6,
    )
    wall = runtime(per, np.array([[64.0]])).figures.wall.value
    np.testing.assert_allclose(wall[:5], 1.01 * (0.021 + 2.01 / np.array([1, 2, 4, 8, 16])))


def test_a_region_in_several_call_paths_counts_all_of_them_and_an_id_names_one():
    visits = {MAIN: [1], STEP: [2], OTHER[:2]: [1], OTHER: [4]}
    profile = make_profile({"time": {path: [6.0] for path in visits}, "visits": visits})
    experiment = align(["p"], [MeasuredRun((1.0,), 0, reduce_profile(profile, ["time", "visits"]))])
    read = Ingested(experiment=experiment)
    for region, visits in (("step", 6), ("main/step", 2), ("#4", 4), ("main/other/*", 4)):
        found = per_visit(read, region).experiment
        assert found.values["time"].sum[0, 0, 0] == pytest.approx(6.0 / visits)


def test_nothing_is_divided_without_a_region():
    read = study(mixed)
    assert per_visit(read, "") is read


def test_what_does_not_add_up_is_not_divided():
    read = study(mixed)
    experiment = read.experiment
    longest = Metric("longest", "sec", MetricKind.MAXIMUM)
    values = {**experiment.values, "longest": experiment.values["time"]}
    more = replace(experiment, metrics=(*experiment.metrics, longest), values=values)
    found = per_visit(replace(read, experiment=more), "step").experiment
    assert found.values["longest"] is values["longest"]


def test_points_without_a_run_stay_unmeasured():
    read = study(mixed)
    for metric in read.experiment.values.values():
        for values in vars(metric).values():
            values[:, 0, 1] = np.nan
    found = per_visit(read, "step").experiment
    assert np.isnan(found.values["time"].sum[:, 0, 1]).all()
    assert np.isfinite(found.values["time"].sum[:, 0, 0]).all()


def test_leaving_out_the_region_itself_keeps_its_visits():
    options = replace(OPTIONS, per="step", without=("step",))
    both = selected(study(mixed), options).experiment
    other = without_kernels(per_visit(study(mixed), "step"), ("step",)).experiment
    np.testing.assert_array_equal(both.values["time"].sum, other.values["time"].sum)
    assert both.values["time"].sum[1].sum() == 0


@pytest.mark.parametrize(
    ("steps", "region", "message"),
    [
        (mixed, "stp", "--per: nothing matches 'stp'; "),
        (mixed, "#9", "--per: no call path #9; there are 4"),
        (
            lambda p, r: 0 if p == 4 else 5,
            "step",
            "--per: 2 runs did not visit 'step' (p4.r0, p4.r1); choose a region that every run visits",
        ),
        (lambda p, r: 0, "step", "--per: 10 runs did not visit 'step' (p1.r0, p1.r1, p2.r0, ...); "),
    ],
)
def test_what_cannot_be_divided_by_is_refused(steps, region, message):
    with pytest.raises(UsageError) as error:
        per_visit(study(steps), region)
    assert str(error.value).startswith(message)


def test_visits_have_to_be_measured():
    read = study(mixed)
    values = {"time": read.experiment.values["time"]}
    with pytest.raises(UsageError, match="--per: no visits were measured; only profiles that count visits"):
        per_visit(replace(read, experiment=replace(read.experiment, values=values)), "step")


@pytest.mark.slow
def test_everything_that_people_read_says_so(tmp_path):
    options = replace(OPTIONS, per="step")
    analysis = modelled(selected(study(mixed), options), options, "time")
    summary = summary_of(analysis, ())
    assert (summary["per"], summary["visits_per_run"]) == ("step", 15)
    values = dict(facts(analysis))["Values"]
    assert values == "per visit of step, which a run visits 15 times (median)"
    found = runtime(analysis, np.array([[64.0]]))
    assert proposal_sentences("x", analysis, found)[1].startswith("A visit of step at p = 64 is predicted")
    whole = modelled(study(mixed), OPTIONS, "time")
    assert summary_of(whole, ())["per"] is None and "Values" not in dict(facts(whole))


def test_the_cost_of_a_measurement_is_that_of_a_run():
    options = replace(OPTIONS, per="step")
    analysis = modelled(selected(study(lambda *_: 20, noise=(1.0, 1.3)), options), options, "time")
    plan = plan_measurements(analysis, np.array([64.0]), 1e5)
    first = plan.plan[0] if plan.plan else plan.instead
    one = analysis.callpaths.models.predict(np.array([[first.at["p"]]])).value.sum()
    assert first.cost == pytest.approx(20 * first.repetitions * one)


def test_stored_results_remember_it(tmp_path):
    experiment = per_visit(study(mixed), "step").experiment
    write_experiment(tmp_path, experiment)
    per = read_experiment(lambda name: (tmp_path / name).read_bytes()).per
    assert per.region == "step"
    np.testing.assert_array_equal(per.visits, experiment.per.visits)
    write_experiment(tmp_path, study(mixed).experiment)
    assert read_experiment(lambda name: (tmp_path / name).read_bytes()).per is None


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A run on real measurements, per iteration of the conjugate gradients."""
    out = tmp_path_factory.mktemp("per") / "results"
    run(SAMPLE, Options(out=out, per="main/CG/ComputeSPMV"))
    return out


@pytest.mark.slow
def test_real_times_per_iteration_times_iterations_are_those_of_the_run(results):
    whole, per = pl.read_study(SAMPLE), pl.read_study(SAMPLE, per="main/CG/ComputeSPMV")
    assert per.problems == ("all values are per visit of 'main/CG/ComputeSPMV' (102 visits per run)",)
    for mine, other in zip(per.measurements.effort, whole.measurements.effort, strict=True):
        assert 102 * mine == pytest.approx(other)
    summary = json.loads((results / "summary.json").read_text())
    first = summary["runtime"]["at"][0]
    assert first["wall_seconds"]["value"] == pytest.approx(10.73 / 102, rel=1e-3)
    assert summary["per"] == "main/CG/ComputeSPMV"


@pytest.mark.slow
def test_the_page_says_so(results):
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "per visit of main/CG/ComputeSPMV at p = 32" in " ".join(page.split())
    assert "per visit of main/CG/ComputeSPMV, which a run visits 102 times" in page


@pytest.mark.slow
def test_the_filter_is_that_of_whole_runs(tmp_path):
    corrected = SAMPLE.parent / "lulesh-accessors" / "full"
    whole, per = tmp_path / "whole", tmp_path / "per"
    effects = [
        run(corrected, Options(out=out, per=region)).filter_effect
        for out, region in ((whole, ""), (per, "LagrangeLeapFrog"))
    ]
    assert effects[0] == effects[1]
    assert (whole / "app.filter").read_text() == (per / "app.filter").read_text()


@pytest.mark.slow
def test_whole_runs_are_checked_only(results):
    with pytest.raises(InputError, match="per visit of 'main/CG/ComputeSPMV', not of whole runs"):
        read_study(results, Options())


@pytest.fixture
def logs(tmp_path):
    """Runs of CASTEP whose iterations take 40 s of one process, with one iteration more on more processes."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for n, p in enumerate((4, 8, 16, 32, 64)):
        stamps = tuple(1.0 + 40.0 / p * i for i in range(n + 3))
        (folder / f"app.p{p}.log").write_text(castep(processes=p, stamps=stamps))
    return folder


def test_runs_are_divided_by_the_steps_that_logs_state(logs):
    models = pl.read_study(logs, per="steps").fit(scaling="strong")
    rows = models.predict(p=[4, 64])
    iterations = rows[rows.kernel == "SCF iterations"]
    assert iterations.value.tolist() == pytest.approx([40.0, 40.0])
    whole = pl.read_study(logs).measurements
    parts = pl.read_study(logs, per="steps").measurements
    first, last = (parts[parts.p == p].effort.to_numpy() for p in (4, 64))
    assert first == pytest.approx(whole[whole.p == 4].effort.to_numpy() / 2)
    assert last == pytest.approx(whole[whole.p == 64].effort.to_numpy() / 6)
    assert (parts.time_per_step == whole.time_per_step).all()


@pytest.mark.slow
def test_results_per_stated_step_say_so(logs, tmp_path):
    options = Options(out=tmp_path / "out", per="steps", scaling="strong")
    found = run(logs, options)
    assert "all values are per step (2 to 6 steps per run)" in found.notices
    assert document(found.summary)["per"] == "steps"
    assert "per step, which a run makes 4 times (median)" in (tmp_path / "out" / "report.html").read_text()


def test_a_region_called_steps_counts_before_stated_steps():
    profile = make_profile({"time": {("steps",): [6.0]}, "visits": {("steps",): [3.0]}})
    reduced = reduce_profile(profile, ["time", "visits"])
    experiment = align(["p"], [MeasuredRun((p,), 1, reduced) for p in (1.0, 2.0)])
    read = Ingested(experiment=experiment)
    assert per_visit(read, "steps").experiment.values["time"].sum[0, :, 0].tolist() == [2.0, 2.0]


def test_runs_that_state_no_steps_are_named(tmp_path):
    for p in (4, 8):
        (tmp_path / f"app.p{p}.log").write_text(dealii([("solve", 2.0)], total=4.0))
    with pytest.raises(UsageError, match=r"app\.p4\.log does not state its steps"):
        per_visit(ingest(locate(tmp_path), "time"), "steps")


def lammps_runs(folder, steps, seconds=lambda p: 1.0 / p):
    for name, (p, count) in steps.items():
        loop = count * seconds(p)
        text = lammps(
            (loop, count, [("Pair", 0.75 * loop), ("Comm", 0.2 * loop), ("Other", 0.05 * loop)]), tasks=p
        )
        (folder / f"{name}.log").write_text(text)
    return selected(ingest(locate(folder), "time"), OPTIONS).experiment


UNEQUAL = {"p1": (1, 4000), "p2": (2, 4000), "p4": (4, 714285)}


def test_runs_of_unequal_length_are_compared_per_step(tmp_path):
    experiment = lammps_runs(tmp_path, UNEQUAL)
    assert experiment.per is not None and experiment.per.region == "steps"
    assert experiment.values["time"].sum.sum(axis=0)[:, 0] == pytest.approx([1.0, 1.0, 1.0], rel=1e-3)
    assert "runs of different length are compared per step; --per run keeps them as they are" in (
        experiment.notices
    )
    whole = selected(ingest(locate(tmp_path), "time"), Options(per="run")).experiment
    assert whole.per is None
    assert whole.values["time"].sum.sum(axis=0)[2, 0] == pytest.approx(714285, rel=1e-3)


@pytest.mark.parametrize(
    "steps",
    [
        {"p1": (1, 100), "p2": (2, 110), "p4": (4, 190)},  # a solver needs more of them
        {"p1": (1, 100), "p2": (2, 200), "p4": (4, 400)},  # weak scaling to the same end
        {"p2.n1": (2, 100), "p2.n2": (2, 900)},  # a finer mesh
    ],
)
def test_steps_that_a_series_needs_are_left_alone(tmp_path, steps):
    assert lammps_runs(tmp_path, steps).per is None


def test_parts_of_a_run_are_compared_per_step(tmp_path):
    experiment = lammps_runs(tmp_path, {f"part{i}": (4, 100 * i) for i in (1, 2, 3)})
    assert experiment.per is not None and experiment.shape == (1, 3)
