"""What measuring does to programs whose tiny functions are all instrumented, with the plain times known.

    python -m benchmarks.overhead measure OUT [--programs NAME ...] [--repetitions 3] [--timer clock|tsc]
    python -m benchmarks.overhead figures OUT [--lulesh FOLDER]
    python -m benchmarks.overhead compare OUT [--lulesh FOLDER]
    python -m benchmarks.overhead learn OUT [--lulesh FOLDER]
    python -m benchmarks.overhead dilations OUT
    python -m benchmarks.overhead hooks [--programs NAME ...] [--repetitions 3]

`figures`, `compare`, `learn` and `dilations` measure first if OUT does not exist.
"""

import argparse
from pathlib import Path

from benchmarks.overhead.compare import compare
from benchmarks.overhead.dilations import dilations
from benchmarks.overhead.figures import show
from benchmarks.overhead.hooks import hooks
from benchmarks.overhead.learn import learn
from benchmarks.overhead.measure import measure
from benchmarks.overhead.programs import PROGRAMS

REPETITIONS = 3


def main() -> None:
    options = _parser().parse_args()
    if options.command in {"measure", "hooks"}:
        chosen = [program for program in PROGRAMS if program.name in options.programs]
    if options.command == "hooks":
        hooks(chosen, options.repetitions)
        return
    if options.command == "measure":
        measure(chosen, options.out, options.repetitions, options.timer)
        return
    if not options.out.exists():
        measure(PROGRAMS, options.out, REPETITIONS, "clock")
    commands = {"figures": show, "compare": compare, "learn": learn, "dilations": dilations}
    commands[options.command](options.out, options.lulesh)


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    commands = parser.add_subparsers(dest="command", required=True)
    names = [program.name for program in PROGRAMS]
    measuring = commands.add_parser("measure", help="compile and run all programs: about 15 minutes")
    measuring.add_argument("out", type=Path)
    rejecting = commands.add_parser("hooks", help="measure what visits cost that a filter rejects")
    for command in (measuring, rejecting):
        command.add_argument("--programs", nargs="+", choices=names, default=names)
        command.add_argument("--repetitions", type=int, default=REPETITIONS)
    measuring.add_argument("--timer", choices=("clock", "tsc"), default="clock")
    for name, what in (
        ("figures", "where the cost shows in profiles"),
        ("compare", "test the estimator"),
        ("learn", "find the numbers that it has learned"),
        ("dilations", "test what filters at compile time are predicted to cost"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("out", type=Path)
        command.add_argument("--lulesh", type=Path, help="folder with full/ and plain-times.txt")
    return parser


if __name__ == "__main__":
    main()
