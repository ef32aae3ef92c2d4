"""MV scores from what compilers write; the texts have the form GCC 12 and LLVM 14 give them."""

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.vector_loops.vector_loop_term import mv_score, read_openmp, read_records

GCC = """\
v.c:2:15: optimized: parallelizing outer loop 1
v.c:2:15: missed: couldn't vectorize loop
v.c:3:25: missed: not vectorized: complicated access pattern.
v.c:3:16: optimized: loop vectorized using 32 byte vectors
v.c:3:16: optimized: loop vectorized using 16 byte vectors
v.c:1:6: note: vectorized 1 loops in function.
v.c:3:16: optimized: loop turned into non-loop; it never loops
src/other/v.c:20:70: missed: couldn't vectorize loop
v.c:8:15: optimized: loop vectorized using variable length vectors
"""
CLANG = """\
--- !Missed
Pass:            inline
Name:            NoDefinition
DebugLoc:        { File: v.c, Line: 3, Column: 16 }
Function:        f
Args:
  - Callee:          sqrt
...
--- !Analysis
Pass:            loop-vectorize
Name:            UnsafeMemDep
DebugLoc:        { File: v.c, Line: 5, Column: 1 }
Function:        g
...
--- !Missed
Pass:            loop-vectorize
Name:            MissedDetails
DebugLoc:        { File: v.c, Line: 5, Column: 1 }
Function:        g
Args:
  - String:          loop not vectorized
...
--- !Passed
Pass:            loop-vectorize
Name:            Vectorized
DebugLoc:        { File: 'src/a b.c', Line: 25, Column: 1 }
Function:        triad
Args:
  - String:          'vectorized loop (vectorization width: '
  - VectorizationFactor: '2'
...
"""
SOURCE = """\
void f(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, for_chunk)
        for (int i = 0; i < n; i++) a[i] = 0;
#pragma omp critical
    }
}
!$omp target teams distribute
"""


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "report"

    def read(text):
        path.write_text(text)
        return read_records(path)

    return read


def test_gcc(records):
    found = records(GCC)
    assert mv_score(found, "v.c", 3, 3) == "01"
    assert mv_score(found, "v.c", 1, 4) == "11"
    assert mv_score(found, "v.c", 2, 2) == "10"
    assert mv_score(found, "v.c", 8, 8) == "01"
    assert mv_score(found, "other/v.c", 15, 25) == "00"
    with pytest.raises(UsageError, match=r"v.c: no loop is reported in lines 9 to 12; check the lines"):
        mv_score(found, "v.c", 9, 12)
    with pytest.raises(UsageError, match="no loop is reported"):
        mv_score(found, "w.c", 3, 3)


def test_clang(records):
    found = records(CLANG)
    assert [(r.line, r.vectorised) for r in found] == [(5, False), (25, True)]
    assert mv_score(found, "v.c", 1, 9) == "00"
    assert mv_score(found, "a b.c", 25, 25) == "01"


def test_openmp_directives_stand_for_multistreaming(tmp_path, records):
    source = tmp_path / "v.c"
    source.write_text(SOURCE)
    shared = read_openmp(source)
    assert [record.line for record in shared] == [4, 9]
    assert mv_score((*records(GCC.replace("3:16", "5:9")), *shared), "v.c", 4, 5) == "11"


def test_a_report_without_loops_is_refused(records):
    with pytest.raises(
        InputError, match="nothing about loops in this report; compile with -fopt-info-loop-vec-opt"
    ):
        records("make: Nothing to be done for 'all'.\n")
