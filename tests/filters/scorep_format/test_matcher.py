import numpy as np
import pytest

from filters.scorep_format.matcher import EXCLUDED, INCLUDED, UNTOUCHED, filterable, kept, last_match
from filters.scorep_format.parser import parse
from ingest.profile import RegionTable


def table(*rows):
    name, mangled, paradigm, file = zip(*rows, strict=True)
    return RegionTable(name=name, mangled=mangled, paradigm=paradigm, file=file, line=np.full(len(rows), -1))


REGIONS = table(
    ("int main()", "main", "compiler", "/a/main.cc"),
    ("void foo()", "_Z3foov", "compiler", "/lib/foo.cc"),
    ("void bar()", "_Z3barv", "compiler", "/a/bar.cc"),
    ("phase", "phase", "user", "/a/main.cc"),
    ("MPI_Send", "MPI_Send", "mpi", "MPI"),
    ("MEASUREMENT OFF", "MEASUREMENT OFF", "user", ""),
)


def block(*lines, kind="REGION"):
    return f"SCOREP_{kind}_NAMES_BEGIN\n" + "\n".join(lines) + f"\nSCOREP_{kind}_NAMES_END\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [1, 1, 1, 1, 1, 1]),
        (block("EXCLUDE *"), [0, 0, 0, 0, 1, 1]),
        (block("EXCLUDE *", "INCLUDE MANGLED main _Z3*"), [1, 1, 1, 0, 1, 1]),
        (block("EXCLUDE *", "INCLUDE void*"), [0, 1, 1, 0, 1, 1]),
        (block("INCLUDE *", "EXCLUDE MANGLED _Z3ba?v", "INCLUDE phase"), [1, 1, 0, 1, 1, 1]),
        (block("EXCLUDE */lib/*", kind="FILE") + block("INCLUDE *"), [1, 0, 1, 1, 1, 1]),
        (block("EXCLUDE /a/*", "INCLUDE */main.cc", kind="FILE"), [1, 1, 0, 1, 1, 1]),
    ],
)
def test_the_last_match_wins_and_files_come_first(text, expected):
    assert kept(parse(text), REGIONS).astype(int).tolist() == expected


def test_only_compiler_and_user_regions_can_be_filtered():
    assert filterable(REGIONS).tolist() == [True, True, True, True, False, False]


def test_rules_that_say_nothing_leave_names_untouched():
    rules = parse(block("EXCLUDE a b", "INCLUDE b")).regions
    assert last_match(rules, ("a", "b", "c"), ("a", "b", "c")).tolist() == [EXCLUDED, INCLUDED, UNTOUCHED]


def test_a_mangled_rule_falls_back_to_the_displayed_name_where_there_is_no_other():
    assert kept(parse(block("EXCLUDE MANGLED phase")), REGIONS).tolist()[3] is False
