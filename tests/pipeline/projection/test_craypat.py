"""CrayPat's text reports: facts, the profile table and blocks of counters."""

import pytest

from ingest.errors import InputError
from pipeline.projection.craypat import CrayPatRegion, read_craypat
from tests.pipeline.projection.craypat_report import REPORT

HEAD = "CrayPat/X:  Version 20.09.0\n\n"
SAMPLED = """\
Table 1:  Profile by Function

  Samp% |        Samp | Imb. Samp |  Imb. | Group
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


@pytest.fixture
def read(tmp_path):
    def from_text(text):
        path = tmp_path / "run.pat"
        path.write_text(text)
        return read_craypat(path)

    return from_text


def block(title, entries):
    return BLOCK.format(title=title, entries=entries)


def test_facts_at_the_head(read):
    found = read(REPORT)
    assert (found.processes, found.per_node, found.threads) == (64, 32, 1)
    many = "Number of PEs (MPI ranks):  1,024\n\nNumbers of Threads per PE:     16\n\n"
    found = read(HEAD + many + SAMPLED)
    assert (found.processes, found.per_node, found.threads) == (1024, 1, 16)


def test_times_shares_and_counters(read):
    regions = {region.name: region for region in read(REPORT).regions}
    assert list(regions) == ["USER", "USER/smooth", "USER/multiply", "MPI", "Total"]
    assert regions["USER"] == CrayPatRegion("USER", 0.9, 900.0)
    assert regions["MPI"] == CrayPatRegion("MPI", 0.1, 100.0)
    assert regions["Total"] == CrayPatRegion("Total", 1.0, 1000.0)
    smooth = regions["USER/smooth"]
    assert (smooth.share, smooth.seconds) == (0.6, 600.0)
    assert smooth.counters == {
        "Calls": 1.0,
        "PAPI_L1_DCA": 187_500_000_000,
        "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": 14_648_437_500,
        "PAPI_FP_OPS": 93_750_000_000,
    }


def test_samples_have_shares_only(read):
    assert read(HEAD + SAMPLED).regions == (
        CrayPatRegion("MPI", 0.594, None),
        CrayPatRegion("MPI/MPI_ALLREDUCE", 0.384, None),
    )


def test_only_the_first_table_counts_and_it_ends_at_the_next(read):
    second = SAMPLED.replace("Table 1", "Table 2").replace("59.4%", "11.1%")
    assert read(HEAD + SAMPLED + second).regions[0].share == 0.594
    interrupted = SAMPLED.replace("||  38.4%", "Table 2: other\n||  38.4%")
    assert [region.name for region in read(HEAD + interrupted).regions] == ["MPI"]


def test_functions_belong_to_the_group_above_them(read):
    rows = "|  30.0% | 1.5 | -- | -- | USER\n||  20.0% | 1.0 | -- | -- | a b\n||  10.0% | 0.5 | -- | -- | c\n"
    found = read(
        f"{HEAD}Table 1:\n  Time% | Time | Imb. | Imb. | Group\n{rows}|  5.0% | 0.25 | -- | -- | ETC\n"
    )
    assert [(r.name, r.share, r.seconds) for r in found.regions] == [
        ("USER", 0.3, 1.5),
        ("USER/a b", 0.2, 1.0),
        ("USER/c", pytest.approx(0.1), 0.5),
        ("ETC", 0.05, 0.25),
    ]


def test_blocks_complete_the_table(read):
    entries = "  Time     2.5 secs\n  PAPI_FP_OPS      1,000 ops"
    found = {region.name: region for region in read(HEAD + SAMPLED + block("MPI", entries)).regions}
    assert found["MPI"] == CrayPatRegion("MPI", 0.594, 2.5, {"PAPI_FP_OPS": 1000.0})
    shared = block(
        "USER / solve / inner", "  Time%     33.1%\n  Imb. Time     0.1 secs\n  Imb. Time%    12.0%"
    )
    found = {region.name: region for region in read(HEAD + shared).regions}
    assert found["USER/solve/inner"] == CrayPatRegion("USER/solve/inner", pytest.approx(0.331), None)
    assert read(HEAD + block("Avg of PE values", "  Time   3.0 secs")).regions[0].name == "Total"


def test_the_first_column_that_is_not_a_rate_is_the_value(read):
    entries = "\n".join(
        [
            "  A      2.5M/sec      7 ops",
            "  B      0.002 /sec    -8.5e+2 ops",
            "  C      9            10",
            "  D      words only",
            "  E F    .5 ops",
            "  Time   5",
            "  Time%  12 secs",
        ]
    )
    (region,) = read(HEAD + block("USER / f", entries)).regions
    assert region.counters == {"A": 7.0, "B": -850.0, "C": 9.0, "E F": 0.5, "Time%": 12.0}
    assert (region.seconds, region.share) == (None, None)


def test_a_block_ends_at_its_rule_and_needs_a_title(read):
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


def test_what_is_not_such_a_report(read, tmp_path):
    where = tmp_path / "run.pat"
    with pytest.raises(InputError) as caught:
        read("CrayPat/X:  Version 6.4.6\n\nNumber of PEs (MPI ranks):   64\n")
    assert str(caught.value) == (
        f"{where}: the report has no region with a time, share or counters; "
        "write the report with its profile table, or with counters by region"
    )
    with pytest.raises(InputError) as caught:
        read("just text\n" * 500 + "CrayPat")
    assert str(caught.value) == f"{where}: not a CrayPat report; write it with: pat_report -o FILE DATA"
