"""A tiny CUBE 3 document in parts, written as Scalasca 1 wrote it."""

import gzip

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<cube version="3.0">
  <attr key="Creator" value="epik"/>
  <doc><mirrors><murl>http://a</murl></mirrors></doc>
"""
METRICS = """  <metrics>
    <metric id="0"><disp_name>Time</disp_name><uniq_name>time</uniq_name><uom>sec</uom>
      <metric id="1"><disp_name>MPI</disp_name><uniq_name>mpi</uniq_name><uom>sec</uom></metric>
    </metric>
    <metric id="2"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name><uom>occ</uom>
    </metric>
  </metrics>
"""
PROGRAM = """  <program>
    <region id="0" mod="a.c" begin="3" end="9"><name>main</name><url></url><descr></descr></region>
    <region id="1" mod="MPI" begin="-1" end="-1"><name>MPI_Send</name><url></url><descr></descr></region>
    <region id="2" mod="b.cc" begin="7" end="8"><name>operator&lt;</name><url></url><descr></descr></region>
    <cnode id="0" line="-1" mod="" calleeId="0">
      <cnode id="2" line="-1" mod="" calleeId="1"></cnode>
      <cnode id="1" line="-1" mod="" calleeId="2"></cnode>
    </cnode>
  </program>
"""
SYSTEM = """  <system><machine Id="0"><name>m</name><node Id="0"><name>n</name>
    <process Id="0"><name>p</name><rank>0</rank>
      <thread Id="0"><name>t</name><rank>0</rank></thread><thread Id="1"><name>t</name><rank>1</rank></thread>
    </process>
    <process Id="1"><name>p</name><rank>1</rank><thread Id="2"><name>t</name><rank>0</rank></thread></process>
  </node></machine><topologies></topologies></system>
"""


def matrix(metric, rows):
    lines = "".join(
        f'<row cnodeId="{node}">\n' + "\n".join(map(str, row)) + "\n</row>" for node, row in rows.items()
    )
    return f'<matrix metricId="{metric}">{lines}</matrix>'


VALUES = (
    matrix(0, {0: (1, 2, 3), 2: (4, 5, 6.5)})
    + matrix(1, {2: (4, 5, 6.5)})
    + matrix(2, {0: (1, 1, 1), 1: (7, 8, 9)})
)


def document(values=VALUES, head=HEAD, metrics=METRICS, program=PROGRAM, system=SYSTEM):
    return f"{head}{metrics}{program}{system}<severity>{values}</severity></cube>\n"


def write(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path
