"""Small outputs of profilers of accelerators, written as they write them."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

PID = 77
OTHER_THREAD = 78
GLOBAL_PID = (1 << 48) | PID << 24
BEGIN = 1_700_000_000_000_000_000  # of a capture, nanoseconds since 1970
TEXTS = ("void f<int>(int*)", "g", "cudaLaunchKernel", "cudaMemcpy", "step", "MPI_Wait", "cublasDgemm")

Rows = Mapping[str, tuple[str, Sequence[tuple[object, ...]]]]  # table -> columns, rows


def tid(thread: int = PID, process: int = PID) -> int:
    """A globalTid."""
    return (1 << 48) | process << 24 | thread


def text(value: str) -> int:
    """The number of a text."""
    return TEXTS.index(value) + 1


def nsys_tables(*, ranges: bool = True, duration: int | None = 10_000) -> dict[str, tuple[str, list]]:
    """Tables of a capture of 10 microseconds on two streams of device 0, by two threads.

    Kernels take 3000 + 2000 and 500 ns, copies 1000 and a fill 100; 5100 ns have something running.
    """
    f, g = text(TEXTS[0]), text("g")
    kernels = [
        (1000, 4000, 0, 7, GLOBAL_PID, f),
        (2000, 4000, 0, 8, GLOBAL_PID, f),
        (8000, 8500, 0, 8, GLOBAL_PID, g),
    ]
    launch, copy = text("cudaLaunchKernel"), text("cudaMemcpy")
    calls = [
        (900, 1100, tid(), launch),
        (1500, 1600, tid(OTHER_THREAD), launch),
        (4500, 6000, tid(), copy),
        (7900, 8000, tid(), launch),
    ]
    tables = {
        "StringIds": ("id INTEGER, value TEXT", list(enumerate(TEXTS, start=1))),
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER,"
            " demangledName INTEGER",
            kernels,
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER,"
            " bytes INTEGER, copyKind INTEGER",
            [(4600, 5600, 0, 7, GLOBAL_PID, 4096, 1)],
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": (
            "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER,"
            " bytes INTEGER",
            [(5550, 5650, 0, 8, GLOBAL_PID, 64)],
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER",
            calls,
        ),
        "META_DATA_CAPTURE": (
            "name TEXT, value TEXT",
            [("PROCESS_0:COMMAND", "./heat"), ("PROCESS_0:ARGUMENT_0", "8"), ("PROCESS_0:ARGUMENT_1", "5")],
        ),
        "META_DATA_EXPORT": ("name TEXT, value TEXT", [("EXPORT_PRODUCT_VERSION", "2023.3.1")]),
        "TARGET_INFO_GPU": (
            "id INTEGER, name TEXT, uuid TEXT",
            [(0, "Tesla T4", "a-b"), (1, "Tesla T4", "c")],
        ),
        "TARGET_INFO_SYSTEM_ENV": ("name TEXT, value TEXT", [("Hostname", "node1")]),
        "TARGET_INFO_SESSION_START_TIME": ("utcEpochNs INTEGER", [(BEGIN,)]),
    }
    if duration is not None:
        tables["ANALYSIS_DETAILS"] = ("duration INTEGER", [(duration,)])
    if ranges:
        tables["NVTX_EVENTS"] = (
            "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER",
            [
                (500, 7000, 59, None, text("step"), tid()),
                (4400, 6500, 59, "inner", None, tid()),
                (600, None, 59, None, text("step"), tid()),
                (0, 9000, 60, "free", None, tid()),
            ],
        )
    return tables


def nsys(file: Path, tables: Rows | None = None) -> Path:
    """Write an export of Nsight Systems."""
    return database(file, nsys_tables() if tables is None else tables)


def database(file: Path, tables: Rows) -> Path:
    """Write an SQLite database."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            marks = ",".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        connection.commit()
    return file


def by_path(profile, metric: str = "time") -> dict[tuple[str, ...], list[float]]:
    """The values of all call paths by location, without those that are zero everywhere."""
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values(metric).tolist()
    return {path: row for path, row in zip(paths, values, strict=True) if any(row)}


def nanoseconds(values: Mapping[tuple[str, ...], Iterable[float]]) -> dict[tuple[str, ...], list[int]]:
    """Seconds as whole nanoseconds."""
    return {path: [round(1e9 * value) for value in row] for path, row in values.items()}


def event(
    name: str, ts: float, dur: float, *, cat: str = "cpu_op", pid: object = 5, tid: object = 5, **args: object
) -> dict[str, object]:
    """A trace event of phase X."""
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kineto_events() -> list[dict[str, object]]:
    """A trace of 100 microseconds by PyTorch's profiler: two steps, two streams of device 0."""
    flow = {"ph": "s", "id": 1, "pid": 5, "tid": 5, "ts": 12.0, "cat": "ac2g", "name": "ac2g"}
    return [
        {"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "ts": 0, "args": {"name": "python"}},
        event("ProfilerStep#2", 10, 30, cat="user_annotation"),
        event("aten::mm", 11.5, 10.25),
        event("cudaLaunchKernel", 12, 3, cat="cuda_runtime"),
        event("ProfilerStep#3", 40, 50, cat="user_annotation"),
        event("aten::mm", 41, 20),
        event("hipMemcpy", 42, 18, cat="cuda_runtime"),
        event("MmBackward0", 45, 5, tid=6),
        event("gemm<float>", 20, 10.5, cat="kernel", pid=0, tid=7, device=0, stream=7),
        event("gemm<float>", 25, 10, cat="kernel", pid=0, tid=20, device=0, bytes=5),
        event("Memcpy DtoH (Device -> Pinned)", 50, 4, cat="gpu_memcpy", pid=0, tid=7, bytes=4096),
        event("Memset (Device)", 60, 1, cat="gpu_memset", pid=0, tid=7, bytes=64),
        event("ProfilerStep#2", 20, 20, cat="gpu_user_annotation", pid=0, tid=7),
        event("PyTorch Profiler (0)", 5, 100, cat="Trace", pid="Spans", tid="PyTorch Profiler"),
        flow,
    ]


def kineto(events: list[dict[str, object]] | None = None, **top: object) -> str:
    """A trace as PyTorch's profiler writes it."""
    properties = [{"id": 0, "name": "NVIDIA H200"}, {"id": 1, "name": "NVIDIA H200"}]
    content = {"schemaVersion": 1, "deviceProperties": properties, "host_name": "node1", **top}
    return json.dumps({**content, "traceEvents": kineto_events() if events is None else events}, indent=1)


def kineto_rank(rank: int, world: int = 2) -> str:
    """A trace of one rank; the last one records 20 microseconds longer than those before."""
    events = kineto_events()
    for one in events:
        if one.get("cat") == "Trace":
            one["dur"] = 100 + 20 * (rank == world - 1)
    return kineto(events, distributedInfo={"backend": "nccl", "rank": rank, "world_size": world})


def chrome(closed: bool = True) -> str:
    """A list of events of another program, with begins and ends."""
    both = [("B", "main", 0), ("B", "solve", 10), ("E", "solve", 30), ("E", None, 50), ("B", "open", 60)]
    events = [{"ph": ph, "name": name, "pid": 1, "tid": "io", "ts": ts} for ph, name, ts in both]
    events += [event("main", 0, 5, cat="app", pid=1, tid=2), {"ph": "C", "name": "memory", "ts": 1}]
    text = json.dumps(events)
    return text if closed else text[:-1] + ","


TRACES: Mapping[str, str] = {
    "kineto": kineto(),
    "no span": kineto([e for e in kineto_events() if e.get("cat") != "Trace"]),
    "list": chrome(),
    "not closed": chrome(closed=False),
}


ROCPROF_PID = 19147
ROCPROF_CALLS = [("hipMalloc", 1000, 2000), ("hipMemcpy", 2500, 6000), ("hipLaunchKernel", 6100, 6200)]
ROCPROF_COPIES = [("CopyHostToDevice", 3000, 5500)]
ROCPROF_KERNELS = [("add(float*, int)", 6150, 9150)]


def rocprof_database(file: Path, **tables: tuple[str, list]) -> Path:
    """rocprof's database: 10 microseconds of calls, of which a kernel takes 3 on device 4."""
    host = '"BeginNs" INTEGER, "EndNs" INTEGER, "pid" INTEGER, "tid" INTEGER, "Name" TEXT'
    device = f'{host}, "dev-id" INTEGER, "stream-id" INTEGER'
    numbers = (ROCPROF_PID, ROCPROF_PID)
    found = {
        "HIP": (host, [(b, e, *numbers, n) for n, b, e in (*ROCPROF_CALLS, ("hipFree", 9500, 11_000))]),
        "HSA": (host, [(2600, 2700, *numbers, "hsa_signal_wait")]),
        "COPY": (device, [(b, e, *numbers, n, 4, 0) for n, b, e in ROCPROF_COPIES]),
        "OPS": (device, [(b, e, *numbers, n, 4, 1) for n, b, e in ROCPROF_KERNELS]),
        "KERN": ("x INTEGER", []),
    }
    return database(file, found | tables)


def rocprof_trace() -> str:
    """rocprof's trace of the same, without HSA: numbers are texts in events, and not in the metadata."""
    names = {2: "CPU HIP API", 1: "COPY", 10: "GPU4"}
    events: list[dict[str, object]] = [{}]
    events += [{"args": {"name": n}, "ph": "M", "pid": p, "name": "process_name"} for p, n in names.items()]
    calls = [*ROCPROF_CALLS, ("hipFree", 9500, 11_000)]
    for pid, rows in ((2, calls), (1, ROCPROF_COPIES), (10, ROCPROF_KERNELS)):
        for name, begin, end in rows:
            args = {"BeginNs": str(begin), "EndNs": str(end), "pid": "19147", "tid": "19147", "Name": name}
            args |= {"dev-id": "4", "queue-id": "0", "stream-id": str(pid // 10)} if pid != 2 else {}
            times = {"ts": str(begin // 1000), "dur": str((end - begin) // 1000)}
            events.append({"ph": "X", "name": name, "pid": str(pid), "tid": "0", **times, "args": args})
    return json.dumps({"traceEvents": events, "otherData": {"CMD": "rocminfo"}}, indent=1)


def statistics(rows: Mapping[str, tuple[int, float]]) -> str:
    """A table of rocprof's: names, numbers of calls and nanoseconds."""
    header = '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n'
    return header + "".join(f'"{name}",{n},{time},{time / n},1.5\n' for name, (n, time) in rows.items())


SUMMARY_TABLES: Mapping[str, str] = {
    "results.stats.csv": statistics({"f<int, 2>(float*, int)": (3, 9000), "g": (1, 500)}),
    "results.hip_stats.csv": statistics({"hipMemcpy": (2, 20_000)}),
    "results.hsa_stats.csv": statistics({"hsa_signal_wait": (2, 19_000)}),
    "results.copy_stats.csv": statistics({"CopyHostToDevice": (2, 7000)}),
    "77_kernel_stats.csv": statistics({"f": (2, 7000)}),
    "77_domain_stats.csv": statistics({"KERNEL_DISPATCH": (2, 7000)}),
    "77_memory_copy_stats.csv": statistics({"MEMORY_COPY_HOST_TO_DEVICE": (1, 100)}),
    "pmc_kernel_top.csv": 'Kernel_Name,Count,Sum(ns),Mean(ns),Pct\n"a<1, 2>(int)",2,4358.5,2179.25,80\n',
    "sysinfo.csv": "workload_name,command,hostname,gpu_model,rocm_version\nbmm,./bmm,node1,MI300X,7.1.0\n",
    "r_cuda_gpu_kern_sum.csv": "Processing [r.sqlite]...\n\n"
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    '90.0,"5,850,000",50,1,1,1,1,1,"void f<double, (int)0>(double*)"\n10.0,"650,000",2,1,1,1,1,1,g\n',
    "r_cuda_gpu_mem_time_sum.csv": "Time (%),Total Time (us),Count,Avg (us),Operation\n"
    "100.0,3,4,1,[CUDA memcpy Host-to-Device]\n",
    "r_cuda_api_sum.csv": "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n100.0,6000,4,1,cudaMemcpy\n",
    "r_osrt_sum.csv": "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n100.0,6000,4,1,poll\n",
}


def summary_tables(folder: Path) -> Path:
    """Write all tables into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in SUMMARY_TABLES.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


LAUNCHES = [  # process, stream, kernel, time, bytes read, instructions
    (70, 7, "void gemm<float, 2>(float*)", "12.5", "1.25", "1,000"),
    (70, 7, "void gemm<float, 2>(float*)", "7.5", "0.75", "2,000"),
    (70, 13, "axpy", "1,250", "4", "n/a"),
    (71, 7, "axpy", "1", "4", "5"),
]
METRICS = [
    ("gpu__time_duration.sum", "us"),
    ("dram__bytes_read.sum", "Mbyte"),
    ("smsp__inst_executed.sum", "inst"),
]
OTHERS = [("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"), ("gpc__cycles_elapsed.max", "cycle")]


def ncu_long(times: tuple[str, ...] = ("gpu__time_duration.sum",)) -> str:
    """Nsight Compute's rows of launches and metrics, the time perhaps in two sections."""
    head = "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Device,Section Name"
    rows = [f"{head},Metric Name,Metric Unit,Metric Value".split(",")]
    for number, (process, stream, kernel, *values) in enumerate(LAUNCHES):
        launch = [str(number), str(process), "app", "node1", kernel, "1", str(stream), "0"]
        rows += [[*launch, "Speed Of Light", name, "usecond", values[0]] for name in times]
        pairs = zip(METRICS[1:], values[1:], strict=True)
        rows += [[*launch, "Memory", name, unit, value] for (name, unit), value in pairs]
        rows += [[*launch, "Speed Of Light", name, unit, "88.5"] for name, unit in OTHERS]
    return (
        "==PROF== Connected to process 70\nresidual 1e-3, done\n" + _quoted(rows) + "==PROF== Disconnected\n"
    )


def ncu_wide(units: bool = True) -> str:
    """Nsight Compute's raw page."""
    metrics = [*METRICS, *OTHERS]
    head = ["ID", "Process ID", "Process Name", "Kernel Name", "Context", "Stream", "Device"]
    rows = [[*head, *(name for name, _ in metrics)]]
    rows += [[*("" for _ in head), *(unit for _, unit in metrics)]] if units else []
    for number, (process, stream, kernel, *values) in enumerate(LAUNCHES):
        rows.append([str(number), str(process), "app", kernel, "1", str(stream), "0", *values, "88.5", "9"])
    return _quoted(rows)


def _quoted(rows: list[list[str]]) -> str:
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)


NCU: Mapping[str, str] = {
    "long": ncu_long(),
    "labels": ncu_long(("Duration", "Duration")),
    "wide": ncu_wide(),
}


def rocprofv3(folder: Path, process: int = 77, *, agent: str = "Agent 4", later: int = 0) -> Path:
    """rocprofv3's traces of a process: 10 microseconds."""
    folder.mkdir(parents=True, exist_ok=True)
    times = "Correlation_Id,Start_Timestamp,End_Timestamp"
    host = f"Domain,Function,Process_Id,Thread_Id,{times}"
    tables = {
        "kernel": (
            f"Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,{times},LDS_Block_Size",
            [("KERNEL_DISPATCH", agent, 1, 2, process, 1, 33, "add(float*, int)", 7, 6150, 9150, 0)],
        ),
        "memory_copy": (
            f"Kind,Direction,Source_Agent_Id,Destination_Agent_Id,{times}",
            [
                ("MEMORY_COPY", "MEMORY_COPY_HOST_TO_DEVICE", "Agent 0", agent, 3, 3000, 5500),
                ("MEMORY_COPY", "MEMORY_COPY_DEVICE_TO_HOST", agent, "Agent 0", 4, 9200, 9300),
            ],
        ),
        "hip_api": (
            host,
            [
                ("HIP_RUNTIME_API", "hipMemcpy", process, process, 3, 2500, 6000),
                ("HIP_RUNTIME_API", "hipFree", process, process, 9, 10_000, 11_000),
            ],
        ),
        "marker_api": (
            host,
            [
                ("MARKER_CORE_API", "step", process, process, 1, 1000, 7000),
                ("MARKER_CORE_API", "started", process, 0, 2, 2000, 9000),
            ],
        ),
    }
    for kind, (header, rows) in tables.items():
        place = header.split(",").index("Start_Timestamp")
        moved = [(*r[:place], r[place] + later, r[place + 1] + later, *r[place + 2 :]) for r in rows]
        lines = [header.split(","), *([str(cell) for cell in row] for row in moved)]
        (folder / f"{process}_{kind}_trace.csv").write_text(_quoted(lines), encoding="utf-8")
    return folder
