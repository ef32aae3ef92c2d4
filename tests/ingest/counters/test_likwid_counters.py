"""likwid-perfctr's CSV and framed tables, in the layout of its own printing functions."""

import pytest

from ingest.counter_report import TOTAL_ROW
from ingest.counters.counted_work import work
from ingest.errors import InputError
from ingest.readers.likwid import is_output, read_likwid
from tests.pipeline.projection.mistakes import refused

HEAD = "STRUCT,Info,3,,\nCPU name:,Some CPU,,,\nCPU type:,Some type,,,\nCPU clock:,2.5 GHz,,,\n"
RAW = """\
TABLE,{of}Group 1 Raw,MEM_DP,5,
{info}Event,Counter,HWThread 0,HWThread 1,
INSTR_RETIRED_ANY,FIXC0,100,200,
FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC1,1000000,2000000,
FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC2,10000000,10000000,
CAS_COUNT_RD,MBOX0C0,500000,0,
CAS_COUNT_RD,MBOX1C0,300000,-,
CAS_COUNT_WR,MBOX0C1,100000,0,
"""
STAT = """\
TABLE,{of}Group 1 Raw STAT,MEM_DP,5,
Event,Counter,Sum,Min,Max,Avg
CAS_COUNT_RD STAT,MBOX0C0,999,9,9,9
"""
METRIC = """\
TABLE,{of}Group 1 Metric,MEM_DP,3,
Metric,HWThread 0,HWThread 1,
Runtime (RDTSC) [s],2.000000,4.000000,
Clock [MHz],2400.0,2400.0,
CPI,0.5,0.6,
DP [MFLOP/s],20.5,10.5,
Memory bandwidth [MBytes/s],19.2,0,
Memory data volume [GBytes],0.0576,0,
"""
INFO = "Region Info,HWThread 0,HWThread 1,\nRDTSC Runtime [s],1.500000,2.500000,\ncall count,3,3,\n"


def csv(of="", info=""):
    return HEAD + "".join(part.format(of=of, info=info) for part in (RAW, STAT, METRIC))


def only(text):
    (region,) = read_likwid(text, "run.csv").regions
    return region


def test_a_program_without_markers():
    report = read_likwid(csv(), "run.csv")
    (region,) = report.regions
    assert (report.processes, report.cores) == (2, 2)
    assert (region.path, region.seconds) == (TOTAL_ROW, 3.0)
    assert region.counters == {
        "INSTR_RETIRED_ANY": 300.0,
        "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE": 3e6,
        "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE": 2e7,
        "CAS_COUNT_RD": 800_000.0,
        "CAS_COUNT_WR": 100_000.0,
        "DP [FLOP]": pytest.approx(1e6 * (20.5 * 2 + 10.5 * 4)),
        "Memory data volume [GBytes]": 0.0576,
    }
    done = work(region.counters)
    assert (done.flop, done.bytes) == (3e6 + 8e7, {"DRAM": 57.6e6})


def test_regions_of_the_marker_interface():
    text = csv("Region sweep,", INFO) + csv("Region solve-2,", INFO.replace("1.5", "0.5"))
    found = read_likwid(text, "run.csv").regions
    assert [(r.path, r.seconds) for r in found] == [(("sweep",), 2.0), (("solve-2",), 1.5)]
    assert found[0].counters["CAS_COUNT_RD"] == 800_000.0
    assert "call count" in found[0].counters


def test_operations_derived_by_likwid_serve_where_events_do_not():
    metrics = METRIC.format(of="") + "SP [MFLOP/s],1.0,1.0,\n"
    counters = only(HEAD + metrics).counters
    assert work(counters).flop == pytest.approx(83e6 + 6e6)


def test_groups_that_take_turns_are_scaled_to_the_whole():
    second = csv().replace("Group 1", "Group 2").replace("MEM_DP", "L2").replace("CAS_COUNT", "L2_EVENT")
    found = only(csv() + second.replace("Runtime (RDTSC) [s],2.000000,4.000000", "Runtime (RDTSC) [s],1,1"))
    assert found.seconds == 4.0
    assert found.counters["CAS_COUNT_RD"] == pytest.approx(800_000 * 4 / 3)
    assert found.counters["L2_EVENT_RD"] == pytest.approx(800_000 * 4)


@pytest.mark.parametrize("mark", ["-", "nan", "281474976710655"])
def test_an_event_that_could_not_be_read_is_not_zero(mark):
    text = (
        csv()
        .replace("MBOX0C0,500000,0", f"MBOX0C0,{mark},{mark}")
        .replace("MBOX1C0,300000,-", f"MBOX1C0,{mark},{mark}")
    )
    counters = only(text).counters
    assert "CAS_COUNT_RD" not in counters
    assert "Memory data volume [GBytes]" not in counters
    assert counters["CAS_COUNT_WR"] == 100_000.0
    assert counters["DP [FLOP]"] > 0


TEXT = """\
--------------------------------------------------------------------------------
Group 1: MEM
+----------------------+---------+-----------+------------+
|         Event        | Counter |   Core 0  |   Core 1   |
+----------------------+---------+-----------+------------+
| RETIRED_INSTRUCTIONS |   PMC0  |    100    |     50     |
|    DRAM_CHANNEL_0    |   DFC0  |    200    |     0      |
+----------------------+---------+-----------+------------+

+---------------------------+---------+-------+-------+-------+-------+
|           Event           | Counter |  Sum  |  Min  |  Max  |  Avg  |
+---------------------------+---------+-------+-------+-------+-------+
| RETIRED_INSTRUCTIONS STAT |   PMC0  |  150  |   50  |  100  |   75  |
+---------------------------+---------+-------+-------+-------+-------+

+-----------------------------+--------+--------+
|            Metric           | Core 0 | Core 1 |
+-----------------------------+--------+--------+
|     Runtime (RDTSC) [s]     | 2.0000 | 2.0000 |
| Memory data volume [GBytes] | 0.5000 |    0   |
+-----------------------------+--------+--------+
"""


def test_framed_tables():
    found = only("Output of the program: | nothing\n" + TEXT)
    assert found.seconds == 2.0
    assert found.counters == {
        "RETIRED_INSTRUCTIONS": 150.0,
        "DRAM_CHANNEL_0": 200.0,
        "Memory data volume [GBytes]": 0.5,
    }
    named = only(TEXT.replace("Group 1: MEM", "Region inner loop, Group 1: MEM"))
    assert named.path == ("inner loop",)


def test_tables_that_follow_without_a_blank_line():
    dense = read_likwid("\n".join(filter(None, TEXT.splitlines())), "run.txt")
    assert dense.regions == read_likwid(TEXT, "run.txt").regions
    assert dense.cores == 2


def test_what_begins_like_likwid():
    assert is_output(csv())
    assert is_output(TEXT)
    assert not is_output("Group 1: MEM\n")
    assert not is_output("region,time [s]\na,3\n")


def test_a_file_without_a_runtime():
    assert refused(lambda: read_likwid(HEAD + RAW.format(of="", info=""), "run.csv"), raises=InputError) == (
        "run.csv: no table of likwid with a runtime; write it with: likwid-perfctr -O -g GROUP PROGRAM"
    )
