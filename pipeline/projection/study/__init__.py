"""Measured studies on another machine: every stored kernel goes over, by what limits it there and here."""
