"""What measuring does to programs whose tiny functions are all instrumented, with the plain times known.

    python -m benchmarks.overhead measure OUT [--programs NAME ...] [--repetitions 3] [--timer clock|tsc]
    python -m benchmarks.overhead figures OUT [--lulesh FOLDER]
    python -m benchmarks.overhead compare OUT [--lulesh FOLDER]
"""

import argparse
from pathlib import Path

from benchmarks.overhead.programs import PROGRAMS


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("measure", "figures", "compare"):
        command = commands.add_parser(name)
        command.add_argument("out", type=Path)
        if name == "measure":
            names = [program.name for program in PROGRAMS]
            command.add_argument("--programs", nargs="+", choices=names, default=names)
            command.add_argument("--repetitions", type=int, default=3)
            command.add_argument("--timer", choices=("clock", "tsc"), default="clock")
        else:
            command.add_argument("--lulesh", type=Path, help="folder with full/ and plain-times.txt")
    options = parser.parse_args()
    if options.command == "measure":
        from benchmarks.overhead.measure import measure

        chosen = [program for program in PROGRAMS if program.name in options.programs]
        measure(chosen, options.out, options.repetitions, options.timer)
    elif options.command == "figures":
        from benchmarks.overhead.figures import show

        show(options.out, options.lulesh)
    else:
        from benchmarks.overhead.compare import compare

        compare(options.out, options.lulesh)


if __name__ == "__main__":
    main()
