"""The files that mutation starts from: for each reader small valid ones that show all its format allows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ingest.readers import profile_readers, series_readers
from tests import foam_cases
from tests.cubex_writer import GroupSpec, MetricSpec, RegionSpec, write_cubex
from tests.fuzz.measurement_seeds import MEASUREMENTS
from tests.fuzz.seed_files import files_of, maker_of_texts
from tests.ingest.readers import (
    cube3_files,
    fds_files,
    gperftools_files,
    gptl_files,
    gpu_files,
    gpu_outputs,
    hatchet_files,
    hpctoolkit_files,
    hpctoolkit_meta_files,
    profiler_files,
    talp_files,
    tau_files,
    timer_logs,
    wrf_files,
)
from tests.ingest.readers.caliper import cali_files, json_split_files
from tests.ingest.readers.craypat.reports import CRAYPAT
from tests.ingest.readers.likwid import outputs
from tests.ingest.readers.openfoam import foam_logs
from tests.ingest.readers.texts import text_of

SAMPLES = Path(__file__).parents[2] / "sample_profiles"
_MARKED = ("\ufeff" + profiler_files.FOLDED["crlf"]).encode("utf-16-le")
PARENT = (-1, 0, 1, 1, 0, 4)


@dataclass(frozen=True)
class Seed:
    """A profile or a file of measurements.

    Attributes:
        files: content of every file by its path relative to a directory of their own.
        target: what the reader is given, relative to that directory; empty for the directory itself.
    """

    files: Mapping[str, bytes]
    target: str


@cache
def seeds() -> Mapping[str, tuple[Seed, ...]]:
    """Return the seeds of each reader by its name in the registry."""
    makers: Mapping[str, Callable[[Path], list[str]]] = {
        "CUBE": _cubex,
        "CUBE 3": _cube3,
        "OpenFOAM": _openfoam,
        "OpenFOAM log": maker_of_texts(foam_logs.LOGS, "log.simpleFoam"),
        "TAU": _tau,
        "TAU packed": _tau_packed,
        "Caliper": _caliper,
        "Caliper JSON": maker_of_texts(json_split_files.JSON_SPLIT, "x.json"),
        "HPCToolkit": _hpctoolkit,
        "Nsight Systems": _nsys,
        "Nsight Compute": maker_of_texts(gpu_files.NCU, "x.csv"),
        "rocprof": _rocprof,
        "rocprofv3": _rocprofv3,
        "rocprofv3 JSON": _rocprofv3_json,
        "GPU summary tables": _summary_tables,
        "rocprof launches": maker_of_texts(gpu_outputs.ROCPROF_LAUNCHES, "results.csv"),
        "nsys stats": maker_of_texts(gpu_outputs.NSYS_OUTPUT, "stats.txt"),
        "callgrind": maker_of_texts(profiler_files.CALLGRIND, "callgrind.out.1"),
        "gprof": maker_of_texts(profiler_files.GPROF, "gprof.txt"),
        "perf": maker_of_texts(profiler_files.PERF, "x.perf"),
        "CrayPat": maker_of_texts(CRAYPAT, "RUNTIME.rpt"),
        "LIKWID": _likwid,
        "speedscope": maker_of_texts(profiler_files.SPEEDSCOPE, "x.speedscope.json"),
        "Chrome trace": _traces,
        "mpiP": maker_of_texts(profiler_files.MPIP, "x.mpiP"),
        "pprof": maker_of_texts(profiler_files.PPROF, "x.prof"),
        "FDS": maker_of_texts(fds_files.FDS, "x_cpu.csv"),
        "GPTL process": maker_of_texts(gptl_files.GPTL, "timing.0"),
        "GPTL processes": _gptl_processes,
        "WRF": maker_of_texts(wrf_files.WRF, "rsl.error.0000"),
        "Hatchet": maker_of_texts(hatchet_files.HATCHET, "x.json"),
        "TALP": maker_of_texts(talp_files.TALP, "x.json"),
        "gperftools": maker_of_texts(gperftools_files.CPU, "x.prof"),
        "gperftools waits": maker_of_texts(gperftools_files.WAITS, "x.contention"),
        "folded stacks": maker_of_texts(
            {**{name: text.encode() for name, text in profiler_files.FOLDED.items()}, "marked": _MARKED},
            "x.folded",
        ),
        "timer table": _timer_tables,
        **MEASUREMENTS,
        "metadata file": lambda folder: files_of(folder, "metadata.toml", text_of("metadata.txt")),
    }
    readers = (reader.name for reader in (*profile_readers(), *series_readers()))
    if unseeded := ", ".join(name for name in readers if name not in makers):
        raise AssertionError(f"no seeds for {unseeded}: make small valid files of it in tests/fuzz/seeds.py")
    return {name: _collect(maker) for name, maker in makers.items()}


def _collect(maker: Callable[[Path], list[str]]) -> tuple[Seed, ...]:
    """Let a maker write files and take them up; it returns targets, each in a folder of its own."""
    found = []
    with TemporaryDirectory() as folder:
        for target in maker(Path(folder)):
            top, _, rest = target.partition("/")
            place = Path(folder) / top
            files = {
                str(f.relative_to(place)): f.read_bytes() for f in sorted(place.rglob("*")) if f.is_file()
            }
            found.append(Seed(files, rest))
    return tuple(found)


def _cubex(folder: Path) -> list[str]:
    values = np.arange(1.0, 25.0).reshape(6, 4)
    inclusive = np.cumsum(values[::-1], axis=0)[::-1]
    plain = [
        MetricSpec("time", values),
        MetricSpec("visits", values, dtype="UINT64", unit="occ", nodes=[4, 0, 2]),
        MetricSpec("incl", inclusive, kind="INCLUSIVE"),
        MetricSpec("min_time", values, kind="SIMPLE", dtype="MINDOUBLE"),
        MetricSpec("bytes", values, kind="INCLUSIVE", dtype="INT32", nodes=[0, 2]),
    ]
    typed = [
        MetricSpec("rate", np.ones((6, 2), [("value", "f8"), ("time", "f8")]), dtype="RATE"),
        MetricSpec("z", np.ones((6, 2), "f8,f8"), dtype="COMPLEX"),
        MetricSpec("time", values[:, :2], kind=None),
        MetricSpec("visits", np.ones((6, 2), "u4,f8,f8,f8,f8"), dtype="TAU_ATOMIC"),
    ]
    regions = [RegionSpec(f"f{i}<int>", f"_Z{i}", "mpi" if i else None, "a.c", i, "user") for i in range(4)]
    groups = [GroupSpec(0, locations=("thread", "gpu")), GroupSpec(1, "accelerator", ("gpu",), "process 0")]
    groups.append(GroupSpec(1))
    forms: list[tuple[str, list[MetricSpec], dict[str, object]]] = [
        ("plain", plain, {"groups": groups, "attributes": {"Creator": "fuzz", "CLUSTERING": "OFF"}}),
        ("compressed", plain, {"compressed": True, "groups": groups}),
        ("big", plain, {"byteorder": ">", "compressed": True, "gzip_anchor": True, "dense": True}),
        ("typed", typed, {"byteorder": ">", "dense": True, "indent": False}),
        ("gzip", plain[:3], {"gzip_file": True, "padding_bug": True, "checksum": False}),
    ]
    for name, metrics, options in forms:
        (folder / name).mkdir()
        write_cubex(
            folder / name / "a.cubex",
            parent=PARENT,
            metrics=metrics,
            regions=regions,
            callee=[0, 1, 2, 3, 1, 2],
            **options,
        )
    (folder / "real").mkdir()
    real = SAMPLES / "hpcg-strong" / "hpcg.p1.r1" / "profile.cubex"
    (folder / "real" / "a.cubex").write_bytes(real.read_bytes())
    return [f"{name}/a.cubex" for name, _, _ in forms for _ in range(6)] + ["real/a.cubex"]


def _cube3(folder: Path) -> list[str]:
    for name in ("a.cube", "b.cube.gz"):
        (folder / name[0]).mkdir()
        cube3_files.write(folder / name[0] / name, cube3_files.document())
    return ["a/a.cube", "b/b.cube.gz"]


def _openfoam(folder: Path) -> list[str]:
    foam_cases.write_profiling(folder / "serial", "0.5", foam_cases.solver("cavity", 2.0))
    for process in range(2):
        for time in ("1", "2"):
            case = f"cavityprocessor{process}"
            part = folder / "parallel" / f"processor{process}"
            foam_cases.write_profiling(part, time, foam_cases.solver(case, 3.0 + process))
    real = folder / "real" / "0.1" / "uniform" / "profiling"
    real.parent.mkdir(parents=True)
    sample = SAMPLES / "openfoam-cavity" / "cavity.n8.r1" / "0.1" / "uniform" / "profiling"
    real.write_bytes(sample.read_bytes())
    return ["serial", "parallel", "real"]


def _tau(folder: Path) -> list[str]:
    for thread in ("0.0.0", "0.0.1"):
        tau_files.write_text(folder / "one", thread, tau_files.CPI)
        for metric in ("TIME", "PAPI_TOT_INS"):
            tau_files.write_text(folder / "two" / f"MULTI__{metric}", thread, tau_files.CPI, metric)
    return ["one", "two"]


def _tau_packed(folder: Path) -> list[str]:
    (folder / "a").mkdir()
    functions = [("main [{a.c} {1,1}-{2,2}]", (1,)), ("main => MPI_Send()", (0,)), ("MPI_Send()", (0, 1))]
    threads = {(0, 0, t): {0: (1, 5e6, 3), 1: (2, 1e6, 4), 2: (2, 1e6, 4)} for t in range(2)}
    data = tau_files.packed(functions, threads, metrics=("TIME", "PAPI_FP_OPS"))
    tau_files.write_packed(folder / "a" / "a.ppk", data)
    return ["a/a.ppk"]


def _caliper(folder: Path) -> list[str]:
    for name in "abcde":
        (folder / name).mkdir()
    inclusive = cali_files.Cali().record(cali_files.MAIN, extra=[("sum#inclusive#sum#time.duration", 9)])
    inclusive.record(cali_files.SEND, extra=[("sum#inclusive#sum#time.duration", 4), ("spot.channel", "x")])
    ranks = cali_files.Cali()
    for rank in (3, 0):
        for path in (cali_files.MAIN, cali_files.LOOP):
            values = [("sum#time.duration.ns", 1e9 * (rank + 1)), ("sum#region.count", 7), ("mpi.rank", rank)]
            ranks.record(path, extra=values)
    cali_files.exclusive().globals(jobsize="8", problem="30").write(folder / "a" / "a.cali")
    inclusive.globals(jobsize="64").write(folder / "b" / "a.cali")
    ranks.write(folder / "c" / "a.cali")
    cali_files.on_devices().write(folder / "d" / "a.cali")
    cali_files.report(8).write(folder / "e" / "a.cali")
    return [f"{name}/a.cali" for name in "abcde"]


def _hpctoolkit(folder: Path) -> list[str]:
    hpctoolkit_files.write_database(folder / "a", {(0, 0): 1.0, (1, 0): 2.0})
    hpctoolkit_files.write_database(folder / "b", {(r, t): 1.0 for r in (0, 1) for t in (0, 1)}, unit="sec")
    write, thread = hpctoolkit_meta_files.write_database, hpctoolkit_meta_files.thread
    threads = [thread(0, gpu=True), thread(0, 1, 0.5), thread(1, factor=2, **{"PAPI_L2_TCM": {5: 9.0}})]
    streams = [hpctoolkit_meta_files.stream(rank, device=0, number=13) for rank in (0, 1)]
    metrics = ["CPUTIME (sec)", *hpctoolkit_meta_files.GPU, "PAPI_L2_TCM"]
    write(folder / "c", hpctoolkit_meta_files.CONTEXTS, metrics, [*threads, *streams])
    write(folder / "d", hpctoolkit_meta_files.CONTEXTS[:12], metrics[:1], [thread(0)], extra=8, scopes=(3,))
    return ["a", "b", "c", "d"]


def _likwid(folder: Path) -> list[str]:
    (folder / "processes").mkdir()
    for process in (0, 1):
        text = outputs.program(1.0, cores=[f"Core {process}"])
        (folder / "processes" / f"proc_{process}.out").write_text(text, encoding="utf-8")
    return [*maker_of_texts(outputs.LIKWID, "x.txt")(folder), "processes"]


def _nsys(folder: Path) -> list[str]:
    plain = gpu_files.nsys_tables(ranges=False, duration=None)
    host = {name: table for name, table in gpu_files.nsys_tables().items() if not name.startswith("CUPTI")}
    for name, tables in (("a", gpu_files.nsys_tables()), ("b", plain), ("c", host)):
        gpu_files.nsys(folder / name / "x.sqlite", tables)
    for rank in range(2):
        gpu_files.nsys(folder / "ranks" / f"x.{rank}.sqlite")
    return ["a/x.sqlite", "b/x.sqlite", "c/x.sqlite", "ranks"]


def _traces(folder: Path) -> list[str]:
    for rank in range(2):
        (folder / "ranks").mkdir(exist_ok=True)
        (folder / "ranks" / f"{rank}.json").write_text(gpu_files.kineto_rank(rank), encoding="utf-8")
    return [
        *maker_of_texts({**gpu_files.TRACES, "tf": gpu_outputs.tensorflow()}, "x.pt.trace.json")(folder),
        "ranks",
    ]


def _rocprof(folder: Path) -> list[str]:
    gpu_files.rocprof_database(folder / "a" / "results.db")
    gpu_files.rocprof_database(folder / "both" / "results.db")
    for name in ("b", "both"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "results.json").write_text(gpu_files.rocprof_trace(), encoding="utf-8")
    return ["a/results.db", "b/results.json", "both"]


def _rocprofv3(folder: Path) -> list[str]:
    gpu_files.rocprofv3(folder / "one")
    for process in (77, 78):
        gpu_files.rocprofv3(folder / "two", process, agent=str(process))
    return ["one/77_kernel_trace.csv", "one", "two"]


def _rocprofv3_json(folder: Path) -> list[str]:
    for name, processes in (("one", (77,)), ("two", (77, 78))):
        (folder / name).mkdir()
        for process in processes:
            file = folder / name / f"{process}_results.json"
            file.write_text(gpu_outputs.rocprofv3_json(process), encoding="utf-8")
    return ["one/77_results.json", "two"]


def _summary_tables(folder: Path) -> list[str]:
    for name in "abcd":
        gpu_files.summary_tables(folder / name)
    kinds = ("results.stats.csv", "77_kernel_stats.csv", "pmc_kernel_top.csv", "r_cuda_api_sum.csv")
    return [f"{folder}/{name}" for folder, name in zip("abcd", kinds, strict=True)]


def _gptl_processes(folder: Path) -> list[str]:
    (folder / "run").mkdir()
    for number, scale in enumerate((1.0, 2.0)):
        (folder / "run" / f"timing.{number}").write_text(gptl_files.process(scale), encoding="utf-8")
    return ["run"]


def _timer_tables(folder: Path) -> list[str]:
    for name, log in timer_logs.LOGS.items():
        (folder / name).mkdir()
        (folder / name / "x.log").write_text(log(), encoding="utf-8")
    parents = '[parents]\nPCApply = "KSPSolve"\nKSPSolve = ""\n'
    (folder / "petsc" / "timers.toml").write_text(parents, encoding="utf-8")
    (folder / "partitions").mkdir()
    for number in (0, 1):
        text = timer_logs.LOGS["lammps"]().replace("\n", f"\nProcessor partition = {number}\n", 1)
        (folder / "partitions" / f"log.lammps.{number}").write_text(text, encoding="utf-8")
    return [*(f"{name}/x.log" for name in timer_logs.LOGS), "partitions/log.lammps.0"]
