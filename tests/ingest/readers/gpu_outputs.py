"""What nsys stats, rocprof 1 to 3 and TensorFlow write, as texts."""

import json
from collections.abc import Mapping

ROCPROF_LAUNCHES: Mapping[str, str] = {
    "version 1": (
        '"Index","KernelName","gpu-id","queue-id","pid","tid","sig","DispatchNs","BeginNs","EndNs","DurationNs"\n'
        '0,"f(float*, int) [clone .kd]",4,0,77,78,"0x0",900,1000,4000,3000\n'
        '1,"f(float*, int) [clone .kd]",5,1,77,78,"0x0",1900,2000,4500,2500\n'
        '2,"g",4,0,77,78,"0x0",3900,6000,11000,5000\n'
    ),
    "version 2": (
        "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Kernel_Name,Start_Timestamp,End_Timestamp\n"
        '1,4,0,77,78,"f(float*, int) [clone .kd]",1000,4000\n'
        '2,5,1,77,78,"f(float*, int) [clone .kd]",2000,4500\n'
        "3,4,0,77,78,g,6000,11000\n"
    ),
    "counters": (
        '"Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Kernel_Name","Counter_Name","Counter_Value",'
        '"Start_Timestamp","End_Timestamp"\n'
        '1,"Agent 4",0,77,"f(float*, int) [clone .kd]","WAVES",16.0,1000,4000\n'
        '1,"Agent 4",0,77,"f(float*, int) [clone .kd]","BUSY",3.5,1000,4000\n'
        '2,"Agent 5",1,77,"f(float*, int) [clone .kd]","WAVES",16.0,2000,4500\n'
        '2,"Agent 5",1,77,"f(float*, int) [clone .kd]","BUSY",3.5,2000,4500\n'
        '3,"Agent 4",0,77,"g","WAVES",8.0,6000,11000\n'
        '3,"Agent 4",0,77,"g","BUSY",1.5,6000,11000\n'
    ),
}
"""Three launches on two devices, as tables of rocprof state them."""


_NSYS_PROCESSING = "Processing [x.sqlite] with [/opt/nsight/reports/{}.py]...\n"
NSYS_OUTPUT: Mapping[str, str] = {
    "csv": (
        "Generating SQLite file x.sqlite from x.nsys-rep\n"
        f"{_NSYS_PROCESSING.format('osrt_sum')}"
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n100.0,5000,5,1000.0,poll\n\n"
        f"{_NSYS_PROCESSING.format('cuda_api_sum')}"
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n100.0,6000,3,2000.0,cudaMemcpy\n\n"
        f"{_NSYS_PROCESSING.format('cuda_gpu_kern_sum')}"
        "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
        '90.0,9000,3,3000.0,"f<(int)2, 3>(float*, int)"\n10.0,1000,1,1000.0,g\n\n'
        f"{_NSYS_PROCESSING.format('cuda_gpu_mem_time_sum')}"
        "Time (%),Total Time (ns),Count,Avg (ns),Operation\n100.0,700,7,100.0,[CUDA memcpy HtoD]\n\n"
        f"{_NSYS_PROCESSING.format('cuda_gpu_kern_sum').replace('x.sqlite', 'y.sqlite')}"
        "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,123,1,123.0,of another capture\n"
    ),
    "csv without reports": (
        "Time(%),Total Time (ns),Num Calls,Average,Name\n"
        "50.0,6000,3,2000.0,cudaMemcpy\n50.0,6000,3,2000.0,poll\n\n"
        "Time(%),Total Time (ns),Instances,Average,Name\n"
        '90.0,9000,3,3000.0,"f<(int)2, 3>(float*, int)"\n10.0,1000,1,1000.0,g\n\n'
        "Time(%),Total Time (ns),Operations,Average,Operation\n100.0,700,7,100.0,[CUDA memcpy HtoD]\n"
    ),
    "columns": (
        f"{_NSYS_PROCESSING.format('cuda_api_sum')}\n ** CUDA API Summary (cuda_api_sum):\n\n"
        " Time (%)  Total Time (ns)  Num Calls  Avg (ns)     Name   \n"
        " --------  ---------------  ---------  --------  ----------\n"
        "    100.0            6,000          3     2,000  cudaMemcpy\n\n"
        f"{_NSYS_PROCESSING.format('cuda_gpu_kern_sum')}\n"
        " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
        " Time (%)  Total Time (ns)  Instances  Avg (ns)            Name           \n"
        " --------  ---------------  ---------  --------  -------------------------\n"
        "     90.0            9,000          3     3,000  f<(int)2, 3>(float*, int)\n"
        "     10.0            1,000          1     1,000  g                        \n\n"
        f"{_NSYS_PROCESSING.format('gpumemtimesum')}\n ** CUDA GPU MemOps Summary (gpumemtimesum):\n\n"
        " Time (%)  Total Time (ns)  Count  Avg (ns)      Operation     \n"
        " --------  ---------------  -----  --------  ------------------\n"
        "    100.0              700      7       100  [CUDA memcpy HtoD]\n\n"
    ),
    "framed": (
        " ** CUDA API Summary (cuda_api_sum):\n\n"
        "+----------+-----------------+-----------+------------+\n"
        "| Time (%) | Total Time (ns) | Num Calls |    Name    |\n"
        "+----------+-----------------+-----------+------------+\n"
        "|    100.0 |            6000 |         3 | cudaMemcpy |\n"
        "+----------+-----------------+-----------+------------+\n\n"
        " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
        "| Time (%) | Total Time (ns) | Instances |            Name           |\n"
        "|     90.0 |            9000 |         3 | f<(int)2, 3>(float*, int) |\n"
        "|     10.0 |            1000 |         1 | g                         |\n\n"
        " ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):\n\n"
        "| Time (%) | Total Time (ns) | Count |     Operation      |\n"
        "|    100.0 |             700 |     7 | [CUDA memcpy HtoD] |\n"
    ),
}
"""One capture as ``nsys stats`` prints it."""


def rocprofv3_json(process: int = 77, later: int = 0) -> str:
    """rocprofv3's JSON of a process that two devices work for: 20 microseconds."""

    def record(kind: int, operation: int, begin: int, end: int, **more: object) -> dict[str, object]:
        times = {"start_timestamp": begin + later, "end_timestamp": end + later}
        return {"kind": kind, "operation": operation, "thread_id": process, **times, **more}

    def launch(kernel: int, agent: int, begin: int, end: int) -> dict[str, object]:
        info = {"agent_id": {"handle": agent}, "queue_id": {"handle": 3}, "kernel_id": kernel}
        return record(1, 0, begin, end, dispatch_info=info)

    strings = [
        {"kind": "NONE", "operations": []},
        {"kind": "KERNEL_DISPATCH", "operations": ["NONE"]},
        {"kind": "MEMORY_COPY", "operations": ["NONE", "MEMORY_COPY_DEVICE_TO_HOST"]},
        {"kind": "HIP_RUNTIME_API", "operations": ["hipMemcpy", "hipLaunchKernel"]},
    ]
    ends = {"dst_agent_id": {"handle": 100}, "src_agent_id": {"handle": 104}, "bytes": 4096}
    tool = {
        "metadata": {
            "pid": process,
            "init_time": 1000 + later,
            "fini_time": 21_000 + later,
            "node": {"hostname": "node1"},
        },
        "agents": [
            {"id": {"handle": 100}, "type": 1, "node_id": 0},
            {"id": {"handle": 104}, "type": 2, "node_id": 4},
            {"id": {"handle": 105}, "type": 2, "node_id": 5},
        ],
        "kernel_symbols": [
            {"kernel_id": 9, "kernel_name": "_Z1fPf.kd", "formatted_kernel_name": "f(float*)"},
            {"kernel_id": 10, "kernel_name": "g"},
        ],
        "strings": {"buffer_records": strings},
        "buffer_records": {
            "kernel_dispatch": [
                launch(9, 104, 2000, 5000),
                launch(9, 105, 3000, 4000),
                launch(10, 104, 6000, 7000),
            ],
            "memory_copy": [record(2, 1, 8000, 8500, **ends)],
            "hip_api": [record(3, 1, 1500, 1700), record(3, 0, 7500, 9000)],
            "marker_api": [],
        },
    }
    return json.dumps({"rocprofiler-sdk-tool": [tool]})


def tensorflow(streams: bool = True) -> str:
    """A trace with a process for a device; its streams, if it has some, beside a thread that repeats them."""

    def named(what: str, pid: int, tid: int, name: str) -> dict[str, object]:
        return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}

    def lasting(pid: int, tid: int, name: str, begin: float, duration: float) -> dict[str, object]:
        return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": begin, "dur": duration, "args": {}}

    events = [
        named("process_name", 3, 0, "/device:GPU:0"),
        named("process_name", 70, 0, "/host:CPU"),
        named("thread_name", 3, 1, "XLA Ops"),
        named("thread_name", 3, 2, "Steps"),
        lasting(70, 5, "train", 0, 50),
        lasting(3, 1, "dot.1", 10, 20),
        lasting(3, 2, "step 1", 10, 24),
    ]
    if streams:
        events += [
            named("thread_name", 3, 14, "stream #14(Compute)"),
            named("thread_name", 3, 15, "Stream #15(MemcpyH2D)"),
            lasting(3, 14, "sgemm", 10.5, 19.5),
            lasting(3, 15, "MemcpyH2D", 31, 3),
        ]
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": [*events, {}]})
