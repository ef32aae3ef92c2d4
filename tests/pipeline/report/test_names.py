from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.names import callpath_text, shorten_middle


@given(st.text(max_size=200), st.integers(0, 80))
def test_cut_text_fits_and_keeps_both_ends(text, width):
    cut = shorten_middle(text, width)
    assert len(cut) <= max(width, 0)
    if len(text) <= width:
        assert cut == text


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=8), st.integers(4, 100))
def test_call_paths_fit(path, width):
    assert len(callpath_text(path, width)) <= width


def test_the_end_of_a_call_path_matters_most():
    path = ("main", "CG", "ComputeMG", "ComputeSYMGS", "ExchangeHalo", "MPI_Send")
    assert callpath_text(path, 200) == "main › CG › ComputeMG › ComputeSYMGS › ExchangeHalo › MPI_Send"
    assert callpath_text(path, 40) == "main › … › ExchangeHalo › MPI_Send"
    assert callpath_text(path, 14) == "… › MPI_Send"
