"""What is deep or large: chains of calls, and more call paths than a page can show."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.campaign.measure import run_pipeline
from benchmarks.campaign.synthetic import Shape, write_campaign

STUDIES = {
    "2 500 calls deep": Shape(2500, 2, 5, 3, chain=True),
    "5 000 calls deep": Shape(5000, 2, 5, 3, chain=True),
    "10 000 calls deep": Shape(10_000, 2, 5, 3, chain=True),
    "10 000 calls deep, a region each": Shape(10_000, 2, 5, 3, a_region_each=True, chain=True),
    "20 000 call paths": Shape(20_000, 4, 5, 3),
    "200 000 call paths": Shape(200_000, 4, 5, 3),
}


def measure_limits(folder: Path | None) -> Iterator[str]:
    """Run each study once in two processes and yield its row of the table."""
    for name, shape in STUDIES.items():
        with tempfile.TemporaryDirectory(dir=folder) as made:
            campaign, out = Path(made) / "campaign", Path(made) / "out"
            write_campaign(campaign, shape)
            cost = run_pipeline("run", campaign, "--out", out, "--jobs", "2")
            sizes = ((out / file).stat().st_size / 1e6 for file in ("report.html", "summary.json"))
            written = " | ".join(f"{size:.1f}" for size in sizes)
            yield f"| {name} | {cost.wall:.1f} | {cost.processor:.1f} | {cost.resident >> 20} | {written} |"
