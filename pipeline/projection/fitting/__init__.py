"""Measurements from files, and formulas fitted to them with joint draws of their parameters."""
