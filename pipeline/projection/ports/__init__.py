"""Loops on a processor core: `assembly` reads them, `loop_estimate` says what limits them.

`port_fit` is the model of paper 000 instead, fitted to measured variants of a kernel.
"""
