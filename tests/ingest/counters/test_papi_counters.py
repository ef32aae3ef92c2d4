"""PAPI's high-level JSON, in the layout of PAPI 7.0."""

import json

import pytest

from ingest.counters.counter_files import is_papi, read_papi
from ingest.errors import InputError
from tests.pipeline.projection.mistakes import refused


def entry(name, nanoseconds, parent="-1", **events):
    values = {name: value if isinstance(value, dict) else str(value) for name, value in events.items()}
    times = {"cycles": str(3 * nanoseconds), "real_time_nsec": str(nanoseconds)}
    return {"name": name, "parent_region_id": parent, **times, **values}


def text_of(*threads, **definitions):
    content = {
        "papi_version": "7.0.0.0",
        "cpu_info": "some CPU",
        "event_definitions": {
            name: {"component": "perf_event", "type": kind} for name, kind in definitions.items()
        },
        "threads": {
            str(k): {"regions": {str(i): region for i, region in enumerate(regions)}}
            for k, regions in enumerate(threads)
        },
    }
    return json.dumps(content, indent=2)


def read(*threads, **definitions):
    return read_papi(text_of(*threads, **definitions), "rank_0.json")


def test_executions_of_a_region_are_added_up():
    report = read(
        [entry("sweep", 5_000_000, PAPI_FP_OPS=100), *[entry("solve", 1_000_000, PAPI_FP_OPS=7)] * 3]
    )
    assert (report.processes, report.cores) == (1, 1)
    assert {r.path: (r.seconds, r.counters) for r in report.regions} == {
        ("sweep",): (pytest.approx(0.005), {"PAPI_FP_OPS": 100.0}),
        ("solve",): (pytest.approx(0.003), {"PAPI_FP_OPS": 21.0}),
    }


def test_values_are_exclusive():
    nested = [
        entry("main", 9_000_000, PAPI_FP_OPS=90),
        entry("step", 6_000_000, "0", PAPI_FP_OPS=60),
        entry("solve", 5_000_000, "1", PAPI_FP_OPS=50),
    ]
    found = {r.name: (r.seconds, r.counters["PAPI_FP_OPS"]) for r in read(nested).regions}
    assert found == {"main": (0.003, 30.0), "step": (0.001, 10.0), "solve": (0.005, 50.0)}


def test_threads_run_at_the_same_time():
    report = read([entry("a", 4_000_000, X=1)], [entry("a", 6_000_000, X=2), entry("b", 1_000_000, X=5)])
    assert report.cores == 2
    assert {r.name: (r.seconds, r.counters) for r in report.regions} == {
        "a": (0.006, {"X": 3.0}),
        "b": (0.001, {"X": 5.0}),
    }


def test_values_read_inside_a_region_and_states():
    region = entry("a", 1_000_000, X={"region_value": "5", "read_1": "2"}, TEMPERATURE=60)
    (found,) = read([{**region, "region_count": "4"}], X="delta", TEMPERATURE="instantaneous").regions
    assert found.counters == {"X": 5.0}


def test_what_begins_like_papi():
    assert is_papi(text_of([entry("a", 1)]))
    assert not is_papi('{"version": 1}')
    assert not is_papi('"papi_version"')


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (text_of([entry("a", 1)])[:-9], "rank_0.json: not a file of PAPI's high-level interface: Expecting"),
        ('{"papi_version": "7"}', "rank_0.json: not a file of PAPI's high-level interface: 'threads'; give"),
        (text_of([{"name": "a"}]), "not a file of PAPI's high-level interface: 'real_time_nsec'"),
        (text_of([entry("a", 1, X="many")]), "not a file of PAPI's high-level interface: could not convert"),
        (text_of(), "rank_0.json: no region was measured; call PAPI_hl_region_begin and _end"),
        ("[" * 5000, "rank_0.json: not a file of PAPI's high-level interface"),
    ],
)
def test_damaged_files(text, line):
    assert line in refused(lambda: read_papi(text, "rank_0.json"), raises=InputError)
