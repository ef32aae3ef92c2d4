"""Profiles to project from: groups stated, CSV or CrayPat text, and every mistake in one line."""

from pathlib import Path

import pytest

from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.rooflines.bandwidth_projection import read_profile
from tests.ingest.counters.craypat_report_text import REPORT
from tests.pipeline.projection.mistakes import refused

ROW = {"name": "a", "time": "60 s", "share": 0.6, "kind": "serial", "counters": {"PAPI_FP_OPS": 1e9}}


def stated(*rows):
    return read_profile(TomlTable({"groups": list(rows)}, Path("app.toml"), ("bandwidth",))).groups


@pytest.fixture
def profiled(tmp_path):
    """Read groups from a profile, with kinds by region."""

    def call(text, name="run.csv", **kinds):
        (tmp_path / name).write_text(text)
        return read_profile(
            TomlTable({"profile": name, "kinds": kinds}, tmp_path / "app.toml", ("bandwidth",))
        ).groups

    return call


def by_name(groups):
    return {group.name: group for group in groups}


def test_stated_groups():
    full, short = stated(ROW, {"name": "b", "time": "1 min +- 3 %"})
    assert (full.name, full.time.value, full.share, full.kind) == ("a", 60.0, 0.6, "serial")
    assert full.counters == {"PAPI_FP_OPS": 1e9}
    assert (short.time.value, short.time.relative_sd, short.share, short.kind) == (
        60.0,
        0.03,
        None,
        "threaded",
    )
    assert short.counters == {}
    assert stated({**ROW, "share": "33.1 %"})[0].share == pytest.approx(0.331)
    assert [stated({**ROW, "share": share})[0].share for share in (0, 1)] == [0.0, 1.0]
    assert stated({**ROW, "time": "0.5 s"})[0].time.value == 0.5
    assert stated({**ROW, "counters": {"a": 0, "b": 0.5}})[0].counters == {"a": 0.0, "b": 0.5}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"time": "0 s"}, "app.toml: [bandwidth.groups]: a: 'time' has to be a positive time; write it like"),
        ({"time": "3 GB"}, "'time' has to be a positive time"),
        ({"time": None}, "[bandwidth.groups]: a: 'None' is not a quantity"),
        ({"share": 1.01}, "[bandwidth.groups]: a: 'share' has to lie between 0 and 1; write 0.331 or"),
        ({"share": -0.1}, "'share' has to lie between 0 and 1"),
        ({"share": "0.5 s"}, "'share' has to lie between 0 and 1"),
        ({"share": "half"}, "[bandwidth.groups]: a: 'half' is not a quantity"),
        (
            {"kind": "parallel"},
            "[bandwidth.groups]: a: invalid kind 'parallel'; kinds are threaded, serial, other",
        ),
        ({"kinds": "serial"}, "kinds: unknown key; did you mean 'kind'?"),
        ({"counters": {"PAPI_FP_OPS": "many"}}, "a: PAPI_FP_OPS: 'many' is not a quantity"),
        (
            {"counters": {"PAPI_FP_OPS": -1}},
            "a: PAPI_FP_OPS: a counter has to be a number, 0 or more; correct it",
        ),
        ({"counters": {"PAPI_FP_OPS": "1 s"}}, "a counter has to be a number, 0 or more"),
        ({"name": 3}, "name: invalid value"),
    ],
)
def test_mistakes_in_stated_groups(change, line):
    assert line in refused(lambda: stated({**ROW, **change}))


def test_a_stated_group_needs_a_time():
    with pytest.raises(InputError, match=r"a: 'time' is missing; write time = \"997.6 s\""):
        stated({"name": "a"})


def test_groups_from_csv(profiled):
    text = (
        "region,kind,time [ms],share [%],PAPI_FP_OPS,Memory data volume [GBytes],PAPI_TOT_CYC\n"
        "a,serial,2000,60,5,2,7\nb,other,3000,0,6,3,8\n"
    )
    found = by_name(profiled(text, b="threaded"))
    assert (found["a"].time.value, found["a"].share, found["a"].kind) == (2.0, pytest.approx(0.6), "serial")
    assert found["a"].counters == {"PAPI_FP_OPS": 5.0, "Memory data volume [GBytes]": 2.0}
    assert (found["b"].time.value, found["b"].share, found["b"].kind) == (3.0, 0.0, "threaded")
    assert found["b"].counters == {"PAPI_FP_OPS": 6.0, "Memory data volume [GBytes]": 3.0}
    (plain,) = profiled("region,time [s]\na,3\n")
    assert (plain.share, plain.kind, plain.counters) == (None, "other", {})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("region,kind,time\nmain,threaded,3\n", "column 'time' is in no unit, not in s"),
        ("region,kind,time [s]\nmain,threaded,fast\n", "line 2: 'fast' in column 'time' is not a number"),
        ("region,kind\nmain,threaded\n", "no column 'time'"),
        ("kind,time [s]\nthreaded,1\n", "no column 'region'"),
        ("region,kind,time [parsec]\nmain,threaded,3\n", "'parsec' is not a known unit"),
        ("region,kind,time [s]\nmain,threaded,-3\n", "run.csv: main: 'time' has to be a positive time"),
        ("region,kind,time [s]\nmain,fast,3\n", "run.csv: main: invalid kind 'fast'; kinds are"),
        ("region,time [s],share\nmain,3,33.1\n", "run.csv: main: 'share' has to lie between 0 and 1"),
        ("region,time [s],share [s]\nmain,3,0.3\n", "column 'share' is in s, not in no unit"),
        ("region\n", "a header and at least one line"),
    ],
)
def test_mistakes_in_a_csv_are_one_line_each(profiled, text, line):
    assert line in refused(lambda: profiled(text))


def test_groups_from_a_report_are_functions_and_what_they_leave(profiled):
    report = REPORT.replace("|  90.0% | 900.000000 |", "|  90.1% | 900.500000 |")
    found = by_name(profiled(report, "run.pat", **{"USER/smooth": "threaded"}))
    assert {name: (group.time.value, group.kind) for name, group in found.items()} == {
        "USER (rest)": (0.5, "other"),
        "USER/smooth": (600.0, "threaded"),
        "USER/multiply": (300.0, "other"),
        "MPI": (100.0, "other"),
    }
    assert {str(group.time.dimension) for group in found.values()} == {"s"}
    assert (found["USER (rest)"].share, found["USER/smooth"].share, found["MPI"].share) == (None, 0.6, 0.1)
    # Counters of a node are those of its 32 processes.
    assert found["USER/smooth"].counters == {
        "PAPI_L1_DCA": 32 * 187.5e9,
        "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": 32 * 14_648_437_500,
        "PAPI_FP_OPS": 32 * 93.75e9,
    }
    assert "USER (rest)" not in by_name(profiled(REPORT, "run.pat"))


def test_a_named_group_replaces_its_functions(profiled):
    found = by_name(profiled(REPORT, "run.pat", USER="serial"))
    assert {name: group.kind for name, group in found.items()} == {"USER": "serial", "MPI": "other"}
    both = by_name(profiled(REPORT, "run.pat", **{"USER": "serial", "USER/smooth": "threaded"}))
    assert list(both) == ["USER", "USER/smooth", "MPI"]


def test_regions_without_time_and_deeper_ones_are_left_out(profiled):
    def block(title, seconds):
        return f"{'=' * 60}\n  {title}\n{'-' * 60}\n  Time    {seconds} secs\n  PAPI_FP_OPS   1 ops\n"

    text = (
        "CrayPat/X:  Version 6.4.6\n"
        + block("Total", 9)
        + block("USER / a", 2)
        + block("USER / a / b", 1)
        + block("USER / c", 0)
    )
    found = {group.name: group.time.value for group in profiled(text, "run.pat")}
    assert found == {"USER/a": 2.0, "unlisted": 7.0}


def test_a_kind_for_a_region_that_is_not_there(profiled):
    said = refused(
        lambda: profiled(REPORT, "run.pat", **{"USER/smoth": "threaded", "XYZ": "other"}), raises=InputError
    )
    assert "app.toml: [bandwidth]: no region 'USER/smoth' in" in said
    assert said.endswith("run.pat; regions are USER/smooth, USER/multiply, MPI")
    with pytest.raises(UsageError, match="MPI: invalid kind 'fast'"):
        profiled(REPORT, "run.pat", MPI="fast")
