"""Instruction ports: cycles of a loop from what its instructions compete for (paper 000)."""
