"""TAU and Caliper profiles: our readers beside Hatchet's.

    python -m benchmarks.reading_hatchet [PATH ...] [--rounds 5] [--callpaths 500 5000] [--ranks 64]
                                         [--seconds 120] [--out FILE.md]

A round reads a set with Hatchet and then with ours, each in a process of its own, and gives one ratio of the
processor times, each the least of up to five runs; starting Python and importing modules do not count. A PATH
is a folder of TAU's text profiles, a packed one (.ppk) or a Caliper file (.cali). Where Hatchet fails or is
stopped it is not run again.
Totals are compared too: the sum of the times over all call paths and locations.
"""

import argparse
import os
import platform
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.reading_hatchet.environment import VERSION
from benchmarks.reading_hatchet.reading import Failure, Reading, agreement, read
from benchmarks.reading_hatchet.sets import write_caliper, write_tau

TINY = (10, 2)
SMALL = (100, 4)
MIB = 1 << 20

Round = tuple[Reading | Failure, Reading | Failure]  # Hatchet, ours


def main() -> None:
    """Measure all sets and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--callpaths", type=int, nargs="*", default=[500, 5000], help="of the synthetic sets")
    parser.add_argument("--ranks", type=int, default=64, help="of the synthetic sets")
    parser.add_argument("--seconds", type=float, default=120, help="of processor time for one reading")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = [SMALL, *((callpaths, given.ranks) for callpaths in given.callpaths)]
        lines = []
        for line in report(given.paths, sizes, Path(folder), given.rounds, given.seconds):
            print(line, flush=True)
            lines.append(line)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(
    paths: Sequence[Path], sizes: Sequence[tuple[int, int]], folder: Path, rounds: int, seconds: float
) -> Iterator[str]:
    """Measure one set after the other."""
    tau, caliper = write_tau(folder / "tau", *TINY), write_caliper(folder / "tiny.cali", *TINY)
    versions = []
    for side in ("hatchet", "ours"):
        tiny = read(side, caliper, caliper, seconds)
        versions.append(tiny.versions if isinstance(tiny, Reading) else tiny.message)
    load = os.getloadavg()[0]
    yield (
        f"{os.cpu_count()} cores, load {load:.1f} before; Python {platform.python_version()};"
        f" Hatchet {VERSION} with {versions[0]}; ours with {versions[1]}.\n"
    )
    yield (
        "| set | call paths x locations | rounds | Hatchet, s | ours, s | Hatchet / ours (range)"
        " | memory, MiB: Hatchet, ours | totals |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---|"
    for name, path in _sets(paths, sizes, folder):
        warm = caliper if path.suffix == ".cali" else tau
        yield row(name, measure(path, warm, rounds, seconds))
    yield f"\nLoad {os.getloadavg()[0]:.1f} after."


def _sets(
    paths: Sequence[Path], sizes: Sequence[tuple[int, int]], folder: Path
) -> Iterator[tuple[str, Path]]:
    for path in paths:
        yield path.name, path
    for size in sizes:
        shape = " x ".join(map(str, size))
        yield "TAU, synthetic", write_tau(folder / shape, *size)
        yield "Caliper, synthetic", write_caliper(folder / f"{shape}.cali", *size)


def measure(path: Path, warm: Path, rounds: int, seconds: float) -> list[Round]:
    """Run both sides, one after the other; where Hatchet has failed it is not run again."""
    done: list[Round] = []
    peer: Reading | Failure | None = None
    for _ in range(rounds):
        if not isinstance(peer, Failure):
            peer = read("hatchet", warm, path, seconds)
        done.append((peer, read("ours", warm, path, seconds)))
    return done


def row(name: str, rounds: Sequence[Round]) -> str:
    """Return medians, and the ratios with their range."""
    peers, own = (list(column) for column in zip(*rounds, strict=True))
    failed = next((side for side in own if isinstance(side, Failure)), None)
    if failed:
        return f"| {name} | | {len(rounds)} | {seconds_text(peers)} | {failed.message} | | | |"
    ours = [side for side in own if isinstance(side, Reading)]
    size = f"{ours[0].callpaths} x {ours[0].locations}"
    cells = (name, size, str(len(rounds)), seconds_text(peers), seconds_text(own), ratio_text(peers, ours))
    memory = ", ".join(map(memory_text, (peers, own)))
    return f"| {' | '.join(cells)} | {memory} | {agreement(peers[0], ours[0])} |"


def seconds_text(sides: Sequence[Reading | Failure]) -> str:
    """Return the median, or why there is none."""
    failed = [side.message for side in sides if isinstance(side, Failure)]
    return failed[0] if failed else f"{statistics.median(side.seconds for side in sides):.3g}"


def memory_text(sides: Sequence[Reading | Failure]) -> str:
    """Return the median of the peaks in MiB."""
    known = [side.memory for side in sides if isinstance(side, Reading)]
    return f"{statistics.median(known) / MIB:.1f}" if known else "?"


def ratio_text(peers: Sequence[Reading | Failure], ours: Sequence[Reading]) -> str:
    """Return the median ratio and its range; the least where Hatchet was stopped."""
    ratios = [peer.seconds / own.seconds for peer, own in zip(peers, ours, strict=True) if peer.seconds]
    if not ratios:
        return ""
    if any(isinstance(peer, Failure) for peer in peers):
        return f"more than {min(ratios):.1f}"
    return f"{statistics.median(ratios):.1f} ({min(ratios):.1f} .. {max(ratios):.1f})"


if __name__ == "__main__":
    main()
