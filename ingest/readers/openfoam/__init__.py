"""OpenFOAM's built-in profiling, and the iterations of solvers from the log beside it."""
