"""Loops on a processor core: `assembly` and `symbol_names` find functions, `function_loops` their loops.

`loop_estimate` says what limits a loop, `vectorisation_report` what the compiler said of it. `port_fit` is
the model of paper 000 instead, fitted to measured variants of a kernel, which `counting` counts.
"""
