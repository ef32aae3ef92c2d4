"""Names of C++ templates, which may have tens of thousands of characters, in every reader of texts."""

import time

import pytest

from ingest.readers import find_profile_reader
from ingest.readers.timer_tables.timer_kind import compiled, timer_kinds
from tests.fuzz.seeds import seeds
from tests.ingest.readers import timer_logs

NAMES = [
    ("folded stacks", 0, "solve"),
    ("callgrind", 0, "solve"),
    ("Caliper", 0, "cycle"),
    ("Caliper JSON", 0, "cycle"),
    ("CrayPat", 0, "solve"),
    ("GPTL process", 0, "solve"),
    ("Hatchet", 0, "solve"),
    ("LIKWID", 3, "sweep"),
    ("mpiP", 1, "solve"),
    ("speedscope", 0, "solve"),
    ("TAU", 0, "int work(int) C"),
    ("OpenFOAM", 0, "time.run()"),
]
TIMERS = [
    ("kokkos", "Dot"),
    ("kokkos-stack", "axpy"),
    ("teuchos", "Belos: Op*x"),
    ("dealii", "Assemble"),
    ("dealii-statistics", "Assemble"),
    ("amrex", "FabArray::setVal(val, thecmd, scomp, ncomp)"),
    ("gptl", "a:cam_run1"),
]


def long_name(length):
    return f"work<{'pair<int*>::' * (length // 12)}type>"


def regions(path):
    return find_profile_reader(path).read(path).regions.name


@pytest.mark.parametrize("length", [6500, 40000])
@pytest.mark.parametrize(("reader", "number", "name"), NAMES)
def test_a_long_name_is_read(tmp_path, reader, number, name, length):
    seed = seeds()[reader][number]
    for file, content in seed.files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content.replace(name.encode(), long_name(length).encode()))
    begun = time.process_time()
    assert any(long_name(length) in found for found in regions(tmp_path / seed.target))
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("length", [6500, 40000])
@pytest.mark.parametrize(("log", "name"), TIMERS)
def test_a_timer_of_a_long_name_is_read(tmp_path, log, name, length):
    text = timer_logs.LOGS[log]()
    assert name in text
    long = long_name(length).replace("*", ", 3")
    (tmp_path / "x.log").write_text(text.replace(name, long))
    begun = time.process_time()
    assert long in regions(tmp_path / "x.log")
    assert time.process_time() - begun < 2


FILLS = (" ", "1", "a ", "1 ", "  a", "* ", "1.0 ", "1.0e+01  ", "| ", ": ", "s CPU ", "a: ")


@pytest.mark.parametrize("kind", timer_kinds(), ids=lambda kind: kind.name)
def test_no_pattern_takes_long_on_a_long_line(kind):
    lines = (kind.begin, kind.program, kind.mark, kind.ended, kind.started)
    found = [line for line in (*lines, *kind.scattered, *kind.facts, *kind.memory) if line]
    patterns = [(line.text, line.pattern) for line in found]
    patterns += [("", pattern) for form in kind.forms for pattern in (form.row, form.begun) if pattern]
    patterns += [("", one) for one in (*kind.within, kind.heading, kind.end, kind.header) if one]
    for text, pattern in patterns:
        for fill in FILLS:
            middle = fill * (16_000 // len(fill))
            for line in (text + middle, middle + text, f"  {text} {middle}{text}", f"name: 1.0 {middle}"):
                begun = time.process_time()
                compiled(pattern).search(line)
                assert time.process_time() - begun < 0.5, (pattern, fill)
