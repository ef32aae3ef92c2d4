"""Compare campaigns in rounds with the fixed design of five scales times five repetitions.

    python -m benchmarks.adaptive [--trials 200] [--seed 1] [--jobs 1]

Every trial draws a program with a known truth, measures it by the fixed design some times, and then in rounds
that `pipeline.questions.planning.rounds` decides, until the answer is as narrow as the fixed design makes it
in the median, nothing helps, or the cost of the fixed design is spent.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from benchmarks.adaptive.campaign import Outcome, fixed_design, in_rounds
from benchmarks.adaptive.programs import FAMILIES, draw
from benchmarks.adaptive.table import Trial, tables

FIXED = 5  # times that the fixed design is measured in a trial


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adaptive", description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="of all families together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="trials at the same time")
    parser.add_argument("--repetitions", action="store_true", help="compare numbers of repetitions instead")
    arguments = parser.parse_args()
    if arguments.repetitions:
        for line in repetitions_table(arguments.trials, arguments.seed):
            print(line)
        return
    print(
        f"Written by `python -m benchmarks.adaptive --trials {arguments.trials} --seed {arguments.seed}`.\n"
    )
    print(EXPLAINED)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        trials = list(pool.map(partial(trial, seed=arguments.seed), range(arguments.trials)))
    for line in tables(trials):
        print(line)


EXPLAINED = """\
Cost: of the rounds over that of the fixed design, quartiles over trials, and of all trials together. Reached:
share of trials that end with a width of at most the fixed design's median, which the fixed design itself
reaches in half of its measurements. Width: median of the final width over that. Inside: truths in the final
90 % interval; narrow: of the fixed designs of at most the median width. As planned: widths after a round
within a factor of 1.5 of the planned one.
"""


def repetitions_table(trials: int, seed: int) -> Iterator[str]:
    """Measure five scales as often as listed, without looking in between, and compare with five times.

    The narrower half are the measurements with at most the median width of five repetitions.
    """
    yield f"Written by `python -m benchmarks.adaptive --repetitions --trials {trials} --seed {seed}`.\n"
    yield "| repetitions | cost | width | scatter of its logarithm | inside | of the narrower half |"
    yield "|---:|---:|---:|---:|---:|---:|"
    found: dict[int, list[list[Outcome]]] = {count: [] for count in (5, 3, 2)}
    for number in range(trials):
        random = np.random.default_rng([seed, number])
        program = draw(FAMILIES[number % len(FAMILIES)], random)
        for count, outcomes in found.items():
            outcomes.append([fixed_design(program, random, count) for _ in range(FIXED)])
    widths = {count: np.array([[o.width for o in some] for some in all_]) for count, all_ in found.items()}
    for count, outcomes in found.items():
        width = np.median(np.median(widths[count], axis=1) / np.median(widths[5], axis=1))
        scatter = np.log(widths[count]).std(axis=1).mean()
        inside = np.array([[o.inside for o in some] for some in outcomes])
        narrow = inside[widths[count] <= np.median(widths[5], axis=1, keepdims=True)]
        cells = f"{width:.2f} | {scatter:.2f} | {inside.mean():.1%} | {narrow.mean():.1%}"
        yield f"| {count} | {count / 5:.1f} | {cells} |"


def trial(number: int, seed: int) -> Trial:
    """Measure the program of a number both ways; families take turns."""
    random = np.random.default_rng([seed, number])
    family = FAMILIES[number % len(FAMILIES)]
    program = draw(family, random)
    fixed = tuple(fixed_design(program, random) for _ in range(FIXED))
    width = float(np.median([outcome.width for outcome in fixed]))
    budget = float(np.mean([outcome.cost for outcome in fixed]))
    return Trial(family=family, fixed=fixed, rounds=in_rounds(program, width, budget, random))


if __name__ == "__main__":
    main()
