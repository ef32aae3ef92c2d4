"""Instruction ports: cycles of a loop from what its instructions compete for (paper 000).

`port_map` and `schedule` state the model, `port_estimate` and `port_fit` find its cycles per instruction and
make a term of it, `assembly` and `counting` count the instructions of a loop; `llvm_mca` and `loop_estimate`
ask LLVM instead.
"""
