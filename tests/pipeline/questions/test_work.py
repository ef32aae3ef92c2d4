"""Jobs of more work than the measured runs: what a run does once is counted once."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.experiment import PerVisit
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.choice import job_of
from pipeline.questions.runtime.figures import RuntimeStudy
from tests.pipeline.questions.runtime.programs import STRONG, experiment

MEASURED = 10.0  # steps of a run


def per_step():
    """A step takes 64 core-seconds; start-up takes 5 seconds of every run of 10 steps."""
    found = experiment(
        [(p,) for p in (1, 2, 4, 8, 16)],
        lambda at: {"work": 64 / at[0], "MPI_Init": 5 / MEASURED},
    )
    per = PerVisit(region="steps", visits=np.full(found.shape, MEASURED))
    return analyse(replace(found, per=per), STRONG, "time", ModelOptions()), per


def test_start_up_is_counted_once_and_steps_as_often_as_they_are():
    analysis, per = per_step()
    study = RuntimeStudy(job_of(analysis, per, 1000.0))
    points = np.array([[4.0], [32.0]])
    figures = study.figures(points, np.array([False, False]))
    assert figures.wall.value == pytest.approx(1000 * 64 / points[:, 0] + 5, rel=1e-3)
    measured = study.figures(points[:1], np.array([True]))
    assert measured.wall.value == pytest.approx([1000 * 16 + 5])
    assert measured.longest == pytest.approx(measured.wall.value)
    assert figures.wall.lower[1] < figures.wall.value[1] < figures.wall.upper[1]


def test_as_many_steps_as_were_measured_take_what_a_run_took():
    analysis, per = per_step()
    before, after = (
        RuntimeStudy(one).figures(np.array([[32.0]]), np.array([False])).wall
        for one in (analysis, job_of(analysis, per, MEASURED))
    )
    assert after.value == pytest.approx(MEASURED * before.value)
    assert after.below == pytest.approx(before.below, rel=1e-6)
    assert after.above == pytest.approx(before.above, rel=1e-6)


def test_regions_take_what_their_call_paths_do():
    analysis, per = per_step()
    job = job_of(analysis, per, 1000.0)
    points = np.array([[8.0], [32.0]])
    whole = job.callpaths.models.predict(points).value.sum(axis=0)
    assert job.regions.models.predict(points).value.sum(axis=0) == pytest.approx(whole)
    assert np.array_equal(
        np.sort(job.regions.kernels.values, axis=0), np.sort(job.callpaths.kernels.values, axis=0)
    )
