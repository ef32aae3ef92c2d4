"""Sparse solvers of PETSc on a convection-diffusion problem with n^3 unknowns: operations and seconds.

Called as solvers.py petsc|mumps|superlu N. `petsc` is the transpose-free QMR with additive Schwarz, whose
operations PETSc counts itself; of `mumps` and `superlu` it is the numerical factorisation, whose operations
these libraries state. Under callgrind the function to count is KSPSolve or MatLUFactorNumeric.
"""

import sys
from time import perf_counter

import petsc4py

petsc4py.init(["solvers", "-mat_superlu_printstat", "1"])
from petsc4py import PETSc  # noqa: E402


def problem(n: int) -> PETSc.Mat:
    """Return the seven-point operator with convection along the first direction."""
    matrix = PETSc.Mat().createAIJ([n**3, n**3], nnz=7)
    for row in range(n**3):
        place = (row // n**2, row // n % n, row % n)
        matrix.setValue(row, row, 6.0)
        for axis, step in enumerate((n**2, n, 1)):
            for side in (-1, 1):
                if 0 <= place[axis] + side < n:
                    matrix.setValue(row, row + side * step, -1.0 + (0.3 * side if axis == 0 else 0.0))
    matrix.assemble()
    return matrix


def iterated(matrix: PETSc.Mat) -> tuple[float, float]:
    """Return operations and seconds of a solve."""
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType("tfqmr")
    solver.pc.setType("asm")
    solver.pc.setASMType(PETSc.PC.ASMType.BASIC)
    solver.setTolerances(rtol=1e-8)
    solver.setUp()
    right, left = matrix.createVecs()
    right.set(1.0)
    before, start = PETSc.Log.getFlops(), perf_counter()
    solver.solve(right, left)
    return PETSc.Log.getFlops() - before, perf_counter() - start


def factorised(matrix: PETSc.Mat, library: str) -> tuple[float, float]:
    """Return operations and seconds of a numerical factorisation; SuperLU prints its operations."""
    pc = PETSc.PC().create()
    pc.setOperators(matrix)
    pc.setType("lu")
    pc.setFactorSolverType(library)
    pc.setFactorSetUpSolverType()
    start = perf_counter()
    pc.setUp()
    seconds = perf_counter() - start
    return (pc.getFactorMatrix().getMumpsRinfog(3) if library == "mumps" else float("nan")), seconds


if __name__ == "__main__":
    name, edge = sys.argv[1], int(sys.argv[2])
    system = problem(edge)
    counted, took = iterated(system) if name == "petsc" else factorised(system, name)
    print(f"{counted:.0f} {took:.6f}")
