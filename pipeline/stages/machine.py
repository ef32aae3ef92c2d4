"""Measuring the machine at hand: programs compiled with the user's compiler, run, and made a machine file.

The node is described by Linux: cores, caches, NUMA domains and memory.
"""

import datetime
import os
import platform
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError, PipelineError, UsageError, one_line
from pipeline.projection.machines import machine_text as programs
from pipeline.projection.machines.machine_text import (
    CoreCache,
    Host,
    MachineProvenance,
    Samples,
    consistent,
    machine_file,
    node_figures,
    read_samples,
    working_sets,
)
from pipeline.store.atomic import not_writable

_STAT = Path("/proc/stat")
_USED, _STOLEN = (0, 1, 2, 5, 6), 7  # user, nice, system, interrupts; steal
_NOTED, _TOO_MUCH = 0.03, 0.2  # of the processors, used by others
_LEAST_SECONDS = 1.0  # the times of processors are counted in hundredths of a second
_COMPILERS = ("cc", "gcc", "clang")
_LAUNCHERS = ("mpirun", "mpiexec")
_SOURCES = Path(programs.__file__).parent
_LONGEST_COMPILING, _LONGEST_NODE, _LONGEST_NETWORK = 30.0, 80.0, 35.0  # seconds
_TOOK_TOO_LONG = 124  # the exit code that `timeout` gives
_FAILURES = {3: "no more threads can be started", 4: "not enough memory"}  # exit codes of node.c


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How thoroughly to measure."""

    rounds: int  # samples of every figure at most
    # no further round of the node's figures begins after so long; there are at least three
    node_seconds: float
    network_seconds: float  # the same for the network
    largest: int  # bytes of an array at most


THOROUGH = Effort(rounds=15, node_seconds=30.0, network_seconds=15.0, largest=256 << 20)
QUICK = Effort(rounds=3, node_seconds=0.0, network_seconds=0.0, largest=16 << 20)


@dataclass(frozen=True, kw_only=True)
class Tools:
    """What to compile and start the programs with; None to look for it."""

    compiler: str | None = None
    flags: str | None = None  # of the compiler; by default those that let it use all that the processor has
    mpi_compiler: str = "mpicc"
    # starts an MPI program; a command of several words is used as it is, else on all cores
    launcher: str | None = None


@dataclass(frozen=True)
class MeasuredMachine:
    """A machine file, and what could not be measured, one sentence each."""

    text: str
    notices: tuple[str, ...]


def measure_machine(tools: Tools, effort: Effort = THOROUGH, host: Host | None = None) -> MeasuredMachine:
    """Return the machine file of the node that this process runs on, and of its network if MPI is there."""
    host = host or read_host()
    compiler = _compiler(tools.compiler)
    native = "-march" if platform.machine() in ("x86_64", "AMD64") else "-mcpu"
    flags = f"-O3 {native}=native" if tools.flags is None else tools.flags
    with _scratch(tools) as scratch:
        watched = watch_other_load()
        node = _measure_node(host, [compiler, *_words(flags, "--flags")], effort, Path(scratch))
        load = watched()
        if load is not None and load.too_much:
            network, how, notices = _left_out("the machine is too busy")
        else:
            network, how, notices = _measure_network(host, tools, effort, Path(scratch))
    figures, contradictions = consistent(node_figures(node, load.share if load else 0.0))
    doubts = (*([load.sentence()] if load is not None and load.sentence() else []), *contradictions)
    provenance = MachineProvenance(
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        host=platform.node(),
        compiler=f"{_version(compiler)}, {flags}".rstrip(", "),
        network=how,
        rounds=len(node["hz", 0]),
        doubts=doubts,
    )
    return MeasuredMachine(machine_file(host, figures, network, provenance), (*doubts, *notices))


def _scratch(tools: Tools) -> tempfile.TemporaryDirectory[str]:
    """Return a directory for the programs: with a launcher of the user's, one that other nodes may share."""
    folder = Path() if tools.launcher else Path(tempfile.gettempdir())
    try:
        return tempfile.TemporaryDirectory(prefix="pipeline-machine-", dir=folder.resolve())
    except OSError as error:
        raise not_writable(folder.resolve(), error) from error


def _compiler(given: str | None) -> str:
    """Return the C compiler to use."""
    for name in (given,) if given else _COMPILERS:
        if shutil.which(name):
            return name
    if given:
        raise UsageError(f"'{given}' is not a program", where="--cc", hint="name a C compiler, such as gcc")
    hint = "install gcc or clang, or name a C compiler with --cc"
    raise UsageError(f"no C compiler: there is none of {', '.join(_COMPILERS)}", hint=hint)


def _words(text: str, option: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"'{text}' is not a command: {error}", where=option) from error


def _version(compiler: str) -> str:
    """Return the first line of what a compiler says of itself, else its name."""
    try:
        printed = _run([compiler, "--version"], 10.0).stdout
    except OSError:
        return compiler
    return printed.splitlines()[0] if printed.strip() else compiler


def _run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a program without input; one that takes too long ends with `_TOOK_TOO_LONG`.

    The processes that it starts end with it.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        printed, errors = process.communicate(timeout=seconds)
    except BaseException as stop:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        if not isinstance(stop, subprocess.TimeoutExpired):
            raise
        return subprocess.CompletedProcess(command, _TOOK_TOO_LONG, "", f"took more than {seconds:g} s")
    return subprocess.CompletedProcess(command, process.returncode, printed, errors)


def _reason(result: subprocess.CompletedProcess[str]) -> str:
    """Return the first line that says what is wrong."""
    lines = [line for text in result.stderr.splitlines() if (line := text.strip(" -*"))]
    line = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")
    return one_line(line) or f"exit code {result.returncode}"


def _compile(command: list[str], source: str, target: Path) -> str:
    """Compile a program; return why that failed, an empty text if it did not."""
    try:
        result = _run([*command, str(_SOURCES / source), "-o", str(target), "-pthread"], _LONGEST_COMPILING)
    except OSError as error:
        return error.strerror or str(error)
    return "" if result.returncode == 0 else _reason(result)


def _measure_node(host: Host, command: list[str], effort: Effort, scratch: Path) -> Samples:
    program = scratch / "node"
    if failure := _compile(command, "node.c", program):
        hint = "choose another compiler with --cc or other flags with --flags"
        raise UsageError(
            f"{command[0]} cannot compile the measuring program: {failure}", where="--cc", hint=hint
        )
    sizes = working_sets(host, effort.largest)
    given = [effort.rounds, effort.node_seconds, *sizes, host.domain_cores, *host.cpus]
    try:
        result = _run([str(program), *map(str, given)], _LONGEST_NODE)
    except OSError as error:
        hint = "set TMPDIR to a directory that programs can be run from"
        what = f"the measuring program cannot be run: {error.strerror}"
        raise UsageError(what, where=str(scratch), hint=hint) from error
    if result.returncode:
        why = _FAILURES.get(result.returncode, _reason(result))
        hint = "measure an idle node, or fewer cores with taskset"
        raise UsageError(f"the measuring program failed: {why}", hint=hint)
    return read_samples(result.stdout)


def _measure_network(
    host: Host, tools: Tools, effort: Effort, scratch: Path
) -> tuple[Samples, str, tuple[str, ...]]:
    """Return samples, how they were taken, and what is to be noted; without MPI there are no samples."""
    try:
        command = _launch(host, tools)
        program = scratch / "network"
        if failure := _compile([tools.mpi_compiler, "-O2"], "network.c", program):
            raise UsageError(f"{tools.mpi_compiler} cannot compile the program: {failure}")
        given = [str(program), str(effort.rounds), str(effort.network_seconds)]
        result = _run([*command, *given], _LONGEST_NETWORK)
        if result.returncode == _TOOK_TOO_LONG:
            raise UsageError(f"{command[0]} {_reason(result)}", hint="measure again on an idle node")
        if result.returncode:
            raise UsageError(f"{command[0]} failed: {_reason(result)}")
        samples = read_samples(result.stdout)
        starts = [count for (name, _), values in samples.items() if name == "ranks" for count in values]
        if len(starts) != 1:
            hint = f"choose with --mpicc and --mpirun what belongs together; {tools.mpi_compiler} compiled it"
            raise UsageError(f"{command[0]} did not start one MPI program", hint=hint)
    except (PipelineError, OSError) as error:
        return _left_out(str(error))
    how = shlex.join(command)
    if ("message", 8) in samples:
        return samples, how, ()
    missing = "one node only: message times between nodes and allreduce over nodes are left out"
    return samples, f"{how}, {missing}", (f"{missing}; in an allocation of several, use --mpirun 'srun'",)


def _left_out(why: str) -> tuple[Samples, str, tuple[str, ...]]:
    return {}, f"not measured, {why}", (f"network left out: {why}",)


def _launch(host: Host, tools: Tools) -> list[str]:
    """Return the command that starts an MPI program."""
    if shutil.which(tools.mpi_compiler) is None:
        raise UsageError(f"no {tools.mpi_compiler}")
    given = _words(tools.launcher, "--mpirun") if tools.launcher else []
    names = given[:1] or [name for name in _LAUNCHERS if shutil.which(name)][:1]
    if not names or shutil.which(names[0]) is None:
        raise UsageError(f"no {names[0] if names else ' or '.join(_LAUNCHERS)}")
    if len(given) > 1 or Path(names[0]).name not in _LAUNCHERS:
        return given
    open_mpi = "open mpi" in _version(names[0]).lower() or "openrte" in _version(names[0]).lower()
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    extra = [*root, "--oversubscribe"] if open_mpi else []
    return [*names, *extra, "-n", str(len(host.cpus))]


_CPUS = Path("sys/devices/system/cpu")
_NODES = Path("sys/devices/system/node")
_LEVELS = 3
_FACTORS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def read_host(root: Path = Path("/"), allowed: set[int] | None = None) -> Host:
    """Return the node, with the allowed logical CPUs, by default those of this process.

    InputError if ``sys`` and ``proc`` below the root do not describe its cores.
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


@dataclass(frozen=True, kw_only=True)
class OtherLoad:
    """What others used of a machine while it was measured, in processors."""

    programs: float  # of this machine
    stolen: float  # by other virtual machines
    processors: int  # all of the machine
    waiting: float  # load average at the end, with what was measured

    @property
    def share(self) -> float:
        """Which part of the processors others used, below 1; what is hardly anything counts as nothing."""
        share = (self.programs + self.stolen) / self.processors
        return 0.0 if share <= _NOTED else min(share, 0.99)

    @property
    def too_much(self) -> bool:
        """Whether figures are not to be relied on."""
        return self.share > _TOO_MUCH

    def sentence(self) -> str:
        """Say who used how much, and what to do; nothing if that is little."""
        if not self.share:
            return ""
        stolen = f", other virtual machines {self.stolen:.1f}" if self.stolen >= 0.1 else ""
        used = (
            f"other programs used {max(self.programs, 0.0):.1f} of {self.processors} processors{stolen} "
            f"meanwhile (load average {self.waiting:.1f})"
        )
        if self.too_much:
            return (
                f"this machine is too busy to be measured: {used}; do not rely on these values, measure "
                "again on an idle node, such as in a job that has it alone (srun --exclusive)"
            )
        return f"this machine was busy: {used}; spreads hold what that may have cost, an idle node has less"


def watch_other_load(stat: Path = _STAT) -> Callable[[], OtherLoad | None]:
    """Watch what other programs take of the processors, beside the children that are waited for meanwhile.

    Returns what says it of the time up to then; None of less than a second, or if nothing counts it.
    """
    began, before, own = time.monotonic(), _counted(stat), _of_children()

    def found() -> OtherLoad | None:
        seconds, after = time.monotonic() - began, _counted(stat)
        if before is None or after is None or seconds < _LEAST_SECONDS:
            return None
        return OtherLoad(
            programs=(after[0] - before[0] - (_of_children() - own)) / seconds,
            stolen=(after[1] - before[1]) / seconds,
            processors=os.cpu_count() or 1,
            waiting=os.getloadavg()[0],
        )

    return found


def _counted(stat: Path) -> tuple[float, float] | None:
    """Return the seconds that all processors were used, and that they were stolen."""
    try:
        name, *ticks = stat.read_text().splitlines()[0].split()
        used, stolen = sum(int(ticks[place]) for place in _USED), int(ticks[_STOLEN])
    except (OSError, ValueError, IndexError):
        return None
    second = os.sysconf("SC_CLK_TCK")
    return (used / second, stolen / second) if name == "cpu" else None


def _of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system
