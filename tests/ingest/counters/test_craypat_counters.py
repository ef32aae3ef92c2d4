"""CrayPat's text reports: facts, the profile table, samples and blocks of counters."""

import pytest

from ingest.counter_report import TOTAL_ROW, CountedRegion
from ingest.errors import InputError
from ingest.readers.craypat import is_report, read_craypat
from tests.ingest.counters.craypat_report_text import REPORT
from tests.pipeline.projection.mistakes import refused

HEAD = "CrayPat/X:  Version 20.09.0\n\n"
INTERVAL = "Experiment:  samp_cs_time\n\nSampling interval:  {} \n"
SAMPLED = """\
Table 1:  Profile by Function

  Samp% |        Samp | Imb. Samp |  Imb. | Group
        |             |           | Samp% |  Function
 100.0% | 3,499,929.6 |        -- |    -- | Total
|---------------------------------------------------------------
|  59.4% | 2,079,502.8 |        -- |    -- | MPI
||  38.4% | 1,344,287.7 | 122,437.3 |  8.4% | MPI_ALLREDUCE
3|        |           |          |       |  build/hamil.F
"""
BLOCK = """\
================================================================
  {title}
----------------------------------------------------------------
{entries}
================================================================
"""


def read(text):
    return read_craypat(text, "run.pat")


def regions(text):
    return {region.name: region for region in read(text).regions}


def block(title, entries):
    return BLOCK.format(title=title, entries=entries)


def counters(entries, head=HEAD):
    (region,) = read(head + block("USER / f", entries)).regions
    return region.counters


def test_facts_at_the_head():
    assert (read(REPORT).processes, read(REPORT).cores) == (64, 32)
    many = "Number of PEs (MPI ranks):  1,024\n\nNumbers of PEs per Node:  8\n\n"
    found = read(f"{HEAD}{many}Numbers of Threads per PE:     16\n\n{SAMPLED}")
    assert (found.processes, found.cores) == (1024, 128)


def test_times_shares_and_counters():
    found = regions(REPORT)
    assert list(found) == ["Total", "USER", "USER/smooth", "USER/multiply", "MPI"]
    assert found["USER"] == CountedRegion(path=("USER",), share=0.9, seconds=900.0)
    assert found["MPI"] == CountedRegion(path=("MPI",), share=0.1, seconds=100.0)
    assert (found["Total"].path, found["Total"].share, found["Total"].seconds) == (TOTAL_ROW, 1.0, 1000.0)
    smooth = found["USER/smooth"]
    assert (smooth.path, smooth.share, smooth.seconds) == (("USER", "smooth"), 0.6, 600.0)
    # Averages of a process, of which a node has 32; the name of the refills is wrapped.
    assert smooth.counters == {
        "Calls": 32.0,
        "PAPI_L1_DCA": 32 * 187_500_000_000,
        "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": 32 * 14_648_437_500,
        "PAPI_FP_OPS": 32 * 93_750_000_000,
    }


@pytest.mark.parametrize(
    ("interval", "seconds"),
    [
        ("10000 microsecs", 0.01),
        ("2,500 usecs", 0.0025),
        ("5 millisecs", 0.005),
        ("4.5 msecs", 0.0045),
        ("1 secs", 1.0),
    ],
)
def test_samples_are_seconds_by_the_stated_interval(interval, seconds):
    found = regions(HEAD + SAMPLED + INTERVAL.format(interval))
    assert found["Total"].seconds == pytest.approx(3_499_929.6 * seconds)
    assert found["MPI/MPI_ALLREDUCE"].seconds == pytest.approx(1_344_287.7 * seconds)
    assert found["MPI/MPI_ALLREDUCE"].share == pytest.approx(0.384)


@pytest.mark.parametrize("text", [SAMPLED, SAMPLED + INTERVAL.format("10 fortnights")])
def test_samples_without_an_interval_have_shares_only(text):
    assert [(r.name, r.share, r.seconds) for r in read(HEAD + text).regions] == [
        ("Total", 1.0, None),
        ("MPI", 0.594, None),
        ("MPI/MPI_ALLREDUCE", 0.384, None),
    ]


def test_seconds_of_a_traced_report_are_not_samples():
    assert regions(REPORT + INTERVAL.format("10000 microsecs"))["USER"].seconds == 900.0


def test_only_the_profile_table_counts_and_it_ends_at_the_next():
    second = SAMPLED.replace("Table 1", "Table 2").replace("59.4%", "11.1%")
    assert regions(HEAD + SAMPLED + second)["MPI"].share == 0.594
    longest = second.replace("Profile by Function", "Profile of maximum function times")
    assert regions(HEAD + longest + SAMPLED)["MPI"].share == 0.594
    wrapped = SAMPLED.replace("  Profile by Function\n", "\n  Profile by Function Group and Function\n")
    assert regions(HEAD + longest + wrapped)["MPI"].share == 0.594
    assert regions(HEAD + longest)["MPI"].share == 0.111
    for end in ("Table 2: other", "Notes for table 2:"):
        interrupted = SAMPLED.replace("||  38.4%", f"{end}\n||  38.4%")
        assert list(regions(HEAD + interrupted)) == ["Total", "MPI"]


def test_functions_belong_to_the_group_above_them():
    rows = "|  30.0% | 1.5 | -- | -- | USER\n||  20.0% | 1.0 | -- | -- | a b\n||  10.0% | 0.5 | -- | -- | c\n"
    found = read(
        f"{HEAD}Table 1:\n  Time% | Time | Imb. | Imb. | Group\n{rows}|  5.0% | 0.25 | -- | -- | ETC\n"
    )
    assert [(r.path, r.share, r.seconds) for r in found.regions] == [
        (("USER",), 0.3, 1.5),
        (("USER", "a b"), 0.2, 1.0),
        (("USER", "c"), pytest.approx(0.1), 0.5),
        (("ETC",), 0.05, 0.25),
    ]


def test_tables_of_old_and_short_reports():
    old = (
        "Table 1:  Profile by Function\n\n Samp % |  Samp |Imb. Samp |   Imb. |Experiment=1\n"
        " 100.0% | 38899 |       -- |     -- |Total\n"
        "|  53.7% | 20894 |       -- |     -- |USER\n||  19.2% |  7479 |  1549.37 |  17.2% |fast_waves_\n"
    )
    found = regions(f"{HEAD}{old}{INTERVAL.format('10000 microsecs')}")
    assert {name: region.seconds for name, region in found.items()} == {
        "Total": 388.99,
        "USER": 208.94,
        "USER/fast_waves_": pytest.approx(74.79),
    }
    short = (
        "Table 1:  Profile by Function\n\n  Time% | Time | Group\n"
        " 100.0% | 3.5 | Total\n|  80.0% | 2.8 | USER\n"
    )
    assert {name: region.seconds for name, region in regions(HEAD + short).items()} == {
        "Total": 3.5,
        "USER": 2.8,
    }
    calls = (
        "Table 1:  Profile by Function Group and Function\n\n"
        "  Time% |     Time | Imb. |  Imb. | Team |    Calls | Group\n"
        "|  57.5% | 0.341232 |   -- |    -- |   -- |     18.0 | HIP\n"
    )
    assert regions(HEAD + calls)["HIP"].seconds == 0.341232


def test_a_name_may_go_on_in_the_next_row():
    rows = (
        SAMPLED
        + "||        |             |           |       | (sync) of all\n|   1.0% | 5.0 | -- | -- | ETC\n"
    )
    assert list(regions(HEAD + rows)) == ["Total", "MPI", "MPI/MPI_ALLREDUCE", "ETC"]
    rows = SAMPLED.replace("3|  ", "||        |             |           |       | (sync)\n3|  ")
    assert list(regions(HEAD + rows)) == ["Total", "MPI", "MPI/MPI_ALLREDUCE(sync)"]


def test_the_profile_as_csv():
    table = (
        "Table 1:  Load Balance across PEs by FunctionGroup\n\nLevel,Samp%,Samp,Group/PE\n"
        "0,100.0%,1768.0,Total\n1,88.4%,1563.4,USER\n2,89.8%,1588.0,USER/pe.0\n2,36.6%,647.3,USER/solve/all\n1,6.6%,116.5,MPI\n\n2,1%,1,x\n"
    )
    found = read(HEAD + table + INTERVAL.format("10000 microsecs"))
    assert [(r.path, r.share, r.seconds) for r in found.regions] == [
        (TOTAL_ROW, 1.0, 17.68),
        (("USER",), pytest.approx(0.884), pytest.approx(15.634)),
        (("USER", "solve/all"), pytest.approx(0.366), pytest.approx(6.473)),
        (("MPI",), pytest.approx(0.066), pytest.approx(1.165)),
    ]


def test_blocks_complete_the_table():
    entries = "  Time     2.5 secs\n  PAPI_FP_OPS      1,000 ops"
    found = regions(HEAD + SAMPLED + block("MPI", entries))
    expected = CountedRegion(path=("MPI",), share=0.594, seconds=2.5, counters={"PAPI_FP_OPS": 1000.0})
    assert found["MPI"] == expected
    timed = regions(HEAD + SAMPLED + block("MPI", entries) + INTERVAL.format("10000 microsecs"))
    assert timed["MPI"].seconds == pytest.approx(20795.028)
    shared = block(
        "USER / solve / inner", "  Time%     33.1%\n  Imb. Time     0.1 secs\n  Imb. Time%    12.0%"
    )
    (inner,) = read(HEAD + shared).regions
    assert inner == CountedRegion(path=("USER", "solve", "inner"), share=pytest.approx(0.331))


@pytest.mark.parametrize("title", ["Total", "Avg of PE values", "Totals for program"])
def test_the_whole_program_has_several_titles(title):
    (whole,) = read(HEAD + block(title, "  Thread Time   3.0 secs\n  A   5 ops")).regions
    assert whole == CountedRegion(path=TOTAL_ROW, seconds=3.0, counters={"A": 5.0})


def test_blocks_of_single_processes_and_nodes_are_left_out():
    single = "".join(
        block(title, "  A   1 ops")
        for title in ("USER / f / pe.3", "numanode.0", "nid.17", "Total / thread.1")
    )
    assert [r.name for r in read(HEAD + single + block("USER / f", "  A   2 ops")).regions] == ["USER/f"]


def test_the_first_column_that_is_not_a_rate_is_the_value():
    entries = "\n".join(
        [
            "  A      2.5M/sec      7 ops",
            "  B      0.002 /sec    -8.5e+2 ops",
            "  C      9            10",
            "  D      words only",
            "  E F    .5 ops",
            "  Time   5",
            "  Time%  12 secs",
            "  G      1,234.5M/sec",
        ]
    )
    (region,) = read(HEAD + block("USER / f", entries)).regions
    assert region.counters == {"A": 7.0, "B": -850.0, "C": 9.0, "E F": 0.5, "Time%": 12.0}
    assert (region.seconds, region.share) == (None, None)


def test_names_of_counters_go_on_in_the_next_line():
    entries = "\n".join(
        [
            "  DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:",
            "    GOOD               24.4M/sec    14,648,437,500 fills",
            "  Cache Lines Requested from ",
            "    Memory                 0.008G/sec   272 lines",
            "  Cache Lines PF from",
            "    OffCore                 0.008G/sec   3 lines",
            "  MFLOPS (aggregate)  5M/sec",
            "    INDENTED   4",
            "  ALONE",
            "",
            "  OTHER   5",
        ]
    )
    assert counters(entries) == {
        "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": 14_648_437_500,
        "Cache Lines Requested from Memory": 272.0,
        "Cache Lines PF from OffCore": 3.0,
        "INDENTED": 4.0,
        "OTHER": 5.0,
    }


def test_a_block_ends_at_its_rule_and_needs_a_title():
    two = block("USER / f", "  A   1 ops") + block("USER / g", "  A   2 ops")
    assert [region.counters for region in read(HEAD + two).regions] == [{"A": 1.0}, {"A": 2.0}]
    untitled = block("", "  A   1 ops") + block("USER / f", "  A   3 ops")
    assert [region.name for region in read(HEAD + untitled).regions] == ["USER/f"]
    title_first = block("USER / f", "  A   1 ops") + HEAD
    assert [region.name for region in read(title_first).regions] == ["USER/f"]
    dashes = block("USER / f", "  A   1 ops").replace("====", "----", 4)
    with pytest.raises(InputError, match="no region"):
        read(HEAD + dashes.replace("=", "-"))
    assert read(HEAD + block("USER / f", "  A   1 ops").rsplit("=", 64)[0]).regions[0].counters == {"A": 1.0}


def test_output_of_the_program_may_come_first():
    assert is_report("N Bodies = 10240\n" * 500 + HEAD)
    assert not is_report("# this is how CrayPat/X: is used\n")


def test_what_is_not_such_a_report():
    assert refused(
        lambda: read("CrayPat/X:  Version 6.4.6\n\nNumber of PEs (MPI ranks):   64\n"), raises=InputError
    ) == (
        "run.pat: the report has no region with a time, share or counters; "
        "write the report with its profile table, or with counters by region"
    )
    assert (
        refused(lambda: read("just text\n" * 500 + "CrayPat"), raises=InputError)
        == "run.pat: not a CrayPat report; write it with: pat_report -o FILE DATA"
    )
