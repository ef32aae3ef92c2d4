"""Overhead is taken out of what was read, as the user wants it and with what the user knows."""

import json

import numpy as np
import pytest

from filters.known_plain import KNOWN_SPREAD
from ingest.errors import InputError, UsageError
from ingest.locate import locate
from ingest.scaling import decide_scaling
from pipeline.config.options import FilterOptions, Options
from pipeline.gate.baselines import baseline_of, from_document
from pipeline.gate.kernel_values import match, measurements_of
from pipeline.gate.target_forecast import forecast
from pipeline.models.fit import fit
from pipeline.models.kernels import callpath_kernels
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import analyse
from pipeline.questions.planning.next_measurement import plan_measurements, run_costs
from pipeline.stages.check import like_baseline, read_alike, read_study
from pipeline.stages.ingest import ingest
from pipeline.stages.overhead import calibration_of, true_times
from pipeline.store.history_file import add_to_history, history_rows
from tests.cubex_writer import write_visited
from tests.ingest.readers.timer_logs import cp2k

COST, INSIDE = 80e-9, 0.42
TINY = 10**7
SCALES = (1, 2, 4)
OVERHEAD = COST * TINY  # core-seconds at scale 1


def write_run(path, scale, tiny=TINY, plain=0.4, loops=10):
    visits = [1, loops, tiny * scale if tiny else 0]
    beside = COST * (1 - INSIDE) * tiny * scale
    time = [0.01 * scale, plain * scale + beside, COST * INSIDE * tiny * scale]
    return write_visited(path, [-1, 0, 1], ("main", "loop", "tiny"), visits, time)


@pytest.fixture
def study(tmp_path):
    for scale in SCALES:
        write_run(tmp_path / "full" / f"app.s{scale}.r1" / "profile.cubex", scale)
    return tmp_path / "full"


def totals(study, **options):
    filter_ = FilterOptions(**{k: v for k, v in options.items() if k != "overhead"})
    chosen = Options(filter=filter_, overhead=options.get("overhead", "auto"))
    experiment = true_times(ingest(locate(study), "time"), chosen).experiment
    return experiment.values["time"].sum.sum(axis=0)[:, 0], experiment


def test_much_overhead_is_corrected_unless_times_are_kept(study):
    corrected, experiment = totals(study)
    assert experiment.correction is not None and "times are corrected" in experiment.notices[-1]
    assert (corrected < 0.7 * np.array(SCALES)).all()
    kept, experiment = totals(study, overhead="keep")
    assert kept == pytest.approx((0.41 + OVERHEAD) * np.array(SCALES))
    assert experiment.correction is None and "times are as measured" in experiment.notices[-1]
    assert experiment.overhead_left > 0.3


def test_further_runs_cost_what_is_paid_for_them_and_plain_ones_what_they_take(study):
    _, experiment = totals(study)
    analysis = analyse(experiment, decide_scaling(experiment), "time", ModelOptions())
    at = np.array([[1.0], [4.0], [8.0]])
    paid = (0.41 + OVERHEAD) * at[:, 0]
    assert run_costs(analysis, at) == pytest.approx(paid, rel=0.05)
    assert (run_costs(analysis, at, plain=True) < 0.7 * paid).all()
    assert plan_measurements(analysis, at[-1]).budget == pytest.approx(paid[-1], rel=0.05)


def test_little_overhead_is_corrected_only_if_asked_for(tmp_path):
    for scale in SCALES:
        write_run(tmp_path / f"app.s{scale}.r1" / "profile.cubex", scale, tiny=10**4)
    read = ingest(locate(tmp_path), "time")
    assert true_times(read, Options()) is read
    assert true_times(read, Options(overhead="keep")) is read
    assert true_times(read, Options(overhead="correct")).experiment.correction is not None


def test_timers_of_logs_have_no_overhead_to_correct(tmp_path):
    for p in (2, 4, 8):
        (tmp_path / f"a.p{p}.log").write_text(cp2k([("CP2K", 1e-3), ("tiny", 1e-6)], total=1.0, processes=p))
    read = ingest(locate(tmp_path), "time")
    assert "visits" in read.experiment.values
    assert true_times(read, Options(filter=FilterOptions(event_cost=1.0))) is read
    asked = true_times(read, Options(overhead="correct")).experiment
    assert asked.correction is None and "no visits of instrumented regions" in asked.notices[-1]


def test_a_run_time_is_that_of_the_largest_scale(study):
    corrected, experiment = totals(study, baseline_time=1.64)
    assert corrected[-1] == pytest.approx(1.64, rel=1e-3)
    assert corrected[:2] == pytest.approx([0.41, 0.82], rel=0.05)
    assert experiment.correction.total_deviation < 0.3


def test_run_times_may_come_from_a_file(study, tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("s,seconds\n1,0.41\n1,0.43\n1,0.41\n4,1.7\n32,9\n")
    corrected, experiment = totals(study, baseline_time=file)
    assert corrected[[0, 2]] == pytest.approx([0.41, 1.7], rel=0.01)
    assert any("1 plain time at s = 32, where no run was profiled" in one for one in experiment.notices)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "s,time\n1,0.4\n",
            r"plain.csv: has no column seconds; write a header line s,seconds",
        ),
        ("s,wall_seconds\n1,0.4\n", "no column seconds; name .* 'seconds'; there are s, wall_seconds"),
        ("s,seconds\n1,fast\n", "plain.csv:2: a value is missing or not a number"),
        ("s,seconds\n", "plain.csv: has no run"),
        ("s,seconds\n1,-1\n", "plain.csv:2: invalid run time -1"),
    ],
)
def test_files_of_run_times_that_are_wrong_are_refused(study, tmp_path, text, said):
    file = tmp_path / "plain.csv"
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        totals(study, baseline_time=file)
    with pytest.raises(UsageError, match="cannot be read"):
        totals(study, baseline_time=tmp_path / "none.csv")


def test_a_run_time_that_is_longer_than_the_instrumented_run_may_have_its_start_up(study, tmp_path):
    with pytest.raises(UsageError, match=r"--baseline-time: the run without instrumentation took 90.0 s"):
        totals(study, baseline_time=90.0)
    with pytest.raises(
        UsageError, match=r"`time mpirun -n P true` shows it.* s,seconds,startup and 4,7.5,2.66$"
    ):
        totals(study, baseline_time=7.5)
    table = tmp_path / "plain.csv"
    for line in ("4,7.5,2.66", "4,70,67"):
        table.write_text(f"s,seconds,startup\n{line}\n")
        assert totals(study, baseline_time=table)[1].correction is not None


def test_several_run_times_of_a_point_show_its_noise(study, tmp_path):
    for scale in SCALES:
        write_run(study / f"app.s{scale}.r2" / "profile.cubex", scale, plain=0.4001)
    file = tmp_path / "plain.csv"
    file.write_text("s,seconds\n" + "".join(f"{s},{0.41 * s * f}\n" for s in SCALES for f in (1.0, 1.1)))
    experiment = totals(study, baseline_time=file)[1]
    found = experiment.values["time"].sum.sum(axis=0)
    assert found[:, 1] / found[:, 0] == pytest.approx(1.1, rel=1e-3)
    assert experiment.correction.supported


def test_runs_with_fewer_regions_calibrate_their_scales(study, tmp_path):
    write_run(tmp_path / "less" / "app.s2.r1" / "profile.cubex", 2, tiny=10**4)
    corrected, _ = totals(study, calibrate=tmp_path / "less")
    assert corrected == pytest.approx([0.41, 0.82, 1.64], rel=0.05)


def test_a_single_profile_is_of_the_scale_that_its_folder_names(study, tmp_path):
    single = write_run(tmp_path / "less" / "app.s2.r1" / "profile.cubex", 2, tiny=10**4)
    corrected, _ = totals(study, calibrate=single)
    assert corrected == pytest.approx(totals(study, calibrate=single.parent.parent)[0])
    assert corrected[1] == pytest.approx(0.82, rel=1e-3)


def test_a_profile_without_a_name_is_of_the_scale_with_its_visits(tmp_path):
    for scale in SCALES:
        write_run(tmp_path / "full" / f"app.s{scale}.r1" / "profile.cubex", scale, loops=10 * scale)
    less = write_run(tmp_path / "less.cubex", 2, tiny=0, loops=20)
    corrected, _ = totals(tmp_path / "full", calibrate=less)
    assert corrected[1] == pytest.approx(0.82, rel=1e-3)
    other = write_run(tmp_path / "other.cubex", 2, tiny=0, loops=31)
    with pytest.raises(
        UsageError, match=r"other.cubex: its visits are those of no point of the study; name its"
    ):
        totals(tmp_path / "full", calibrate=other)


def test_a_profile_that_may_be_of_any_scale_is_refused(study, tmp_path):
    less = write_run(tmp_path / "less.cubex", 2, tiny=0)
    with pytest.raises(UsageError, match="its visits are those of several points of the study"):
        totals(study, calibrate=less)


def test_calibrations_that_do_not_fit_are_refused(study, tmp_path):
    more = write_run(tmp_path / "more" / "app.s4.r1" / "profile.cubex", 4, tiny=2 * TINY)
    with pytest.raises(UsageError, match=r"profile.cubex: no event cost can be derived: -.* fewer visits"):
        totals(study, calibrate=more)
    write_run(tmp_path / "other" / "app.p2.r1" / "profile.cubex", 2, tiny=10)
    with pytest.raises(UsageError, match=r"other: has other parameters \(p\)"):
        totals(study, calibrate=tmp_path / "other")
    write_run(tmp_path / "far" / "app.s9.r1" / "profile.cubex", 9, tiny=10)
    with pytest.raises(UsageError, match="far: has no run at a point of the study"):
        totals(study, calibrate=tmp_path / "far")


def test_the_filter_of_a_series_gets_what_all_runs_say(study):
    _, experiment = totals(study, baseline_time=1.64)
    found = calibration_of(experiment)
    assert found.plain.total == pytest.approx(1.64, rel=1e-3)
    assert found.plain.spread == experiment.correction.total_deviation
    assert found.cost.recorded == pytest.approx(experiment.correction.cost) == pytest.approx(COST, rel=0.05)
    assert calibration_of(totals(study, overhead="keep")[1]) is None


def test_a_series_of_known_plain_times_is_forecast_as_these_are(study, tmp_path):
    file, target = tmp_path / "plain.csv", np.array([[8.0]])
    file.write_text("s,seconds\n" + "".join(f"{s},{0.41 * s}\n" for s in SCALES))
    experiment = totals(study, baseline_time=file)[1]
    assert calibration_of(experiment).plain.spread == pytest.approx(KNOWN_SPREAD)
    decision = decide_scaling(experiment)
    total = callpath_kernels(experiment, "time", decision.scaling).total
    alone = fit(("s",), experiment.points, total.values).predict(target)
    analysis = analyse(experiment, decision, "time", ModelOptions())
    found = predict_total(analysis.regions.models, target)
    gate = forecast(measurements_of(experiment, decision, "time"), target, ModelOptions()).prediction
    for end in ("lower", "value", "upper"):
        expected = pytest.approx(getattr(alone, end)[0, 0], rel=1e-6)
        assert getattr(found, end)[0, 0] == expected and getattr(gate, end)[0, 0] == expected


@pytest.fixture
def reduced(tmp_path):
    for scale in SCALES:
        write_run(tmp_path / "reduced" / f"app.s{scale}.r1" / "profile.cubex", scale, tiny=10**4)
    return tmp_path / "reduced"


def treatment(studies):
    return [study.measurements.origin.overhead for study in studies]


def test_studies_to_compare_are_treated_alike(study, reduced):
    assert treatment(read_alike((study, reduced), Options())) == ["corrected", "corrected"]
    assert treatment(read_alike((reduced, reduced), Options())) == ["measured", "measured"]
    kept = Options(overhead="keep")
    assert treatment(read_alike((study, reduced), kept)) == ["measured", "measured"]


def test_a_check_treats_times_as_its_baseline_does(study, reduced):
    corrected, measured = (read_study(path, Options()).measurements for path in (study, reduced))
    assert like_baseline(Options(), corrected).overhead == "correct"
    assert like_baseline(Options(), measured).overhead == "keep"
    assert like_baseline(Options(), None).overhead == "auto"
    assert like_baseline(Options(overhead="correct"), measured).overhead == "correct"


def test_times_that_are_treated_differently_are_not_mixed(study, tmp_path):
    corrected, kept = (
        read_study(study, Options(overhead=choice)).measurements for choice in ("correct", "keep")
    )
    with pytest.raises(InputError, match="times are corrected for overhead in the baseline, are as measured"):
        match(corrected, kept)
    history = tmp_path / "history.parquet"

    def add(some, label):
        targets = some.targets(())
        ahead = forecast(some, targets, Options().models)
        return add_to_history(history, history_rows(some, ahead, some.named(targets)[-1], label, {}))

    assert add(corrected, "one") == 1
    with pytest.raises(InputError, match="some times are corrected for overhead, others are as measured"):
        add(kept, "two")


def test_baselines_keep_how_times_were_treated_and_how_uncertain_they_are(study):
    corrected = read_study(study, Options()).measurements
    document = json.loads(baseline_of(corrected, Options().models, {}).text)
    back = from_document(document, "baseline.json")
    assert back.origin.overhead == "corrected"
    assert back.common_error == pytest.approx(corrected.common_error, rel=1e-5)
    del document["sha256"]
    assert from_document(document | {"overhead": ""}, "old.json").origin.overhead == ""


HOOK = 2e-9  # a little more than elsewhere


def filtered_study(folder, scales=(1, 2, 4, 8), hook=HOOK):
    """Runs filtered at run time: hooks of all visits of the tiny function are in the time of its caller."""
    for scale in scales:
        path = folder / f"app.s{scale}.r1" / "profile.cubex"
        write_run(path, scale, tiny=0, plain=0.4 + hook * 10 * TINY)
        path.with_name("scorep.cfg").write_text("SCOREP_FILTERING_FILE='app.filter'\n")
    return folder


def full_study(folder, scales=(1, 2)):
    for scale in scales:
        write_run(folder / f"app.s{scale}.r1" / "profile.cubex", scale, tiny=10 * TINY)
    return folder


def test_hooks_of_rejected_visits_are_no_time_of_the_program(tmp_path):
    filtered, full = filtered_study(tmp_path / "filtered"), full_study(tmp_path / "full")
    found, experiment = totals(filtered, calibrate=full)
    plain = 0.41 * np.array([1, 2, 4, 8])
    factor = np.exp(1.645 * experiment.correction.total_deviation)
    assert (found / factor < plain).all() and (plain < found * factor).all()
    assert found == pytest.approx(plain, rel=0.25) and factor < 5.0
    assert 0.25 < experiment.correction.hooks < 0.6
    assert "rejects at run time" in experiment.notices[-1]


def test_a_plain_time_tells_what_hooks_take_with_and_without_a_full_run(tmp_path):
    filtered, full = filtered_study(tmp_path / "filtered"), full_study(tmp_path / "full")
    file = tmp_path / "plain.csv"
    file.write_text("s,seconds\n2,0.82\n")
    for calibrate in (full, None):
        found, experiment = totals(filtered, calibrate=calibrate, baseline_time=file)
        assert found == pytest.approx(0.41 * np.array([1, 2, 4, 8]), rel=0.1)
        assert experiment.correction.total_deviation < 0.2


def test_hooks_that_nothing_counts_are_said_and_widen_the_interval_of_little_overhead(tmp_path):
    found, experiment = totals(filtered_study(tmp_path / "filtered", hook=HOOK / 2))
    plain = 0.41 * np.array([1, 2, 4, 8])
    factor = np.exp(1.645 * experiment.correction.total_deviation)
    assert found == pytest.approx(0.9 * (plain + HOOK * 5 * TINY * np.array([1, 2, 4, 8])), rel=0.03)
    assert (found / factor < plain).all() and (plain < found * factor).all() and factor < 1.5
    assert not experiment.correction.hooks_counted
    assert "nothing tells how many: give runs without the filter (--calibrate)" in experiment.notices[-1]


def test_runs_without_a_filter_at_run_time_have_no_hooks(tmp_path):
    filtered = filtered_study(tmp_path / "filtered")
    for settings in filtered.glob("*/scorep.cfg"):
        settings.write_text("SCOREP_FILTERING_FILE=''\n")
        settings.with_name("metadata.toml").write_text('filter = "0123456789ab"\n')  # at compile time
    found, experiment = totals(filtered, calibrate=full_study(tmp_path / "full"))
    assert experiment.correction.hooks is None
    assert found == pytest.approx((0.41 + HOOK * 10 * TINY) * np.array([1, 2, 4, 8]), rel=0.1)


def test_what_of_a_run_time_may_be_start_up_is_in_doubt(study, tmp_path):
    file = tmp_path / "plain.csv"
    file.write_text("s,seconds,startup\n4,2.04,0.8\n")
    corrected, experiment = totals(study, baseline_time=file)
    assert corrected[-1] == pytest.approx(np.sqrt(2.04 * 1.24), rel=1e-3)
    factor = np.exp(1.645 * experiment.correction.total_deviation)
    assert corrected[-1] / factor < 1.64 < corrected[-1] * factor
    file.write_text("s,seconds,startup\n4,2.04,2.1\n")
    with pytest.raises(UsageError, match=r"plain.csv:2: invalid run time 2.04"):
        totals(study, baseline_time=file)


def test_a_filter_at_run_time_that_rejects_nothing_leaves_no_hooks(tmp_path):
    for folder in ("filtered", "full"):
        for scale in SCALES:
            write_run(tmp_path / folder / f"app.s{scale}.r1" / "profile.cubex", scale, tiny=10**4)
    for path in (tmp_path / "filtered").glob("*/profile.cubex"):
        path.with_name("scorep.cfg").write_text("SCOREP_FILTERING_FILE='app.filter'\n")
    _, experiment = totals(tmp_path / "filtered", calibrate=tmp_path / "full")
    assert experiment.correction is None


def test_runs_without_a_filter_may_lack_a_region_of_larger_scales(tmp_path):
    filtered, full = filtered_study(tmp_path / "filtered"), full_study(tmp_path / "full")
    time = [0.08, 0.4 * 8 + HOOK * 80 * TINY, 1e-3]
    path = filtered / "app.s8.r1" / "profile.cubex"
    write_visited(path, [-1, 0, 1], ("main", "loop", "rare"), [1, 10, 1], time)
    found, experiment = totals(filtered, calibrate=full)
    assert 0.25 < experiment.correction.hooks < 0.6
    assert found == pytest.approx(0.41 * np.array([1, 2, 4, 8]), rel=0.25)
