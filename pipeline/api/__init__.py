"""The public Python interface: thin objects over the stages, made for scripts and notebooks.

`pipeline` offers their names; see there.
"""
