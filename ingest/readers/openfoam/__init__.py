"""OpenFOAM: cases with its built-in profiling (`case`), and the bare logs of solvers (`log`)."""
