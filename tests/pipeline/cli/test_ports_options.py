"""Options of `pipeline ports` that do not go together, and numbers that are none."""

from pathlib import Path

import pytest

from pipeline.projection.ports.loop_estimate import find_llvm_mca
from tests.pipeline.projection.ports.stored_llvm_mca import replay

AVX2 = Path(__file__).parents[1] / "projection" / "ports" / "loops" / "avx2.s"


@pytest.fixture(autouse=True)
def stored(monkeypatch):
    replay(monkeypatch)
    yield
    find_llvm_mca.cache_clear()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--on zen4 --per-pass nan", "--per-pass: invalid number nan; write at least 1"),
        ("--count --per-pass inf", "--per-pass: invalid number inf"),
        ("--count --cycles nan", "--cycles: invalid number nan; write at least 0"),
        ("--count --json -", "--json: cannot be combined with --count; it prints a row of CSV"),
        ("--count --format md", "--format: cannot be combined with --count"),
        ("--count --report x", "--report: cannot be combined with --count"),
        ("--on zen4 --cycles 3", "--cycles: is only for counts; add --count"),
        ("--on zen4 --map x", "--map: is only for counts; add --count"),
        ("--on zen4 --report none", "none: cannot be read: No such file or directory; compile with"),
    ],
)
def test_options_that_would_be_ignored_or_mean_nothing_are_refused(call, options, line):
    code, out, err = call("ports", AVX2, "--function", "dot", *options.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert line in err
