"""How much data the measuring program works on, for caches of today."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.projection.machines.machine_text import CoreCache, Host, working_sets

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def node(*caches, cores=4, available=256 * GIB):
    return Host(
        processor="some",
        cpus=tuple(range(cores)),
        domains=1,
        domain_cores=cores,
        caches=caches,
        memory=2 * available,
        available=available,
    )


def test_every_level_is_measured_inside_its_cache():
    rome = node(CoreCache(32 * KIB), CoreCache(512 * KIB), CoreCache(16 * MIB, 4), cores=128)
    assert working_sets(rome) == (16 * KIB, 256 * KIB, 2 * MIB, 32 * MIB)


def test_a_second_cache_that_cores_share_is_shared_out():
    a64fx = node(CoreCache(64 * KIB), CoreCache(8 * MIB, 12), cores=48)
    first, second, third, _ = working_sets(a64fx)
    assert (first, third) == (32 * KIB, 0)
    assert 64 * KIB < second <= 8 * MIB / 12


def test_arrays_exceed_the_last_cache():
    assert (
        3 * working_sets(node(CoreCache(48 * KIB), CoreCache(2 * MIB), CoreCache(105 * MIB, 56)))[3]
        >= 4 * 105 * MIB
    )


@pytest.mark.parametrize("available", [4 * GIB, 1 * GIB])
def test_at_most_a_quarter_of_the_memory_is_used(available):
    host = node(CoreCache(48 * KIB), CoreCache(2 * MIB), CoreCache(105 * MIB), cores=8, available=available)
    assert 3 * 8 * working_sets(host)[3] <= available / 4


@given(
    st.integers(16, 128),
    st.integers(256, 4096),
    st.integers(1, 1024),
    st.integers(1, 64),
    st.integers(1, 128),
)
def test_levels_do_not_overlap(first, second, third, sharers, cores):
    host = node(CoreCache(first * KIB), CoreCache(second * KIB), CoreCache(third * MIB, sharers), cores=cores)
    l1, l2, l3, memory = working_sets(host, 16 * MIB)
    assert l1 < first * KIB < l2 <= max(2 * first, second / 2) * KIB
    assert second * KIB <= l3
    assert memory == max(16 * MIB, l3)
