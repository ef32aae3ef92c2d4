"""How soon, how surely and where `pipeline history` finds changes, beside the rule of apache-otava.

    python -m benchmarks.history [--series 150] [--seed 1] [--out FILE.md]

A minute or two. Series are looked at after every entry, as in a nightly job; what is said at any look counts.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.history.nightly import NOISES, flat, nights
from benchmarks.history.programs import named, program
from benchmarks.history.rules import RULES, Reported, Rule
from benchmarks.results_file import print_and_write

ENTRIES = 60  # of a series in which nothing changes
BEFORE = (7, 20)  # entries before a step
AFTER = 20  # entries in which it should be found
STEPS = (1.05, 1.1, 1.4)
DRIFTS = (1.1, 1.3)  # from the first to the last of 40 entries
DRIFTING = 40
Cell = Callable[[float], str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--series", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.md"))
    given = parser.parse_args()
    print_and_write(report(given.series, given.seed), given.out)


def report(count: int, seed: int) -> Iterator[str]:
    yield f"Written by `python -m benchmarks.history --series {count} --seed {seed}`."
    yield from _flat(np.random.default_rng([seed, 0]), count)
    yield from _steps(seed, count)
    yield from _drifts(seed, count)
    yield from _programs(seed, count)


def _flat(rng: np.random.Generator, count: int) -> Iterator[str]:
    logs = flat(rng, count, ENTRIES)
    yield f"\n## {len(logs)} series of {ENTRIES} entries in which nothing changes: with a change"
    yield "\n| | at any look | at the last |"
    yield "|---|---:|---:|"
    for name, rule in RULES.items():
        looks = [[one.count > 0 for one in rule(logs[:, :n])] for n in range(2, ENTRIES + 1)]
        yield f"| {name} | {np.any(looks, axis=0).sum()} | {np.sum(looks[-1])} |"


def _steps(seed: int, count: int) -> Iterator[str]:
    yield f"\n## Steps: median entries until found (share found within {AFTER})"
    heads = [f"{name} {100 * (step - 1):.0f} %" for name in RULES for step in STEPS]
    yield f"\n| entries before, noise | {' | '.join(heads)} |"
    yield "|---|" + "---:|" * len(RULES) * len(STEPS)
    each = max(10, count // len(NOISES))
    for before in BEFORE:
        every = []
        for k, kind in enumerate(NOISES):
            waits = []
            for rule in RULES.values():
                for s, step in enumerate(STEPS):
                    logs = nights(np.random.default_rng([seed, 1, before, k, s]), kind, each, before + AFTER)
                    logs[:, before:] += np.log(step)
                    waits.append(_waits(rule, logs, before))
            every.append(waits)
            yield f"| {before}, {kind} | {' | '.join(map(_wait, waits))} |"
        together = (_wait(np.concatenate(waits)) for waits in zip(*every, strict=True))
        yield f"| **{before}, all** | {' | '.join(together)} |"


def _waits(rule: Rule, logs: np.ndarray, at: int) -> np.ndarray:
    """Return after how many entries at the new level each step is found, float64[S]; infinite if never."""
    found = np.full(len(logs), np.inf)
    for n in range(at + 1, logs.shape[1] + 1):
        missing = np.flatnonzero(np.isinf(found))
        if len(missing):
            now = [one.names(at) for one in rule(logs[missing, :n])]
            found[missing[now]] = n - at
    return found


def _wait(waits: np.ndarray) -> str:
    return f"{np.quantile(waits, 0.5, method='higher'):g} ({np.mean(np.isfinite(waits)):.0%})"


def _drifts(seed: int, count: int) -> Iterator[str]:
    each = max(10, count // len(NOISES))
    yield f"\n## What is reported of {DRIFTING} entries"
    yield "\n| | one drift and nothing else | one step and nothing else | nothing | else |"
    yield "|---|---:|---:|---:|---:|"
    along = np.linspace(0, 1, DRIFTING)
    shapes = {f"drift by {100 * (d - 1):.0f} %": np.log(d) * along for d in DRIFTS}
    shapes |= {f"step by {100 * (s - 1):.0f} %": np.log(s) * (along > 0.6) for s in STEPS}
    for name, rule in RULES.items():
        for title, shape in shapes.items():
            rng = np.random.default_rng([seed, 2])
            found = rule(np.concatenate([nights(rng, kind, each, DRIFTING) + shape for kind in NOISES]))
            shares = [
                np.mean([test(one) for one in found]) for test in (_one_drift, _one_step, _nothing, _else)
            ]
            yield f"| {name}: {title} | {' | '.join(f'{share:.0%}' for share in shares)} |"


def _one_drift(one: Reported) -> bool:
    return one.drifts == one.count == 1


def _one_step(one: Reported) -> bool:
    return len(one.steps) == one.count == 1


def _nothing(one: Reported) -> bool:
    return one.count == 0


def _else(one: Reported) -> bool:
    return one.count > 1


def _programs(seed: int, count: int) -> Iterator[str]:
    yield "\n## Programs of eight kernels and a total, of which one kernel gets slower by 10 to 60 %"
    yield "\n| noise | right commit named | and no other | nothing named |"
    yield "|---|---:|---:|---:|"
    every = []
    for k, kind in enumerate(NOISES):
        found = []
        for n in range(max(10, count // len(NOISES))):
            entries, at = program(np.random.default_rng([seed, 3, k, n]), kind)
            commits = named(entries)
            found.append((at in commits, commits == {at}, not commits))
        every += found
        yield f"| {kind} | {' | '.join(f'{share:.0%}' for share in np.mean(found, axis=0))} |"
    yield f"| **all** | {' | '.join(f'{share:.0%}' for share in np.mean(every, axis=0))} |"


if __name__ == "__main__":
    main()
