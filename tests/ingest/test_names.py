import pytest

from ingest.names import short_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("int ComputeSPMV(const SparseMatrix&, Vector&)", "ComputeSPMV"),
        ("int main(int, char**)", "main"),
        ("void Foam::fvMatrix<Foam::Vector<double> >::solve(const dictionary&) const", None),
        ("bool A::operator()(int, int) const", "A::operator()"),
        ("MPI_Allreduce", "MPI_Allreduce"),
        ("time.run()", "time.run()"),
        ("functionObjects.execute()", "functionObjects.execute()"),
        ("!$omp parallel @file.c:12", "!$omp parallel @file.c:12"),
        ("std::ostream& operator<<(std::ostream&, const X&)", "operator<<"),
        ("lduMatrix::solver.p", "lduMatrix::solver.p"),
        ("", ""),
    ],
)
def test_signatures_lose_return_type_and_parameters(name, short):
    wanted = "Foam::fvMatrix<Foam::Vector<double> >::solve" if short is None else short
    assert short_name(name) == wanted
