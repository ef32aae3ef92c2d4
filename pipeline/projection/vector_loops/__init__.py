"""Vector loops: the time of a loop from its operations and how it vectorises (paper 002).

`loop` states the model, `bandwidth_table` the machine's part of it, `compiler_reports` reads how a compiler
treated a loop, and `term` makes all of it a term of an application.
"""
