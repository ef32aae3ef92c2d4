"""The node that is measured: cores and caches, and how much data is worked on per level of memory."""

from dataclasses import dataclass

_MIB = 1 << 20
_LEAST_ARRAY, _LARGEST_ARRAY = 32 * _MIB, 256 * _MIB
_ARRAYS = 3  # of the triad
_MEMORY_SHARE = 4  # at most one part in four of the available memory is used


@dataclass(frozen=True)
class Cache:
    """A cache of a core: its bytes, and how many of the measured cores share it."""

    size: int
    sharers: int = 1

    @property
    def share(self) -> int:
        """Bytes for each core."""
        return self.size // self.sharers


@dataclass(frozen=True, kw_only=True)
class Host:
    """A node as the operating system describes it.

    Attributes:
        processor: name of its processors.
        cpus: the logical CPU to use of every core, those of the first NUMA domain first.
        domains: number of NUMA domains with such cores.
        domain_cores: number of cores of the first domain.
        caches: data caches of the first core, from the first level on; at most three.
        memory: bytes of the node.
        available: bytes of it that are free.
    """

    processor: str
    cpus: tuple[int, ...]
    domains: int
    domain_cores: int
    caches: tuple[Cache, ...]
    memory: int
    available: int


def working_sets(host: Host, largest: int = _LARGEST_ARRAY) -> tuple[int, int, int, int]:
    """Return the bytes that each core works on in the first, second and third cache and in memory.

    Half of the first cache, and of a core's share of the second; what exceeds the second cache by half of the
    share of the third, which suits caches that keep copies and those that do not. In memory it is the size of
    each of three arrays, together four times the last cache if `largest` and a quarter of the free memory
    allow that, and no smaller than what is worked on in the caches.

    Args:
        host: the node.
        largest: bytes of an array at most.

    Returns:
        0 for a level that does not exist.
    """
    first, second, third = (*host.caches, Cache(0), Cache(0), Cache(0))[:3]
    inside_second = max(2 * first.size, second.share // 2) if second.size else 0
    inside_third = min(second.share + third.share // 2, 4 * second.share) if third.size else 0
    last = max(cache.size for cache in (first, second, third))
    free = host.available // (_MEMORY_SHARE * _ARRAYS * len(host.cpus))
    array = min(max(4 * last // _ARRAYS, _LEAST_ARRAY), largest, free)
    return first.size // 2, inside_second, inside_third, max(array, inside_second, inside_third)
