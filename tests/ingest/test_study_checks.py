"""What makes the runs of a study hard to compare."""

import pytest

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.study_checks import doubts
from tests.profiles import make_profile


def study(*attributes, times=(), threads=1):
    """One run per attributes, at p = 1, 2, ...; or repetitions of one point with the given times."""
    runs = []
    for i, given in enumerate(attributes):
        values = times[i] if times else {("main",): [1.0] * threads}
        profile = make_profile({"time": values}, source=f"run{i}", process=[0] * threads)
        profile.attributes.update(given)
        point = (1.0,) if times else (float(i + 1),)
        runs.append(MeasuredRun(point, i, reduce_profile(profile, ["time"])))
    return align(["p"], runs)


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        (
            [{"Creator": "Score-P 8.0"}, {"Creator": "Score-P 8.0"}, {"Creator": "Score-P 7.1"}],
            "the runs were measured with different versions: 2 with Score-P 8.0, 1 with Score-P 7.1 (run2)",
        ),
        (
            [{"TAU Version": "2.29"}, {"Creator": "Score-P 7.1"}],
            "the runs were measured with different versions: 1 with TAU 2.29, 1 with Score-P 7.1 (run1)",
        ),
        (
            [{"Hostname": "nid01045"}, {"Hostname": "nid00001"}, {"Hostname": "login1.site"}],
            "the runs were measured on different machines: 2 with nid*, 1 with login* (run2)",
        ),
        (
            [{"hosts": "n1, n2", "CPU Type": "A"}, {"hosts": "n7", "CPU Type": "B"}],
            "the runs were measured on different machines: 1 with n*, A, 1 with n*, B (run1)",
        ),
    ],
)
def test_different_versions_and_machines_are_one_line_each(attributes, text):
    assert doubts(study(*attributes)) == (text,)


def test_equal_and_unknown_versions_and_machines_are_no_doubt():
    assert doubts(study({"Creator": "Score-P 8.0", "cluster": "a"}, {}, {"Creator": "Score-P 8.0"})) == ()
    assert doubts(study({"system.node": "n1"}, {"system.node": "n12"})) == ()


def scaled(factor, solve=1.0):
    return {
        ("main",): [1.0 * factor],
        ("main", "solve"): [8.0 * factor * solve],
        ("main", "b"): [9.0 * factor],
    }


def test_a_repetition_that_is_slower_in_all_kernels_is_named():
    (text,) = doubts(study({}, {}, {}, times=[scaled(1.0), scaled(1.02), scaled(1.6)]))
    assert text.startswith("run2 took 1.6 times as long as its repetitions, over all kernels together")
    assert doubts(study({}, {}, times=[scaled(1.0), scaled(1.45)])) == ()
    assert len(doubts(study({}, {}, times=[scaled(1.0), scaled(1.55)]))) == 1


def test_one_slow_kernel_makes_no_outlier():
    assert doubts(study({}, {}, {}, times=[scaled(1.0), scaled(1.0), scaled(1.0, solve=2.0)])) == ()


@pytest.mark.parametrize(
    ("attributes", "threads", "text"),
    [
        ({"system.cores": "2"}, 8, "run1 (8 locations on 2 cores)"),
        ({"cores_per_node": "2", "numhosts": "3"}, 8, "run1 (8 locations on 6 cores)"),
        ({"OMP_NUM_PROCS": "4"}, 8, "run1 (8 threads of a process on 4 processors)"),
        ({"system.cores": "8"}, 8, None),
        ({"cores_per_node": "4", "system.nodes": "2"}, 8, None),
        ({"OMP_NUM_PROCS": "many"}, 8, None),
    ],
)
def test_more_locations_than_cores_are_said_if_cores_are_known(attributes, threads, text):
    found = doubts(study({}, attributes, threads=threads))
    assert found == (
        () if text is None else (f"more locations than cores, so that they waited for each other: {text}",)
    )
