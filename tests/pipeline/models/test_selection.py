import pytest

from pipeline.models.kernels import matches

PATH = ("int main(int, char**)", "int CG(const Matrix&)", "MPI_Allreduce")


@pytest.mark.parametrize(
    "pattern",
    ["MPI_Allreduce", "*/MPI_Allreduce", "main/CG/*", "MPI_All*", "int main(int, char[*][*])/*", "*CG*"],
)
def test_patterns_that_name_a_call_path(pattern):
    assert matches(PATH, pattern)


@pytest.mark.parametrize("pattern", ["MPI_Reduce", "CG", "main", "mpi_allreduce", "*/CG"])
def test_patterns_that_do_not(pattern):
    assert not matches(PATH, pattern)


def test_names_with_brackets_are_found_by_their_own_spelling():
    assert matches(("std::vector<int>::operator[](int)",), "std::vector<int>::operator[](int)")
