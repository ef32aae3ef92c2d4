"""From a directory of `.cubex` files to models: `pipeline model` and `run` beside Extra-P's command line.

    python -m benchmarks.whole [DIR ...] [--rounds 5] [--callpaths 2000] [--locations 4] [--compressed]
                               [--synthetic-rounds 1] [--seconds 1200] [--out FILE.md]

Processes are started anew each time and their start counts. A round runs Extra-P, Extra-P reading time alone,
and ours, one after the other, and gives one ratio each of the wall times.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.campaign.synthetic import Shape, write_campaign
from benchmarks.extrap.environment import VERSION
from benchmarks.whole.commands import Cost, cost, extrap, extrap_one_metric, our_models, ours

LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow", "typer")
POINTS, REPETITIONS = 6, 5


@dataclass(frozen=True)
class Round:
    """What each side took, and how many models it made."""

    peer: Cost
    peer_one_metric: Cost
    own_models_alone: Cost
    own: Cost
    peer_models: int
    own_models: int


def main() -> None:
    """Measure all sets and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directories", metavar="DIR", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--callpaths", type=int, default=2000, help="of the synthetic set; 0 leaves it out")
    parser.add_argument("--locations", type=int, default=4, help="of the synthetic set")
    parser.add_argument("--compressed", action="store_true", help="the synthetic set")
    parser.add_argument("--synthetic-rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1200, help="after which a command is stopped")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = [(path, path.resolve().name, given.rounds) for path in given.directories]
        if given.callpaths:
            shape = Shape(
                given.callpaths,
                given.locations,
                POINTS,
                REPETITIONS,
                compressed=given.compressed,
                a_region_each=True,
            )
            name = (
                f"synthetic, {given.callpaths} call paths x {POINTS} points x {REPETITIONS} repetitions,"
                f" {given.locations} locations{', compressed' if given.compressed else ''}"
            )
            write_campaign(Path(folder) / "synthetic", shape)
            sets.append((Path(folder) / "synthetic", name, given.synthetic_rounds))
        lines = list(report(sets, Path(folder), given.seconds))
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(sets: Sequence[tuple[Path, str, int]], folder: Path, seconds: float) -> Iterator[str]:
    """Measure one set after the other; lines are printed as soon as they are known."""
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    head = (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; Python {platform.python_version()},"
        f" {versions}; Extra-P {VERSION}.\n",
        "| set | rounds | Extra-P, s (processor) | time alone | `pipeline model` | `pipeline run`"
        " | Extra-P / model | Extra-P / run | time alone / model | models: Extra-P, ours |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    )
    for line in head:
        print(line, flush=True)
        yield line
    for path, name, rounds in sets:
        cost(ours(path, folder / "warm"), seconds)  # files and modules are in memory from here on
        shutil.rmtree(folder / "warm")
        line = row(name, [measure(path, folder, seconds) for _ in range(rounds)])
        print(line, flush=True)
        yield line


def measure(path: Path, folder: Path, seconds: float) -> Round:
    """Run all three on one set, with nothing left of the round before."""
    text, out = folder / "models.txt", folder / "out"
    alone = cost(extrap_one_metric(path, text), seconds)
    text.unlink(missing_ok=True)
    peer = cost(extrap(path, text), seconds)
    models_alone = cost(our_models(path, folder / "models.json"), seconds)
    own = cost(ours(path, out), seconds)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    models = len(text.read_text(encoding="utf-8").splitlines()) if peer.whole else 0
    shutil.rmtree(out)
    return Round(peer, alone, models_alone, own, models, len(summary["kernels"]) + len(summary["regions"]))


def row(name: str, rounds: Sequence[Round]) -> str:
    """Return medians, and the ratios with their range."""
    names = ("peer", "peer_one_metric", "own_models_alone", "own")
    peer, alone, model, run = ([getattr(one, side) for one in rounds] for side in names)
    sides = " | ".join(map(seconds_text, (peer, alone, model, run)))
    models = f"{rounds[0].peer_models}, {rounds[0].own_models}"
    ratios = " | ".join(ratio_text(*pair) for pair in ((peer, model), (peer, run), (alone, model)))
    return f"| {name} | {len(rounds)} | {sides} | {ratios} | {models} |"


def seconds_text(costs: Sequence[Cost]) -> str:
    """Return the medians of wall and processor time."""
    more = "" if all(one.whole for one in costs) else "more than "
    wall, processor = (statistics.median(getattr(c, kind) for c in costs) for kind in ("wall", "processor"))
    return f"{more}{wall:.2f} ({processor:.2f})"


def ratio_text(peer: Sequence[Cost], own: Sequence[Cost]) -> str:
    """Return the median ratio of the wall times, and its range."""
    more = "" if all(one.whole for one in peer) else "more than "
    ratios = [a.wall / b.wall for a, b in zip(peer, own, strict=True)]
    spread = f" ({min(ratios):.1f} .. {max(ratios):.1f})" if len(ratios) > 1 else ""
    return f"{more}{statistics.median(ratios):.1f}{spread}"


if __name__ == "__main__":
    main()
