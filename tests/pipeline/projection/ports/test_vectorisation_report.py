"""What compilers' reports say of loops; the texts are those of GCC 12, gfortran 12, Clang 16 and Clang 19."""

import pytest

from pipeline.projection.ports.vectorisation_report import read_verdicts
from tests.pipeline.projection.mistakes import refused

CODE = """\
\t.file 0 "/tmp" "r.c"
\t.file 1 "/tmp" "r.c"
triad:
\t.loc 1 4 17 view 0
\tret
.LFE0:
call:                                   # @call
\t.loc 1 9 3
\t.loc 1 10 8
\tret
dep:
\t.loc 1 14 17
\tret
"""
GCC = """\
r.c:4:17: optimized: loop vectorized using 32 byte vectors
r.c:4:17: optimized: loop vectorized using 16 byte vectors
r.c:3:6: note: vectorized 1 loops in function.
r.c:9:17: missed: couldn't vectorize loop
r.c:10:8: missed: statement clobbers memory: _13 = f (_4);
r.c:7:8: note: vectorized 0 loops in function.
r.c:11:10: note: ***** Analysis failed with vector mode V4DF
r.c:14:17: missed: couldn't vectorize loop
r.c:15:11: missed: not vectorized: no vectype for stmt: _5 = *_4;
 scalar_type: double
r.c:19:26: optimized: basic block part vectorized using 32 byte vectors
"""
CLANG = """\
r.c:4:3: remark: vectorized loop (vectorization width: 4, interleaved count: 4) [-Rpass=loop-vectorize]
    4 |   for(long i=0;i<n;i++)
r.c:10:8: remark: loop not vectorized: call instruction cannot be vectorized [-Rpass-analysis=loop-vectorize]
r.c:9:3: remark: loop not vectorized: instruction cannot be vectorized [-Rpass-analysis=loop-vectorize]
r.c:9:3: remark: loop not vectorized [-Rpass-missed=loop-vectorize]
r.c:15:9: remark: loop not vectorized: unsafe dependent memory operations in loop. Use #pragma clang loop
Backward loop carried data dependence. [-Rpass-analysis=loop-vectorize]
r.c:14:3: remark: loop not vectorized [-Rpass-missed=loop-vectorize]
"""
RECORDS = """\
--- !Passed
Pass:            loop-vectorize
Name:            Vectorized
DebugLoc:        { File: r.c, Line: 4, Column: 3 }
Function:        triad
Args:
  - String:          'vectorized '
  - String:          ''
  - String:          'loop (vectorization width: '
  - VectorizationFactor: '8'
  - String:          ', interleaved count: '
  - InterleaveCount: '1'
  - String:          ')'
...
--- !Analysis
Pass:            loop-vectorize
Name:            CantVectorizeLibcall
DebugLoc:        { File: r.c, Line: 10, Column: 8 }
Function:        call
Args:
  - String:          'loop not vectorized: '
  - String:          call instruction cannot be vectorized
...
--- !Missed
Pass:            loop-vectorize
Name:            MissedDetails
DebugLoc:        { File: 'r.c',
                   Line: 9, Column: 3 }
Function:        call
Args:
  - String:          loop not vectorized
...
--- !Passed
Pass:            TTI
Name:            DontUnroll
DebugLoc:        { File: r.c, Line: 9, Column: 3 }
Function:        call
...
"""


@pytest.fixture
def said(tmp_path):
    code = tmp_path / "r.s"
    code.write_text(CODE)

    def of(text, *symbols):
        (tmp_path / "report").write_text(text)
        return [str(one) for one in read_verdicts(tmp_path / "report", code, symbols)]

    return of


def test_gcc(said):
    assert said(GCC, "triad") == ["r.c:4: vectorised, 32 byte vectors, 16 byte vectors"]
    assert said(GCC, "call") == ["r.c:9: not vectorised: statement clobbers memory: _13 = f (_4)"]
    assert said(GCC, "dep") == ["r.c:14: not vectorised: no vectype for stmt: _5 = *_4"]
    assert len(said(GCC, "triad", "dep")) == 2


def test_text_of_clang(said):
    assert said(CLANG, "triad") == ["r.c:4: vectorised, width 4, interleaved 4 times"]
    assert said(CLANG, "call") == ["r.c:9: not vectorised: call instruction cannot be vectorized"]
    (why,) = said(CLANG, "dep")
    assert why.startswith("r.c:14: not vectorised: unsafe dependent memory operations in loop.")
    without = "".join(line for line in CLANG.splitlines(keepends=True) if "analysis" not in line)
    assert said(without, "call") == ["r.c:9: not vectorised: the report does not say why"]


def test_records_of_clang_name_functions(said):
    assert said(RECORDS, "triad") == ["r.c:4: vectorised, width 8"]
    assert said(RECORDS, "call") == ["r.c:9: not vectorised: call instruction cannot be vectorized"]
    assert said(RECORDS, "dep") == []


def test_reports_that_say_nothing(tmp_path, said):
    code, report = tmp_path / "r.s", tmp_path / "report"
    report.write_text("make: nothing to be done")
    assert "nothing of loops in this report; compile with -fopt-info-vec-all" in refused(
        read_verdicts, report, code, {"triad"}
    )
    report.write_text(GCC)
    code.write_text("triad:\n\tret\n")
    assert refused(read_verdicts, report, code, {"triad"}) == (
        f"{report}: it names source lines, which r.s does not; give assembly (-S) compiled with -g too"
    )
