"""A whole campaign through `pipeline run`: time, memory, one profile added, nothing changed, growth.

    python -m benchmarks.campaign [--callpaths N] [--locations N] [--points N] [--repetitions N]
                                  [--folder DIR] [--no-growth]
    python -m benchmarks.campaign --limits [--folder DIR]

The full size (30 profiles x 20 000 call paths x 1024 locations, 9.8 GB raw) takes about 5 GB below --folder
and is removed at the end. --limits measures call chains up to 10 000 deep and 200 000 call paths instead.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

from benchmarks.campaign.growth import measure_growth
from benchmarks.campaign.limits import measure_limits
from benchmarks.campaign.measure import Cost, run_pipeline
from benchmarks.campaign.synthetic import Shape, write_campaign

JOBS = 2


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in {"callpaths": 20_000, "locations": 1024, "points": 6, "repetitions": 5}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--limits", action="store_true")
    given = parser.parse_args()
    if given.limits:
        print(
            "| study | wall s | processor s | memory MiB | page MB | summary MB |\n|---|---|---|---|---|---|"
        )
        for limit in measure_limits(given.folder):
            print(limit, flush=True)
        return
    shape = Shape(given.callpaths, given.locations, given.points, given.repetitions)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        measure_campaign(Path(folder), shape)
    if not given.no_growth:
        print(
            "\n| cost against | sizes | processor seconds | slope | slope of the last two |\n"
            "|---|---|---|---|---|"
        )
        for found in measure_growth():
            seconds = ", ".join(f"{value:.2f}" for value in found.seconds)
            sizes = ", ".join(map(str, found.sizes))
            print(
                f"| {found.dimension} | {sizes} | {seconds} | {found.slope:.2f} | {found.last:.2f} |",
                flush=True,
            )


def measure_campaign(folder: Path, shape: Shape) -> None:
    """Run a campaign, run it with one profile more, and run it with nothing changed."""
    campaign, out = folder / "campaign", folder / "out"
    size = write_campaign(campaign, shape)
    profiles = shape.points * shape.repetitions
    print(
        f"{profiles} profiles x {shape.callpaths} call paths x {shape.locations} locations:"
        f" {shape.raw_bytes / 1e9:.1f} GB raw, {size / 1e9:.1f} GB compressed;"
        f" {JOBS} of {os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}"
    )
    print(
        "| run | wall s | processor s | memory MiB | of it not mapped | seconds per stage |\n"
        "|---|---|---|---|---|---|"
    )
    whole = _tell("all profiles new", campaign, out)
    write_campaign(campaign, shape, [(shape.points - 1, shape.repetitions)])
    added = _tell("one repetition added", campaign, out)
    write_campaign(campaign, shape, [(shape.points, 0)])
    largest = _tell("one larger size added", campaign, out)
    _tell("nothing changed", campaign, out)
    for name, cost in (("repetition", added), ("larger size", largest)):
        print(f"one {name} added takes {cost.wall / whole.wall:.3f} of the time of all")


def _tell(name: str, campaign: Path, out: Path) -> Cost:
    cost = run_pipeline("run", campaign, "--out", out, "--jobs", str(JOBS))
    stages = json.loads((out / "run.json").read_text())["seconds"]
    told = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in stages.items())
    print(
        f"| {name} | {cost.wall:.1f} | {cost.processor:.1f} | {cost.resident >> 20} | {cost.own >> 20}"
        f" | {told} |",
        flush=True,
    )
    return cost


if __name__ == "__main__":
    main()
