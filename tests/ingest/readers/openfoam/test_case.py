import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.readers import openfoam, read_profile
from ingest.readers.openfoam import parse_dictionary
from tests.foam_cases import solver, write_profiling

MAIN = ("application::main",)
LOOP = (*MAIN, "time.run()")
SOLVE = (*LOOP, "fvMatrix::solve.p")


def test_a_serial_case(tmp_path):
    write_profiling(tmp_path, "0.1", solver("cavity", 4.0))
    profile = read_profile(tmp_path)
    assert profile.tree.paths(profile.regions.name) == [MAIN, LOOP, SOLVE]
    np.testing.assert_allclose(profile.values("time"), [[1.0], [1.0], [2.0]])
    np.testing.assert_allclose(profile.values("time", inclusive=True), [[4.0], [3.0], [2.0]])
    np.testing.assert_array_equal(profile.values("visits"), [[1], [20], [40]])
    assert profile.metric("time").unit == "s"
    assert set(profile.regions.paradigm) == {"user"}
    assert profile.attributes["hosts"] == "node1"
    assert profile.notices == ()


def test_processes_are_united_by_call_path(tmp_path):
    extra = (4, 2, "only on one", 1, 0.25, 0)
    for rank in (10, 2, 0):
        triggers = solver(f"cavityprocessor{rank}", 4.0 + rank)
        write_profiling(tmp_path / f"processor{rank}", "0.1", [*triggers, extra] if rank == 2 else triggers)
    profile = openfoam.read(tmp_path)
    assert profile.tree.paths(profile.regions.name) == [MAIN, LOOP, SOLVE, (*LOOP, "only on one")]
    np.testing.assert_allclose(profile.values("time")[2], [2.0, 3.0, 7.0])  # 0, 2, 10: by number, not by name
    np.testing.assert_allclose(profile.values("time")[3], [0.0, 0.25, 0.0])
    np.testing.assert_array_equal(profile.locations.process, [0, 1, 2])
    assert profile.locations.cpu.all()


def test_the_last_time_is_read_and_said(tmp_path):
    for time, seconds in (("0.5", 1.0), ("10", 3.0), ("2", 2.0), ("constant", 9.0)):
        write_profiling(tmp_path, time, solver("c", seconds))
    profile = openfoam.read(tmp_path)
    assert profile.values("time").sum() == pytest.approx(3.0)
    assert profile.notices == ("profiling of 3 times: the last, 10, is read",)


def test_a_time_that_not_all_processes_wrote_is_not_read(tmp_path):
    for rank in (0, 1):
        write_profiling(tmp_path / f"processor{rank}", "1", solver("c", 1.0))
    write_profiling(tmp_path / "processor0", "2", solver("c", 2.0))
    profile = openfoam.read(tmp_path)
    assert profile.values("time").sum() == pytest.approx(2.0)
    assert "later than 1" in profile.notices[0]


def test_siblings_with_one_name_are_summed(tmp_path):
    same = [(4, 3, "solver.p", 2, 0.5, 0), (5, 3, "solver.p", 3, 0.25, 0)]
    write_profiling(tmp_path, "1", [*solver("c", 4.0), *same])
    profile = openfoam.read(tmp_path)
    assert profile.tree.paths(profile.regions.name)[-1] == (*SOLVE, "solver.p")
    assert profile.values("time")[-1, 0] == pytest.approx(0.75)
    assert profile.values("visits")[-1, 0] == 5


def test_negative_exclusive_times_are_zero_and_only_real_ones_are_reported(tmp_path):
    rounded = (0, None, "main", 1, 1.0, 1.000001)
    write_profiling(tmp_path / "a", "1", [rounded])
    write_profiling(tmp_path / "b", "1", [(0, None, "main", 1, 1.0, 1.5)])
    assert openfoam.read(tmp_path / "a").notices == ()
    profile = openfoam.read(tmp_path / "b")
    assert profile.values("time")[0, 0] == 0.0
    assert profile.notices == ("1 negative exclusive times were read as zero",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("\0\1\2", "binary"),
        ("profiling\n{\n trigger0\n {\n id 0;", "line 5: the file ends inside a dictionary"),
        ("FoamFile { }", "no dictionary 'profiling'"),
        ("profiling { }", "contains no trigger"),
        ('profiling { a { id 0; description "x"; calls 1; totalTime y; childTime 0; } }', "'totalTime'"),
        ("profiling { a { id 0; calls 1; totalTime 1; childTime 0; } }", "no description"),
        (
            "profiling { a { description x; calls 1; totalTime 1; childTime 0; id inf; } }",
            "'id' is not a number",
        ),
        ("profiling }", "line 1: unexpected closing brace"),
        ("a {" * 100, "nested deeper"),
        ('"' + "a" * 100, "no dictionary 'profiling'"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, content, told):
    file = write_profiling(tmp_path, "1", solver("c", 1.0))
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        openfoam.read(tmp_path)
    assert told in str(caught.value)
    assert str(file) in str(caught.value)


def test_callers_in_a_circle_or_missing_are_refused(tmp_path):
    write_profiling(tmp_path / "a", "1", [(0, 1, "x", 1, 1, 0), (1, 0, "y", 1, 1, 0)])
    write_profiling(tmp_path / "b", "1", [(0, 7, "x", 1, 1, 0)])
    with pytest.raises(InputError, match="its own caller"):
        openfoam.read(tmp_path / "a")
    with pytest.raises(InputError, match="id 7 is a caller but missing"):
        openfoam.read(tmp_path / "b")


def test_a_process_without_profiling_is_named(tmp_path):
    write_profiling(tmp_path / "processor0", "1", solver("c", 1.0))
    (tmp_path / "processor1").mkdir()
    with pytest.raises(InputError, match=r"below processor1 .1 of 2 processes have none.; was the run"):
        openfoam.read(tmp_path)


def test_a_call_chain_of_thousands(tmp_path):
    chain = [(i, i - 1 if i else None, f"f{i % 7}", 1, 1.0, 0.5) for i in range(5000)]
    write_profiling(tmp_path, "1", chain)
    profile = openfoam.read(tmp_path)
    assert profile.tree.depth.max() == 4999


def test_other_directories_are_no_cases(tmp_path):
    assert not openfoam.matches(tmp_path)
    assert not openfoam.matches(tmp_path / "missing")
    with pytest.raises(InputError, match="no profile in a known format"):
        read_profile(tmp_path)


def test_comments_strings_and_several_words():
    text = 'a "x // no comment"; // comment { \n b 1 2 3; /* { */ c { d "{;}"; d last; }\n#include "f"\n'
    assert parse_dictionary(text, "f") == {"a": "x // no comment", "b": "1 2 3", "c": {"d": "last"}}


@given(st.text(alphabet='ab{};"/*\\ \n', max_size=80))
def test_any_text_is_parsed_or_refused(text):
    try:
        parse_dictionary(text, "f")
    except InputError as error:
        assert "line" in str(error)


def test_times_that_cannot_be_summed_are_refused(tmp_path):
    write_profiling(tmp_path / "a", "1", [(0, None, "main", 1, 1e308, 0), (1, 0, "f", 1, 1e308, 0)])
    with pytest.raises(InputError, match="not finite, or too large"):
        read_profile(tmp_path / "a")


@pytest.mark.parametrize("repeated", ['\\"', '"', "/*", "a{", "\\"])
def test_what_is_repeated_without_end_takes_no_time(repeated):
    with pytest.raises(InputError):
        parse_dictionary("profiling { a " + repeated * 100_001, "a")


def test_processes_that_wrote_at_different_times_are_refused(tmp_path):
    for rank, time in ((0, "1"), (1, "2")):
        write_profiling(tmp_path / f"processor{rank}", time, solver("c", 1.0))
    with pytest.raises(InputError, match="the processes wrote their profiling at different times"):
        openfoam.read(tmp_path)


def test_a_folder_that_may_not_be_listed_is_not_a_case(tmp_path, monkeypatch):
    def forbidden(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.iterdir", forbidden)
    assert not openfoam.matches(tmp_path)


def test_a_case_is_read_itself_if_no_process_has_a_time(tmp_path):
    (tmp_path / "processor0" / "constant").mkdir(parents=True)
    write_profiling(tmp_path, "1", solver("c", 4.0))
    assert openfoam.read(tmp_path).values("time").sum() == pytest.approx(4.0)


def test_all_processes_lack_the_latest_time_or_none_does(tmp_path):
    for rank in (0, 1):
        for time in ("1", "2"):
            write_profiling(tmp_path / f"processor{rank}", time, solver("c", float(time)))
    assert openfoam.read(tmp_path).notices == ("profiling of 2 times: the last, 2, is read",)


@pytest.mark.parametrize(("child", "negative"), [(1.0000099, 0), (1.0000101, 1)])
def test_how_negative_an_exclusive_time_may_be_from_rounding(tmp_path, child, negative):
    write_profiling(tmp_path, "1", [(0, None, "main", 1, 1.0, child)])
    assert len(openfoam.read(tmp_path).notices) == negative


def test_words_braces_and_their_depth(monkeypatch):
    assert parse_dictionary("a b c { d e f; g; ; } ; h 1;", "f") == {"a b c": {"d": "e f", "g": ""}, "h": "1"}
    assert parse_dictionary("a{" * 63 + "}" * 63, "f")["a"]
    for text, line in (("\n}", 2), ("a {\n b }", 2), ("a\n{\n" * 64, 128)):
        with pytest.raises(InputError, match=f"f: line {line}: "):
            parse_dictionary(text, "f")


@pytest.mark.parametrize("key", ["id", "calls", "totalTime", "childTime"])
def test_every_number_of_a_trigger_is_needed(tmp_path, key):
    file = write_profiling(tmp_path, "1", solver("c", 1.0))
    file.write_text(file.read_text().replace(f"{key} ", f"{key} x"))
    with pytest.raises(InputError, match=f"trigger0: '{key}' is not a number; is the file truncated"):
        openfoam.read(tmp_path)
