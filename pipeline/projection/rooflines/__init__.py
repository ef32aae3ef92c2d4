"""Counters of hardware, what limits a region by them, rooflines, and projection by bandwidths (paper 003)."""
