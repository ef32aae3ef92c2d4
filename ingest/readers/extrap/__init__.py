"""Readers of the input formats of Extra-P: text, JSON in four variants, experiment files of Extra-P 4."""
