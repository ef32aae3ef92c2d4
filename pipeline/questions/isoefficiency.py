"""Isoefficiency: the least size that keeps an efficiency at every scale, the largest scale for every size.

The efficiency is that of `RuntimeStudy.figures`. It is kept from the size at which the predicted value
reaches it. The interval begins where the upper end of the efficiency's interval reaches it and ends where the
lower end does: all sizes at which it is not refuted. After Grama, Gupta and Kumar, Isoefficiency (1993),
whose function is `growth`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.record_codec import NO_ENTRY
from pipeline.questions.analysis import DEFAULT_REACH, Analysis, along_parameter
from pipeline.questions.locations import location_count
from pipeline.questions.runtime.figures import Figures, RuntimeStudy
from pipeline.questions.runtime.limits import job_points, looked_at
from pipeline.wording.quantities import figure, known, percent, value_text

MOST_VALUES = 400_000  # kernels times points, beyond which there are none between main scales and sizes


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface:
    """What is predicted over a size and a scale, the other parameters at the target."""

    scaled: str  # and `size`: names of the parameters
    size: str
    scales: FloatArray  # float64[S], ascending
    sizes: FloatArray  # float64[N], ascending
    main_scales: FloatArray  # and `main_sizes`: those of tables: measured ones, doublings and the last
    main_sizes: FloatArray
    figures: Figures  # of N * S points, size by size

    def over_both(self, values: FloatArray) -> FloatArray:
        """Return values of the points as float64[N, S]."""
        return values.reshape(len(self.sizes), len(self.scales))


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptEfficiency:
    """Where an efficiency is kept: from which size on at Q scales, or up to which scale for Q sizes."""

    sought: str  # and `given`: names of the parameters
    given: str
    at: FloatArray  # float64[Q], of the given one
    ends: tuple[float, float]  # the first and the last of the sought one that were looked at
    # float64[Q] of the sought one; an end if nothing beyond it was looked at, NaN if none keeps it
    value: FloatArray
    lower: FloatArray  # and `upper`: float64[Q], ends of its 90 % interval, the same
    upper: FloatArray
    wall: FloatArray  # float64[Q], seconds that are predicted there


@dataclass(frozen=True, kw_only=True)
class KeptPlace:
    """The least size at a scale, or the largest scale for a size; None where none keeps the efficiency."""

    sought: str
    given: str
    at: float
    value: float | None
    lower: float | None
    upper: float | None
    wall_seconds: float | None
    parameter: str = field(metadata=NO_ENTRY)  # the sought one
    least: bool = field(metadata=NO_ENTRY)
    ends: tuple[float, float] = field(metadata=NO_ENTRY)  # of what was looked at

    @property
    def text(self) -> str:
        """What keeps the efficiency: ``n >= 21.3``, ``every n from 16 on``, ``no n up to 128``."""
        first, last = map(value_text, self.ends)
        on, up_to = f"{self.parameter} from {first} on", f"{self.parameter} up to {last}"
        if self.value is None:
            return f"no {up_to if self.least else on}"
        if self.value == self._nearest:
            return f"every {on if self.least else up_to}"
        return f"{self.parameter} {'>=' if self.least else '<='} {figure(self.value)}"

    @property
    def _nearest(self) -> float:
        """The end of what was looked at beyond which the efficiency is kept, too."""
        return self.ends[0 if self.least else 1]

    @property
    def interval(self) -> str:
        """Both ends of the interval; what lies beyond the sizes or scales looked at is said so."""
        lower, upper = self._end(self.lower), self._end(self.upper)
        return lower if lower == upper else f"{lower} .. {upper}"

    def _end(self, value: float | None) -> str:
        first, last = map(value_text, self.ends)
        if value is None:
            return f"above {last}" if self.least else f"below {first}"
        if value == self._nearest:
            return f"{first} or less" if self.least else f"{last} or more"
        return figure(value)


@dataclass(frozen=True, kw_only=True)
class Isoefficiency:
    """Which sizes and scales keep an efficiency."""

    efficiency: float
    scale: Annotated[str, "the parameter that scales"]
    size: Annotated[str, "the parameter that is the size"]
    looked_at: Annotated[Mapping[str, tuple[float, ...]], "ends of the sizes and scales looked at"]
    growth: Annotated[float | None, "the power of the scale that the size has to grow as"]
    # the least size at each main scale, then the largest scale for each main size
    kept: tuple[KeptPlace, ...]
    least: KeptEfficiency = field(metadata=NO_ENTRY)  # and `largest`: the same as arrays
    largest: KeptEfficiency = field(metadata=NO_ENTRY)

    @property
    def sentences(self) -> Iterator[str]:
        """How fast the size has to grow, and what the efficiency is relative to."""
        if self.growth is not None:
            kept = percent(self.efficiency)
            yield f"To keep {kept}, {self.size} has to grow about as {self.scale}^{self.growth:.2g}."
        last = value_text(self.least.ends[1])
        yield f"{reference_text(self.scale, self.size)} Sizes up to {self.size} = {last} looked at."


def reference_text(scaled: str, size: str) -> str:
    """Say what efficiencies over two parameters are relative to."""
    return f"Efficiency is relative to the smallest measured {scaled} with the same {size}."


def sizes_of(analysis: Analysis) -> list[str]:
    """Return the parameters that may be a size: those that vary, and do not count cores."""
    points, names = analysis.experiment.points, analysis.experiment.parameters
    of_cores = location_count(analysis.experiment, analysis.decision).columns
    apart = {analysis.column, *of_cores}
    return [name for d, name in enumerate(names) if d not in apart and np.ptp(points[:, d])]


def chosen_size(analysis: Analysis, name: str = "") -> str:
    """Return the parameter that is the size, the only one by default; UsageError for none or several."""
    found, where = sizes_of(analysis), "--isoefficiency"
    if not found:
        what = f"no size varies beside {analysis.parameter}"
        raise UsageError(what, where=where, hint="measure several, as app.p4.n100.r1")
    if name and name not in found:
        raise UsageError(f"'{name}' is no size here", where=where, hint=f"sizes: {', '.join(found)}")
    if not name and len(found) > 1:
        raise UsageError(f"the size may be {' or '.join(found)}", where=where, hint=f"write {found[0]}=75%")
    return name or found[0]


def surface_of(study: RuntimeStudy, target: FloatArray, size: str) -> Surface:
    """Predict scales up to a target, float64[D], and sizes up to it or to 4 times the largest measured."""
    experiment = study.analysis.experiment
    row = experiment.parameters.index(size)
    measured = experiment.points[:, row]
    last = float(target[row])
    if last <= measured.max():
        last = float(measured.max()) * DEFAULT_REACH
    main_sizes, between = looked_at(measured, last)
    main_scales, _ = looked_at(experiment.points[:, study.column], float(target[study.column]))
    line, sizes = job_points(study, target), np.union1d(main_sizes, between)
    if len(line) * len(sizes) * len(study.analysis.callpaths.kernels) > MOST_VALUES:
        line, sizes = along_parameter(target, study.column, main_scales), main_sizes
    points = np.tile(line, (len(sizes), 1))
    points[:, row] = np.repeat(sizes, len(line))
    return Surface(
        scaled=study.analysis.parameter,
        size=size,
        scales=line[:, study.column],
        sizes=sizes,
        main_scales=main_scales,
        main_sizes=main_sizes,
        figures=study.figures(points, np.zeros(len(points), dtype=np.bool_)),
    )


def isoefficiency(surface: Surface, share: float) -> Isoefficiency:
    """Return where an efficiency, a share above 0, is kept."""
    least, largest = _least_sizes(surface, share), _largest_scales(surface, share)
    return Isoefficiency(
        efficiency=share,
        scale=surface.scaled,
        size=surface.size,
        looked_at={kept.sought: kept.ends for kept in (least, largest)},
        growth=known(_growth(least)),
        kept=(*_places(least, least=True), *_places(largest, least=False)),
        least=least,
        largest=largest,
    )


def _places(kept: KeptEfficiency, *, least: bool) -> Iterator[KeptPlace]:
    columns = (kept.value, kept.lower, kept.upper, kept.wall)
    for at, *figures in zip(kept.at.tolist(), *(column.tolist() for column in columns), strict=True):
        value, lower, upper, wall = (None if math.isnan(one) else one for one in figures)
        yield KeptPlace(
            sought=f"{'least' if least else 'largest'} {kept.sought}",
            given=kept.given,
            at=at,
            value=value,
            lower=lower,
            upper=upper,
            wall_seconds=wall,
            parameter=kept.sought,
            least=least,
            ends=kept.ends,
        )


def _least_sizes(surface: Surface, share: float) -> KeptEfficiency:
    columns = np.isin(surface.scales, surface.main_scales)
    efficiency, lower, upper, wall = (part[:, columns].T for part in efficiency_and_wall(surface))
    names, parts = (surface.size, surface.scaled), (efficiency, upper, lower, wall)
    return _kept(names, surface.scales[columns], parts, surface.sizes, share)


def _largest_scales(surface: Surface, share: float) -> KeptEfficiency:
    rows = np.isin(surface.sizes, surface.main_sizes)
    parts = [part[rows, ::-1] for part in efficiency_and_wall(surface)]
    names = surface.scaled, surface.size
    return _kept(names, surface.sizes[rows], parts, surface.scales[::-1], share)


def efficiency_and_wall(surface: Surface) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the efficiency with both ends of its interval, and the wall time, float64[N, S] each."""
    found = surface.figures.of_scaling
    value, wall = (surface.over_both(part) for part in (found.value, surface.figures.wall.value))
    lower, upper = (value * _known(surface.over_both(end) / value) for end in (found.lower, found.upper))
    return value, lower, upper, wall


def _known(ratio: FloatArray) -> FloatArray:
    """Fill ends of intervals that are unknown, as those of sizes measured once, from sizes beside them."""
    place, known = np.arange(len(ratio)), np.isfinite(ratio)
    columns = [
        np.interp(place, place[there], column[there]) if there.any() else column
        for column, there in zip(ratio.T, known.T, strict=True)
    ]
    return np.array(columns).T


def _kept(
    names: tuple[str, str], at: FloatArray, parts: Sequence[FloatArray], along: FloatArray, share: float
) -> KeptEfficiency:
    """Find where efficiencies float64[Q, n] and both ends of their intervals first reach a share.

    Parts are the efficiency, its ends that give the lower and the upper end of what is sought, and seconds;
    what is sought lies along float64[n]. The names are those of what is sought and of what is given, `at`.
    """
    value, lower, upper = (_first(part, along, share) for part in parts[:3])
    order = np.argsort(along)
    wall = [
        np.exp(np.interp(np.log(place), np.log(along[order]), np.log(seconds[order])))
        for place, seconds in zip(value, parts[3], strict=True)
    ]
    return KeptEfficiency(
        sought=names[0],
        given=names[1],
        at=at,
        ends=(float(along.min()), float(along.max())),
        value=value,
        lower=lower,
        upper=upper,
        wall=np.array(wall),
    )


def _first(efficiency: FloatArray, along: FloatArray, share: float) -> FloatArray:
    """Return where float64[Q, n] first reaches a share, between two places by ratio; NaN if nowhere."""
    enough = np.nan_to_num(efficiency) >= share
    place, rows = enough.argmax(axis=1), np.arange(len(efficiency))
    before = np.maximum(place - 1, 0)
    there, short = efficiency[rows, place], efficiency[rows, before]
    part = np.divide(share - short, there - short, out=np.ones(len(rows)), where=there > short)
    found = along[before] ** (1 - part) * along[place] ** part
    return np.where(enough.any(axis=1), found, np.nan)


def _growth(least: KeptEfficiency) -> float:
    """Return the power between the first and the last scale whose least size is known."""
    known = np.flatnonzero(np.isfinite(least.value) & (least.value > least.ends[0]))
    if len(known) < 2:
        return np.nan
    ends = known[[0, -1]]
    return float(np.diff(np.log(least.value[ends]))[0] / np.diff(np.log(least.at[ends]))[0])
