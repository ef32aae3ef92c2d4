"""The paper's strategies against measured times."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.projection.fitting.csv_columns import read_columns
from pipeline.projection.vector_loops.vector_loop import STRATEGIES
from pipeline.projection.vector_loops.vector_loop_term import loop_times_in, strategy_errors, strategy_times
from tests.pipeline.projection.vector_loops.x1e import LOOP, VALUES, at


def times(tmp_path, text):
    path = tmp_path / "times.csv"
    path.write_text(text)
    return loop_times_in(read_columns(path))


def test_errors_are_positive_if_the_prediction_is_too_short(tmp_path):
    other = replace(LOOP, name="other", spatial=2)
    measured = times(tmp_path, "loop,time [ms]\nloop,1.0\nother,2.0\nthird,3\n")
    errors = strategy_errors([LOOP, other], VALUES, {"n": 1e5}, measured)
    assert errors.loops == ("loop", "other")
    for row, strategy in enumerate(STRATEGIES):
        for column, one in enumerate((LOOP, other)):
            expected = at(strategy_times(one, VALUES)[strategy], n=1e5)
            assert errors.predicted[row, column] == pytest.approx(expected)
    np.testing.assert_allclose(errors.error, 1 - errors.predicted / np.array([1e-3, 2e-3]))
    assert errors.error[3, 0] > 0 > errors.error[2, 0] - 1


def test_a_loop_without_a_measured_time():
    with pytest.raises(InputError, match="no measured time for loop; measure it or leave the loop out"):
        strategy_errors([LOOP], VALUES, {"n": 1e5}, {"other": 1.0})


def test_times_are_positive(tmp_path):
    with pytest.raises(InputError, match=r"times.csv: times have to be positive; correct the line"):
        times(tmp_path, "loop,time [ms]\na,1\nloop,0\n")
