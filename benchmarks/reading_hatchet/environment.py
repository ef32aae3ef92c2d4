"""Hatchet in an environment of its own, since it needs an older pandas than ours."""

from pathlib import Path

from benchmarks.environments import interpreter_with

VERSION = "2026.2.0"
REQUIREMENTS = (f"llnl-hatchet=={VERSION}", "caliper-reader==0.4.1")


def interpreter() -> Path:
    """Return the interpreter of the environment, making it and installing Hatchet at the first call."""
    return interpreter_with(f"hatchet-{VERSION}", *REQUIREMENTS)
