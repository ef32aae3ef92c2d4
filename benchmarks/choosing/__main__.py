"""How right `pipeline choose` is in simulated studies whose truth is known.

    python -m benchmarks.choosing [--studies 500] [--seed 5] [--out FILE.md]

Of every study one scale is drawn, and each limit set so that it holds there with 90 %: in how many does it?
Then a deadline is drawn, and the cheapest job chosen: what does it cost, beside the cheapest that holds it?
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.choosing.simulation import OUTCOMES, REGIMES, Outcome, outcome
from benchmarks.results_file import print_and_write

HEAD = (
    "| studies | jobs said to hold with 90 % that do: deadline | efficiency | both "
    "| chosen / best cost, median | mean | 90th percentile | chosen holds | none chosen |"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.md"))
    arguments = parser.parse_args()
    print_and_write(report(arguments.studies, arguments.seed), arguments.out)


def report(studies: int, seed: int) -> Iterator[str]:
    yield f"Written by `python -m benchmarks.choosing --studies {studies} --seed {seed}`.\n"
    yield HEAD
    yield "|---|" + "---:|" * 8
    for number, (where, stray, bend) in enumerate(REGIMES):
        found = [
            outcome(np.random.default_rng([seed, number, n]), where, stray, bend) for n in range(studies)
        ]
        bending = f", bending by p^{bend:g}" if bend else ""
        yield row(f"{where}, straying {stray:.0%}{bending}", found)


def row(name: str, found: list[Outcome]) -> str:
    held = [np.mean([getattr(one, key) for one in found]) for key in OUTCOMES]
    costs = np.array([one.cost for one in found])
    chosen = costs[np.isfinite(costs)]
    shares = " | ".join(f"{100 * share:.1f} %" for share in held)
    if not len(chosen):
        return f"| {name} | {shares} | - | - | - | - | {len(costs)} |"
    holds = np.mean([one.chosen_holds for one in found if np.isfinite(one.cost)])
    spread = " | ".join(
        f"{value:.3f}" for value in (np.median(chosen), chosen.mean(), np.quantile(chosen, 0.9))
    )
    return f"| {name} | {shares} | {spread} | {100 * holds:.1f} % | {np.isnan(costs).sum()} |"


if __name__ == "__main__":
    main()
