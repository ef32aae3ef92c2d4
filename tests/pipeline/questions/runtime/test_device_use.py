"""GPU-seconds, GPU-hours and how busy accelerators are, of a program whose times are known."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.locate import locate
from ingest.scaling import Scaling, decide_scaling
from pipeline.config.options import Options
from pipeline.questions.runtime.figures import DeviceUse
from pipeline.questions.runtime.pop import efficiencies
from pipeline.questions.runtime.runtime import runtime
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled
from tests.accelerated_runs import SCALES, busy_share, device_seconds, wall_seconds, write_accelerated_runs
from tests.pipeline.questions.runtime.programs import ideal

AT = np.array([[32.0], [64.0]])
EVERYWHERE = (*SCALES, 32, 64)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    return ingest(locate(write_accelerated_runs(tmp_path_factory.mktemp("runs"))), "time")


def found(read, metric):
    return runtime(modelled(read, Options(), metric), AT)


def test_how_busy_accelerators_are_is_measured_and_predicted(read):
    busy = found(read, "time").figures.gpu_busy
    assert busy.value[: len(SCALES)] == pytest.approx([busy_share(p) for p in SCALES])
    assert busy.value[len(SCALES) :] == pytest.approx([busy_share(32), busy_share(64)], rel=0.05)
    truth = np.array([busy_share(32), busy_share(64)])
    assert (busy.lower[-2:] <= truth).all() and (truth <= busy.upper[-2:]).all()
    assert (busy.upper[-2:] <= 1).all()


def test_measured_shares_are_those_of_the_measurements(read):
    """Their values follow no model, so that it would predict others."""
    shares = dict(zip(SCALES, (0.9, 0.2, 0.7, 0.4, 0.6), strict=True))
    runs = [
        replace(run, device_time=np.array([[5.0 * shares[p]], [5.0 * shares[p]], [10.0 * (1 - shares[p])]]))
        for run in read.experiment.runs
        for p in read.experiment.points[run.point].tolist()
    ]
    points = np.array([[16.0], [64.0], [2.0]])
    use = DeviceUse(replace(read.experiment, runs=tuple(runs)))
    busy = use.busy_share(points, np.array([True, False, True])).value
    assert busy[[0, 2]] == pytest.approx([0.6, 0.2])
    assert 0 < busy[1] < 1


def test_shares_are_unknown_if_idle_time_was_not_measured(read):
    runs = [replace(run, device_time=run.device_time * [[1.0], [1.0], [0.0]]) for run in read.experiment.runs]
    use = DeviceUse(replace(read.experiment, runs=tuple(runs)))
    assert use.parts is None
    assert np.isnan(use.busy_share(AT, np.array([False, False])).value).all()


def test_gpu_hours_are_accelerators_times_wall_time(read):
    figures = found(read, "time").figures
    expected = [p * wall_seconds(p) / 3600 for p in EVERYWHERE]
    assert figures.gpu_hours.value == pytest.approx(expected, rel=0.02)
    assert figures.core_hours.value == pytest.approx(expected, rel=0.02)  # a core for each accelerator


def test_time_of_accelerators_has_a_runtime_of_its_own(read):
    answer = found(read, "gpu_time")
    figures = answer.figures
    assert answer.effort_unit == "GPU-s"
    assert figures.locations.tolist() == list(EVERYWHERE)
    truth = np.array([p * wall_seconds(p) for p in EVERYWHERE])
    assert figures.effort.value[: len(SCALES)] == pytest.approx(truth[: len(SCALES)])
    assert figures.effort.value == pytest.approx(truth, rel=0.2)
    assert figures.longest[: len(SCALES)] == pytest.approx([wall_seconds(p) for p in SCALES])
    assert np.isnan(figures.core_hours.value).all()
    assert figures.gpu_hours.value == pytest.approx(figures.effort.value / 3600)
    assert answer.pop is None
    lost = dict(zip(answer.losses[0].regions, answer.losses[0].core_seconds.tolist(), strict=True))
    assert lost["axpy"] == pytest.approx(0.0, abs=1e-9)
    idle = {p: p * (wall_seconds(p) - sum(device_seconds(p).values())) for p in (1, 16)}
    assert lost["GPU idle"] == pytest.approx(idle[16] - idle[1])


def test_programs_without_accelerators_have_none_of_it():
    figures = runtime(ideal(), AT).figures
    assert np.isnan(figures.gpu_hours.value).all() and np.isnan(figures.gpu_busy.value).all()


def test_kernels_decide_between_strong_and_weak_scaling(read):
    """The host's own work per process is the same at all scales."""
    assert decide_scaling(read.experiment).scaling is Scaling.STRONG


def test_hosts_that_wait_for_accelerators_compute(read):
    analysis = modelled(read, Options(), "time")
    measured = efficiencies(analysis.experiment, analysis.decision)
    waiting = [0.1 * p**0.5 / wall_seconds(p) for p in SCALES]
    assert measured.parallel == pytest.approx([1 - lost for lost in waiting])
    assert any("accelerators" in notice for notice in measured.notices)
    assert found(read, "time").pop.parallel[0] == pytest.approx(
        1 - 0.1 * 32**0.5 / wall_seconds(32), rel=0.05
    )
