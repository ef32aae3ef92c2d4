"""Times of messages in the output of Netgauge."""

from pathlib import Path

import pytest

from ingest.errors import InputError
from pipeline.projection.fitting.measured_columns import is_netgauge, netgauge_times

HERE = Path("out.txt")


def found(*lines):
    return [(one.line, one.benchmark, one.size, one.seconds, one.processes) for one in netgauge_times(lines)]


def test_a_short_line_is_half_a_round_trip():
    lines = ["8 bytes  -> 2.5 us == 25.6 Mbit/s", "done"]
    assert is_netgauge(lines, HERE)
    assert found(*lines) == [(1, "one_one", 8.0, pytest.approx(2.5e-6), 2)]


def test_a_table_has_the_median_in_the_column_that_is_named():
    lines = ["## Netgauge v2.4.6 - mode", "##  C...median RTT/2", "(8) 1.0 3.5 - 9.0", "text 1 2 3"]
    assert is_netgauge(lines, HERE)
    assert found(*lines) == [(3, "one_one", 8.0, pytest.approx(3.5e-6), 2)]


def test_loggp_is_half_of_its_round_trip():
    lines = ["# size n PRTT(1,0,s) PRTT(n,0,s)", "64 16 5.0 7.0", "64 16"]
    assert is_netgauge(lines, HERE)
    assert found(*lines) == [(2, "loggp", 64.0, pytest.approx(2.5e-6), 2)]


def test_fits_are_not_times_and_other_files_are_not_netgauge():
    assert not is_netgauge(["# OSU MPI Latency Test v5.8", "8 1.5"], HERE)
    with pytest.raises(InputError, match="prints fits, not measured times; name the file that Netgauge"):
        is_netgauge(["Testing 64 bytes 10 times: L=1"], HERE)
