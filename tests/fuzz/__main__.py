"""Fuzzing of all readers: ``python -m tests.fuzz --cases 1000000``, or one case again with ``--only``."""

import argparse
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from tests.fuzz.campaign import Tally, run_campaign, save_case
from tests.fuzz.cases import TARGETS, make_case, run_case
from tests.fuzz.seeds import seeds


def main() -> int:
    options = _options()
    targets = options.target or TARGETS
    if options.only is not None:
        return _again(targets[0], options.only)
    seeds()
    begin = time.perf_counter()
    each = -(-options.cases // len(targets))
    numbers = range(options.first, options.first + each)
    tallies = run_campaign(dict.fromkeys(targets, numbers), options.workers)
    Console().print(_table(tallies, time.perf_counter() - begin))
    found = 0
    for target, tally in tallies.items():
        for number, told in sorted(tally.findings.items())[: options.keep]:
            print(save_case(target, number, told, options.out), (told.strip().splitlines() or [""])[-1][:150])
        found += len(tally.findings)
    return int(found > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="over all targets together")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each target")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be repeated")
    parser.add_argument("--only", type=int, help="run one case of one target here, and tell its outcome")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"), help="where findings are written")
    parser.add_argument("--keep", type=int, default=20, help="findings written of each target")
    return parser.parse_args()


def _again(target: str, number: int) -> int:
    with TemporaryDirectory() as folder:
        outcome = run_case(target, make_case(target, number), Path(folder, "case"))
    print(outcome.kind, outcome.told, sep="\n")
    return int(outcome.kind == "finding")


def _table(tallies: dict[str, Tally], seconds: float) -> Table:
    kinds = ("accepted", "refused", "finding")
    total = sum(sum(tally.kinds.values()) for tally in tallies.values())
    table = Table("reader", "cases", *kinds, title=f"{total} mutated inputs in {seconds:.0f} s")
    for column in table.columns[1:]:
        column.justify = "right"
    for target, tally in tallies.items():
        table.add_row(target, str(sum(tally.kinds.values())), *(str(tally.kinds[kind]) for kind in kinds))
    return table


if __name__ == "__main__":
    sys.exit(main())
