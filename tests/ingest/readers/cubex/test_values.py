"""What is written is read: values, rows and types in every form of the format."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pycubexr import CubexParser

from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.profile import MetricKind
from ingest.readers.cubex.cubex_profile import read
from tests.cubex_writer import NUMPY_TYPES, MetricSpec, enumeration, write_cubex

PARENT = [-1, 0, 1, 1, 0, 4, -1, 6, 6]  # two roots


@st.composite
def forests(draw: st.DrawFn) -> list[int]:
    """Draw the parents of up to 12 call paths in preorder."""
    parent = [-1]
    path = [0]
    for node in range(1, draw(st.integers(1, 12))):
        kept = draw(st.integers(0, len(path)))
        path = [*path[:kept], node]
        parent.append(path[-2] if kept else -1)
    return parent


def values_for(parent: list[int], columns: int = 3) -> np.ndarray:
    return np.random.default_rng(len(parent)).integers(1, 1000, (len(parent), columns)) / 8


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parent=forests(),
    kind=st.sampled_from(["EXCLUSIVE", "INCLUSIVE", "SIMPLE", None]),
    byteorder=st.sampled_from("<>"),
    compressed=st.booleans(),
    dense=st.booleans(),
    padding_bug=st.booleans(),
    rows_at_once=st.integers(1, 5),
    data=st.data(),
)
def test_every_form_gives_the_values_back(
    tmp_path, parent, kind, byteorder, compressed, dense, padding_bug, rows_at_once, data
):
    order = enumeration(kind, parent, range(len(parent)))
    written = data.draw(st.sets(st.sampled_from(order))) if compressed or not dense else order
    nodes = [node for node in order if node in written]
    if compressed or not dense:
        nodes = data.draw(st.permutations(nodes))
    values = values_for(parent)
    path = write_cubex(
        tmp_path / "p.cubex",
        parent=parent,
        metrics=[MetricSpec("time", values, kind=kind, nodes=nodes)],
        byteorder=byteorder,
        compressed=compressed,
        dense=dense,
        padding_bug=padding_bug,
    )
    expected = np.zeros_like(values)
    expected[nodes] = values[nodes]
    profile = read(path)
    metric = profile.metric("time")
    np.testing.assert_array_equal(profile.load(metric), expected)
    assert profile.tree.parent.tolist() == parent

    for blocks, whole in (
        (profile.load.blocks, expected),
        (profile.load.exclusive_blocks, profile.values("time")),
    ):
        in_blocks = np.zeros_like(values)
        for rows, block in blocks(metric, rows_at_once):
            in_blocks[rows] += block
        np.testing.assert_array_equal(in_blocks, whole)


@pytest.mark.parametrize("kind", ["EXCLUSIVE", "INCLUSIVE"])
@pytest.mark.parametrize("compressed", [False, True])
def test_pycubexr_agrees_inclusive_and_exclusive(tmp_path, kind, compressed):
    parent = PARENT[:6]
    values = values_for(parent)
    path = write_cubex(
        tmp_path / "p.cubex",
        parent=parent,
        metrics=[MetricSpec("time", values, kind=kind)],
        compressed=compressed,
    )
    profile = read(path)
    with CubexParser(str(path)) as peer:
        theirs = peer.get_metric_values(peer.get_metric_by_name("time"))
        for node, cnode in enumerate(peer.all_cnodes()):
            inclusive = theirs.cnode_values(cnode, convert_to_inclusive=True)
            exclusive = theirs.cnode_values(cnode, convert_to_exclusive=True)
            np.testing.assert_array_equal(profile.values("time", inclusive=True)[node], inclusive)
            np.testing.assert_array_equal(profile.values("time")[node], exclusive)


@pytest.mark.parametrize("kind", ["INCLUSIVE", "EXCLUSIVE"])
@pytest.mark.parametrize("dtype", sorted(NUMPY_TYPES))
def test_every_plain_type_is_read(tmp_path, dtype, kind):
    values = np.arange(len(PARENT) * 2).reshape(-1, 2)
    metrics = [MetricSpec("m", values, dtype=dtype, kind=kind)]
    profile = read(write_cubex(tmp_path / "p.cubex", parent=PARENT, metrics=metrics, byteorder=">"))
    np.testing.assert_array_equal(profile.load(profile.metric("m")), values)
    extremes = {"MINDOUBLE": MetricKind.MINIMUM, "MAXDOUBLE": MetricKind.MAXIMUM}
    assert profile.metric("m").kind is extremes.get(dtype, MetricKind[kind])


def test_tau_statistics_give_their_count_for_visits_and_their_sum_for_others(tmp_path):
    atomic = np.zeros((2, 1), [("n", "u4"), ("min", "f8"), ("max", "f8"), ("sum", "f8"), ("sum2", "f8")])
    atomic["n"], atomic["sum"] = [[3], [4]], [[1.5], [2.5]]
    metrics = [MetricSpec(name, atomic, dtype="TAU_ATOMIC") for name in ("visits", "bytes")]
    profile = read(write_cubex(tmp_path / "p.cubex", parent=[-1, 0], metrics=metrics))
    assert profile.values("visits").tolist() == [[3], [4]]
    assert profile.values("bytes").tolist() == [[1.5], [2.5]]


def test_rates_and_moduli_are_never_summed(tmp_path):
    rate = np.array([[(6.0, 2.0)], [(5.0, 0.0)]], [("value", "f8"), ("time", "f8")])
    metrics = [
        MetricSpec("rate", rate, dtype="RATE", kind="INCLUSIVE"),
        MetricSpec("complex", np.array([[3 + 4j], [1j]]).view([("c", "c16")]), dtype="COMPLEX"),
    ]
    profile = read(write_cubex(tmp_path / "p.cubex", parent=[-1, 0], metrics=metrics))
    assert profile.values("rate", inclusive=True).tolist() == [[3], [0]]
    assert profile.values("complex", inclusive=True).tolist() == [[5], [1]]
    assert not any(metric.kind.additive for metric in profile.metrics)


def test_times_that_are_extremes_are_never_summed_whatever_their_type(tmp_path):
    metrics = [MetricSpec(name, np.ones((2, 1))) for name in ("min_time", "max_time")]
    profile = read(write_cubex(tmp_path / "p.cubex", parent=[-1, 0], metrics=metrics))
    assert [metric.kind for metric in profile.metrics] == [MetricKind.MINIMUM, MetricKind.MAXIMUM]
    assert profile.values("min_time", inclusive=True).tolist() == [[1], [1]]


def test_metrics_without_one_number_are_skipped_with_a_notice(tmp_path):
    metrics = [
        MetricSpec("histogram", np.zeros((1, 7)), dtype="HISTOGRAM(5)"),
        MetricSpec("vector", np.zeros((1, 3)), dtype="NDOUBLES(3)"),
        MetricSpec("function", np.zeros((1, 1)), dtype="SCALE_FUNC"),
        MetricSpec("derived", np.zeros((1, 1)), kind="POSTDERIVED", stored=False),
        MetricSpec("visits", [[1]], dtype="UINT64"),
        MetricSpec("never stored", np.zeros((1, 1)), stored=False),
    ]
    path = write_cubex(tmp_path / "p.cubex", parent=[-1], metrics=[metrics[4], *metrics[:4], metrics[5]])
    profile = read(path)
    assert [metric.name for metric in profile.metrics] == ["visits"]
    assert [notice.split("'")[1] for notice in profile.notices] == [
        "histogram",
        "vector",
        "function",
        "derived",
    ]


def test_simple_metrics_stand_in_the_order_of_definition(tmp_path):
    metrics = [MetricSpec("m", [[1], [2], [3]], kind="SIMPLE")]
    path = write_cubex(tmp_path / "p.cubex", parent=[-1, 0, 0], identifiers=[2, 0, 1], metrics=metrics)
    assert read(path).values("m").tolist() == [[1], [2], [3]]


def test_little_left_of_much_equals_cubelib_to_the_last_bit():
    tree = CallTree(np.array([-1, 0, 0, 0]), np.zeros(4, dtype=np.int64))
    inclusive = np.array([[0.6], [0.1], [0.2], [0.3]])
    one_after_the_other = ((0.6 - 0.1) - 0.2) - 0.3
    assert tree.exclusive(inclusive)[0, 0] == one_after_the_other != 0.6 - (0.1 + 0.2 + 0.3)


def test_call_chains_a_thousand_deep(tmp_path):
    depth = 5000
    path = write_cubex(
        tmp_path / "p.cubex",
        parent=list(range(-1, depth - 1)),
        metrics=[MetricSpec("visits", np.ones((depth, 1)), dtype="UINT64")],
        regions=["f"],
        callee=[0] * depth,
    )
    profile = read(path)
    assert profile.values("visits", inclusive=True)[:, 0].tolist() == list(range(depth, 0, -1))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_values_that_would_poison_every_sum_are_refused(tmp_path, bad):
    path = write_cubex(tmp_path / "p.cubex", parent=[-1], metrics=[MetricSpec("time", [[bad, 1.0]])])
    with pytest.raises(InputError, match="not a finite number"):
        read(path).values("time")


def test_pycubexr_cannot_but_we_can(tmp_path):
    """Rows out of order, padding after n x 512 bytes, dense index, two roots: why this reader exists."""
    values = values_for(PARENT, 2)
    forms = {
        "dense": {"dense": True},
        "rows": {"compressed": True},
        "roots": {},
        "padding": {"padding_bug": True},
    }
    for name, options in forms.items():
        parent = PARENT if name == "roots" else PARENT[:6]
        order = [3, 1, 5, 0, 2, 4] if name == "rows" else None
        metric = MetricSpec("time", values[: len(parent)], nodes=order)
        extra = {"remapping.spec": b"x" * 512} if name == "padding" else {}
        path = write_cubex(
            tmp_path / f"{name}.cubex", parent=parent, metrics=[metric], extra_members=extra, **options
        )
        np.testing.assert_array_equal(read(path).values("time"), values[: len(parent)])
        if name != "rows":  # it reads these, in the wrong places where rows stand out of order
            with warnings.catch_warnings(), pytest.raises(Exception):  # noqa: B017  # whatever it raises
                warnings.simplefilter("ignore")
                with CubexParser(str(path)) as peer:
                    peer.get_metric_values(peer.get_metric_by_name("time"))


def test_damaged_rates_and_moduli_warn_of_nothing(tmp_path):
    rate = np.array([[(1e308, 1e-308)], [(np.inf, np.inf)]], [("value", "f8"), ("time", "f8")])
    huge = np.array([[1e308 + 1.7e308j], [complex(np.inf, np.nan)]]).view([("c", "c16")])
    metrics = [
        MetricSpec("rate", rate, dtype="RATE", kind="INCLUSIVE"),
        MetricSpec("c", huge, dtype="COMPLEX"),
    ]
    profile = read(write_cubex(tmp_path / "p.cubex", parent=[-1, 0], metrics=metrics))
    assert not np.isfinite(profile.load(profile.metric("rate"))).any()
    assert not np.isfinite(profile.load(profile.metric("c"))).any()
