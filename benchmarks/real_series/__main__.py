"""How right forecasts are on series of real measurements, beside Extra-P and a rule of one line.

    python -m benchmarks.real_series FOLDER ... [--out FILE.md] [--picture FILE.png] [--calibration FILE.svg]
    python -m benchmarks.real_series FOLDER ... --learn [trend.HALF_LIFE ...]

A folder holds one JSON file per series; see `series.read_tasks`. The rule goes on from the last value with
the slope of the last three points in logarithms, cut to -0.5 .. 1.5; with several parameters it is a plane.
The first run installs Extra-P into build/.
"""

import argparse
import os
from pathlib import Path

from benchmarks.extrap.environment import interpreter
from benchmarks.real_series.forecasts import outcomes
from benchmarks.real_series.learn import CONSTANTS, learning
from benchmarks.real_series.picture import draw, draw_calibration
from benchmarks.real_series.series import read_tasks
from benchmarks.real_series.table import tables


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--out", type=Path, help="also write the tables here")
    parser.add_argument("--picture", type=Path, help="draw predicted over measured totals here")
    parser.add_argument("--calibration", type=Path, help="draw how often intervals of each level hold here")
    parser.add_argument(
        "--no-extrap", action="store_true", help="without Extra-P, which takes most of the time"
    )
    parser.add_argument(
        "--learn", nargs="*", metavar="CONSTANT", help="show how learned constants were chosen"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes; default: all cores")
    given = parser.parse_args()
    tasks = [task for folder in given.folders for task in read_tasks(folder)]
    if given.learn is not None:
        wanted = given.learn or [constant.name for constant in CONSTANTS]
        lines = list(learning(tasks, given.jobs, [c for c in CONSTANTS if c.name in wanted]))
    else:
        if not given.no_extrap:
            interpreter()
        found = outcomes(tasks, given.jobs, with_extrap=not given.no_extrap)
        lines = list(tables(found))
        if given.picture is not None:
            draw([o for o in found if len(o.task.parameters) == 1], given.picture)
        if given.calibration is not None:
            draw_calibration(found, given.calibration)
    print("\n".join(lines))
    if given.out is not None:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
