"""Loops on a processor core: `assembly` reads them, `llvm_mca` and `loop_estimate` say what limits them.

`port_fit` is the model of paper 000 instead, fitted to measured variants of a kernel.
"""
