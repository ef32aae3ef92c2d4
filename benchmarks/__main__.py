"""One page: every figure of ours beside that of a peer, today and at the last release.

    python -m benchmarks [--large] [--rounds 2] [--out FILE.md] [--record LABEL [--release] [--note TEXT]]
    python -m benchmarks NAME ...

The page takes about two minutes; the cases of --large minutes more and gigabytes on the disk. --record keeps
the figures in `benchmarks/overview/figures.csv`, and the page shows their history with `pipeline history`.
With names, these benchmarks are run one after the other instead, each a module with options of its own
(``python -m benchmarks.reading --help``). Peers are installed into environments of their own in ``build/``.
"""

import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.overview.files_to_answer import contests, measure
from benchmarks.overview.ledger import FigureEntry, last_release, read_ledger, write_entry
from benchmarks.overview.measured_figure import MeasuredFigure
from benchmarks.overview.overview_page import page
from benchmarks.overview.own_figures import large, pages, reading, start_up
from benchmarks.overview.watch import history_tables
from benchmarks.results_file import print_and_write

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_profiles" / "hpcg-strong"
PAGE = ROOT / "benchmarks" / "overview" / "results.md"
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
    """Print the page, or run the benchmarks named on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", choices=[*RUNS, []], help="a benchmark by itself")
    parser.add_argument("--large", action="store_true", help="also the large cases")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=PAGE, help="where the page goes beside the terminal")
    parser.add_argument(
        "--record", metavar="LABEL", help="keep the figures as those of this release or commit"
    )
    parser.add_argument("--release", action="store_true", help="the label is a release")
    parser.add_argument("--note", default="", help="what else is to be known of the measurement")
    given = parser.parse_args()
    if given.names:
        _run(given.names)
        return
    entry = _entry(given)
    before = last_release(read_ledger(), entry.machine)
    if given.record:
        write_entry(entry)
    print_and_write(_report(entry, before), given.out)


def _run(names: list[str]) -> None:
    for name in names:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", *RUNS[name]]
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"the benchmark {name} failed")


def _entry(given: argparse.Namespace) -> FigureEntry:
    """Measure everything that is asked for."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        figures = tuple(_measured(Path(folder), given.rounds, with_large=given.large))
    loads = f"load {load:.0f} before, {os.getloadavg()[0]:.0f} after"
    return FigureEntry(
        label=given.record or "today",
        release=given.release,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        machine=f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}",
        note="; ".join(filter(None, (given.note, loads))),
        figures=figures,
    )


def _measured(folder: Path, rounds: int, *, with_large: bool) -> Iterator[MeasuredFigure]:
    for figure in start_up(rounds):
        yield _said(figure)
    for contest in contests(folder):
        yield from map(_said, measure(contest, folder, rounds))
    yield from map(_said, reading(folder, rounds))
    yield from map(_said, pages(SAMPLE, folder))
    if with_large:
        yield from map(_said, large(folder))


def _said(figure: MeasuredFigure) -> MeasuredFigure:
    """Say what was measured as soon as it is known."""
    print(f"{figure.name}: {figure.side} {figure.text} {figure.unit}", file=sys.stderr, flush=True)
    return figure


def _report(entry: FigureEntry, before: FigureEntry | None) -> Iterator[str]:
    yield "# Speed and size beside the peers\n"
    yield "Written by `python -m benchmarks`.\n"
    yield from page(entry, before)
    yield "\n## History\n"
    yield "What `pipeline history` says of these figures, release by release"
    yield '(<a href="history/index.html">as a site</a>, in the published documentation):\n'
    yield from history_tables(read_ledger())


if __name__ == "__main__":
    main()
