"""Vector loops: the time of a loop from its operations and how it vectorises (paper 002)."""
