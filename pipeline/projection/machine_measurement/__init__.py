"""Machine files of the machine at hand: what is measured, how samples become figures, and the file's text.

`node.c` and `network.c` measure and print samples; compiling and running them is a stage's work.
"""
