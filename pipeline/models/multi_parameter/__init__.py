"""Models of two to four parameters."""
