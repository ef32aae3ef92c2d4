import pytest

from ingest.hardware_counters import CYCLES, INSTRUCTIONS, counter_of, event


@pytest.mark.parametrize(
    ("metric", "found"),
    [
        ("PAPI_TOT_INS", INSTRUCTIONS),
        ("papi.PAPI_TOT_CYC", CYCLES),
        ("perf::INSTRUCTIONS", INSTRUCTIONS),
        ("cycles:u", CYCLES),
        ("cpu-cycles", CYCLES),
        ("CPU_CLK_UNHALTED_CORE", CYCLES),
        ("INST_RETIRED.ANY", INSTRUCTIONS),
        ("PAPI_TOT_IIS", None),
        ("cycles_per_visit", None),
        ("time", None),
        ("", None),
    ],
)
def test_events_have_many_names(metric, found):
    assert event(metric) == found


def test_the_first_metric_that_counts_an_event():
    assert counter_of(CYCLES, ["time", "instructions", "cycles:u", "PAPI_TOT_CYC"]) == "cycles:u"
    assert counter_of(CYCLES, ["time"]) is None
