"""The command line: reads options, calls the stages, prints results and sets the exit code."""

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["main"]

NEIGHBOURS = ("ingest", "filters")
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the command line.

    The packages beside `pipeline` have common names: where another distribution has put one of the same name
    in their place, that is said in one line.
    """
    for name in NEIGHBOURS:
        found = find_spec(name)
        place = Path(found.origin).resolve().parents[1] if found and found.origin else None
        if place != ROOT:
            what = (
                f"the package '{name}' in {place} is not ours"
                if place
                else f"the package '{name}' is missing"
            )
            print(
                f"pipeline: {what}; install with `pipx install`, apart from other packages", file=sys.stderr
            )
            sys.exit(2)
    from pipeline.cli.app import run_app

    run_app()
