"""The campaign itself: which defects it makes, which it draws, and what it calls caught."""

import ast
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.__main__ import EQUIVALENT
from tests.mutants.coverage_map import ELSEWHERE, CoverageMap, nearby
from tests.mutants.listed import LISTED, listed_defects
from tests.mutants.operators import Defect, defects
from tests.mutants.sample import draw, product_files
from tests.mutants.trial import try_defect

ROOT = Path(__file__).resolve().parents[2]

SOURCE = '''\
"""Text is left alone: 1 + 1."""

def share(part: int, whole: int = 2) -> float:
    """Also 3 > 2."""
    if whole > 0 and part is not None:
        return part / whole
    return min(part, whole)
'''


def test_defects_are_what_a_tired_author_leaves_behind():
    made = {
        (one.line, one.applied(SOURCE).splitlines()[one.line - 1].strip()) for one in defects("a.py", SOURCE)
    }
    assert (5, "if (whole >= 0) and part is not None:") in made
    assert (5, "if whole > 1 and part is not None:") in made
    assert (5, "if (whole > 0 or part is not None):") in made
    assert (6, "return (part * whole)") in made
    assert (7, "return max(part, whole)") in made
    assert {line for line, _ in made} == {3, 5, 6, 7}


SCRIPT = """\
// 1 + 1 is left alone, as "3 > 2" and `${a + `b < ${c}`} > 1` and /[/"<]+/.test(a) are
/** @param {number} a  3 > 2 */
export function share(a, b = 2) {
  if (a > 0 && !b.hidden) return -a / (b || 3);
  draw(`${a < b}`, "x" + a);
  return Math.min(...[a, b].filter((one) => { return one; }));
}
const other = /[/"<]+/.test(name) ? `${a + `b < ${c}`} > 1` : "3 > 2";
"""


def test_defects_of_scripts_are_of_the_same_kinds():
    made = {
        (one.line, one.applied(SCRIPT).splitlines()[one.line - 1].strip()) for one in defects("a.js", SCRIPT)
    }
    old = "if (a > 0 && !b.hidden) return -a / (b || 3);"
    assert made == {
        (3, "export function share(a, b = 3) {"),
        *(
            (4, old.replace(before, after))
            for before, after in (
                ("> 0", ">= 0"),
                ("> 0", "> 1"),
                ("&&", "||"),
                ("!b", "b"),
                ("-a / (b || 3)", "undefined"),
                (" / ", " * "),
                ("||", "&&"),
                ("3", "4"),
            )
        ),
        (5, "0;"),
        (6, "return Math.max(...[a, b].filter((one) => { return one; }));"),
        (6, "return Math.min(...[a, b].filter((one) => { return undefined; }));"),
        (6, "return undefined;"),
    }
    looks = {one.what for one in defects("js/draw/a.js", SCRIPT)}
    assert "constant" not in looks and "operator" in looks


def test_every_defect_changes_one_place_and_still_compiles():
    path = "pipeline/gate/estimates.py"
    source = (ROOT / path).read_text(encoding="utf-8")
    found = list(defects(path, source))
    assert len(found) > 5
    for one in found:
        changed = one.applied(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
        assert sum(a != b for a, b in zip(changed.splitlines(), source.splitlines(), strict=True)) == 1


@pytest.mark.slow
def test_a_seed_draws_the_same_defects_from_all_packages_in_proportion_to_their_lines():
    drawn = draw(ROOT, 300, 5)
    assert drawn == draw(ROOT, 300, 5)
    assert len(set(drawn)) == 300
    assert set(drawn) != set(draw(ROOT, 300, 6))
    without = draw(ROOT, 300, 5, lambda one: one == drawn[7])
    assert len(without) == 300 and len(set(drawn) - set(without)) == 1
    lines = Counter()
    for file in product_files(ROOT):
        lines[file.relative_to(ROOT).parts[0]] += len(file.read_text(encoding="utf-8").splitlines())
    found = Counter(one.path.split("/")[0] for one in drawn)
    for package, count in lines.items():
        assert found[package] / 300 == pytest.approx(count / lines.total(), abs=0.1)


def test_listed_defects_apply_to_one_place_of_todays_source():
    for one, defect in zip(LISTED, listed_defects(ROOT), strict=True):
        source = (ROOT / defect.path).read_text(encoding="utf-8")
        changed = defect.applied(source)
        assert changed == source.replace(one.old, one.new)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))


def test_a_listed_defect_that_no_longer_applies_is_refused(tmp_path):
    (tmp_path / "pipeline").mkdir()
    (tmp_path / "pipeline" / "a.py").write_text(LISTED[0].old * 2, encoding="utf-8")
    with pytest.raises(ValueError, match="occurs 2 times"):
        listed_defects(tmp_path)


def test_equivalent_defects_are_there_and_have_reasons():
    known = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    missing = {(entry["line"], entry["becomes"]) for entry in known}
    for file in product_files(ROOT):
        path, source = str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
        lines = [line.strip() for line in source.splitlines()]
        if not {line for line, _ in missing}.isdisjoint(lines):
            missing -= {(lines[one.line - 1], one.text) for one in defects(path, source)}
    assert missing == set()
    assert all(len(entry["reason"]) > 10 for entry in known)


TESTED = "def double(x):\n    return x * 2\n"
TEST = "from doubling import double\n\ndef test_double():\n    assert double(3) == 6\n"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # pytest-xdist has threads
@pytest.mark.parametrize(("text", "caught"), [("x / 2", True), ("x * 2.0", False)])
def test_a_defect_is_caught_if_a_test_fails_with_it_and_it_is_taken_out_again(tmp_path, text, caught):
    (tmp_path / "doubling.py").write_text(TESTED, encoding="utf-8")
    (tmp_path / "test_doubling.py").write_text(TEST, encoding="utf-8")
    defect = Defect(path="doubling.py", line=2, what="arithmetic", place=(2, 11, 2, 16), text=text)
    outcome = try_defect(tmp_path, defect, ["test_doubling.py::test_double"], 1.0)
    assert outcome.caught == caught
    assert (tmp_path / "doubling.py").read_text(encoding="utf-8") == TESTED


def test_a_defect_that_no_test_runs_is_not_caught(tmp_path):
    defect = Defect(path="nothing.py", line=1, what="", place=(1, 0, 1, 0), text="")
    assert not try_defect(tmp_path, defect, [], 0.0).caught


def test_arguments_that_only_guard_against_defects_are_left_alone():
    source = "for a, b in zip(x, y, strict=True):\n    print(a, b, end=1)\n"
    assert {one.text for one in defects("a.py", source)} == {"2", "(print(a, b))", "pass"}


def test_tests_of_the_file_come_first_then_of_the_folder_then_fast_ones_of_others_up_to_a_limit():
    seconds = {
        "tests/gate/test_rules.py::slow": 900.0,
        "tests/gate/test_rules.py::fast": 0.2,
        "tests/gate/test_check.py::a": 0.1,
        "tests/cli/test_app.py::b": ELSEWHERE - 1.0,
        "tests/cli/test_app.py::c": 0.5,
        "tests/cli/test_app.py::d": ELSEWHERE,
    }
    known = CoverageMap(
        by_line={("gate/rules.py", 3): frozenset(seconds), ("gate/rules.py", 4): frozenset()},
        by_file={"gate/rules.py": frozenset(["tests/cli/test_app.py::c"])},
        seconds=seconds,
    )
    assert [test.rpartition("::")[2] for test in known.tests("gate/rules.py", 3)] == [
        "fast",
        "slow",
        "a",
        "c",
        "b",
    ]
    assert known.tests("gate/rules.py", 4) == ["tests/cli/test_app.py::c"]
    assert known.tests("gate/ratios.py", 1) == []


@pytest.mark.slow
def test_unmeasured_those_of_the_folder_and_of_what_imports_a_file_could_notice():
    known = nearby(ROOT)
    found = known.tests("pipeline/gate/verdicts.py", 9)
    assert found[0] == "tests/pipeline/gate/test_verdicts.py"
    folder = {str(file.relative_to(ROOT)) for file in (ROOT / "tests/pipeline/gate").rglob("test_*.py")}
    assert folder < set(found)
    (script, *others) = known.tests("pipeline/report/page/js/draw/chart.js", 1)
    assert script == "tests/pipeline/report/page/js/test_draw.py"
    assert others and all(test.startswith("tests/pipeline/report/page/") for test in others)
