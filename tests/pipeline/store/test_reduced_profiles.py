"""Reduced profiles as files: they come back as they were, and no changed byte passes."""

from dataclasses import asdict, replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_equal

from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.location_values import InMemory, LocationValues
from ingest.profile import LocationTable, Metric, RegionTable
from ingest.reduction import ReducedProfile, Reduction
from ingest.region_class import RegionClass
from pipeline.store.reduced_profiles import (
    StoredReductions,
    _write,
    left_in_file,
    read_reduced,
    write_reduced,
)


def small_profile():
    tree = CallTree(np.array([-1, 0, 0]), np.array([0, 1, 2]))
    names = ("main", "a\udc80->b", "ü")
    regions = RegionTable(
        name=names, mangled=names, paradigm=("user",) * 3, file=("",) * 3, line=np.array([1, 2, -1])
    )
    values = Reduction(*(np.array([1.0, 2.0, np.inf]) * i for i in range(1, 5)))
    metrics = (Metric("time", "sec"),)
    times, process = np.array([[1.5, 2.5]]), np.array([0, 1])
    return ReducedProfile(
        source="run",
        tree=tree,
        regions=regions,
        metrics=metrics,
        values={"time": values},
        classes=(RegionClass.COMPUTATION,),
        class_time=times,
        device_time=np.array([[3.0], [0.5], [1.5]]),
        process=process,
        attributes={"k": "v"},
        notices=("odd",),
        largest={"time": largest(), "gpu_time": replace(largest(), locations=places())},
    )


def places(node=()):
    columns = np.array([0, 3]), np.array([1, 0]), np.array([-1, 2])
    return LocationTable(*columns, node)


def largest():
    return LocationValues(
        region=("a\udc80->b", "ü"),
        callpath=np.array([1, -1]),
        shared=np.array([False, True]),
        locations=places(("n1", "n\udc80")),
        load=InMemory(np.array([[1.5, 2.5], [0.5, np.nan]], dtype=np.float32)),
    )


@settings(max_examples=50, deadline=None)
@given(at=st.integers(0, 1 << 16), flip=st.integers(1, 255))
def test_a_flipped_byte_is_noticed(tmp_path_factory, at, flip):
    path = tmp_path_factory.getbasetemp() / "profile.npz"
    profile = small_profile()
    write_reduced(path, profile)
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= flip
    path.write_bytes(content)
    with pytest.raises(ValueError, match="digest"):
        read_reduced(path, "run")


def test_what_is_stored_comes_back(tmp_path):
    profile = small_profile()
    write_reduced(tmp_path / "profile.npz", profile)
    back = read_reduced(tmp_path / "profile.npz", "elsewhere")
    assert_equal(plain(back), plain(replace(profile, source="elsewhere")))


def plain(profile):
    """Return what a profile holds, with all values that stay in its file."""
    largest = {
        metric: replace(found, load=InMemory(found.values)) for metric, found in profile.largest.items()
    }
    return asdict(replace(profile, values=dict(profile.values), largest=largest))


def test_values_on_locations_stay_in_the_file(tmp_path):
    path, profile = tmp_path / "profile.npz", small_profile()
    write_reduced(path, profile)
    for back in (read_reduced(path, "run"), left_in_file(path, profile)):
        assert np.array_equal(back.largest["time"].values, largest().values, equal_nan=True)
    path.write_bytes(b"changed")
    with pytest.raises(InputError, match=r"profile\.npz: changed while in use"):
        _ = back.largest["time"].values


def test_values_of_a_stored_profile_are_a_mapping(tmp_path):
    path = tmp_path / "profile.npz"
    write_reduced(path, small_profile())
    values = read_reduced(path, "run").values
    assert (list(values), len(values)) == (["time"], 1)
    with pytest.raises(KeyError):
        values["visits"]
    path.write_bytes(b"changed")
    with pytest.raises(InputError, match=r"profile\.npz: changed while in use \(.*\); run again"):
        values["time"]


def test_a_profile_left_in_its_file_is_the_one_stored(tmp_path):
    path, profile = tmp_path / "profile.npz", small_profile()
    write_reduced(path, profile)
    left = left_in_file(path, profile)
    assert left.tree is profile.tree and isinstance(left.values, StoredReductions)
    assert_equal(plain(left), plain(profile))


@pytest.mark.parametrize("name", ["description", "tree.parent"])
def test_a_stored_profile_that_lacks_something_is_refused(tmp_path, name):
    path = tmp_path / "profile.npz"
    write_reduced(path, small_profile())
    with np.load(BytesIO(path.read_bytes()[32:]), allow_pickle=False) as stored:
        arrays = dict(stored)
    del arrays[name]
    _write(path, arrays)
    with pytest.raises(ValueError, match=name):
        read_reduced(path, "run")
