"""Small outputs of profilers, written as they write them."""

import gzip
import json
from collections.abc import Callable, Mapping

from tests.ingest.readers.texts import text_of

STACKS: Mapping[str, float] = {
    "main": 2,
    "main;solve;dot": 5,
    "main;solve;MPI_Allreduce": 3,
    "main;io write": 4,
}


def folded(stacks: Mapping[str, float] = STACKS, end: str = "\n") -> str:
    """Folded stacks."""
    return "".join(f"{stack} {value:.15g}{end}" for stack, value in stacks.items())


def alternating(samples: int = 20) -> str:
    """Folded stacks of one sample each, in the order of time."""
    return "".join(("a;b 1\n", "c;d 1\n")[i % 2] for i in range(samples))


FOLDED: Mapping[str, str] = {
    "plain": folded(),
    "crlf": folded(end="\r\n"),
    "in time": alternating(),
    "annotated": "# made by hand\n" + folded({"java;read_[k]": 1.5, "a;a;a": 2, "a": 1}) + "no value\n",
}


def sample(
    frames: tuple[str, ...] = ("dot", "solve", "main"),
    *,
    head: str = "app  7/7 [000] 10.000001:    1000000 cpu-clock:pppH: ",
) -> str:
    """A sample of perf, the innermost frame first."""
    lines = [f"\t{0x400000 + 16 * i:16x} {name}+0x{i:x} (/home/me/app)\n" for i, name in enumerate(frames)]
    return head + "\n" + "".join(lines) + "\n"


PERF_HEADER = text_of("perf_header.txt")
CYCLES = "app  7/8 [001] 10.000001:      400 cycles:u: "

PERF: Mapping[str, str] = {
    "clock": 2 * sample()
    + sample(("main",))
    + sample((), head="swapper  0/0 [003] 1.5: 1000000 cpu-clock: "),
    "cycles": PERF_HEADER + 3 * sample(head=CYCLES) + sample(head=CYCLES.replace(":u:", ":k:")),
    "no periods": 3 * sample(head="my app  7 10.000001: cpu-clock: "),
    "no times": 2 * sample(head="node-v0.11 31912 cpu-clock: ") + sample(("f",), head="app 7/8 cpu-clock:u:"),
    "no chains": "".join(
        f"             app     7 [000] 1.{i}:   10 cycles:  4005a{i} f<int>(int) (/tmp/a (deleted))\n"
        for i in range(3)
    ),
    "source lines": sample(("f", "main")).replace("(/home/me/app)\n", "(/home/me/app)\n  app.c:12\n"),
    "events": sample(head=CYCLES.replace("cycles:u", "cpu_core/cycles/u"))
    + 2 * sample(head=CYCLES.replace("cycles", "cache-misses")),
    "messages": "Warning:\nProcessed 9 events and lost 3 chunks!\n\n"
    + sample().replace("\n\t", "\naddr2line: DWARF error\n\t", 1),
    "tracepoint": sample(
        head="app  7 [001] 1.5: sched:sched_switch: prev_comm=app prev_pid=7 ==> next_comm=x "
    ),
}


def callgrind(body: str, *, events: str = "Ir", header: str = "", totals: str = "") -> str:
    """Callgrind's output with a body of lines."""
    end = f"\ntotals: {totals}\n" if totals else ""
    start = f"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n{header}\nevents: {events}\n"
    return f"{start}\n{body}{end}"


CALLGRIND_BODY = text_of("callgrind_body.txt")

CALLGRIND: Mapping[str, str] = {
    "plain": callgrind(CALLGRIND_BODY, totals="716"),
    "events": callgrind("fn=main\n0x10 1 10 4\n+4 * 6\n", events="Ir Dr", header="positions: instr line"),
    "relative": callgrind("fn=f\n1 10\n+1 -4\n-1 +6\ncfn=g\ncalls=1 1\n* 5\n* *\n"),
    "threads": "".join(
        callgrind(f"fn=(1) f\n1 {n}\n", header=f"pid: 7\npart: {n}\nthread: {1 + n % 2}\n", totals=str(n))
        for n in range(1, 4)
    ),
    "xdebug": "version: 1\ncreator: xdebug 3\nevents: Time_(10ns) Memory_(bytes)\n\n"
    "fl=(1) a.php\nfn=(1) {main}\n1 2 3\n",
}


GPROF_FLAT = text_of("gprof_flat.txt")
GPROF_GRAPH = text_of("gprof_graph.txt")

GPROF: Mapping[str, str] = {
    "both": GPROF_FLAT + "\f" + GPROF_GRAPH,
    "flat": GPROF_FLAT[: GPROF_FLAT.index(" %   ", 200)],
    "graph": GPROF_GRAPH,
}


def speedscope(*profiles: Mapping[str, object], shared: bool = True, **more: object) -> str:
    """speedscope's JSON with the frames main, solve, dot and io."""
    frames = [
        {"name": name, "file": "a.c", "line": i} for i, name in enumerate(("main", "solve", "dot", "io"))
    ]
    schema = {"$schema": "https://www.speedscope.app/file-format-schema.json", "version": "0.6.0"}
    where: dict[str, object] = {"shared": {"frames": frames}} if shared else {"frames": frames}
    return json.dumps({**schema, **where, "profiles": profiles, **more})


def sampled(unit: str = "milliseconds", name: str = "thread 1") -> dict[str, object]:
    """A sampled profile of 10 of its unit."""
    samples, weights = [[0, 1, 2], [0, 1], [0, 1, 2], [0, 1, 1, 1]], [4, 1, 2, 3]
    ends = {"startValue": 0, "endValue": 10}
    return {"type": "sampled", "name": name, "unit": unit, **ends, "samples": samples, "weights": weights}


def evented(unit: str = "seconds") -> dict[str, object]:
    """An evented profile of 12 of its unit, 3 of them idle."""
    events = [
        ("O", 0, 1),
        ("O", 1, 2),
        ("C", 1, 5),
        ("C", 0, 6),
        ("O", 0, 9),
        ("O", 3, 9),
        ("C", 3, 11),
        ("C", 0, 13),
    ]
    rows = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    return {"type": "evented", "name": "main", "unit": unit, "startValue": 1, "endValue": 13, "events": rows}


SPEEDSCOPE: Mapping[str, str] = {
    "sampled": speedscope(sampled(), exporter="py-spy@0.4.0"),
    "evented": speedscope(evented(), shared=False),
    "two": speedscope(sampled(name="Process 9 Thread 1"), sampled(name="Process 4 Thread 1")),
    "counts": speedscope(sampled("none"), evented("none")),
}


RULE = 75 * "-" + "\n"


def mpip(*, tasks: int = 2, single: bool = True, statistics: bool = True) -> str:
    """A report of mpiP: 10 s per task and, of task r, 1 + r s in MPI, 0.9 + r s of them at call sites."""
    head = "@ mpiP\n@ Command : ./app\n@ Version                  : 3.5.0\n"
    head += "".join(f"@ MPI Task Assignment      : {r} node1\n" for r in range(tasks))

    def block(title: str, header: str, rows: list[str]) -> str:
        return f"\n{RULE}@--- {title} ---\n{RULE}{header}\n" + "".join(f"{row}\n" for row in rows)

    times = [f"{r:4} {10:10} {1 + r:10} {10 + 10 * r:8.2f}" for r in range(tasks)]
    times.append(f"   * {10 * tasks:10} {sum(1 + r for r in range(tasks)):10} 15.00")
    sites = [
        "  1   0 solver.c                 12 solve                    Allreduce",
        "  1   1 main.c                   40 main",
        "  2   0 0x40c18b                    [unknown]                Send",
    ]
    calls = []
    for name, site, means in (
        ("Allreduce", 1, [400.0 + 500 * r for r in range(tasks)]),
        ("Send", 2, [100.0]),
    ):
        rows = [(r, 2 if site == 1 else 1, mean) for r, mean in enumerate(means)]
        if single:
            calls += [f"{name:12} {site:8} {r:4} {n:6} {m:8} {m:8} {m:8} 1.00 1.00" for r, n, m in rows]
        count = sum(n for _, n, _ in rows)
        mean = sum(n * m for _, n, m in rows) / count
        calls += [f"{name:12} {site:8}    * {count:6} {mean:8} {mean:8} {mean:8} 1.00 1.00", ""]
    text = head + block("MPI Time (seconds)", "Task    AppTime    MPITime     MPI%", times)
    header = " ID Lev File/Address           Line Parent_Funct             MPI_Call"
    text += block("Callsites: 2", header, sites)
    header = "Call                 Site       Time    App%    MPI%      Count    COV"
    text += block(
        "Aggregate Time (top twenty, descending, milliseconds)", header, ["Send  2  100 1 1 1 0.00"]
    )
    header = "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%"
    if statistics:
        text += block("Callsite Time statistics (all, milliseconds): 5", header, calls)
    header = "Name              Site Rank   Count       Max      Mean       Min       Sum"
    text += block(
        "Callsite Message Sent statistics (all, sent bytes)", header, ["Send 2 * 80 60 60 60 4.8e+03"]
    )
    return text + block("End of Report", "", [])


MPIP_CONCISE = f"""@ mpiP
@ Command : ./app
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 node1
@ MPI Task Assignment      : 1 node1

{RULE}
@--- Task Time Statistics (seconds) ---
{RULE}
                AppTime    MPITime   MPI%  App Task  MPI Task
Max           10.000000   2.000000                0         1
Mean          10.000000   1.500000
Min           10.000000   1.000000                1         0
Stddev         0.000000   0.707107
Aggregate     20.000000   3.000000  15.00
{RULE}
@--- Callsites: 2 ---
{RULE}
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 a.c                   20 solve                    Allreduce
  2   0 0x40123a                 [unknown]                Send
{RULE}
@--- Callsite Time statistics (all callsites, milliseconds): 2 ---
{RULE}
Name              Site   Tasks       Max      Mean       Min MaxRnk MinRnk
Allreduce            1       2      1800      1300       800      1      0
Send                 2       1       100       100       100      0      0
"""


MPIP_AGGREGATE = f"""@ mpiP
@ Command : ./app
@ Version                  : 3.5.0
@ MPIP env var             : -c -d -k 0

{RULE}
@--- Task Time Statistics (seconds) ---
{RULE}
                AppTime    MPITime   MPI%  App Task  MPI Task
Max           11.000000   2.000000                1         2
Mean           9.000000   1.500000
Min            8.000000   1.000000                1         0
Stddev         0.000000   0.707107
Aggregate     36.000000   6.000000  16.67
{RULE}
@--- Aggregate Time (top twenty, descending, milliseconds) ---
{RULE}
Call                 Site       Time    App%    MPI%      Count
Allreduce               1       4000   11.11   66.67        400
Send                    2       1500    4.17   25.00        100
{RULE}
@--- Aggregate Sent Message Size (top twenty, descending, bytes) ---
{RULE}
Call                 Site      Count      Total       Avrg  Sent%
Send                    2        100      8e+05      8e+03 100.00
{RULE}
@--- End of Report ---
"""

MPIP: Mapping[str, str] = {
    "totals": MPIP_AGGREGATE,
    "full": mpip(),
    "concise": mpip(single=False),
    "tasks": mpip(tasks=3, statistics=False),
    "version 2": mpip().replace("Callsite Time statistics (all, milli", "Callsite statistics (all, milli"),
    "option -c": MPIP_CONCISE,
    "page": "# Guide\n```\n" + mpip().replace(f"\n\n{RULE}", f"\n```\nprose\n```\n{RULE}"),
}


def _number(value: int) -> bytes:
    """A number in groups of seven bits; a negative one as if it had 64."""
    value &= (1 << 64) - 1
    groups = []
    while True:
        value, low = value >> 7, value & 0x7F
        groups.append(low | (0x80 if value else 0))
        if not value:
            return bytes(groups)


def field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    return _number(number << 3 | 2) + _number(len(value)) + value


def pprof(
    types: tuple[tuple[str, str], ...] = (("samples", "count"), ("cpu", "nanoseconds")),
    samples: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (((1, 2), (3, 30)), ((2,), (1, -10))),
    *,
    packed: bool = True,
    location: Callable[[int], int] = int,
) -> bytes:
    """pprof's message: location 1 is dot, inlined in solve; location 2 is main; 3 has no function."""
    texts = ["", "dot", "solve", "main", "a.c", *(text for pair in types for text in pair)]
    message = b"".join(field(1, field(1, texts.index(k)) + field(2, texts.index(u))) for k, u in types)
    for places, values in samples:
        stack = tuple(map(location, places))
        if packed:
            parts = field(1, b"".join(map(_number, stack))) + field(2, b"".join(map(_number, values)))
        else:
            parts = b"".join(field(1, s) for s in stack) + b"".join(field(2, v) for v in values)
        message += field(2, parts)
    for number, functions in ((1, (1, 2)), (2, (3,)), (3, ())):
        message += field(
            4, field(1, location(number)) + b"".join(field(4, field(1, f) + field(2, 7)) for f in functions)
        )
    for number in (1, 2, 3):
        message += field(5, field(1, number) + field(2, number) + field(4, 4))
    message += b"".join(field(6, text.encode()) for text in texts)
    return message + field(10, 2_000_000_000) + b"\x61" + bytes(8) + b"\x6d" + bytes(4)


PPROF: Mapping[str, bytes] = {
    "packed": gzip.compress(pprof(), mtime=0),
    "plain": pprof(packed=False),
    "as Go does": gzip.compress(field(9, -1) + field(10, 5) + pprof(), mtime=0),
    "memory": pprof((("inuse_space", "bytes"),), (((1, 2), (64,)), ((3,), (32,)))),
}
