"""Measurements side by side with the peers: ratios within one run, not absolute times."""
