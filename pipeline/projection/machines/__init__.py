"""Machines: the shipped files, what they state, and the measurement of the machine at hand.

`node.c` and `network.c` measure and print samples; compiling and running them is a stage's work.
"""
