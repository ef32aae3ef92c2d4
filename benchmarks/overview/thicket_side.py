"""Compose Caliper files with Thicket and take means and deviations of every node: what its users begin with.

    python thicket_side.py FOLDER OUT.csv

Runs in Thicket's environment.
"""

import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    folder, out = map(Path, sys.argv[1:])
    thicket = import_module("thicket")
    files = sorted(map(str, folder.rglob("*.cali")))
    whole = thicket.Thicket.from_caliperreader(files, disable_tqdm=True)
    columns = list(whole.dataframe.select_dtypes("number").columns)
    for statistic in (thicket.stats.mean, thicket.stats.std):
        statistic(whole, columns=columns)
    whole.statsframe.dataframe.to_csv(out)


if __name__ == "__main__":
    main()
