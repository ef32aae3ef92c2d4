import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.stages.ingest import ingest, locate
from pipeline.store.atomic import write_atomically
from pipeline.store.experiments import read_experiment, write_experiment


def test_an_experiment_comes_back_as_it_was_stored(strong_study, tmp_path):
    experiment = ingest(locate(strong_study), "time").experiment
    write_experiment(tmp_path, experiment)
    back = read_experiment(tmp_path)
    assert back.parameters == experiment.parameters
    assert np.array_equal(back.points, experiment.points)
    assert back.callpaths == experiment.callpaths
    assert back.metrics == experiment.metrics
    for metric in experiment.metrics:
        for reduction in ("sum", "mean", "min", "max"):
            stored, read = (getattr(e.values[metric.name], reduction) for e in (experiment, back))
            assert np.array_equal(stored, read, equal_nan=True)
    for run, other in zip(experiment.runs, back.runs, strict=True):
        assert run.source == other.source
        assert (run.point, run.repetition, run.classes) == (other.point, other.repetition, other.classes)
        assert np.array_equal(run.class_time, other.class_time)


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")

    def fail(path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match="cannot be written") as error:
        write_atomically(target, fail)
    assert str(error.value).startswith(f"{target}: cannot be written (No space left on device)")
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
