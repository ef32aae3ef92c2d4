"""perf stat -x and -j; the lines are those of perf 6.1, values of hardware events are made up."""

import pytest

from ingest.counter_report import TOTAL_ROW
from ingest.counters.counted_work import work
from ingest.counters.counter_files import is_perf_stat, read_perf_stat
from ingest.errors import InputError
from tests.pipeline.projection.mistakes import refused

WHOLE = """\
# started on Sun Nov 22 04:10:00 2026

2960.00,msec,task-clock,2960000000,100.00,3.700,CPUs utilized
24,,context-switches,2960000000,100.00,16.252,K/sec
<not supported>,,cycles,0,100.00,,
<not counted>,,instructions,0,0.00,,
640000000,,fp_arith_inst_retired.256b_packed_double:u,2960000000,100.00,,
1000000,,LLC-load-misses,2960000000,50.00,,
"""


def read(text):
    report = read_perf_stat(text, "perf.csv")
    (region,) = report.regions
    assert region.path == TOTAL_ROW
    return report, region


def test_a_program():
    report, region = read(WHOLE)
    assert region.seconds == pytest.approx(2.96 / 3.7)
    assert report.cores == 4
    assert region.counters == {
        "context-switches": 24.0,
        "fp_arith_inst_retired.256b_packed_double:u": 640e6,
        "LLC-load-misses": 1e6,
    }
    done = work(region.counters)
    assert (done.flop, done.bytes) == (2.56e9, {"DRAM": 64e6})
    assert report.notices == ()


def test_duration_time_is_the_time():
    _, region = read(WHOLE + "102561904,ns,duration_time,102561904,100.00,,\n")
    assert region.seconds == pytest.approx(0.102561904)
    assert "duration_time" not in region.counters


def test_sockets_cores_and_cpus_are_added_up():
    sockets = (
        "S0,2,205.08,msec,task-clock,205077560,100.00,2.000,CPUs utilized\n"
        "S0,1,500,,unc_m_cas_count.rd,205081217,100.00,,\nS1,1,700,,unc_m_cas_count.rd,205081217,100.00,,\n"
        "S0,1,102561904,ns,duration_time,102561904,100.00,500.111,M/sec\n"
    )
    report, region = read(sockets)
    assert region.counters == {"unc_m_cas_count.rd": 1200.0}
    assert report.cores is None
    cpus = (
        "CPU0,51.90,msec,cpu-clock,51902874,100.00,1.000,CPUs utilized\n"
        "CPU1,51.91,msec,cpu-clock,51906684,100.00,1.000,CPUs utilized\n"
        "CPU0,3,,page-faults,1,100.00,,\nCPU1,4,,page-faults,1,100.00,,\n"
    )
    report, region = read(cpus)
    assert (report.cores, region.seconds) == (2, pytest.approx(0.0519))
    assert region.counters == {"page-faults": 7.0}
    assert read("S0-D0-C3,1,500,,cycles,205081217,100.00,,\n1,ns,duration_time,1,100.00,,")[1].counters == {
        "cycles": 500.0
    }


def test_intervals_are_added_up():
    lines = (
        "     0.101552728,0.91,msec,task-clock,905231,100.00,0.009,CPUs utilized\n"
        "     0.101552728,75,,page-faults,905231,100.00,82.852,K/sec\n"
        "     0.201881769,<not counted>,,page-faults,0,100.00,,\n"
        "     0.251435376,5,,page-faults,61105,100.00,0.000,/sec\n"
    )
    _, region = read(lines)
    assert (region.seconds, region.counters) == (0.251435376, {"page-faults": 80.0})


def test_another_separator_and_repetitions():
    lines = (
        "1050.00;msec;task-clock;0.78%;1052027;100.00;0.500;CPUs utilized\n"
        "70;;cpu/event=0x1,umask=0x2/;0.78%;1052027;12.50;70.292;K/sec\n"
    )
    report, region = read(lines)
    assert (region.seconds, report.cores) == (pytest.approx(2.1), 1)
    assert region.counters == {"cpu/event=0x1,umask=0x2/": 70.0}
    assert report.notices == (
        "cpu/event=0x1,umask=0x2/ was counted for 12 % of the time and scaled up by perf",
    )


@pytest.mark.parametrize(
    ("value", "unit", "lines"),
    [("64", "MiB", 2.0**20), ("64", "Bytes", 1.0), ("128", "KiB", 2048.0), ("5", "", 5.0)],
)
def test_counters_of_cache_lines_are_lines_whatever_the_unit(value, unit, lines):
    event = "uncore_imc_0/cas_count_read/"
    _, region = read(f"{value},{unit},{event},1000,100.00,,\n1000,ns,duration_time,1000,100.00,,\n")
    assert region.counters == {event: lines}
    assert work(region.counters).bytes == {"DRAM": 64 * lines}


def test_lines_of_json():
    lines = (
        '{"counter-value" : "1005.310000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1, '
        '"pcnt-running" : 100.00, "metric-value" : 2.000000, "metric-unit" : "CPUs utilized"}\n'
        '{"counter-value" : "<not supported>", "unit" : "", "event" : "cycles", "event-runtime" : 0, '
        '"pcnt-running" : 100.00, "metric-value" : 0.000000, "metric-unit" : ""}\n'
        '{"counter-value" : "74.000000", "unit" : "", "event" : "page-faults", "event-runtime" : 1, '
        '"pcnt-running" : 100.00, "metric-value" : 73.609135, "metric-unit" : "K/sec"}\n'
    )
    report, region = read(lines)
    assert (region.seconds, report.cores) == (pytest.approx(0.502655), 2)
    assert region.counters == {"page-faults": 74.0}


def test_what_begins_like_perf():
    assert is_perf_stat(WHOLE)
    assert not is_perf_stat("region,time [s],PAPI_FP_OPS,share,kind\na,3,4,0.5,threaded\n")
    assert not is_perf_stat('{"papi_version":"7.0.0.0"}')
    assert not is_perf_stat("{not json\n")
    assert not is_perf_stat("")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "<not supported>,,cycles,0,100.00,,\n",
            "perf.csv: no event was counted; count some events: perf stat",
        ),
        (
            "5,,page-faults,1,100.00,,\n",
            "perf.csv: nothing tells how long the program ran; add the event duration_time: perf stat",
        ),
    ],
)
def test_files_that_say_too_little(text, line):
    assert refused(lambda: read_perf_stat(text, "perf.csv"), raises=InputError).startswith(line)
