"""Run time over threads, by hand."""

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.expressions.symbolic_model import bind, constant, symbol
from pipeline.projection.expressions.units import Quantity
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.ports.threads import (
    ThreadCounts,
    memory_bound,
    runtime,
    strong_scaling,
    thread_counts_in,
)


def node(threads, dt_cycles):
    count = len(threads)
    return ThreadCounts(
        threads=np.array(threads),
        inputs={
            "dt_cycles": np.array(dt_cycles, dtype=float),
            "dt_hz": np.full(count, 2.0e9),
            "hz": np.full(count, 2.5e9),
            "iterations": np.ceil(1001 / np.array(threads)),
        },
    )


def test_strong_scaling_by_hand():
    """50 cycles by the ports; memory: 30 cycles at 2 GHz are 37.5 at 2.5 GHz, 60 are 75, 40 are just 50."""
    found = strong_scaling(constant(50), node([1, 4, 7], [30, 60, 40]))
    assert found.memory_bound.tolist() == [False, True, False]
    np.testing.assert_allclose(found.seconds.value, [50 * 1001 / 2.5e9, 75 * 251 / 2.5e9, 50 * 143 / 2.5e9])


def test_uncertain_ports_give_an_interval_where_they_limit():
    cycles = bind(symbol("c"), {"c": Quantity(value=50.0, relative_sd=0.1)})
    found = strong_scaling(cycles, node([1, 4], [1, 500]))
    assert found.seconds.lower[0] < found.seconds.value[0] < found.seconds.upper[0]
    assert found.seconds.lower[1] == found.seconds.upper[1]


def test_units_and_inputs():
    assert str(runtime(symbol("c")).dimension) == "s"
    assert str(memory_bound().dimension) == "no unit"
    with pytest.raises(UsageError, match=r"no value for n\.div"):
        strong_scaling(symbol("n.div"), node([1], [1]))


HEADER = "threads,dt_cycles,dt_hz [GHz],hz [GHz],iterations\n"


@pytest.fixture
def read(tmp_path):
    def from_text(text):
        (tmp_path / "node.csv").write_text(HEADER + text)
        return thread_counts_in(read_columns(tmp_path / "node.csv"))

    return from_text


def test_thread_counts_from_csv(read):
    found, made = read("1,30,2.0,2.5,1001\n4,60,2.0,2.5,251\n"), node([1, 4], [30, 60])
    assert found.threads.tolist() == made.threads.tolist()
    assert set(found.inputs) == set(made.inputs)
    for name, values in made.inputs.items():
        np.testing.assert_allclose(found.inputs[name], values)
    assert found.threads.dtype == np.int64


@pytest.mark.parametrize(
    "text", ["0,30,2,2.5,9", "1,0,2,2.5,9", "1,30,0,2.5,9", "1,30,2,-1,9", "1,30,2,2.5,0"]
)
def test_all_values_are_positive(read, text):
    with pytest.raises(InputError, match=r"node.csv: all values have to be positive; correct the line"):
        read(f"1,1,1,1,1\n{text}\n")
