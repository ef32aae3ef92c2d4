"""Reading `.cubex` profiles: our reader, pycubexr, and the least the bytes themselves cost.

    python -m benchmarks.reading [PROFILE.cubex ...] [--rounds N] [--callpaths N] [--locations N]

Every round runs both readers one after the other and gives one ratio; the table shows the median ratio and
its range, so that what else the machine does meanwhile hits both.
"""

import argparse
import gc
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pycubexr import CubexParser

from ingest.readers.cubex import fixed_form
from ingest.readers.cubex.cubex_profile import CubexValues, read
from ingest.readers.cubex.stored_rows import open_container
from ingest.reading import packed
from tests.cubex_writer import MetricSpec, RegionSpec, write_cubex

METRICS = ("time", "visits")


def read_ours(path: Path) -> None:
    """Open a profile and take both metrics, inclusive and exclusive."""
    getattr(fixed_form, "_last_program").cache_clear()  # noqa: B009  # each run reads it anew
    profile = read(path)
    for name in METRICS:
        profile.values(name, inclusive=True)
        profile.values(name, inclusive=False)


def read_peer(path: Path) -> None:
    """Do the same with pycubexr, which gives the values of one call path at a time."""
    with CubexParser(str(path)) as cubex:
        for name in METRICS:
            values = cubex.get_metric_values(cubex.get_metric_by_name(name))
            for cnode in cubex.all_cnodes():
                values.cnode_values(cnode, convert_to_inclusive=True)
                values.cnode_values(cnode, convert_to_exclusive=True)


def load_ours(path: Path) -> None:
    """Take the stored values of both metrics block by block, as the reduction over locations does."""
    getattr(fixed_form, "_last_program").cache_clear()  # noqa: B009
    profile = read(path)
    assert isinstance(profile.load, CubexValues)
    for name in METRICS:
        for _ in profile.load.blocks(profile.metric(name), 64):
            pass


def stored_bytes(path: Path) -> Callable[[], None]:
    """Return what reading cannot do without: inflating every row, or copying every value, and no more."""
    container = open_container(path)
    decompress = getattr(packed, "_zlib").decompress  # noqa: B009  # the very library our reader uses

    def run() -> None:
        for number in range(len(METRICS)):
            (body,) = container.views(f"{number}.data")
            if body[:1] != b"Z":
                np.frombuffer(body, "u1", offset=10).copy()
                continue
            rows = int.from_bytes(body[11:19], "little")
            table = np.frombuffer(body, "<u8", 3 * rows, 19).reshape(-1, 3)
            base = 19 + 24 * rows
            for start, size in table[:, 1:].tolist():
                decompress(body[base + start : base + start + size])

    return run


def seconds(work: Callable[[], None], runs: int) -> float:
    """Return the least CPU time of some runs: both readers use one core, whatever else the machine does."""
    gc.collect()  # what the other reader left behind is not ours to tidy up
    taken = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def compare(
    title: str, ours: Callable[[], None], other: Callable[[], None], label: str, rounds: int, runs: int
) -> None:
    """Print one line of the table."""
    pairs = [(seconds(ours, runs), seconds(other, runs)) for _ in range(rounds)]
    ratios = sorted(b / a for a, b in pairs)
    mine, theirs = (statistics.median(column) * 1e3 for column in zip(*pairs, strict=True))
    spread = f"{ratios[0]:.2f} .. {ratios[-1]:.2f}"
    ratio = f"{statistics.median(ratios):.2f}"
    print(f"| {title} | {label} | {mine:.1f} | {theirs:.1f} | {ratio} | {spread} | {rounds} |", flush=True)


def synthetic(path: Path, callpaths: int, locations: int, *, compressed: bool) -> Path:
    """Write a profile with times of full precision and visits as programs have them."""
    random = np.random.default_rng(1)
    parent, open_calls = [-1], [0]
    for node in range(1, callpaths):
        while len(open_calls) > 1 and random.random() < 0.5:
            open_calls.pop()
        parent.append(open_calls[-1])
        open_calls.append(node)
    visits = random.integers(1, 10**6, (callpaths, 1)) + (random.random((callpaths, locations)) < 0.1)
    seconds_per_visit = random.lognormal(-12, 2, (callpaths, 1))
    spent = visits * seconds_per_visit * random.normal(1, 0.05, (callpaths, locations))
    inclusive = spent.copy()
    for node in range(callpaths - 1, 0, -1):
        inclusive[parent[node]] += inclusive[node]
    metrics = [
        MetricSpec("time", inclusive, kind="INCLUSIVE"),
        MetricSpec("visits", visits, dtype="UINT64", unit="occ"),
    ]
    regions = [
        RegionSpec(f"void app::kernel<{i}>(double*, int)", f"_Z3app{i}", "compiler") for i in range(500)
    ]
    callee = [int(i) for i in random.integers(0, 500, callpaths)]
    return write_cubex(
        path, parent=parent, metrics=metrics, regions=regions, callee=callee, compressed=compressed
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__.split("\n")[0])
    parser.add_argument("profiles", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--large-rounds", type=int, default=3)
    parser.add_argument("--callpaths", type=int, default=5000)
    parser.add_argument("--locations", type=int, default=1024)
    options = parser.parse_args()
    library = "zlib" if getattr(packed, "_zlib") is zlib else "isal"  # noqa: B009
    print(f"inflating with {library}\n")
    print("| profile | beside | ours, ms | other, ms | other / ours | range | rounds |")
    print("|---|---|---|---|---|---|---|")
    for path in options.profiles:
        title = f"{path.parent.name}/{path.name}"
        compare(
            title, lambda p=path: read_ours(p), lambda p=path: read_peer(p), "pycubexr", options.rounds, 5
        )
    with tempfile.TemporaryDirectory() as folder:
        for compressed in (False, True):
            form = "compressed" if compressed else "raw"
            path = synthetic(
                Path(folder, f"{form}.cubex"), options.callpaths, options.locations, compressed=compressed
            )
            title = f"synthetic {options.callpaths} x {options.locations} {form}"
            least = stored_bytes(path)
            label = "inflating alone" if compressed else "copying alone"
            compare(title, lambda p=path: load_ours(p), least, label, options.large_rounds, 1)
            compare(
                title,
                lambda p=path: read_ours(p),
                lambda p=path: read_peer(p),
                "pycubexr",
                options.large_rounds,
                1,
            )


if __name__ == "__main__":
    main()
