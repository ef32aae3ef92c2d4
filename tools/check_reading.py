"""Whether measurements are read, modelled and shown on this system: what needs no Linux, command by command.

Usage: check_reading.py [FOLDER], in a checkout; FOLDER, or a temporary one, gets the results. CI runs it on
macOS and Windows; a test runs it without what only POSIX has.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "sample_profiles"
COMMANDS = (
    ("--version",),
    ("inspect", f"{SAMPLES / 'hpcg-strong'}"),
    ("run", f"{SAMPLES / 'openfoam-cavity'}", "--at", "n=64", "--out", "cavity"),
    ("run", f"{SAMPLES / 'hpcg-strong'}", "--out", "results"),
    ("run", f"{SAMPLES / 'hpcg-strong'}", "--out", "results"),  # reuses what is there
    ("predict", "results", "--at", "p=64"),
    ("bottlenecks", "results"),
    ("choose", "results", "--efficiency", "75%"),
    ("tree", "results"),
    ("model", f"{SAMPLES / 'hpcg-strong'}", "--json", "models.json"),
    ("report", "results", "--out", "page.html"),
    ("compare", "results", "results", "--out", "comparison.html"),
    ("export", "results", "--to", "extrap-jsonl", "--out", "series.jsonl"),
    ("model", "series.jsonl"),
    ("baseline", "results", "--out", "base.json"),
    ("check", "results", "--baseline", "base.json", "--junit", "check.xml"),
    ("filter", f"{SAMPLES / 'hpcg-strong/hpcg.p8.r1/profile.cubex'}", "--out", "app.filter"),
    ("history", "add", "results", "--label", "1"),
)
WRITTEN = ("results/report.html", "models.json", "page.html", "comparison.html", "base.json", "app.filter")
PYTHON = """
import pipeline as pl

print(pl.read_results("results").predict(p=[64]))
print(pl.read_study(sys.argv[1]).fit().frame)
"""


def main(folder: Path) -> int:
    """Run all commands in a folder; return how many failed."""
    pipeline = [sys.executable, "-m", "pipeline"]
    python = [sys.executable, "-c", f"import sys\n{PYTHON}", str(SAMPLES / "lammps-melt")]
    failed = 0
    for words in [*([*pipeline, *one] for one in COMMANDS), python]:
        done = subprocess.run(words, cwd=folder, capture_output=True, check=False)
        good = done.returncode == 0
        failed += not good
        print("ok" if good else f"FAILED ({done.returncode})", *words[2:])
        if not good:
            print((done.stdout + done.stderr).decode(errors="replace"))
    missing = [name for name in WRITTEN if not (folder / name).is_file()]
    print(*(f"MISSING {name}\n" for name in missing), sep="", end="")
    return failed + len(missing)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(min(main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary)), 1))
