"""How right forecasts are on series of real measurements, beside Extra-P and a rule of one line.

    python -m benchmarks.real_series FOLDER [--tasks FILE.json] [--out FILE.md] [--picture FILE.png]
    python -m benchmarks.real_series FOLDER --learn

FOLDER holds one JSON file per series; see `series.read_tasks`. The rule goes on from the last value with the
slope of the last three points in logarithms, cut to -0.5 .. 1.5. The first run installs Extra-P into build/.
"""

import argparse
from pathlib import Path

from benchmarks.real_series.forecasts import outcome
from benchmarks.real_series.learn import learning
from benchmarks.real_series.picture import draw
from benchmarks.real_series.series import read_tasks
from benchmarks.real_series.table import table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", type=Path, help="what to forecast; default: the largest scales")
    parser.add_argument("--out", type=Path, help="also write the table here")
    parser.add_argument("--picture", type=Path, help="draw predicted over measured totals here")
    parser.add_argument("--learn", action="store_true", help="show how the learned numbers were chosen")
    given = parser.parse_args()
    tasks = read_tasks(given.folder, given.tasks)
    if given.learn:
        lines = list(learning(tasks))
    else:
        outcomes = [outcome(task) for task in tasks]
        lines = list(table(outcomes))
        if given.picture is not None:
            draw(outcomes, given.picture)
    print("\n".join(lines))
    if given.out is not None:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
