"""The bandwidth table of a machine, read forwards and backwards."""

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.projection.vector_loops.vector_loop import (
    Locality,
    bandwidth_table,
    cell,
    machine_values,
    nearest_localities,
)
from tests.pipeline.projection.vector_loops.x1e import NAMES, X1E


def test_every_cell_has_a_name_of_its_own():
    names = {cell(mv, sl, tl) for mv in ("00", "01", "10", "11") for sl in range(3) for tl in range(3)}
    assert len(names) == 36
    assert names <= set(X1E.values)
    assert cell("10", 2, 1) == "bandwidth.tl1.mv10.sl2"


def test_the_table_is_by_temporal_and_spatial_locality():
    found = bandwidth_table(X1E.values, "01")
    assert found.shape == (3, 3)
    assert (found[2, 0], found[0, 2]) == (3.5e9, 6.0e9)
    with pytest.raises(
        UsageError, match=r"does not define 'bandwidth.tl0.mv11.sl0'; write bandwidth.tl0.mv11.sl0 = "
    ):
        bandwidth_table({}, "11")


def test_values_of_a_machine():
    values = machine_values(NAMES)
    assert values("vector_length") is NAMES["mach.vector_length"]
    with pytest.raises(UsageError, match="the machine does not define 'peak'"):
        values("peak")


def test_nearest_locality_is_by_ratio():
    column = bandwidth_table(X1E.values, "11")
    assert nearest_localities(column, 11.5e9) == (Locality(0, 1, 12e9),)
    # Between 16 and 20 GB/s: 17.9 is nearer to 20 by ratio (their geometric mean is 17.889), 17.88 to 16.
    assert nearest_localities(column, 17.9e9) == (Locality(1, 1, 20e9),)
    assert nearest_localities(column, 17.88e9) == (Locality(1, 0, 16e9),)
    assert nearest_localities(column, 24e9) == (Locality(2, 0, 24e9), Locality(1, 2, 24e9))


@pytest.mark.parametrize("observed", [0.0, -1.0, float("nan")])
def test_an_observed_bandwidth_is_positive(observed):
    with pytest.raises(UsageError, match="give a positive number"):
        nearest_localities(np.ones((3, 3)), observed)
