"""The command line: reads options, calls the stages, prints results and sets the exit code."""

import sys
from importlib.util import find_spec
from pathlib import Path

from pipeline.wording.exit_codes import ExitCode

__all__ = ["main"]

_NEIGHBOURS = ("ingest", "filters")
_ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the command line: exit code 130 and one line after Ctrl-C, 70 and a report for what nobody foresaw.

    The packages beside `pipeline` have common names: if another distribution has replaced one of them, one
    line says so.
    """
    for name in _NEIGHBOURS:
        found = find_spec(name)
        place = Path(found.origin).resolve().parents[1] if found and found.origin else None
        if place != _ROOT:
            what = f"belongs to another program ({place})" if place else "is missing"
            hint = "install with `pipx install`, apart from other packages"
            print(f"pipeline: the package '{name}' {what}; {hint}", file=sys.stderr)
            sys.exit(ExitCode.BAD_INPUT)
    try:
        from pipeline.cli.app import run_app

        run_app()
    except KeyboardInterrupt:
        print("pipeline: interrupted", file=sys.stderr)
        sys.exit(ExitCode.INTERRUPTED)
    except Exception as error:
        from pipeline.cli.crash import crash_line
        from pipeline.cli.output import show_notice

        show_notice(crash_line(error))
        sys.exit(ExitCode.CRASHED)
