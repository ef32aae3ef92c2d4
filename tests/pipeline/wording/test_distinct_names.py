"""Call paths beside each other never read the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.quantities import callpath_text

LONG = "very_long_name_of_a_template_" * 3
NAMES = ["main", "CG", "MG", "SYMGS", "MPI_Wait", "f(int)", "f(double)", f"{LONG}x{LONG}", f"{LONG}y{LONG}"]
PATHS = st.lists(
    st.lists(st.sampled_from(NAMES) | st.text(min_size=1, max_size=9), min_size=1, max_size=7).map(tuple),
    min_size=1,
    max_size=15,
)


@given(PATHS, st.integers(10, 100))
def test_different_call_paths_read_differently_and_fit(paths, width):
    texts = distinct_texts(paths, width)
    assert len(set(zip(paths, texts, strict=True))) == len(set(texts)) == len(set(paths))
    assert max(map(len, texts)) <= width


@given(PATHS, st.integers(10, 100))
def test_call_paths_that_read_differently_anyway_stay_as_they_are(paths, width):
    plain = [callpath_text(path, width) for path in paths]
    if len(set(plain)) == len(set(paths)):
        assert distinct_texts(paths, width) == plain


def hpcg(*names):
    return ("main", *names, "ExchangeHalo", "MPI_Wait")


@pytest.mark.parametrize(
    ("width", "texts"),
    [
        (50, [f"main › {phase} › MG › SYMGS › ExchangeHalo › MPI_Wait" for phase in ("CG", "Test")]),
        (40, ["main › CG › … › ExchangeHalo › MPI_Wait", "… › Test › … › ExchangeHalo › MPI_Wait"]),
        (26, ["main › CG › … › MPI_Wait", "main › Test › … › MPI_Wait"]),
        (19, ["…CG…MPI_Wait", "…Test…MPI_Wait"]),
    ],
)
def test_the_names_in_which_call_paths_differ_are_shown(width, texts):
    assert distinct_texts([hpcg("CG", "MG", "SYMGS"), hpcg("Test", "MG", "SYMGS")], width) == texts


def test_depths_of_a_recursion_differ():
    once, twice = distinct_texts([hpcg("CG", "MG", "SYMGS"), hpcg("CG", "MG", "MG", "SYMGS")], 32)
    assert (once, twice) == ("… › ExchangeHalo › MPI_Wait", "… › MG › MG › … › MPI_Wait")


def test_overloads_are_written_with_their_parameters():
    assert distinct_texts([("main", "f(int)"), ("main", "f(double)")], 40) == [
        "main › f(int)",
        "main › f(double)",
    ]


def test_long_names_show_where_they_differ():
    texts = distinct_texts([(f"{LONG}left{LONG}",), (f"{LONG}right{LONG}",)], 40)
    assert "left" in texts[0] and "right" in texts[1]


def test_a_call_path_that_stands_twice_reads_the_same_twice():
    assert len(set(distinct_texts([hpcg("CG"), hpcg("CG"), hpcg("MG")], 26))) == 2


def test_a_text_that_another_group_took_is_not_used_again():
    paths = [
        ("CG", "main", "f(double)", "ab", "f(double)"),
        ("MG", "g", "g", "ab", "f(int)"),
        ("aaaaaaaaa", "CG", "f(int)"),
        ("aaaaaaaaa", "ab", "f(int)", "CG", "aaaaaaaaa"),
        ("ab", "f(double)", "aaaaaaaaa", "ab", "f(double)"),
        ("ab", "main", "aaaaaaaaa", "CG", "f(int)"),
    ]
    assert len(set(distinct_texts(paths, 11))) == len(paths)
