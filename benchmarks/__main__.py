"""Run the benchmarks one after the other: ``python -m benchmarks [NAME ...]``.

Each is a module of its own with options of its own (``python -m benchmarks.reading --help``); without names
those that need minutes rather than hours are run. Extra-P is installed into an environment of its own under
``build/``.
"""

import subprocess
import sys
from pathlib import Path

SAMPLES = sorted(str(path) for path in Path("sample_profiles/hpcg-strong").glob("hpcg.p*.r1/profile.cubex"))
RUNS = {
    "reading": SAMPLES,
    "reading_hpctoolkit": [],
    "reading_hatchet": ["--rounds", "3", "--seconds", "60"],
    "modelling": [],
    "modelling_several": [],
    "accuracy": [],
    "adaptive": ["--trials", "40"],
    "gate": [],
    "history": [],
    "overhead": ["compare", "build/overhead"],
    "whole": ["sample_profiles/hpcg-strong"],
    "campaign": ["--callpaths", "2000", "--locations", "256", "--no-growth"],
}


def main() -> None:
    """Run the benchmarks named on the command line, all of them where none is."""
    names = sys.argv[1:] or list(RUNS)
    for name in names:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", *RUNS.get(name, [])]
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"the benchmark {name} failed")


if __name__ == "__main__":
    main()
