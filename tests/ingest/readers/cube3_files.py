"""A tiny CUBE 3 document in parts, written as Scalasca 1 wrote it."""

import gzip

from tests.ingest.readers.texts import text_of

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<cube version="3.0">
  <attr key="Creator" value="epik"/>
  <doc><mirrors><murl>http://a</murl></mirrors></doc>
"""
METRICS = text_of("cube3_metrics.txt")
PROGRAM = text_of("cube3_program.txt")
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
