"""The history of our own figures, kept and shown by `pipeline history`: the tool watches itself.

Each entry of the ledger becomes a study over the number of profiles: seconds of `pipeline run` on so many.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.overview.files_to_answer import SIZES
from benchmarks.overview.ledger import FigureEntry
from benchmarks.overview.measured_figure import OURS, MeasuredFigure
from benchmarks.whole.commands import PIPELINE

UNIT = "processor s"
FORMATS = ("Score-P", "Caliper")


def series(entry: FigureEntry) -> str:
    """Return an entry as a series file of Extra-P's text format; empty if it has no seconds of all sizes."""
    lines = ["PARAMETER profiles", f"POINTS {' '.join(map(str, SIZES))}"]
    for kind in FORMATS:
        found = [_own(entry, f"files to answer, {count} {kind}") for count in SIZES]
        if None in found:
            return ""
        lines += [f"REGION run on {kind}", "METRIC time"]
        lines += [f"DATA {one.least} {one.median} {one.most}" for one in found if one]
    return "\n".join((*lines, ""))


def _own(entry: FigureEntry, name: str) -> MeasuredFigure | None:
    return next((one for one in entry.figures if (one.name, one.side, one.unit) == (name, OURS, UNIT)), None)


def write_history(entries: Sequence[FigureEntry], file: Path) -> bool:
    """Add entries to a history with `pipeline history add`; return whether there is any."""
    with tempfile.TemporaryDirectory() as folder:
        for entry in entries:
            source = Path(folder) / "figures.txt"
            source.write_text(series(entry), encoding="utf-8")
            if source.stat().st_size:
                label = f"{entry.date} {entry.label}"
                given = ("--label", label, "--machine", entry.machine, "--history", str(file))
                _pipeline("history", "add", str(source), *given)
    return file.is_file()


def history_tables(entries: Sequence[FigureEntry]) -> Iterator[str]:
    """Yield what `pipeline history show` prints, as Markdown; a region is one call path here, shown once."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "history.parquet"
        if write_history(entries, file):
            shown = _pipeline("history", "show", "*", "--history", str(file), "--format", "md")
            rows = [line.split(" | ") for line in shown.splitlines() if "| callpath |" not in line]
            added = rows[0].index("added")  # when this history was made, which says nothing
            yield from (" | ".join((*row[:added], *row[added + 1 :])) for row in rows)


def write_history_site(entries: Sequence[FigureEntry], site: Path) -> None:
    """Write the page of the history with `pipeline history --out`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "history.parquet"
        if write_history(entries, file):
            _pipeline("history", "--history", str(file), "--out", str(site))


def _pipeline(*words: str) -> str:
    """Run `pipeline`; return what it prints.

    Raises:
        RuntimeError: it fails.
    """
    done = subprocess.run([*PIPELINE, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout
