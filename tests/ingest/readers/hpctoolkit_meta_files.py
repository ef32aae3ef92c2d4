"""Databases of HPCToolkit since 2022, written after its FORMATS.md: ``meta.db`` and ``profile.db``.

Values are given as they are measured (scope ``point``); all other scopes and the summary are computed here.
"""

import struct
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

KINDS = ("SUMMARY", "NODE", "RANK", "THREAD", "GPUDEVICE", "GPUCONTEXT", "GPUSTREAM", "CORE")
ENTRY, FUNCTION, LOOP, LINE, INSTRUCTION = range(-1, 4)
POINT, FUNCTION_SCOPE, LEX_AWARE, EXECUTION = range(4)
SCOPES = (("point", 1, 255), ("function", 3, 0), ("lex_aware", 0, 255), ("execution", 2, 255))
MAXIMUM, SQUARES = 0x4000, 0x8000  # added to the identifier of the sum
STATISTICS = (("$$", 2, MAXIMUM), ("($$^2)", 0, SQUARES), ("$$", 0, 0))
VALUE = np.dtype([("metric", "<u2"), ("value", "<f8")])
INDEX = np.dtype([("context", "<u4"), ("first", "<u8")])


@dataclass(frozen=True, kw_only=True)
class Context:
    """A context; its identifier is its place in the list, from 1.

    Attributes:
        kind: `ENTRY` to `INSTRUCTION`.
        parent: identifier of the context around it, 0 for an entry point.
        name: of an entry point, or of the function that it states.
        file: source file.
        line: source line.
        module: load module.
        relation: 0 within its parent, 1 called, 2 inlined.
        listed: whether meta.db has it.
    """

    kind: int
    parent: int = 0
    name: str = ""
    file: str = ""
    line: int = 0
    module: str = ""
    relation: int = 0
    listed: bool = True


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A profile.

    Attributes:
        identity: number by kind; a negative number n of hardware is written as the physical number -n.
        values: by metric, and then by identifier of a context.
    """

    identity: Mapping[str, int]
    values: Mapping[str, Mapping[int, float]] = field(default_factory=dict)


def write_database(
    folder: Path,
    contexts: Sequence[Context],
    metrics: Sequence[str],
    threads: Sequence[Thread],
    *,
    title: str = "cpi",
    scopes: Sequence[int] = range(4),
    bare: Collection[str] = (),
    extra: int = 0,
    summary: bool = True,
) -> Path:
    """Write a database.

    Args:
        folder: its place.
        contexts: callers before callees.
        metrics: their names with units.
        threads: the profiles.
        title: of the database.
        scopes: those that metrics have.
        bare: metrics without inclusive values.
        extra: bytes by which structures are longer, as in later versions.
        summary: whether there is one.
    """
    folder.mkdir(parents=True)
    meta = meta_bytes(contexts, metrics, title=title, scopes=scopes, bare=bare, extra=extra)
    (folder / "meta.db").write_bytes(meta)
    rows = [_scoped(contexts, metrics, thread.values, scopes) for thread in threads]
    profiles = [(thread.identity, _arrays(row)) for thread, row in zip(threads, rows, strict=True)]
    if summary:
        total: dict[tuple[int, int], float] = defaultdict(float)
        for row in rows:
            for (context, metric), value in row.items():
                total[context, metric] += value
                total[context, metric + MAXIMUM] = max(total[context, metric + MAXIMUM], value)
                total[context, metric + SQUARES] += value**2
        profiles.insert(0, ({}, _arrays(total)))
    with (folder / "profile.db").open("wb") as file:
        file.write(profile_bytes(profiles, extra=extra))
    return folder


def _scoped(contexts, metrics, measured, scopes):
    """Return the values of all scopes by (context, identifier of the metric)."""
    found: dict[tuple[int, int], float] = defaultdict(float)
    for number, metric in enumerate(metrics):
        for identifier, value in measured.get(metric, {}).items():
            for scope in scopes:
                for at in _reached(contexts, identifier, scope):
                    found[at, 4 * number + scope] += value
    return found


def _reached(contexts, identifier, scope) -> Iterable[int]:
    """Yield the contexts that a value propagates to."""
    while True:
        yield identifier
        if not identifier or scope == POINT:
            return
        context = contexts[identifier - 1]
        outside = context.relation or context.kind == ENTRY
        if scope == FUNCTION_SCOPE and outside:
            return
        if scope == LEX_AWARE and (outside or context.kind in (FUNCTION, LOOP)):
            return
        identifier = context.parent


def _arrays(values: Mapping[tuple[int, int], float]):
    """Return context, metric and value of each value, sorted."""
    rows = sorted((context, metric, value) for (context, metric), value in values.items() if value)
    return tuple(np.array([row[i] for row in rows]) for i in range(3))


class Space:
    """A file that grows, with texts that are written once."""

    def __init__(self, start: int) -> None:
        self.content = bytearray(start)
        self.texts: dict[str, int] = {}

    def place(self, size: int) -> int:
        """Return the offset of `size` new bytes at a multiple of 8."""
        self.content += bytes(-len(self.content) % 8)
        self.content += bytes(size)
        return len(self.content) - size

    def put(self, at: int, layout: str, *fields: int) -> None:
        struct.pack_into(f"<{layout}", self.content, at, *fields)

    def text(self, text: str) -> int:
        if text not in self.texts:
            self.texts[text] = len(self.content)
            self.content += text.encode() + b"\0"
        return self.texts[text]


def meta_bytes(contexts, metrics, *, title="cpi", scopes=range(4), bare=(), extra=0) -> bytes:
    """Return the content of ``meta.db``."""
    space = Space(0x90)
    extents = {}
    extents[4] = _strings(space, contexts)
    extents[5], modules = _paths(space, sorted({c.module for c in contexts} - {""}), extra)
    extents[6], files = _paths(space, sorted({c.file for c in contexts} - {""}), extra)
    extents[7], functions = _functions(space, contexts, modules, files, extra)
    extents[3] = _contexts(space, contexts, functions, files, modules, extra)
    extents[2] = _metrics(
        space,
        metrics,
        {name: [s for s in scopes if s < EXECUTION or name not in bare] for name in metrics},
        extra,
    )
    extents[1] = _kinds(space)
    at = space.place(16)
    space.put(at, "QQ", space.text(title), space.text("a *description*"))
    extents[0] = at, len(space.content)
    space.content[:16] = b"HPCTOOLKITmeta\x04\x00"
    for number, (begin, end) in extents.items():
        space.put(16 + 16 * number, "QQ", end - begin, begin)
    return bytes(space.content) + b"_meta.db"


def _strings(space, contexts):
    begin = len(space.content)
    for context in contexts:
        for text in (context.name, context.file, context.module):
            space.text(text)
    return begin, len(space.content)


def _paths(space, paths, extra):
    begin, stride = space.place(16), 16 + extra
    first = space.place(stride * len(paths))
    space.put(begin, "QIH", first, len(paths), stride)
    places = {}
    for i, path in enumerate(paths):
        places[path] = first + stride * i
        space.put(places[path] + 8, "Q", space.texts[path])
    return (begin, len(space.content)), places


def _functions(space, contexts, modules, files, extra):
    """Write each function once; return its offset for each context that has one."""
    named = {
        i: (c.name, c.module, c.file, c.line)
        for i, c in enumerate(contexts)
        if c.kind != ENTRY and (c.name or (c.kind == FUNCTION and (c.module or c.file)))
    }
    begin, stride = space.place(16), 40 + extra
    different = dict.fromkeys(named.values())
    first = space.place(stride * len(different))
    space.put(begin, "QIH", first, len(different), stride)
    for number, function in enumerate(different):
        name, module, file, line = function
        at = different[function] = first + stride * number
        fields = space.texts[name] if name else 0, modules.get(module, 0), 0x400 + number, files.get(file, 0)
        space.put(at, "QQQQI", *fields, line)
    return (begin, len(space.content)), {i: different[function] for i, function in named.items()}


def _contexts(space, contexts, functions, files, modules, extra):
    below = defaultdict(list)
    for i, context in enumerate(contexts):
        if context.listed:
            below[context.parent].append(i)
    begin, stride = space.place(16), 32 + extra
    first = space.place(stride * len(below[0]))
    space.put(begin, "QHB", first, len(below[0]), stride)
    words = {i: _words(i, c, functions, files, modules) for i, c in enumerate(contexts)}
    pending = [(i, first + stride * number) for number, i in enumerate(below[0])]
    for i, at in pending:
        context = contexts[i]
        inside = below.get(i + 1, [])
        size = sum(32 + len(words[child][1]) for child in inside)
        array = space.place(size) if inside else 0
        if context.kind == ENTRY:
            space.put(at, "QQIH2xQ", size, array, i + 1, 1, space.texts[context.name])
        else:
            flags, fields = words[i]
            bit = int(not context.relation)
            space.put(
                at,
                "QQIBBBBH",
                *(size, array, i + 1, flags, context.relation, context.kind, len(fields) // 8, bit),
            )
            space.content[at + 32 : at + 32 + len(fields)] = fields
        for child in inside:
            pending.append((child, array))
            array += 32 + len(words[child][1])
    return begin, len(space.content)


def _words(i, context, functions, files, modules):
    """Return flags and fields of a context."""
    flags, fields = 0, b""
    if i in functions:
        flags, fields = 1, struct.pack("<Q", functions[i])
    if context.kind != FUNCTION and context.file:
        flags, fields = flags | 2, fields + struct.pack("<QI4x", files[context.file], context.line)
    if context.kind != FUNCTION and context.module:
        flags, fields = flags | 4, fields + struct.pack("<QQ", modules[context.module], 0x1000 + i)
    return flags, fields


def _metrics(space, metrics, scopes, extra):
    """Write the metrics, each with its scopes and statistics."""
    begin = space.place(32)
    sizes = {"metric": 32 + extra, "instance": 16 + extra, "summary": 24 + extra, "scope": 16 + extra}
    first, scope_at = space.place(sizes["metric"] * len(metrics)), space.place(sizes["scope"] * len(SCOPES))
    space.put(
        begin,
        "QIBBBxQHB",
        *(first, len(metrics), sizes["metric"], sizes["instance"], sizes["summary"]),
        *(scope_at, len(SCOPES), sizes["scope"]),
    )
    number_of_scopes = sum(map(len, scopes.values()))
    instances = space.place(sizes["instance"] * number_of_scopes)
    summaries = space.place(sizes["summary"] * number_of_scopes * len(STATISTICS))
    for i, (name, kind, index) in enumerate(SCOPES):
        space.put(scope_at + i * sizes["scope"], "QBB", space.text(name), kind, index)
    for number, name in enumerate(metrics):
        at = first + number * sizes["metric"]
        of = scopes[name]
        space.put(at, "QQQHH", space.text(name), instances, summaries, len(of), len(of) * len(STATISTICS))
        for scope in of:
            scope_of, identifier = scope_at + scope * sizes["scope"], 4 * number + scope
            space.put(instances, "QH", scope_of, identifier)
            instances += sizes["instance"]
            for formula, combine, offset in STATISTICS:
                space.put(summaries, "QQBxH", scope_of, space.text(formula), combine, identifier + offset)
                summaries += sizes["summary"]
    return begin, len(space.content)


def _kinds(space):
    begin = space.place(16)
    names = space.place(8 * len(KINDS))
    space.put(begin, "QB", names, len(KINDS))
    for i, kind in enumerate(KINDS):
        space.put(names + 8 * i, "Q", space.text(kind))
    return begin, len(space.content)


def profile_bytes(profiles, *, extra=0) -> bytes:
    """Return the content of ``profile.db``.

    Args:
        profiles: identity of each profile, empty for the summary, with context, metric and value of each of
            its values, sorted by context.
        extra: bytes by which the descriptions of profiles are longer.
    """
    space = Space(0x30)
    stride = 48 + extra
    begin = space.place(16)
    first = space.place(stride * len(profiles))
    space.put(begin, "QIB", first, len(profiles), stride)
    space.put(0x10, "QQ", len(space.content) - begin, begin)
    tuples_begin = space.place(0)
    tuples = [_identity(space, identity) if identity else 0 for identity, _ in profiles]
    space.put(0x20, "QQ", len(space.content) - tuples_begin, tuples_begin)
    space.content[:16] = b"HPCTOOLKITprof\x04\x00"
    blocks, size = [], len(space.content)
    for number, (identity, (context, metric, value)) in enumerate(profiles):
        values = np.zeros(len(value), VALUE)
        values["metric"], values["value"] = metric, value
        used, begins = np.unique(context, return_index=True)
        index = np.zeros(len(used), INDEX)
        index["context"], index["first"] = used, begins
        at = size + -size % 8
        index_at = at + values.nbytes + -values.nbytes % 4
        blocks += [bytes(at - size), values.tobytes(), bytes(index_at - at - values.nbytes), index.tobytes()]
        size = index_at + index.nbytes
        space.put(first + stride * number, "QQI4xQ", len(values), at, len(index), index_at)
        space.put(first + stride * number + 32, "QI", tuples[number], int(not identity))
    return b"".join([bytes(space.content), *blocks, b"_prof.db"])


def _identity(space, identity) -> int:
    at = space.place(8 + 16 * len(identity))
    space.put(at, "H", len(identity))
    for i, (kind, number) in enumerate(identity.items()):
        physical = kind == "NODE" or number < 0
        fields = (KINDS.index(kind), int(physical), 0 if physical else number, abs(number))
        space.put(at + 8 + 16 * i, "BxHIQ", *fields)
    return at


# An MPI program: main, with a loop of a known line and one of an unknown one, a call of MPI, an inlined
# function, and instructions that are not listed; kernels and copies on an accelerator.
CONTEXTS = (
    Context(kind=ENTRY, name="main thread"),
    Context(kind=FUNCTION, parent=1, name="main", file="src/a.c", line=5, module="/bin/a", relation=1),
    Context(kind=LOOP, parent=2, file="src/a.c", line=7),
    Context(kind=LINE, parent=3, file="src/a.c", line=8),
    Context(kind=INSTRUCTION, parent=4, module="/bin/a", listed=False),
    Context(kind=LOOP, parent=3, file="[libm.so]"),
    Context(kind=INSTRUCTION, parent=6, module="/lib/libm.so", listed=False),
    Context(kind=LINE, parent=2, file="src/a.c", line=9),
    Context(kind=FUNCTION, parent=8, name="MPI_Send [libmpi.so.40]", module="/lib/libmpi.so.40", relation=1),
    Context(kind=INSTRUCTION, parent=9, module="/lib/libmpi.so.40", listed=False),
    Context(kind=FUNCTION, parent=8, name="f(int)", file="src/b.h", line=3, module="/bin/a", relation=2),
    Context(kind=INSTRUCTION, parent=11, module="/bin/a", listed=False),
    Context(kind=INSTRUCTION, parent=1, module="/lib/libucs.so", relation=1),
    Context(kind=FUNCTION, parent=8, name="cudaLaunchKernel", module="/bin/a", relation=1),
    Context(kind=FUNCTION, parent=14, name="<gpu kernel>", module="<hpcrun>", relation=1),
    Context(kind=FUNCTION, parent=15, name="axpy(float*)", module="/x/a.gpubin", relation=1),
    Context(kind=INSTRUCTION, parent=16, module="/x/a.gpubin", listed=False),
    Context(kind=FUNCTION, parent=14, name="<gpu copyin>", module="<hpcrun>", relation=1),
    Context(kind=FUNCTION, parent=8, module="/lib/libx.so", relation=1),
    Context(kind=FUNCTION, parent=8, relation=1),
)
TIMES = {5: 4.0, 7: 2.0, 10: 1.5, 12: 0.25, 8: 0.5}  # 8.25 s
OTHERS = {13: 0.125, 19: 3.0, 20: 5.0}  # in functions that are not known
GPU = {"GKER (sec)": {17: 6.0}, "GXCOPY (sec)": {18: 0.75}, "GSYNC (sec)": {14: 0.5}}


def thread(rank: int, number: int = 0, factor: float = 1.0, *, gpu: bool = False, **more) -> Thread:
    """Return the profile of a thread with the times above; `more` are metrics."""
    values = {"CPUTIME (sec)": TIMES, **(GPU if gpu else {}), **more}
    scaled = {name: {at: factor * value for at, value in of.items() if value} for name, of in values.items()}
    return Thread(identity={"NODE": 77, "CORE": 3, "RANK": rank, "THREAD": number}, values=scaled)


def stream(rank: int, device: int, number: int, **values) -> Thread:
    """Return the profile of a stream of an accelerator; a negative number of a device is one of hardware."""
    identity = {"NODE": 77, "RANK": rank, "THREAD": 500, "GPUDEVICE": device, "GPUCONTEXT": 1}
    return Thread(identity={**identity, "GPUSTREAM": number}, values=values)
