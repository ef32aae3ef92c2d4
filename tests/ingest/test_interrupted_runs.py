from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.profile import ValuesInMemory
from ingest.readers import read_profile
from ingest.reduction import reduce_profile
from tests.profiles import profile_from_rows, with_longest

LONG = 0.3  # seconds of an interruption


def runs_of(make, points=(1, 2, 4, 8, 16), repetitions=3):
    """Align what `make` returns of every point and repetition."""
    return align(
        ["n"],
        [
            MeasuredRun((float(n),), r, reduce_profile(make(n, r), ["time", "visits"]))
            for n in points
            for r in range(repetitions)
        ],
    )


def kernel(experiment):
    """The summed times of the kernel, [point, repetition]."""
    return experiment.values["time"].sum[1]


def visited(n, extra, *, visits=1000, source="run"):
    """A kernel of 1 ms per visit times the scale, with a visit that takes longer."""
    each = 1e-3 * n
    rows = [(0, "main", 1, 0.1), (1, "kernel", visits, each * visits + extra)]
    return with_longest(rows, [0.1 + each * visits + extra, each + extra], source=source)


@pytest.mark.parametrize("repetitions", [1, 3])
def test_the_longest_visit_of_one_run_is_taken_out_of_all_its_times(repetitions):
    def make(n, r):
        return visited(n, LONG * ((n, r) == (8, 0)), source=f"n{n}.r{r}")

    found = runs_of(make, repetitions=repetitions)
    np.testing.assert_allclose(kernel(found), np.outer([1, 2, 4, 8, 16], np.ones(repetitions)), rtol=1e-9)
    time = found.values["time"]
    assert time.sum[1, 3, 0] == pytest.approx(8.0) == time.mean[1, 3, 0]
    assert time.min[1, 3, 0] == pytest.approx(8.0) == time.max[1, 3, 0]
    (run,) = [run for run in found.runs if run.source == "n8.r0"]
    assert run.useful_time == pytest.approx([8.1]) and run.largest["time"].values.sum() == pytest.approx(8.1)
    said = (
        "n8.r0: an interruption of 0.300 s in kernel is taken out: one visit took far longer than its others"
    )
    assert found.notices == (said,)


def test_of_many_locations_only_the_interrupted_one_loses_time():
    def make(n, r):
        extra = LONG * ((n, r) == (8, 0))
        rows = [
            (0, "main", [1, 1], [0.1, 0.1]),
            (1, "kernel", [1000, 1000], [1.0, 1.2 + extra]),
            (2, "part", [500, 500], [0.5, 0.5]),
        ]
        return with_longest(rows, [[1.6, 1.8 + extra], [2e-3, 2e-3 + extra], [1e-3, 1e-3]])

    found = runs_of(make)
    time = found.values["time"]
    got = [part[1, 3, 0] for part in (time.sum, time.mean, time.min, time.max)]
    assert got == pytest.approx([2.2, 1.1, 1.0, 1.2], rel=1e-3)
    (run,) = [run for run in found.runs if (run.point, run.repetition) == (3, 0)]
    assert run.useful_time == pytest.approx([1.6, 1.8], rel=1e-3)
    largest = run.largest["time"]
    assert largest.values[largest.region.index("kernel")] == pytest.approx([1.0, 1.2], rel=1e-3)


@pytest.mark.parametrize("repetitions", [1, 3])
def test_a_long_visit_that_every_run_has_belongs_to_the_program(repetitions):
    found = runs_of(lambda n, r: visited(n, 0.3 * n), repetitions=repetitions)
    assert kernel(found)[:, 0].tolist() == pytest.approx([1.3, 2.6, 5.2, 10.4, 20.8])
    assert not found.notices


def test_interruptions_beside_which_each_run_has_short_ones_are_found():
    found = runs_of(lambda n, r: visited(1, LONG if (n, r) == (8, 0) else 0.02 + 0.01 * r))
    assert kernel(found)[3].tolist() == pytest.approx([1.0, 1.03, 1.04])


def test_of_few_visits_the_repetitions_tell():
    def make(n, r):
        return visited(1, LONG * ((n, r) == (16, 0)), visits=4)

    assert kernel(runs_of(make))[4].tolist() == pytest.approx([0.004] * 3)
    assert kernel(runs_of(make, repetitions=1))[4].tolist() == pytest.approx([0.304])  # a scale of its own?


def test_a_slow_visit_in_one_repetition_of_every_scale_stays():
    found = runs_of(lambda n, r: visited(1, LONG * (r == 0), visits=4), repetitions=2)
    assert kernel(found)[:, 0] == pytest.approx(0.304)


def timed(time, source="run"):
    return profile_from_rows([(0, "main", 1, 1.0), (1, "kernel", 1, time)], source=source)


def test_a_time_that_one_run_alone_has_counts_as_in_its_repetitions():
    found = runs_of(lambda n, r: timed(0.112 if (n, r) == (8, 1) else 1e-4, f"n{n}.r{r}"))
    assert kernel(found) == pytest.approx(1e-4)
    (run,) = [run for run in found.runs if run.source == "n8.r1"]
    assert run.useful_time == pytest.approx([1.0001])
    assert run.largest["time"].values.sum() == pytest.approx(1.0001)
    assert found.notices == (
        "n8.r1: kernel took 0.112 s longer than in all other runs, many times its usual time, and"
        " counts as in the repetitions",
    )


@pytest.mark.parametrize(
    ("time", "repetitions"),
    [
        (lambda n, r: 0.112 if r == 0 else 1e-4, 2),
        (lambda n, r: 0.112 if n == 8 else 1e-4, 2),
        (lambda n, r: 0.112 if (n, r) == (8, 0) else 0.01, 3),
        (lambda n, r: 0.01 if (n, r) == (8, 0) else 0.0, 3),
        (lambda n, r: 0.112 if n == 16 else 1e-4, 1),
    ],
    ids=["one repetition of every scale", "one scale", "noise", "a sample", "nothing repeated"],
)
def test_other_times_stay(time, repetitions):
    found = runs_of(lambda n, r: timed(time(n, r)), repetitions=repetitions)
    assert kernel(found).tolist() == [[time(n, r) for r in range(repetitions)] for n in (1, 2, 4, 8, 16)]
    assert not found.notices


def test_a_run_of_more_work_is_not_interrupted():
    def make(n, r):
        more = 30 if (n, r) == (8, 0) else 1
        return profile_from_rows([(0, "main", 1, 1e-3), (1, "kernel", 9, 0.01 * more), (1, "other", 9, more)])

    assert kernel(runs_of(make))[3].tolist() == [0.3, 0.01, 0.01]


def test_a_call_path_that_is_called_more_often_is_not_interrupted():
    def make(n, r):
        more = 30 if (n, r) == (8, 0) else 1
        return profile_from_rows([(0, "main", 1, 1.0), (1, "kernel", 10 * more, 0.01 * more)])

    assert kernel(runs_of(make))[3].tolist() == [0.3, 0.01, 0.01]


def test_many_interruptions_are_one_sentence():
    found = runs_of(lambda n, r: visited(1, LONG * (r == 0) * (1 + (n == 4)), source=f"n{n}.r{r}"))
    assert found.notices == (
        "5 interruptions, single visits that took far longer than their others, are taken out of the times:"
        " 1.80 s, the longest 0.600 s in kernel (n4.r0)",
    )


def test_one_interruption_of_lulesh_leaves_all_times_as_they_are():
    folder = Path(__file__).parents[2] / "sample_profiles" / "lulesh-accessors" / "filtered"
    profiles = {path.parent.name: read_profile(path) for path in folder.glob("*/profile.cubex")}

    def times(interrupted):
        runs = []
        for name, profile in profiles.items():
            values = {metric.name: profile.load(metric) for metric in profile.metrics}
            node = [
                profile.regions.name[r].startswith("void CalcEnergyForElems") for r in profile.tree.region
            ]
            if name == interrupted:
                each = profile.values("time", inclusive=True) / values["visits"]
                callers = profile.tree.with_callers(np.array(node))
                values["time"][callers] += LONG
                values["max_time"][callers] = np.maximum(values["max_time"], each + LONG)[callers]
            scale, repetition = name.removeprefix("lulesh.s").split(".r")
            made = replace(profile, load=ValuesInMemory(profile.tree, values))
            runs.append(MeasuredRun((float(scale),), int(repetition), reduce_profile(made, ["time"])))
        return align(["s"], runs).values["time"].sum

    np.testing.assert_allclose(times("lulesh.s20.r2"), times(""), rtol=0.02, atol=1e-4)
