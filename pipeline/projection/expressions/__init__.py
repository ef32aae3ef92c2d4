"""Expressions: units, symbolic models over named values, text that states them, draws, predictions."""
