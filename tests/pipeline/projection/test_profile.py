"""Profiles to project from: CrayPat text, CSV, and what counters say of the bound."""

import pytest

from ingest.errors import InputError
from pipeline.projection.craypat import read_craypat
from pipeline.stages.project import project

REPORT = """CrayPat/X:  Version 6.4.6 Revision 7d0d87c  02/20/17 09:52:37

Number of PEs (MPI ranks):   64

Numbers of PEs per Node:      32  PEs on each of  2  Nodes

Numbers of Threads per PE:     1

Table 1:  Profile by Function Group and Function

  Time% |      Time |     Imb. |  Imb. |    Calls | Group
        |           |     Time | Time% |          |  Function
        |           |          |       |          |   PE=HIDE

 100.0% | 1,000.0000 |       -- |    -- | 1,690.0 | Total
|-----------------------------------------------------------------
|  90.0% | 900.000000 |       -- |    -- |   10.0 | USER
||----------------------------------------------------------------
||  60.0% | 600.000000 | 0.003933 |  1.4% |    1.0 | smooth
||  30.0% | 300.000000 | 0.003933 |  1.4% |    9.0 | multiply
||================================================================
|  10.0% | 100.000000 |       -- |    -- |  686.0 | MPI
|=================================================================

Table 2:  Profile by Function Group and Function, with counters

==============================================================================
  Total
------------------------------------------------------------------------------
  Time%                                                   100.0%
  Time                                               1000.000000 secs
==============================================================================
  USER / smooth
------------------------------------------------------------------------------
  Time%                                                    60.0%
  Time                                                600.000000 secs
  Imb. Time                                             0.003933 secs
  Calls                              0.002 /sec              1.0 calls
  PAPI_L1_DCA                      312.500M/sec  187,500,000,000 refs
  DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD      14,648,437,500 fills

  PAPI_FP_OPS                      156.250M/sec   93,750,000,000 ops
  MFLOPS (aggregate)             10,000.00M/sec
==============================================================================
  USER / multiply
------------------------------------------------------------------------------
  Time%                                                    30.0%
  Time                                                300.000000 secs
  DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD         146,484,375 fills
  PAPI_FP_OPS                                      2,000,000,000,000 ops
==============================================================================
"""

MODEL = """
title = "solver"
machine = "broadwell-e5-2680v4"
[bandwidth]
reference = "blue-waters-xe6"
profile = "{profile}"
[bandwidth.kinds]
"USER/smooth" = "threaded"
"USER/multiply" = "threaded"
"""


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "run.pat"
    path.write_text(REPORT)
    return path


def model(folder, profile):
    path = folder / "model.toml"
    path.write_text(MODEL.format(profile=profile))
    return path


def test_a_report_tells_times_shares_and_counters(report):
    found = read_craypat(report)
    assert (found.processes, found.per_node, found.threads) == (64, 32, 1)
    regions = {region.name: region for region in found.regions}
    assert list(regions) == ["USER", "USER/smooth", "USER/multiply", "MPI", "Total"]
    smooth = regions["USER/smooth"]
    assert (smooth.share, smooth.seconds) == (0.6, 600.0)
    assert smooth.counters["PAPI_FP_OPS"] == 93_750_000_000
    assert smooth.counters["Calls"] == 1.0
    assert regions["MPI"].seconds == 100.0


def test_a_report_of_samples_has_shares_only(tmp_path):
    path = tmp_path / "samples.pat"
    path.write_text(
        "CrayPat/X:  Version 20.09.0\n\nTable 1:  Profile by Function\n\n"
        "  Samp% |        Samp | Imb. Samp |  Imb. | Group\n"
        " 100.0% | 3,499,929.6 |        -- |    -- | Total\n"
        "|---------------------------------------------------------------\n"
        "|  59.4% | 2,079,502.8 |        -- |    -- | MPI\n"
        "||  38.4% | 1,344,287.7 | 122,437.3 |  8.4% | MPI_ALLREDUCE\n"
        "3|        |           |          |       |  build/hamil.F\n"
    )
    assert [(r.name, r.share, r.seconds) for r in read_craypat(path).regions] == [
        ("MPI", 0.594, None),
        ("MPI/MPI_ALLREDUCE", 0.384, None),
    ]


def test_groups_are_judged_by_their_counters(tmp_path, report):
    found = project(model(tmp_path, report.name))
    smooth, multiply = found.profile.bounds
    # 32 x 14.648e9 refills of 64 B in 600 s are 50 GB/s of 59.6; 0.1 flop/B.
    assert (
        smooth.sentence == "USER/smooth: limited by memory bandwidth (0.1 flop/B at L2, 84% of the bandwidth)"
    )
    assert multiply.sentence.startswith("USER/multiply: limited by arithmetic (213 flop/B at L2")
    parts = {line.path[0]: line.value for line in found.parts}
    assert parts["USER/smooth"] == pytest.approx(600 * 59.6 / 125.1)
    assert parts["USER/multiply"] == pytest.approx(300 * 313.6 / 1075.2)
    assert found.total.value == pytest.approx(sum(parts.values()) / 0.9)
    assert found.profile.reference == pytest.approx(1000.0)


def test_a_whole_group_takes_the_place_of_its_functions(tmp_path, report):
    path = model(tmp_path, report.name)
    path.write_text(path.read_text().split('"USER/smooth"')[0] + 'USER = "threaded"\n')
    found = project(path)
    assert [(line.path, line.value) for line in found.parts] == [
        (("USER",), pytest.approx(900 * 59.6 / 125.1))
    ]
    assert found.profile.reference == pytest.approx(1000.0)
    path.write_text(path.read_text() + '"USER/smooth" = "threaded"\n')
    with pytest.raises(InputError, match="'USER' would be counted twice"):
        project(path)


def test_what_functions_leave_of_their_group_counts_as_other(tmp_path, report):
    report.write_text(report.read_text().replace("|  90.0% | 900.000000 |", "|  95.0% | 950.000000 |"))
    assert project(model(tmp_path, report.name)).profile.reference == pytest.approx(1050.0)


def test_the_roofline_shows_every_counted_level(tmp_path, report):
    found = project(model(tmp_path, report.name)).profile.roofline
    points = {(point.name, point.level): point for point in found.points}
    assert points["USER/smooth", "L2"].intensity == pytest.approx(0.1)
    assert points["USER/smooth", "L1"].intensity == pytest.approx(93.75e9 / (16 * 187.5e9))
    assert points["USER/smooth", "L2"].flop_rate == pytest.approx(32 * 93.75e9 / 600)


def test_a_group_that_neither_limit_explains_takes_the_slower_projection(tmp_path):
    (tmp_path / "run.csv").write_text(
        "region,kind,time [s],PAPI_FP_OPS,Memory data volume [GBytes]\n"
        "wait,serial,100,1e9,10\nrest,other,50,0,0\n"
    )
    path = tmp_path / "model.toml"
    path.write_text('[bandwidth]\nreference = "blue-waters-xe6"\nprofile = "run.csv"\n')
    found = project(path, "ivybridge-e5-2670v2")
    assert "limited by neither memory bandwidth nor arithmetic" in found.profile.bounds[0].sentence
    assert found.parts[0].value == pytest.approx(100 * max(14.9 / 46.7, 313.6 / 400))
    assert found.total.value == pytest.approx(found.parts[0].value * 150 / 100)


def test_a_memory_bound_group_cannot_beat_the_peak_of_the_target(tmp_path):
    (tmp_path / "slow.toml").write_text(
        '[values]\nbw_node = "1000 GB/s"\nbw_numa = "500 GB/s"\npeak_dp = "10 Gflop/s"\n'
    )
    (tmp_path / "run.csv").write_text(
        "region,kind,time [s],PAPI_FP_OPS,PAPI_L3_TCM\nstream,threaded,10,5.96e11,9.3e9\n"
    )
    path = tmp_path / "model.toml"
    path.write_text('[bandwidth]\nreference = "blue-waters-xe6"\nprofile = "run.csv"\n')
    assert project(path, tmp_path / "slow.toml").parts[0].value == pytest.approx(59.6)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("region,kind,time\nmain,threaded,3\n", "column 'time' is in no unit, not in s"),
        ("region,kind,time [s]\nmain,threaded,fast\n", "line 2: 'fast' in column 'time' is not a number"),
        ("region,kind,time [s]\nmain,threaded\n", "line 2 has 2 cells, the header 3"),
        ("region,kind\nmain,threaded\n", "no column 'time'"),
        ("region,kind,time [parsec]\nmain,threaded,3\n", "'parsec' is not a known unit"),
        ("region,kind,time [s]\nmain,other,3\n", "no group to project"),
        ("region,kind,time [s]\nmain,threaded,-3\n", "'time' has to be a positive time"),
        ("region\n", "a header and at least one line"),
    ],
)
def test_mistakes_in_a_csv_are_one_line_each(tmp_path, text, line):
    (tmp_path / "run.csv").write_text(text)
    path = tmp_path / "model.toml"
    path.write_text('[bandwidth]\nreference = "blue-waters-xe6"\nprofile = "run.csv"\n')
    with pytest.raises(Exception, match=r"run\.csv|bandwidth") as caught:
        project(path, "ivybridge-e5-2670v2")
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_report_without_regions_is_refused(tmp_path):
    path = tmp_path / "empty.pat"
    path.write_text("CrayPat/X:  Version 6.4.6\n\nNumber of PEs (MPI ranks):   64\n")
    with pytest.raises(InputError, match="no region with a time, share or counters"):
        read_craypat(path)
    path.write_text("just text\n")
    with pytest.raises(InputError, match="not a CrayPat report"):
        read_craypat(path)


def test_a_kind_for_a_region_that_is_not_there_is_told(tmp_path, report):
    path = model(tmp_path, report.name)
    path.write_text(path.read_text().replace("USER/smooth", "USER/smoth"))
    with pytest.raises(InputError, match="no region 'USER/smoth'"):
        project(path)
