"""The node this process runs on, as Linux describes it: cores, caches, NUMA domains and memory."""

import os
import platform
from pathlib import Path

from ingest.errors import InputError
from pipeline.projection.machines.node_samples import CoreCache, Host

_CPUS = Path("sys/devices/system/cpu")
_NODES = Path("sys/devices/system/node")
_LEVELS = 3
_FACTORS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def read_host(root: Path = Path("/"), allowed: set[int] | None = None) -> Host:
    """Return the node, with the cores that this process may use.

    Args:
        root: where ``sys`` and ``proc`` are.
        allowed: logical CPUs to use; by default those of this process.

    Raises:
        InputError: the operating system does not describe its cores so.
    """
    if allowed is None:
        if not hasattr(os, "sched_getaffinity"):
            raise InputError("measuring works on Linux only", where="pipeline machine measure")
        allowed = os.sched_getaffinity(0)
    cpus = [cpu for cpu in sorted(allowed) if cpu == min(_siblings(root, cpu) & allowed)]
    domains = [cores for node in _nodes(root) if (cores := [cpu for cpu in cpus if cpu in node])] or [cpus]
    ordered = tuple(cpu for cores in domains for cpu in cores)
    memory = _memory(root)
    return Host(
        processor=_processor(root),
        cpus=ordered,
        domains=len(domains),
        domain_cores=len(domains[0]),
        caches=_caches(root, ordered),
        memory=memory["MemTotal"],
        available=memory.get("MemAvailable", memory["MemTotal"]),
    )


def cpu_list(text: str) -> set[int]:
    """Return the CPUs of a list such as ``0-3,8``."""
    found: set[int] = set()
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _siblings(root: Path, cpu: int) -> set[int]:
    """Return the logical CPUs of a core; the CPU alone if nothing is known."""
    return cpu_list(_read(root / _CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list")) | {cpu}


def _nodes(root: Path) -> list[set[int]]:
    paths = sorted((root / _NODES).glob("node[0-9]*"), key=lambda path: int(path.name[4:]))
    return [cpu_list(_read(path / "cpulist")) for path in paths]


def _caches(root: Path, cpus: tuple[int, ...]) -> tuple[CoreCache, ...]:
    found: dict[int, CoreCache] = {}
    for index in sorted((root / _CPUS / f"cpu{cpus[0]}" / "cache").glob("index[0-9]*")):
        level, size = _read(index / "level"), _read(index / "size")
        if _read(index / "type") != "Instruction" and level.isdigit() and size[-1:] in _FACTORS:
            sharers = len(cpu_list(_read(index / "shared_cpu_list")) & set(cpus)) or 1
            found[int(level)] = CoreCache(int(size[:-1]) * _FACTORS[size[-1]], sharers)
    if 1 not in found:
        where = str(root / _CPUS / f"cpu{cpus[0]}" / "cache")
        raise InputError("the caches of the cores are not described", where=where, hint="measure elsewhere")
    return tuple(found[level] for level in range(1, _LEVELS + 1) if level in found)


def _memory(root: Path) -> dict[str, int]:
    found = {}
    for line in _read(root / "proc" / "meminfo").splitlines():
        name, _, value = line.partition(":")
        if value.split()[1:] == ["kB"]:
            found[name] = int(value.split()[0]) << 10
    if "MemTotal" not in found:
        raise InputError("the memory is not described", where=str(root / "proc" / "meminfo"))
    return found


def _processor(root: Path) -> str:
    """Return the name of the processor; on Arm, which states numbers only, architecture and part."""
    lines = (line.partition(":") for line in _read(root / "proc" / "cpuinfo").splitlines())
    entries = {name.strip(): value.strip() for name, colon, value in lines if colon}
    if name := entries.get("model name") or entries.get("cpu"):
        return name
    part = entries.get("CPU part")
    return f"{platform.machine()}, part {part}" if part else platform.machine()
