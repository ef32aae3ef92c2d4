"""Outputs of profilers by other people, beside the project: totals are those that their README states."""

from pathlib import Path

import pytest

from ingest.readers import find_profile_reader
from pipeline.stages.inspect import inspect_path

LOGS = Path(__file__).parents[4] / "shared" / "data" / "logs"
TOTALS = {  # file: reader, totals by metric, number of functions
    "folded-stacks/stackcollapse/perf-vertx-stacks-01-collapsed-all.txt": (
        "folded stacks",
        {"samples": 285},
        229,
    ),
    "folded-stacks/stackcollapse/alternating.txt": ("folded stacks", {"samples": 182}, 4),
    "folded-stacks/stackcollapse/recursion.txt": ("folded stacks", {"samples": 10}, 3),
    "folded-stacks/stackcollapse/simple-crlf.txt": ("folded stacks", {"samples": 14}, 4),
    "folded-stacks/stackcollapse/simple-with-invalids.txt": ("folded stacks", {"samples": 14}, 4),
    "perf-script/linux-perf/simple-with-header.linux-perf.txt": (
        "perf",
        {"samples": 136, "time": 0.136136136},
        7,
    ),
    "perf-script/linux-perf/simple-with-pid.linux-perf.txt": ("perf", {"samples": 137}, 7),
    # README counts 59 frames with their offsets: they are 25 functions
    "perf-script/linux-perf/rust-mangled.linux-perf.txt": ("perf", {"samples": 96, "time": 1.627118592}, 25),
    "perf-script/linux-perf/system-wide.linux-perf.txt": ("perf", {"samples": 556, "time": 0.556556556}, 7),
    "perf-script/linux-perf/forks.linux-perf.txt": ("perf", {"samples": 561, "time": 0.561561561}, 7),
    **{  # README states no totals: these are the sums of the costs that are not those of calls
        f"callgrind/speedscope/callgrind.{name}.log": ("callgrind", {"Instructions": 820, "visits": 6}, 3)
        for name in ("example", "name-compression", "subposition-compression")
    },
    "speedscope-json/0.0.1/simple.speedscope.json": ("speedscope", {"samples": 14}, 4),
    "speedscope-json/0.1.2/simple-sampled.speedscope.json": ("speedscope", {"time": 14}, 4),
    "speedscope-json/0.6.0/two-sampled.speedscope.json": ("speedscope", {"time": 28}, 4),
    "pprof/simple/simple.prof": ("pprof", {"samples": 150, "time": 1.5}, 25),
    # the times of its four tasks; their sum is stated as 38.1 s
    "mpip/amg.p16/UserGuide.md": ("mpiP", {"time": 38.04, "visits": 4}, 6),
    # 62 functions, which have the loops of unknown lines; unknown functions of 4 libraries,
    # 2 entry points, and the root
    "hpctoolkit/new-meta-db/cpi": ("HPCToolkit", {"time": 0.325975}, 69),
    "hpctoolkit/old-experiment-xml/cpi": ("HPCToolkit", {"time": 3.998242}, 16),
    "callgrind/speedscope/callgrind.cfn-reset.log": ("callgrind", {"Instructions": 40, "visits": 4}, 4),
    "callgrind/speedscope/callgrind.multiple-event-types.log": (
        "callgrind",
        {"Time_(10ns)": 820, "Memory_(bytes)": 38000, "visits": 6},
        3,
    ),
}


@pytest.mark.skipif(not LOGS.is_dir(), reason="the samples lie beside the project")
@pytest.mark.parametrize("name", TOTALS)
def test_totals_are_those_of_other_tools(name):
    reader, totals, functions = TOTALS[name]
    assert find_profile_reader(LOGS / name).name == reader
    (run,) = inspect_path(LOGS / name, totals=True)["runs"]
    found = {metric.partition(" [")[0]: total for metric, total in run["totals"].items()}
    assert found == pytest.approx(totals, rel=1e-12)
    assert run["regions"] == functions
