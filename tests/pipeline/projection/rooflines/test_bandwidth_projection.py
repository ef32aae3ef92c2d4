"""Projections by bandwidth ratios: parts, coverage, intervals and doubts about a profile."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.rooflines.bandwidth_projection import read_profile
from pipeline.stages.project import project
from tests.ingest.counters.craypat_report_text import REPORT
from tests.pipeline.projection.mistakes import refused

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


def test_groups_follow_what_limits_them(tmp_path, report):
    found = project(model(tmp_path, report.name))
    smooth, multiply = found.verdicts.values()
    # Refills of the first-level cache are compared with the second: 32 x 14.648e9 of 64 B in 600 s, of
    # 383 GB/s. They bound traffic with memory, which was not counted, by 50 GB/s of 59.6.
    assert smooth.sentence == (
        "assumed to be memory-bound; traffic with memory was not counted (L2 50 GB/s, 13 % of its ceiling, "
        "L1 160 GB/s, 19 % of its ceiling, arithmetic 5 Gflop/s, 1.6 % of its peak, 0.0312 flop/B at L1)"
    )
    # 32 x 2e12 flop in 300 s are 213 Gflop/s of 313.6.
    assert multiply.sentence == (
        "limited by arithmetic (L2 1 GB/s, 0.26 % of its ceiling, arithmetic 213 Gflop/s, 68 % of its peak, "
        "213 flop/B at L2)"
    )
    parts = {line.path[0]: line.value for line in found.parts}
    assert parts["USER/smooth"] == pytest.approx(600 * 59.6 / 125.1)
    assert parts["USER/multiply"] == pytest.approx(300 * 313.6 / 1075.2)
    assert found.total.value == pytest.approx(sum(parts.values()) / 0.9)
    assert found.reference.value == pytest.approx(1000.0)


def test_a_whole_group_takes_the_place_of_its_functions(tmp_path, report):
    path = model(tmp_path, report.name)
    path.write_text(path.read_text().split('"USER/smooth"')[0] + 'USER = "threaded"\n')
    found = project(path)
    assert [(line.path, line.value) for line in found.parts] == [
        (("USER",), pytest.approx(900 * 59.6 / 125.1))
    ]
    assert found.reference.value == pytest.approx(1000.0)
    path.write_text(path.read_text() + '"USER/smooth" = "threaded"\n')
    with pytest.raises(InputError, match="'USER' would be counted twice"):
        project(path)


def test_the_roofline_shows_every_counted_level(tmp_path, report):
    found = project(model(tmp_path, report.name)).roofline
    points = {(point.name, point.level): point for point in found.points}
    assert points["USER/smooth", "L2"].intensity == pytest.approx(0.1)
    assert points["USER/smooth", "L1"].intensity == pytest.approx(93.75e9 / (16 * 187.5e9))
    assert points["USER/smooth", "L2"].flop_rate == pytest.approx(32 * 93.75e9 / 600)


def test_a_program_is_projected_as_one_group(tmp_path, report):
    path = model(tmp_path, report.name)
    path.write_text(path.read_text().split('"USER/smooth"')[0] + 'Total = "threaded"\n')
    found = project(path)
    assert [(line.path, line.value) for line in found.parts] == [
        (("Total",), pytest.approx(1000 * 59.6 / 125.1))
    ]
    assert found.reference.value == pytest.approx(1000.0)


WHOLE = """
==============================================================
  Total
--------------------------------------------------------------
  PAPI_FP_OPS          1,000,000,000,000 ops
  Memory traffic GBytes          100.0 GB
==============================================================
"""


def test_counters_of_the_whole_are_judged_beside_the_groups(tmp_path, report):
    times = report.read_text().split("Table 2")[0]
    report.write_text(times + WHOLE)
    found = project(model(tmp_path, report.name))
    assert list(found.verdicts) == ["USER/smooth", "USER/multiply", "whole program"]
    # 32 processes of 100 GB in 1000 s.
    assert found.verdicts["whole program"].uses["DRAM"].rate == pytest.approx(3.2e9)
    assert [(point.name, point.level) for point in found.roofline.points] == [("Total", "DRAM")]
    report.write_text(report.read_text() + WHOLE.replace("Total", "USER / smooth"))
    assert "whole program" not in project(model(tmp_path, report.name)).verdicts


def test_further_runs_are_in_the_roofline(tmp_path, report):
    (tmp_path / "more.pat").write_text(REPORT.replace("600.000000", "300.000000"))
    path = model(tmp_path, report.name)
    path.write_text(path.read_text() + '[bandwidth.runs]\n"64 ranks" = "more.pat"\n')
    points = project(path).roofline.points
    rates = {(p.name, p.run): p.flop_rate for p in points if p.level == "L2"}
    assert rates["USER/smooth", "64 ranks"] == pytest.approx(2 * rates["USER/smooth", ""])
    assert set(rates) == {
        (f"USER/{name}", run) for name in ("smooth", "multiply") for run in ("", "64 ranks")
    }


def test_runs_with_different_counters_are_one_profile(tmp_path, report):
    (tmp_path / "flop.pat").write_text(REPORT.replace("PAPI_FP_OPS", "OTHER"))
    path = model(tmp_path, report.name)
    path.write_text(path.read_text().replace('"run.pat"', '["flop.pat", "run.pat"]'))
    found = project(path).verdicts["USER/multiply"]
    assert found.sentence.startswith("limited by arithmetic")
    path.write_text(path.read_text().replace('["flop.pat", "run.pat"]', "[1]"))
    with pytest.raises(InputError, match="toml:6: profile: is not a list of texts"):
        project(path)


def test_how_many_cores_ran_may_be_stated(tmp_path, report):
    machine = '[values]\ncores = 64\nbw_node = "60 GB/s"\nbw_numa = "15 GB/s"\npeak_dp = "300 Gflop/s"\n'
    (tmp_path / "here.toml").write_text(machine)
    path = model(tmp_path, report.name)
    path.write_text(path.read_text().replace('"blue-waters-xe6"', '"here.toml"'))
    # The report says 32 processes on a node, half of its cores.
    assert project(path).verdicts["USER/multiply"].uses["arithmetic"].ceiling == pytest.approx(150e9)
    path.write_text(path.read_text().replace("[bandwidth]\n", "[bandwidth]\ncores = 16\n"))
    assert project(path).verdicts["USER/multiply"].uses["arithmetic"].ceiling == pytest.approx(75e9)
    path.write_text(path.read_text().replace("cores = 16", "cores = 1.5"))
    with pytest.raises(UsageError, match="'cores' has to be a whole number, 1 or more"):
        project(path)


def test_a_group_that_neither_limit_explains_takes_the_slower_projection(tmp_path):
    (tmp_path / "run.csv").write_text(
        "region,kind,time [s],PAPI_FP_OPS,Memory data volume [GBytes]\n"
        "wait,serial,100,1e9,10\nrest,other,50,0,0\n"
    )
    path = tmp_path / "model.toml"
    path.write_text('[bandwidth]\nreference = "blue-waters-xe6"\nprofile = "run.csv"\n')
    found = project(path, "ivybridge-e5-2670v2")
    assert found.verdicts["wait"].sentence == (
        "limited by latency, or by L3 or L2 or L1, not counted "
        "(DRAM 0.1 GB/s, 0.67 % of its ceiling, arithmetic 0.01 Gflop/s, 0.013 % of its peak, "
        "0.1 flop/B at DRAM)"
    )
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


CACHES = 'bw_l2 = "{l2} GB/s"\npeak_scalar = "{scalar} Gflop/s"\n'


@pytest.fixture
def counted(tmp_path):
    """Project one group of 10 s with counters between machines that state caches and scalar peaks."""

    def call(**counters):
        names = ", ".join(f'"{name}" = {value}' for name, value in counters.items())
        group = f'{{ name = "a", time = "10 s", counters = {{ {names} }} }}'
        app = f'machine = "target.toml"\n[bandwidth]\nreference = "reference.toml"\ngroups = [{group}]\n'
        (tmp_path / "app.toml").write_text(app)
        (tmp_path / "target.toml").write_text(TARGET + CACHES.format(l2=500, scalar=250))
        (tmp_path / "reference.toml").write_text(MEASURED_ON + CACHES.format(l2=1000, scalar=125))
        return project(tmp_path / "app.toml").parts[0].value

    return call


def test_a_group_limited_by_a_cache_follows_its_bandwidth(counted):
    lines = {"PAPI_L1_DCM": 9000e9 / 64, "PAPI_L3_TCM": 10e9 / 64}
    assert counted(PAPI_FP_OPS=1e9, **lines) == pytest.approx(10 * 1000 / 500)
    assert counted(**lines) == pytest.approx(10 * 1000 / 500)


IDLE = {"PAPI_FP_OPS": 1e9, "PAPI_L3_TCM": 1e7, "PAPI_L2_TCM": 1e7, "PAPI_L1_DCM": 1e7, "PAPI_LD_INS": 1e7}


@pytest.mark.parametrize(
    ("here", "there", "seconds", "notices"),
    [
        # Bandwidth and peak say 5 and 20 s.
        ('latency_memory = "50 ns"', 'latency_memory = "200 ns"', 40, ()),
        ('hz = "3 GHz"\nlatency_memory = "50 ns"', 'hz = "1 GHz"', 30, ("hz",)),
        ('latency_memory = "50 ns"', "", 20, ("bw_node or peak_dp",)),
    ],
)
def test_a_group_limited_by_latency_follows_latency(projected, here, there, seconds, notices):
    counters = ", ".join(f'"{name}" = {value}' for name, value in IDLE.items())
    found = projected(
        [f'name = "chase", time = "10 s", counters = {{ {counters} }}'],
        target=TARGET + there,
        reference=MEASURED_ON + here,
    )
    assert found.parts[0].value == pytest.approx(seconds)
    assert spread(found.parts[0]) == pytest.approx(0.42, rel=0.05)
    say = "chase: one of the machines states no latency_memory: projected by"
    assert found.notices == tuple(f"{say} {value}" for value in notices)


def test_arithmetic_follows_the_peak_of_its_instructions(counted):
    # Scalar instructions reach 125 Gflop/s here and 250 there, the widest 1000 and 500.
    memory = {"PAPI_L3_TCM": 1e6}
    scalar, widest = "FP_ARITH:SCALAR_DOUBLE", "FP_ARITH:512B_PACKED_DOUBLE"
    assert counted(**{scalar: 900e9}, **memory) == pytest.approx(10 * 125 / 250)
    assert counted(**{widest: 9000e9 / 8}, **memory) == pytest.approx(10 * 1000 / 500)
    # 5 s of each.
    mixed = {scalar: 625e9, widest: 5000e9 / 8}
    assert counted(**mixed, **memory) == pytest.approx(5 * 125 / 250 + 5 * 1000 / 500)
    assert counted(PAPI_FP_OPS=9000e9, **memory) == pytest.approx(10 * 1000 / 500)


TARGET = """
name = "target"
[values]
bw_node = "200 GB/s"
bw_numa = "25 GB/s"
peak_dp = "500 Gflop/s"
"""
MEASURED_ON = """
name = "measured on"
[values]
bw_node = "100 GB/s"
bw_numa = "50 GB/s"
peak_dp = "1000 Gflop/s"
"""
GROUPS = [
    'name = "a", time = "60 s", share = 0.6, kind = "threaded"',
    'name = "b", time = "30 s", share = 0.3, kind = "serial"',
    'name = "c", time = "10 s", share = 0.1, kind = "other"',
]


@pytest.fixture
def projected(tmp_path):
    """Project groups, with other keys or files where they matter."""

    def call(groups=GROUPS, keys="", target=TARGET, reference=MEASURED_ON):
        (tmp_path / "target.toml").write_text(target)
        (tmp_path / "reference.toml").write_text(reference)
        rows = ",\n".join(f"  {{ {row} }}" for row in groups)
        head = 'machine = "target.toml"\n[bandwidth]\nreference = "reference.toml"\n'
        (tmp_path / "app.toml").write_text(f"{head}{keys}\ngroups = [\n{rows}\n]\n")
        return project(tmp_path / "app.toml")

    return call


def spread(line):
    """Return the relative standard deviation of a log-normal whose 90 % interval this is."""
    return np.sqrt(np.expm1((np.log(line.upper / line.lower) / (2 * 1.645)) ** 2))


def test_groups_follow_their_bandwidth_and_the_whole_its_coverage(projected):
    found = projected()
    assert {line.path[0]: line.value for line in found.parts} == {"a": 30.0, "b": 60.0}
    assert found.total.value == pytest.approx(90 / 0.9)
    assert found.reference.value == pytest.approx(100.0)
    assert found.reference.machine == "measured on"
    assert found.speedup.value == pytest.approx(1.0)
    assert found.roofline.machine == "measured on"


def test_the_speedup_compares_the_same_coverage(projected):
    """Without the group that is not projected, the reference is not the sum of what is listed."""
    shown = projected(
        [
            row.replace("share = 0.6", "share = 0.48").replace("share = 0.3", "share = 0.32")
            for row in GROUPS[:2]
        ]
    )
    assert shown.reference.value == pytest.approx(90 / 0.8)
    assert shown.total.value == pytest.approx(90 / 0.8)
    faster = projected(GROUPS[:1], keys="coverage = 0.5")
    assert faster.reference.value == pytest.approx(60 / 0.5)
    assert faster.speedup.value == pytest.approx(2.0)
    stated = projected(keys="coverage = 0.75")
    assert stated.speedup.value == pytest.approx(1.0)


def test_coverage_is_stated_or_from_shares_or_from_times(projected):
    unshared = [row.replace("share = 0.3, ", "") for row in GROUPS]
    assert projected(keys="coverage = 0.75").total.value == pytest.approx(90 / 0.75)
    assert projected(keys="coverage = 1").total.value == pytest.approx(90)
    assert projected([row.replace("0.3", "0.2") for row in GROUPS]).total.value == pytest.approx(90 / 0.8)
    assert projected(unshared).total.value == pytest.approx(90 / 0.9)
    assert projected([*unshared[:2], GROUPS[2].replace("10 s", "90 s")]).total.value == pytest.approx(
        90 / 0.5
    )


def test_the_method_has_an_error_of_its_own(projected):
    tested = [
        f"{row}, counters = {{ PAPI_FP_OPS = {flop}, PAPI_L3_TCM = {lines} }}"
        for row, flop, lines in zip(GROUPS, (1e9, 2.4e13, 0), (9e10, 1e9, 0), strict=True)
    ]
    waiting = tested[1].replace("24000000000000.0", "1")
    assert spread(projected().total) == pytest.approx(0.42, rel=0.05)
    memory = tested[0]
    alone = projected([memory], keys="coverage = 1")
    assert spread(alone.total) == pytest.approx(0.13, rel=0.05)
    # A third of the time by bandwidth, two by peak: half of the variance is common to both.
    assert spread(projected(tested).total) == pytest.approx(0.13 * np.sqrt(7 / 9), rel=0.05)
    # 960 % of the bandwidth: the verdict is not to be relied on.
    impossible = memory.replace("90000000000.0", "900000000000.0")
    assert spread(projected([impossible, *tested[1:]]).parts[0]) == pytest.approx(0.42, rel=0.05)
    assert spread(projected([memory, waiting, tested[2]]).parts[1]) == pytest.approx(0.42, rel=0.05)
    # What is hardly there widens nothing, what dominates all of it.
    for size, expected in (("1 ms", 0.13), ("6000 s", 0.42)):
        unproven = f'name = "u", time = "{size}", kind = "threaded"'
        total = projected([memory, unproven], keys="coverage = 1").total
        assert spread(total) == pytest.approx(expected, rel=0.05)
    assert spread(projected(keys='method_error = "5 %"').total) == pytest.approx(0.05, rel=0.05)
    parts = projected().parts
    assert spread(parts[0]) == pytest.approx(0.42, rel=0.05)


def test_times_and_bandwidths_may_be_uncertain(projected):
    rough = [GROUPS[0].replace("60 s", "60 s +- 40 %"), *GROUPS[1:]]
    parts = projected(rough, keys='method_error = "1 %"').parts
    assert spread(parts[0]) == pytest.approx(0.4, rel=0.1)
    target = TARGET.replace("25 GB/s", "25 GB/s +- 30 %")
    assert spread(projected(keys='method_error = "1 %"', target=target).parts[1]) == pytest.approx(
        0.3, rel=0.1
    )


def test_without_a_peak_there_is_no_roofline(projected):
    assert projected(reference=MEASURED_ON.replace("peak_dp", "other")).roofline is None


def test_groups_without_operations_are_not_in_the_roofline(projected):
    idle = [f"{row}, counters = {{ PAPI_FP_OPS = 0, PAPI_L3_TCM = 1e9 }}" for row in GROUPS]
    assert projected(idle).roofline.points == ()


def test_a_time_that_contradicts_its_share_gives_a_notice(projected):
    rows = [f'name = "{k}", time = "{10 * k} s", share = {k / 100}, kind = "threaded"' for k in (1, 2, 3, 4)]
    assert projected(rows).notices == ()
    # 30 s at 4 % are 750 s; rounding of a share to 0.1 % and 2 % besides are allowed.
    wrong = [*rows[:2], rows[2].replace("0.03", "0.04"), rows[3]]
    assert projected(wrong).notices == (
        "3: 30 s at 4.0 % imply a total of 750 s, the other groups imply 1000 s",
    )
    assert projected(wrong[1:]).notices == (
        "3: 30 s at 4.0 % imply a total of 750 s, the other groups imply 1000 s",
    )
    assert projected(wrong[2:]).notices == ()
    # At 3 %, rounding allows 0.0005 / 0.03 = 1.7 %: together 3.7 %.
    for time, notices in (("31.05 s", 0), ("31.2 s", 1), ("28.95 s", 0), ("28.8 s", 1)):
        near = [*rows[:2], rows[2].replace("30 s", time), rows[3]]
        assert len(projected(near).notices) == notices
    unshared = [rows[0].replace("share = 0.01, ", ""), *wrong[1:3]]
    assert projected(unshared, keys="coverage = 1").notices == ()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            {"keys": "coverage = 0"},
            "app.toml:4: coverage: 'coverage' has to lie between 0 and 1; correct it",
        ),
        ({"keys": "coverage = 1.01"}, "'coverage' has to lie between 0 and 1"),
        ({"keys": 'coverage = "0.9 s"'}, "'coverage' has to lie between 0 and 1"),
        ({"keys": 'coverage = "most"'}, "app.toml:4: coverage: 'most' is not a quantity"),
        ({"keys": 'method_error = "-5 %"'}, "'method_error' has to lie between 0 and 1"),
        ({"keys": 'kind = "x"'}, "kind: unknown key; did you mean 'kinds'?"),
        (
            {"groups": [GROUPS[2]]},
            "no group to project; set kind = 'threaded' or 'serial' for at least one group",
        ),
        (
            {"groups": [GROUPS[0], GROUPS[0]]},
            "'a' would be counted twice; assign each part of the time to one group only",
        ),
        ({"groups": [*GROUPS, GROUPS[0].replace('"a"', '"a/b"')]}, "'a' would be counted twice"),
        (
            {"target": TARGET.replace("bw_numa", "bw_x")},
            "the target machine has no 'bw_numa'; add bw_numa to its [values]",
        ),
        ({"reference": MEASURED_ON.replace("bw_node", "bw_x")}, "reference.toml: no value 'bw_node'"),
    ],
)
def test_mistakes_are_one_line_each(projected, change, line):
    assert line in refused(lambda: projected(**change))


def test_names_that_only_begin_alike_are_different_groups(projected):
    assert len(projected([*GROUPS, GROUPS[0].replace('"a"', '"ab"')], keys="coverage = 1").parts) == 3


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
