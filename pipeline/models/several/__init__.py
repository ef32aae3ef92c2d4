"""Models of several parameters."""
