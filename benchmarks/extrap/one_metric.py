"""Run in Extra-P's environment as ``one_metric.py METRIC OPTION...``: its command line, reading one metric.

Its reader can be told which metrics to read, its command line has no option for that.
"""

import sys

from extrap.extrap.extrapcmd import main
from extrap.fileio.file_reader.cube_file_reader2 import CubeFileReader2

if __name__ == "__main__":
    CubeFileReader2.selected_metrics = [sys.argv[1]]
    main(sys.argv[2:])
