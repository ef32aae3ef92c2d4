"""What many simulated campaigns say, as tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.adaptive.campaign import Campaign, Outcome
from benchmarks.adaptive.programs import AS_REAL, FORMULAS
from pipeline.questions.planning.rounds import Purpose

FACTOR = 1.5  # within which a reached width is as planned


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The same program measured both ways.

    Attributes:
        family: of the program.
        fixed: outcomes of the fixed design, measured several times.
        rounds: the campaign in rounds, that wants the median width of the fixed designs.
    """

    family: str
    fixed: tuple[Outcome, ...]
    rounds: Campaign

    @property
    def wanted(self) -> float:
        return float(np.median([outcome.width for outcome in self.fixed]))

    @property
    def narrow(self) -> list[Outcome]:
        """The fixed designs that happen to be narrow: the answers that are most likely too sure."""
        return [outcome for outcome in self.fixed if outcome.width <= self.wanted]

    @property
    def fixed_cost(self) -> float:
        return float(np.mean([outcome.cost for outcome in self.fixed]))

    @property
    def cost_ratio(self) -> float:
        return self.rounds.cost / self.fixed_cost

    @property
    def reached(self) -> bool:
        return self.rounds.width <= self.wanted

    @property
    def over_planned(self) -> list[tuple[Purpose, float]]:
        """Reached over planned width of the rounds that planned one."""
        return [
            (purpose, reached / planned) for purpose, planned, reached in self.rounds.rounds if planned > 0
        ]


def tables(trials: Sequence[Trial]) -> Iterator[str]:
    """Write the table of costs, widths and intervals, and how the campaigns ended."""
    yield (
        "| programs | trials | cost: quartiles | all | reached | width | inside: rounds | fixed | narrow "
        "| as planned | rounds |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    yield _row("all", trials)
    for name, families in (("formulas hold", FORMULAS), ("as real programs", AS_REAL)):
        some = [trial for trial in trials if trial.family in families]
        if some:
            yield _row(name, some)
    for family in dict.fromkeys(trial.family for trial in trials):
        yield _row(family, [trial for trial in trials if trial.family == family])
    yield ""
    answered = [
        trial for trial in trials if trial.rounds.end is not None and trial.rounds.end.value == "answered"
    ]
    ends = Counter(trial.rounds.end.value if trial.rounds.end else "unfinished" for trial in trials)
    yield "Ends: " + ", ".join(f"{end} {count}" for end, count in ends.most_common()) + "."
    if answered:
        inside = np.mean([trial.rounds.inside for trial in answered])
        yield f"Inside, of those that were answered: {inside:.1%} of {len(answered)}."
        narrow = sorted((trial.rounds for trial in trials), key=lambda one: one.width)[: len(trials) // 2]
        if narrow:
            share = np.mean([one.inside for one in narrow])
            yield f"Inside, of the narrower half of all answers: {share:.1%} of {len(narrow)}."
    ratios = [ratio for trial in trials for _, ratio in trial.over_planned]
    if ratios:
        shown = ", ".join(f"{value:.2f}" for value in np.percentile(ratios, [5, 25, 50, 75, 95]))
        yield f"Reached over planned width, 5, 25, 50, 75, 95 %: {shown}."
    for purpose in (Purpose.SERIES, Purpose.EXTRA):
        some = [ratio for trial in trials for found, ratio in trial.over_planned if found is purpose]
        if some:
            yield f"As planned, {purpose.value} rounds: {_as_planned(some):.1%} of {len(some)}."


def _row(name: str, trials: Sequence[Trial]) -> str:
    ratios = [trial.cost_ratio for trial in trials]
    planned = [ratio for trial in trials for _, ratio in trial.over_planned]
    cells = (
        name,
        f"{len(trials)}",
        " / ".join(f"{value:.2f}" for value in np.percentile(ratios, [25, 50, 75])),
        f"{sum(t.rounds.cost for t in trials) / sum(t.fixed_cost for t in trials):.2f}",
        f"{np.mean([trial.reached for trial in trials]):.0%}",
        f"{np.median([trial.rounds.width / trial.wanted for trial in trials]):.2f}",
        f"{np.mean([trial.rounds.inside for trial in trials]):.1%}",
        f"{np.mean([outcome.inside for trial in trials for outcome in trial.fixed]):.1%}",
        f"{np.mean([one.inside for trial in trials for one in trial.narrow]):.1%}",
        f"{_as_planned(planned):.0%}" if planned else "",
        f"{np.mean([len(trial.rounds.rounds) for trial in trials]):.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def _as_planned(ratios: Sequence[float]) -> float:
    return float(np.mean([1 / FACTOR <= ratio <= FACTOR for ratio in ratios]))
