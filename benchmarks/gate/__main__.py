"""False alarms and power of the gate beside "compare the largest scale with a 10 % threshold".

    python -m benchmarks.gate [--trials 1000] [--whole 50]

Every trial simulates 60 kernels before and after. `gate` is the part of `pipeline check` that decides (all
tests, Holm); only the forecasts at the target are replaced by measured shares, since fitting models
96 000 times takes an hour. ``--whole`` runs that many trials through the complete check for comparison.
`threshold` flags every kernel above 1 % of the total whose mean at the largest scale rose by more than 10 %.
"""

import argparse
import datetime
import time

import numpy as np

from benchmarks.gate.simulation import CHANGED, Setting, scales, simulate
from pipeline.gate.check import check
from pipeline.gate.forecast import Forecast, Forecasts, forecast
from pipeline.gate.hypothesis_tests import run_tests
from pipeline.gate.matching import match
from pipeline.gate.measurements import Measurements
from pipeline.gate.options import CheckOptions
from pipeline.gate.result import Outcome, Verdict
from pipeline.gate.rules import rule_tests
from pipeline.gate.verdicts import hides_regression
from pipeline.models.options import ModelOptions
from pipeline.models.scaling_models import Prediction

OPTIONS = CheckOptions()
CHANGES = ("none", "log p", "p^(1/2)", "1.5x")
THRESHOLD = 1.1


def measured_forecast(study: Measurements, template: Forecast) -> Forecast:
    """A forecast that says the target is like the largest scale."""
    last, share = study.mean[:, -1:], study.share[:, -1:]
    return Forecast(template.models, Prediction(last, last * 0.5, last * 2.0), share)


def gate(before: Measurements, after: Measurements, template: Forecast) -> tuple[np.ndarray, bool]:
    """Kernels found worse, bool[61], and whether the check would be inconclusive without them."""
    target = 4 * before.scale[-1:]
    base, ahead = (measured_forecast(s, template) for s in (before, after))
    forecasts = Forecasts(baseline=base, candidate=ahead, targets=target[:, None], scale=target)
    family = run_tests(match(before, after), forecasts, rule_tests(after, OPTIONS), OPTIONS)
    found = np.zeros(len(before.kernels), dtype=bool)
    found[family.rows] = (np.hstack(list(family.worse.values())) <= OPTIONS.false_alarms).any(axis=1)
    share = after.share[family.rows, -1]
    blind = any(hides_regression(d, s, OPTIONS) for d, s in zip(family.detectable, share, strict=True))
    return found, blind


def threshold(before: Measurements, after: Measurements) -> np.ndarray:
    found = after.mean[:, -1] > THRESHOLD * before.mean[:, -1]
    return found & (after.share[:, -1] >= OPTIONS.share_floor)


def cell(setting: Setting, trials: int, seed: int) -> dict[str, float]:
    """Share of trials: with any alarm (no change), or in which the changed kernel is found."""
    rng = np.random.default_rng(seed)
    template = forecast(simulate(setting, rng)[0], 4 * scales(setting)[-1:, None], ModelOptions())
    ours, theirs, blind = [], [], []
    for _ in range(trials):
        before, after = simulate(setting, rng)
        found, unsure = gate(before, after, template)
        naive = threshold(before, after)
        kernels = slice(None) if setting.change == "none" else CHANGED
        ours.append(found[kernels].any())
        theirs.append(naive[kernels].any())
        blind.append(unsure)
    return {"gate": np.mean(ours), "threshold": np.mean(theirs), "blind": np.mean(blind)}


def show(title: str, settings: list[Setting], trials: int) -> None:
    print(f"\n{title}\n")
    print("| points | noise | no change: alarms | log p found | p^(1/2) found | 1.5x found | inconclusive |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for n, setting in enumerate(settings):
        cells = [
            cell(Setting(**{**vars(setting), "change": change}), trials, 100 * n + i)
            for i, change in enumerate(CHANGES)
        ]
        pairs = [f"**{100 * c['gate']:.1f} %** / {100 * c['threshold']:.1f} %" for c in cells]
        row = [
            str(setting.points),
            f"{100 * setting.noise:.0f} %",
            *pairs,
            f"{100 * cells[0]['blind']:.1f} %",
        ]
        print("| " + " | ".join(row) + " |", flush=True)


def whole(trials: int) -> None:
    """The complete check with models, no change and p^(1/2), 5 points, 5 % noise; and its speed."""
    today = datetime.date.today()
    for change in ("none", "p^(1/2)"):
        rng = np.random.default_rng(7)
        outcomes, hits, start = [], 0, time.perf_counter()
        for _ in range(trials):
            before, after = simulate(Setting(5, 0.05, change), rng)
            result = check(after, before, OPTIONS, ModelOptions(), today)
            outcomes.append(result.outcome)
            hits += any(d.kernel == after.kernels[CHANGED] for d in result.of(Verdict.REGRESSION))
        seconds = (time.perf_counter() - start) / trials
        failed = sum(o is Outcome.REGRESSED for o in outcomes)
        summary = f"exit 1 in {failed} of {trials}, kernel found in {hits}, {1000 * seconds:.0f} ms each"
        print(f"complete check, {change}: {summary}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=1000)
    options.add_argument("--whole", type=int, default=50)
    given = options.parse_args()
    print(f"{given.trials} trials a cell; each cell: **gate** / 10 % threshold at the largest scale")
    plain = [Setting(points, noise) for points in (5, 6) for noise in (0.02, 0.05, 0.1)]
    show("Equal log-normal noise", plain, given.trials)
    show(
        "Noise uneven over kernels and scales",
        [Setting(5, n, uneven=True) for n in (0.02, 0.05)],
        given.trials,
    )
    show(
        "Another 3 % between the two studies' jobs",
        [Setting(5, n, jobs=0.03) for n in (0.02, 0.05)],
        given.trials,
    )
    show(
        "1 of 20 repetitions takes 1.5 times as long",
        [Setting(5, n, spikes=0.05) for n in (0.02, 0.05)],
        given.trials,
    )
    whole(given.whole)


if __name__ == "__main__":
    main()
