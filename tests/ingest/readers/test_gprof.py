"""Reports of gprof: seconds and calls of functions."""

import shutil
import subprocess

import pytest

from ingest.errors import InputError
from ingest.readers import gprof
from tests.ingest.readers.by_path import sums_by_function

from . import profiler_files
from .profiler_files import GPROF, GPROF_FLAT, GPROF_GRAPH

FORMAT, FILE = "gprof", "gprof.txt"

SUM = "double sum<double>(std::vector<double> const&)"
PROGRAM = """
double work(long n) { volatile double s = 0; for (long i = 0; i < n; i++) s += i; return s; }
double deep(int n) { return n ? deep(n - 1) + work(1000) : 0; }
int main(void) { double s = 0; for (int i = 0; i < 400; i++) s += deep(100); return s < 0; }
"""


@pytest.mark.parametrize("name", GPROF)
def test_seconds_of_functions(read, name):
    profile = read(GPROF[name])
    assert sums_by_function(profile, "time") == {"A::even(long, int)": 0.6, "main": 0.25, SUM: 0.15}
    stated = "no total is stated" if name == "flat" else "100.00 %"
    assert stated in profile.attributes["reconciled: "]


def test_calls_are_those_by_others_and_by_the_function_itself(read):
    visits = {"A::even(long, int)": 4, SUM: 1, "tiny": 1000}
    assert sums_by_function(read(GPROF["flat"]), "visits") == visits
    for name in ("both", "graph"):
        assert sums_by_function(read(GPROF[name]), "visits") == visits | {"A::even(long, int)": 5}


def test_names_on_powerpc_begin_with_a_dot(read):
    profile = read(
        "Each sample counts as 0.01 seconds.\n"
        "  %   cumulative   self              self     total\n"
        " time   seconds   seconds    calls   s/call   s/call  name\n"
        " 75.00      0.30     0.30                             .internal\n"
        " 25.00      0.40     0.10        7     0.01     0.02  .solve_NMOD_\n"
    )
    assert profile.regions.name == (".internal", ".solve_NMOD_")
    assert profile.values("time").ravel().tolist() == [0.3, 0.1]
    assert profile.values("visits").ravel().tolist() == [0, 7]


@pytest.mark.parametrize(
    "name",
    ["mcount", "_mcount", "__mcount_internal", ".__mcount_internal", "__fentry__", "_mcleanup", "profil"],
)
@pytest.mark.parametrize("total", ["1.00", "1.40"])
def test_functions_of_gprof_are_not_those_of_the_program(read, name, total):
    row = f"  0.00      1.00     0.40                             {name}\n"
    flat, graph = GPROF["flat"].rstrip("\n"), GPROF_GRAPH.replace("1.00 seconds", f"{total} seconds")
    profile = read(f"{flat}\n{row}\n\f\n{graph}")
    assert sums_by_function(profile, "time") == sums_by_function(read(GPROF["both"]), "time")
    assert profile.attributes["reconciled: "] == "functions 1 s = 100.00 % of the stated 1 s"
    assert "functions of gprof itself are left out: 0.4 s" in profile.notices


@pytest.mark.parametrize("length", [6500, 40000])
@pytest.mark.parametrize("report", ["flat", "graph"])
def test_long_names_of_templates(read, report, length):
    name = f"std::vector<{'std::pair<int, ' * (length // 15)}int>"
    profile = read(GPROF[report].replace("main", name))
    assert sums_by_function(profile, "time")[name] == 0.25


def test_functions_of_the_same_name_are_added(read):
    row = "  0.00      1.00     0.50        2   250.00   250.00  tiny\n"
    profile = read(GPROF["flat"].rstrip("\n") + "\n" + row)
    assert sums_by_function(profile, "time")["tiny"] == 0.5
    assert sums_by_function(profile, "visits")["tiny"] == 1002


@pytest.mark.parametrize(
    ("text", "before", "after", "error"),
    [
        (GPROF_FLAT, "calls  ms/call", "calls  per    ", "line 5: a header of gprof that is not known: time"),
        (GPROF_FLAT, "     0.60        4", "     0.6O        4", "line 6: not a row of a flat profile:"),
        (
            GPROF_GRAPH,
            "self  children",
            "self  callees ",
            "line 6: a header of gprof that is not known: index",
        ),
        (GPROF_GRAPH, "[4]     15.0", "[4]     many", r"line 17: not a row of a call graph: \[4\]"),
    ],
)
def test_other_tables_are_refused(read, text, before, after, error):
    assert before in text
    with pytest.raises(InputError, match=error):
        read(text.replace(before, after))


def test_what_is_cut_before_its_functions_is_refused(read):
    with pytest.raises(InputError, match="no function in it took time"):
        read(GPROF_FLAT[: GPROF_FLAT.index(" 60.00")])


def test_other_texts_are_not_recognised(tmp_path):
    file = tmp_path / "gprof.txt"
    for text in ("", "Flat profile:\n", "a Flat profile:\nEach sample counts as 0.01 seconds.\n"):
        file.write_text(text + profiler_files.folded())
        assert not gprof.matches(file)
    with pytest.raises(InputError, match=r"no function in it|no profile of gprof in it"):
        gprof.read(file)


@pytest.mark.skipif(not (shutil.which("gprof") and shutil.which("gcc")), reason="gprof is not installed")
def test_a_program_that_was_compiled_for_it(read, tmp_path):
    (tmp_path / "a.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O0", "-pg", "a.c", "-o", "a"], cwd=tmp_path, check=True)
    subprocess.run(["./a"], cwd=tmp_path, check=True)
    for options in ([], ["-b"], ["-q"]):
        out = subprocess.run(
            ["gprof", *options, "./a"], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        profile = read(out.stdout)
        assert sums_by_function(profile, "visits") == {"work": 40_000, "deep": 40_400}
        assert "100.00 % of the stated" in profile.attributes["reconciled: "]
