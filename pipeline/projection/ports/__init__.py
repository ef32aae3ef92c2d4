"""Instruction ports: cycles of a loop from what its instructions compete for (paper 000).

`port_map` and `schedule` state the model, `estimate`, `solver` and `fit` find its cycles per instruction,
`assembly`, `object_file` and `counting` count the instructions of a loop, and `term` makes all of it a term
of an application.
"""
