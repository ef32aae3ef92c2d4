"""Dilations of programs that were compiled with a filter, beside those that their full profiles predict."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.overhead.series import plain_times, read_runs
from filters.evidence import RunEvidence, filterable
from filters.filter_effect import Dilation, predict
from filters.known_plain import KnownPlain
from ingest.arrays import BoolArray, FloatArray, weighted_quantile

TAIL = 1.645  # standard deviations to either end of a 90 % interval
FEW = 0.5  # of the visits, up to which a filter drops something worth the name


@dataclass(frozen=True, eq=False)
class Pair:
    """A size of a program, measured in full and compiled with its tiny functions left out."""

    program: str
    full: RunEvidence
    recorded: BoolArray  # bool[call path of the full run], what the other build recorded
    plain: float  # seconds
    coarse: float

    def predicted(self, known: KnownPlain | None = None) -> Dilation:
        return predict(self.full, self.recorded, known=known).dilation.compile_time

    @property
    def with_plain_time(self) -> Dilation:
        return self.predicted(KnownPlain.of(min(self.plain, float(self.full.time.sum()))))

    @property
    def measured(self) -> float:
        return self.coarse / self.plain

    @property
    def drops(self) -> bool:
        return float(self.full.visits[self.recorded].sum()) < FEW * float(self.full.visits.sum())


def dilations(out: Path, lulesh: Path | None) -> None:
    """Print how many measured dilations lie in the predicted ranges, and the spread that builds show."""
    pairs = [pair for path in sorted(out.glob("*/coarse.csv")) for pair in _pairs(path.parent)]
    for what, ranges in (
        ("profiles alone", [pair.predicted() for pair in pairs]),
        ("and the plain time", [pair.with_plain_time for pair in pairs]),
    ):
        held = np.array(
            [one.low <= pair.measured <= one.high for one, pair in zip(ranges, pairs, strict=True)]
        )
        width = np.median([one.high / one.low for one in ranges])
        print(
            f"{what}: {held.sum()} of {len(held)} measured dilations in their range, median width {width:.2f}"
        )
    dropping = [pair for pair in pairs if pair.drops]
    apart = np.log([pair.measured / pair.with_plain_time.value for pair in dropping])
    spreads, held = left_out_in_turn(apart, [pair.program for pair in dropping])
    print(
        f"BUILD_SPREAD without each of {len(spreads)} programs: {spreads.min():.3f} to {spreads.max():.3f};"
    )
    print(f"90 % ranges of that hold {100 * held.mean():.0f} % in the mean of the programs left out")


def left_out_in_turn(apart: FloatArray, programs: list[str]) -> tuple[FloatArray, FloatArray]:
    """Return the spread that the other programs show, and the share that its 90 % range holds, by program.

    Args:
        apart: float64[pair], logarithms of measured over predicted.
        programs: of each pair; all programs count alike.
    """
    name = np.array(programs)
    weight = 1.0 / np.array([np.count_nonzero(name == one) for one in programs])
    spreads, held = [], []
    for one in sorted(set(programs)):
        others = name != one
        end = weighted_quantile(np.abs(apart[others]), weight[others], 0.9)
        spreads.append(end / TAIL)
        held.append(float((np.abs(apart[~others]) <= end).mean()))
    return np.array(spreads), np.array(held)


def _pairs(folder: Path) -> list[Pair]:
    coarse, plain = (plain_times((folder / f"{build}.csv").read_text()) for build in ("coarse", "plain"))
    found = []
    for size in sorted(plain):
        full, fewer = (
            read_runs([folder / build / f"{folder.name}.n{size}.r1" / "profile.cubex"])[0]
            for build in ("full", "coarse")
        )
        names = {fewer.regions.name[r] for r in fewer.tree.region.tolist()}
        kept = ~filterable(full.regions) | np.array([name in names for name in full.regions.name])
        times = float(np.median(plain[size])), float(np.median(coarse[size]))
        found.append(Pair(folder.name, full, kept[full.tree.region], *times))
    return found
