"""Tiny databases of HPCToolkit, written as hpcprof-mpi wrote them until 2021."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

NODES = """<PF i="1" s="1" l="0" lm="0" f="0" n="0">
<C i="2" s="2" l="0" v="0x1"><PF i="3" s="3" l="5" lm="0" f="1" n="1">
<L i="4" s="4" l="7" f="1"><S i="5" s="5" l="8"/></L>
<S i="6" s="6" l="6"/>
<C i="7" s="7" l="9" v="0x2"><PF i="8" s="8" l="0" lm="0" f="0" n="2"><S i="9" s="9" l="0"/></PF></C>
</PF></C></PF>"""
# Inclusive and exclusive microseconds of the nodes 1 to 9: main 11e5 of its own, of them 4e5 in its loop.
VALUES = (
    (16e5, 0),
    (16e5, 0),
    (16e5, 11e5),
    (4e5, 4e5),
    (4e5, 4e5),
    (7e5, 7e5),
    (5e5, 0),
    (5e5, 5e5),
    (5e5, 5e5),
)


def write_database(
    folder: Path,
    threads: Mapping[tuple[int, int], float],
    *,
    nodes: str = NODES,
    unit: str = "usec",
    values: Sequence[Sequence[float]] = VALUES,
) -> Path:
    """Write a database whose values are `values` times a factor for each rank and thread."""
    folder.mkdir(parents=True)
    metrics = "".join(
        f'<MetricDB i="{i}" n="CPUTIME ({unit}) ({kind})" t="x" partner="{1 - i}" db-glob="*.metric-db"/>'
        for i, kind in enumerate("IE")
    )
    called = ("&lt;program root&gt;", "main", "MPI_Send")
    names = "".join(f'<Procedure i="{i}" n="{name}"/>' for i, name in enumerate(called))
    (folder / "experiment.xml").write_text(
        '<?xml version="1.0"?>\n<HPCToolkitExperiment version="2.0"><SecCallPathProfile i="0" n="a">'
        f"<SecHeader><MetricTable></MetricTable><MetricDBTable>{metrics}</MetricDBTable>"
        '<LoadModuleTable><LoadModule i="0" n="a.out"/></LoadModuleTable>'
        '<FileTable><File i="0" n="&lt;unknown file&gt;"/><File i="1" n="./a.c"/></FileTable>'
        f"<ProcedureTable>{names}</ProcedureTable></SecHeader>"
        f"<SecCallPathProfileData>{nodes}</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>\n",
        encoding="utf-8",
    )
    for (rank, thread), factor in threads.items():
        header = struct.pack(">18s5scii", b"HPCPROF-metricdb__", b"00.10", b"b", len(values), len(values[0]))
        row = [number * factor for pair in values for number in pair]
        name = f"1.a-{rank:06}-{thread:03}-a8c00270-{100 + rank}-0.metric-db"
        (folder / name).write_bytes(header + struct.pack(f">{len(row)}d", *row))
    return folder
