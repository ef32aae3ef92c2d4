"""The command line: reads options, calls the stages, prints results and sets the exit code."""

from pipeline.cli.app import main

__all__ = ["main"]
