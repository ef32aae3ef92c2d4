"""Defects at random, one at a time: ``python -m tests.mutants --count 300 --seed 1``, or ``--listed``."""

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.mutants.campaign import try_all
from tests.mutants.coverage_map import CoverageMap, measure, nearby, read_map
from tests.mutants.listed import listed_defects
from tests.mutants.operators import Defect
from tests.mutants.sample import draw
from tests.mutants.trial import Outcome

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
BUILD = ROOT / "build" / "mutants"
SHARE_CAUGHT = 0.9


def main() -> int:
    """Try defects and print the score; 1 if it is too low or a listed defect is not caught."""
    options = _options()
    found = _defects(options)
    BUILD.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    outcomes = []
    for outcome in try_all(ROOT, _known(options), found, options.jobs):
        outcomes.append(outcome)
        if not outcome.caught:
            print(f"not noticed: {_describe(outcome.defect)} ({outcome.tests} tests)", flush=True)
    _store(outcomes, options)
    Console().print(_table(outcomes, time.monotonic() - start))
    caught = sum(outcome.caught for outcome in outcomes) / max(len(outcomes), 1)
    return int(caught < (1.0 if options.listed else SHARE_CAUGHT))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--listed", action="store_true", help="the defects listed by name instead")
    parser.add_argument("--survivors", action="store_true", help="those that this seed left uncaught, again")
    parser.add_argument(
        "--nearby", action="store_true", help="without coverage: tests of the folder and importers"
    )
    parser.add_argument("--reuse-coverage", action="store_true", help="which tests run what is known already")
    return parser.parse_args()


def _known(options: argparse.Namespace) -> CoverageMap:
    if options.nearby:
        return nearby(ROOT)
    return read_map(ROOT, BUILD) if options.reuse_coverage else measure(ROOT, BUILD)


def _defects(options: argparse.Namespace) -> list[Defect]:
    if options.listed:
        return listed_defects(ROOT)
    drawn = draw(ROOT, options.count, options.seed, _equivalent())
    if not options.survivors:
        return drawn
    rows = json.loads((BUILD / f"seed-{options.seed}.json").read_text(encoding="utf-8"))
    left = {row["defect"] for row in rows if not row["caught"]}
    return [defect for defect in drawn if _describe(defect) in left]


def _equivalent() -> Callable[[Defect], bool]:
    """Return what tells the defects that change nothing, each with its reason in ``equivalent.toml``."""
    known = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    keys = {(entry["line"], entry["becomes"]) for entry in known}
    return lambda defect: (_line(defect), defect.text) in keys


def _line(defect: Defect) -> str:
    return (ROOT / defect.path).read_text(encoding="utf-8").splitlines()[defect.line - 1].strip()


def _describe(defect: Defect) -> str:
    return f"{defect.path}:{defect.line}: {defect.what}: `{_line(defect)}` becomes `{defect.text}`"


def _store(outcomes: list[Outcome], options: argparse.Namespace) -> None:
    if options.survivors:
        return
    name = "listed" if options.listed else f"seed-{options.seed}"
    rows = [
        {"defect": _describe(outcome.defect), "caught": outcome.caught, "seconds": round(outcome.seconds, 1)}
        for outcome in outcomes
    ]
    (BUILD / f"{name}.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _table(outcomes: list[Outcome], seconds: float) -> Table:
    table = Table(title=f"{len(outcomes)} defects in {seconds:.0f} s")
    for column in ("package", "defects", "caught", "share"):
        table.add_column(column, justify="left" if column == "package" else "right")
    tried = Counter(_package(outcome.defect) for outcome in outcomes)
    caught = Counter(_package(outcome.defect) for outcome in outcomes if outcome.caught)
    for package, count in sorted(tried.items()):
        table.add_row(package, str(count), str(caught[package]), f"{caught[package] / count:.0%}")
    total = sum(caught.values())
    table.add_row("all", str(len(outcomes)), str(total), f"{total / max(len(outcomes), 1):.1%}")
    return table


def _package(defect: Defect) -> str:
    return "/".join(Path(defect.path).parent.parts[:2])


if __name__ == "__main__":
    sys.exit(main())
