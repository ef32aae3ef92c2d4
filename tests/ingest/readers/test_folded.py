"""Folded stacks: what is read of them, and which files are taken for them."""

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.readers import folded
from tests.ingest.readers.by_path import sums_by_path

from . import profiler_files

FORMAT, FILE = "folded stacks", "out.folded"


def test_stacks_are_call_paths(read):
    profile = read(profiler_files.folded())
    assert sums_by_path(profile, "samples") == {
        ("main",): 2,
        ("main", "solve", "dot"): 5,
        ("main", "solve", "MPI_Allreduce"): 3,
        ("main", "io write"): 4,
    }
    assert sums_by_path(profile, "samples", inclusive=True)["main", "solve"] == 8
    assert [(m.name, m.unit) for m in profile.metrics] == [("samples", "occ")]
    assert profile.notices == (
        "neither a unit nor an interval is stated: values are numbers of samples, not seconds",
    )


def test_line_ends_and_marks_of_other_systems(read):
    plain = sums_by_path(read(profiler_files.folded()), "samples")
    assert sums_by_path(read(profiler_files.folded(end="\r\n")), "samples") == plain
    assert sums_by_path(read("\ufeff" + profiler_files.folded()), "samples") == plain
    assert sums_by_path(read(profiler_files.folded().rstrip("\n")), "samples") == plain


def test_equal_stacks_are_added(read):
    assert sums_by_path(read(profiler_files.alternating(21)), "samples") == {("a", "b"): 11, ("c", "d"): 10}


def test_recursion_counts_once_in_inclusive_values(read):
    profile = read("a;a;a 2\na;b;a 3\na 1\n")
    inclusive = profile.values("samples", inclusive=True)
    of_a = profile.tree.outermost(profile.tree.region)
    a = profile.regions.name.index("a")
    assert inclusive[of_a & (profile.tree.region == a)].sum() == 6


def test_values_may_be_fractions_and_names_contain_blanks_and_numbers(read):
    found = sums_by_path(read("f 1;operator delete(void*, unsigned long) 1.5\nf 1;g 2 2e3\n"), "samples")
    assert found == {("f 1", "operator delete(void*, unsigned long)"): 1.5, ("f 1", "g 2"): 2000}


def test_differences_of_two_profiles_are_refused(read):
    with pytest.raises(InputError, match="two values per line: the difference of two profiles"):
        read("a;b 10 20\na;c 3 1\n")


def test_frames_without_a_name(read):
    assert sums_by_path(read("a;;b 1\n;c 2\n"), "samples") == {
        ("a", "[unknown]", "b"): 1,
        ("[unknown]", "c"): 2,
    }


def test_lines_without_a_value_are_skipped_and_counted(read):
    profile = read("# made by hand\n" + profiler_files.folded() + "main;solve\n\n -1\n")
    assert profile.values("samples").sum() == 14
    assert profile.notices[1] == ("3 lines are skipped: not a stack with its value (line 1 is the first)")


def test_a_file_of_other_lines_is_refused(tmp_path):
    file = tmp_path / "x.folded"
    file.write_text("a;b 1\nnothing\nof\nthe kind\n")
    assert not folded.matches(file)
    with pytest.raises(
        InputError, match=r"x\.folded: line 2: not a stack with its value, as are 2 more lines"
    ):
        folded.read(file)
    file.write_text("\n")
    with pytest.raises(InputError, match="no stack in it; was the measurement interrupted"):
        folded.read(file)
    with pytest.raises(InputError, match="cannot be read"):
        folded.read(tmp_path)


@pytest.mark.parametrize("value", ["1e99", "9" * 19, "nan", "inf", "-3", "1_0", "0x10", "1.2.3"])
def test_values_that_are_none(read, value):
    profile = read(f"a;b 1\na;c 2\nb;d {value}\n")
    assert profile.values("samples").sum() == (1e99 + 3 if value == "1e99" else 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one; two words 3\nfollowed by\nprose\nand more of it\n",
        "x;y\n1;2\n3;4\n",
        "PARAMETER p\nPOINTS 4 8\nREGION main\nDATA 3\n",
        "name 1\nother 2\n",
        "a;b 1\0\n",
    ],
)
def test_other_texts_are_not_recognised(tmp_path, text):
    file = tmp_path / "x.txt"
    file.write_text(text)
    assert not folded.matches(file)
    assert not folded.matches(tmp_path)


def test_deep_and_wide_stacks(read):
    deep = ";".join(f"f{i}" for i in range(20_000))
    profile = read(f"{deep} 2\n{deep};g 1\n")
    assert len(profile.tree) == 20_001
    assert np.isclose(profile.values("samples", inclusive=True)[0, 0], 3)
