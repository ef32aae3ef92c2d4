"""The node as Linux describes it, read from copies of /sys and /proc."""

import pytest

from ingest.errors import InputError
from pipeline.stages.machine import cpu_list, read_host


@pytest.fixture
def root(tmp_path):
    """Two sockets of two cores with two threads each: 0-3 and their second threads 4-7."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    for cpu in range(8):
        here = f"sys/devices/system/cpu/cpu{cpu}"
        write(f"{here}/topology/thread_siblings_list", f"{cpu % 4},{cpu % 4 + 4}")
        socket = "0-1,4-5" if cpu % 4 < 2 else "2-3,6-7"
        for index, (level, kind, size, shared) in enumerate(
            (
                (1, "Data", "32K", f"{cpu % 4},{cpu % 4 + 4}"),
                (1, "Instruction", "64K", f"{cpu % 4},{cpu % 4 + 4}"),
                (2, "Unified", "1M", f"{cpu % 4},{cpu % 4 + 4}"),
                (3, "Unified", "16384K", socket),
            )
        ):
            for name, value in (
                ("level", level),
                ("type", kind),
                ("size", size),
                ("shared_cpu_list", shared),
            ):
                write(f"{here}/cache/index{index}/{name}", value)
    write("sys/devices/system/node/node0/cpulist", "0-1,4-5")
    write("sys/devices/system/node/node1/cpulist", "2-3,6-7")
    write("sys/devices/system/node/node2/cpulist", "")  # memory without cores
    write("proc/meminfo", "MemTotal:       16 kB\nMemFree: 2 kB\nMemAvailable:   8 kB\nHugePages_Total: 0")
    write("proc/cpuinfo", "processor : 0\nmodel name : Some Processor @ 2 GHz\n\nprocessor : 1")
    return tmp_path


def test_one_cpu_of_every_core_is_used(root):
    host = read_host(root, set(range(8)))
    assert (host.cpus, host.domains, host.domain_cores) == ((0, 1, 2, 3), 2, 2)
    assert host.processor == "Some Processor @ 2 GHz"
    assert (host.memory, host.available) == (16 << 10, 8 << 10)


def test_only_allowed_cpus_are_used_and_those_of_the_first_domain_come_first(root):
    host = read_host(root, {7, 2, 5, 6})
    assert (host.cpus, host.domains, host.domain_cores) == ((5, 2, 7), 2, 1)


def test_data_caches_are_shared_by_the_cores_in_use(root):
    caches = read_host(root, set(range(8))).caches
    assert [(cache.size, cache.sharers) for cache in caches] == [
        (32 << 10, 1),
        (1 << 20, 1),
        (16 << 20, 2),
    ]
    assert read_host(root, {1}).caches[2].sharers == 1


def test_a_node_without_numa_domains_has_one(root):
    for path in root.glob("sys/devices/system/node/*/cpulist"):
        path.unlink()
    host = read_host(root, {0, 1, 2})
    assert (host.domains, host.domain_cores) == (1, 3)


def test_an_arm_processor_has_a_part_number(root):
    (root / "proc/cpuinfo").write_text("processor : 0\nCPU implementer : 0x41\nCPU part : 0xd4f\n")
    assert read_host(root, {0}).processor.endswith(", part 0xd4f")


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("sys/devices/system/cpu/cpu0/cache/index0/level", "the caches of the cores are not described"),
        ("proc/meminfo", "the memory is not described"),
    ],
)
def test_what_is_not_described_is_one_line(root, missing, message):
    (root / missing).unlink()
    with pytest.raises(InputError, match=message):
        read_host(root, {0})


def test_this_host_can_be_read():
    host = read_host()
    assert host.cpus and host.caches and 0 < host.available <= host.memory


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8", {0, 1, 2, 3, 8}), ("", set()), ("5\n", {5})])
def test_lists_of_cpus(text, cpus):
    assert cpu_list(text) == cpus
