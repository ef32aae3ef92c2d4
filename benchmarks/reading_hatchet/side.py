"""Read one profile with one side's readers; what that took and gave is printed as JSON.

    python -m benchmarks.reading_hatchet.side {ours,hatchet} WARM PATH --seconds N

Runs in either side's environment. WARM is a tiny profile of the same format, read first, so that modules
which are imported while reading do not count. Memory is what /proc tells, so this needs Linux.
"""

import argparse
import gc
import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

LONG_ENOUGH = 1.0  # seconds of processor time after which a reading is not repeated
MOST_RUNS = 5
EVERY = 0.5  # seconds between looks at the clock
# What Hatchet calls the sum over processes where a file has inclusive times only.
INCLUSIVE = ("time (inc)", "sum#inclusive#sum#time.duration")
MICROSECOND = 1e-6
LIBRARIES = ("numpy", "pandas", "caliper-reader")

Read = Callable[[Path], Any]
Tell = Callable[[Any, Path], dict[str, Any]]


def ours() -> tuple[Read, Tell]:
    """Return reading with all metrics, exclusive and inclusive, and what to tell of the result."""
    from ingest.readers import read_profile
    from ingest.readers.caliper.caliper_profile import OUTSIDE

    def read(path: Path) -> Any:
        profile = read_profile(path)
        exclusive = {metric.name: profile.values(metric.name) for metric in profile.metrics}
        inclusive = {metric.name: profile.values(metric.name, inclusive=True) for metric in profile.metrics}
        return profile, exclusive, inclusive

    def tell(result: Any, path: Path) -> dict[str, Any]:
        profile, exclusive, inclusive = result
        outside = [profile.regions.name[region] == OUTSIDE for region in profile.tree.region]
        return {
            "exclusive": float(exclusive["time"].sum()),
            "inclusive": float(inclusive["time"].sum()),
            "outside": float(exclusive["time"][outside].sum()),
            "callpaths": len(profile.tree),
            "locations": len(profile.locations),
            "versions": {name: version(name) for name in LIBRARIES},
        }

    return read, tell


def hatchet() -> tuple[Read, Tell]:
    """Return reading into a GraphFrame, and what to tell of it."""
    frame = import_module("hatchet").GraphFrame

    def read(path: Path) -> Any:
        if path.suffix == ".cali":
            return frame.from_caliperreader(str(path), native=True)
        return frame.from_tau(str(path))

    def tell(result: Any, path: Path) -> dict[str, Any]:
        columns = result.dataframe
        scale = 1.0 if path.suffix == ".cali" else MICROSECOND
        inclusive = next((name for name in INCLUSIVE if name in columns), None)
        return {
            "exclusive": float(columns["time"].sum()) * scale if "time" in columns else None,
            "inclusive": float(columns[inclusive].sum()) * scale if inclusive else None,
            "outside": 0.0,
            "callpaths": len(result.graph),
            "locations": 0,  # some of its indices do not tell
            "versions": {name: version(name) for name in LIBRARIES},
        }

    return read, tell


def resident(what: str) -> int:
    """Return VmRSS or VmHWM (the peak) of this process in bytes."""
    found = re.search(rf"^{what}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def limit(seconds: float) -> None:
    """End this process after so much more processor time.

    A limit set in the system (RLIMIT_CPU) would have the clock of the process move by whole ticks only.
    """
    until = time.process_time() + seconds

    def watch() -> None:
        while time.process_time() < until:
            time.sleep(EVERY)
        os.kill(os.getpid(), signal.SIGXCPU)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("side", choices=("ours", "hatchet"))
    parser.add_argument("warm", type=Path)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args()
    read, tell = ours() if given.side == "ours" else hatchet()
    read(given.warm)
    limit(given.seconds)
    taken: list[float] = []
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = resident("VmRSS")
    while sum(taken) < LONG_ENOUGH and len(taken) < MOST_RUNS:
        start = time.process_time()
        result = read(given.path)
        taken.append(time.process_time() - start)
        if len(taken) == 1:
            memory = resident("VmHWM") - before
            told = tell(result, given.path)
        del result
        gc.collect()  # what one run leaves behind is not the next one's to tidy up
    print(json.dumps({"seconds": min(taken), "memory": memory, **told}))


if __name__ == "__main__":
    main()
