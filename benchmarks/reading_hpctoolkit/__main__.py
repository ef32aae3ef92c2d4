"""Reading databases of HPCToolkit since 2022: seconds and MB/s of a database that is made here.

    python -m benchmarks.reading_hpctoolkit [--profiles 2000] [--contexts 20000] [--samples 210]

`read` makes the profile, with all values; `reduce` then sums time over locations block by block, as every
command does; `bytes` only copies the files into memory. The least processor time of several rounds is
shown.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ingest.readers.hpctoolkit import read
from ingest.reduction import reduce_profile
from tests.ingest.readers.hpctoolkit_meta_files import (
    ENTRY,
    EXECUTION,
    FUNCTION,
    FUNCTION_SCOPE,
    LEX_AWARE,
    LINE,
    POINT,
    Context,
    meta_bytes,
    profile_bytes,
)

METRIC = "CPUTIME (sec)"
FUNCTIONS = 3000


def call_tree(contexts: int, rng: np.random.Generator) -> list[Context]:
    """Return functions with a line each, called from random lines of those before."""
    found = [Context(kind=ENTRY, name="main thread")]
    while len(found) < contexts:
        functions = len(found) // 2
        caller = 1 + 2 * int(rng.integers(functions)) + 1 if functions else 0
        line = 10 * (functions % FUNCTIONS)
        name = f"function_{functions % FUNCTIONS}"
        found.append(
            Context(kind=FUNCTION, parent=caller + 1, name=name, file="a.cpp", line=line + 1, relation=1)
        )
        found.append(Context(kind=LINE, parent=len(found), file="a.cpp", line=line + 2))
    return found


def levels_of(parent: np.ndarray) -> list[np.ndarray]:
    """Return the contexts of each depth below the first, the deepest first."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for i in range(1, len(parent)):
        depth[i] = depth[parent[i]] + 1
    return [np.flatnonzero(depth == of) for of in range(int(depth.max()), 0, -1)]


def profile_of(parent, levels, samples: int, rng: np.random.Generator):
    """Return context, metric and value of the values of a thread in all scopes, sorted."""
    lines = np.unique(2 * rng.integers(1, len(parent) // 2, samples))
    point = rng.integers(1, 40, len(lines)) * 0.005
    inclusive = np.zeros(len(parent))
    inclusive[lines] = point
    for level in levels:
        np.add.at(inclusive, parent[level], inclusive[level])
    reached = np.flatnonzero(inclusive)
    own = np.concatenate([lines, lines - 1])  # a line, and the function around it
    twice = np.concatenate([point, point])
    context = np.concatenate([lines, own, own, reached, [-1]]) + 1
    scopes = (POINT, FUNCTION_SCOPE, LEX_AWARE, EXECUTION, EXECUTION)
    metric = np.repeat(scopes, [len(lines), len(own), len(own), len(reached), 1])
    value = np.concatenate([point, twice, twice, inclusive[reached], [point.sum()]])
    order = np.lexsort((metric, context))
    return context[order], metric[order], value[order]


def write(folder: Path, profiles: int, contexts: int, samples: int) -> int:
    """Write a database, and return the number of its values."""
    rng = np.random.default_rng(7)
    tree = call_tree(contexts, rng)
    parent = np.array([max(context.parent - 1, 0) for context in tree])
    levels = levels_of(parent)
    (folder / "meta.db").write_bytes(meta_bytes(tree, [METRIC]))
    found = [
        ({"NODE": 1, "RANK": rank, "THREAD": 0}, profile_of(parent, levels, samples, rng))
        for rank in range(profiles)
    ]
    total = sum(value[0] for _, (_, _, value) in found)
    summary = np.array([0]), np.array([EXECUTION]), np.array([total])
    (folder / "profile.db").write_bytes(profile_bytes([({}, summary), *found]))
    return sum(len(value) for _, (_, _, value) in found)


def shortest(rounds: int, call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--profiles", type=int, default=2000)
    parser.add_argument("--contexts", type=int, default=20_000)
    parser.add_argument("--samples", type=int, default=210, help="of each thread")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = write(folder, options.profiles, options.contexts, options.samples)
        size = sum(file.stat().st_size for file in folder.iterdir())
        profile = read(folder)
        print(
            f"{values} values of {options.profiles} threads, {options.contexts} contexts, {size / 1e6:.0f} MB"
        )
        for what, call in {
            "read": lambda: read(folder),
            "reduce": lambda: reduce_profile(profile, ["time"]),
            "bytes": lambda: [file.read_bytes() for file in folder.iterdir()],
        }.items():
            seconds = shortest(options.rounds, call)
            rates = f"{size / 1e6 / seconds:7.0f} MB/s {values / 1e6 / seconds:6.1f} M values/s"
            print(f"{what:7} {seconds:6.2f} s {rates}")


if __name__ == "__main__":
    main()
