"""What the scripts of a report read, as records; ``tools/payload_types.py`` declares them for the scripts.

Shapes: K kernels, P measured points, G positions (lines x scales). What is not known is None or NaN.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NewType, TypeAlias

from ingest.record_codec import entry
from pipeline.models.growth import GROWING
from pipeline.questions.analysis import NOTEWORTHY_SHARE
from pipeline.questions.runtime.trust import FAR, VERY_FAR

Floats = NewType("Floats", bytes)
Steps = NewType("Steps", bytes)
Point = NewType("Point", list[float])
Numbers: TypeAlias = Sequence[float | None]
CrossoverPayload: TypeAlias = tuple[int, int, float, float | None, str, str]
"""Overtakes, overtaken, at, value there, where it is in words, and how certain it is."""


@dataclass(frozen=True, kw_only=True)
class ColumnPayload:
    """A column of a table, with a value and a text per row."""

    key: str
    title: str
    help: str
    number: bool
    values: Sequence[float | str | None]
    texts: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class LimitsPayload:
    """From where on flags and warnings are shown."""

    growing: float = GROWING
    noteworthy: float = NOTEWORTHY_SHARE
    far: float = FAR
    very_far: float = VERY_FAR


@dataclass(frozen=True, kw_only=True)
class PositionsPayload:
    """What was measured, and where predictions are known.

    Attributes:
        column: the parameter that scales.
        points: measured ones.
        largest: index of the largest measured point.
        scales: values of the parameter that scales, ascending.
        lines: with the scales they make the positions; the page opens at the first.
        reach: the largest scale that curves are drawn to.
        measured_only: whether nothing is predicted: values at the positions were measured.
    """

    parameters: Sequence[str]
    column: int
    points: Sequence[Point]
    largest: int
    scales: Sequence[float]
    lines: Sequence[Point]
    reach: float
    measured_only: bool
    limits: LimitsPayload = LimitsPayload()


@dataclass(frozen=True, kw_only=True)
class IntervalsPayload:
    """Values with their 90 % intervals."""

    value: Numbers
    lower: Numbers
    upper: Numbers


@dataclass(frozen=True, kw_only=True)
class EstimatesPayload(IntervalsPayload):
    """The same at scales, which ascend."""

    scale: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class AnswerPayload(IntervalsPayload):
    """A figure of the whole program at all positions."""

    label: str
    unit: str


@dataclass(frozen=True, kw_only=True)
class ChartLinePayload:
    """What a chart shows along a line of positions.

    Attributes:
        points: measured.
        held_out: measured, but not known to the models.
        curve: of the models.
        ideal: along the curve.
    """

    points: EstimatesPayload
    held_out: EstimatesPayload
    curve: EstimatesPayload
    ideal: Numbers | None


@dataclass(frozen=True, kw_only=True)
class ChartPayload:
    """A figure over the scaled parameter.

    Attributes:
        threshold: the efficiency asked for, in charts of efficiency.
        lines: per line of positions.
    """

    name: str
    label: str
    threshold: float | None
    lines: Sequence[ChartLinePayload | None]


@dataclass(frozen=True, kw_only=True)
class SurfacePayload:
    """Figures over a size and a scale, size by size.

    Attributes:
        at: the other parameters of the figures.
        beside: the same in words, empty without any.
        scales: ascending.
        sizes: ascending.
        wall: seconds.
        share: the efficiency asked for.
        reference: what efficiencies are relative to.
    """

    scaled: str
    size: str
    at: Point
    beside: str
    scales: Sequence[float]
    sizes: Sequence[float]
    efficiency: IntervalsPayload
    wall: Numbers
    share: float
    reference: str


@dataclass(frozen=True, kw_only=True)
class ProgramPayload:
    """The figures of the whole program that are known.

    Attributes:
        strong: whether points are compared as under strong scaling.
        said: texts at all positions: the verdict, its trust, and answers.
        surface: None unless a size varies beside the scale.
    """

    strong: bool
    answers: Sequence[AnswerPayload]
    charts: Sequence[ChartPayload]
    surface: SurfacePayload | None
    said: Mapping[str, Sequence[str | None]] | None = field(default=None, metadata=entry(may_lack=True))


@dataclass(frozen=True, kw_only=True)
class RegionPayload:
    """A region; what is empty or the same as its name is left out."""

    name: str
    short: str | None = field(default=None, metadata=entry(may_lack=True))
    paradigm: str | None = field(default=None, metadata=entry(may_lack=True))
    mangled: str | None = field(default=None, metadata=entry(may_lack=True))
    source: str | None = field(default=None, metadata=entry(may_lack=True))


@dataclass(frozen=True, kw_only=True)
class EndsPayload:
    """Intervals of some kernels at some positions, kernel by kernel."""

    kernels: Sequence[int]
    positions: Sequence[int]
    lower: Floats
    upper: Floats


@dataclass(frozen=True, kw_only=True)
class StandingPayload:
    """What limits what can be said about each kernel: 1 or 0."""

    unreliable: Sequence[int]
    not_measurable: Sequence[int]
    start_up: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class RepetitionsPayload:
    """Single measurements of some kernels: kernels x P x count."""

    count: int
    kernels: Sequence[int]
    values: Floats


@dataclass(frozen=True, kw_only=True)
class KernelsPayload:
    """The kernels of a level.

    Attributes:
        region: index into regions.
        parent: the caller's kernel, -1 for a root.
        mean: K x P.
        value: K x G predictions.
        weighty: intervals at all positions.
        others: intervals of the others, at measured and requested positions.
        total: None without a sum.
        further: columns that no view draws in its own way.
        growing: probability that a kernel grows.
        valid_from: K x parameters.
        rivals: plausible models with their probabilities, the most plausible first.
        formula: of what is predicted.
        latex: the formula with its range.
        python: the formula as a function.
        range: index into the texts: where formulas agree with predictions.
        growth_class: index into the texts: how kernels grow.
        warning: index into lists of texts.
        curves: what the formulas of weighty kernels give, one after the other: rivals x G.
        node: of another metric than the chosen one: its call path of the chosen metric, -1 for regions.
    """

    region: Sequence[int]
    parent: Sequence[int]
    mean: Floats
    value: Floats
    weighty: EndsPayload
    others: EndsPayload
    total: IntervalsPayload | None
    standing: StandingPayload
    crossovers: Sequence[CrossoverPayload]
    further: Sequence[ColumnPayload]
    repetitions: RepetitionsPayload
    growing: Floats
    smape: Floats
    cv_smape: Floats
    valid_from: Floats
    rivals: Sequence[Sequence[tuple[str, float]]]
    formula: Sequence[str]
    latex: Sequence[str]
    python: Sequence[str]
    range_texts: Sequence[str]
    range: Sequence[int]
    growth_class_texts: Sequence[str]
    growth_class: Sequence[int]
    warning_texts: Sequence[Sequence[str]]
    warning: Sequence[int]
    curves: Floats
    node: Sequence[int] | None = field(default=None, metadata=entry(may_lack=True))


@dataclass(frozen=True, kw_only=True)
class LevelsPayload:
    """Both levels of detail."""

    regions: KernelsPayload
    callpaths: KernelsPayload


@dataclass(frozen=True, kw_only=True)
class TreeMetricPayload:
    """Measured values of a metric in the call tree: K x P."""

    name: str
    unit: str
    values: Floats


@dataclass(frozen=True, kw_only=True)
class MetricPayload:
    """A metric that the reader can switch to; kernels that are zero everywhere are left out.

    Attributes:
        additive: whether its values have a sum.
    """

    metric: str
    unit: str
    additive: bool
    levels: LevelsPayload


@dataclass(frozen=True, kw_only=True)
class ImbalancePayload:
    """Values of locations of N call paths, the most uneven first.

    Attributes:
        locations: per point.
        low: N x P: the smallest value of a location.
    """

    unit: str
    locations: Sequence[float]
    kernels: Sequence[int]
    low: Floats
    mean: Floats
    high: Floats


@dataclass(frozen=True, kw_only=True)
class PointLocationsPayload:
    """Values on B locations, or ranges of locations, of a point; None if there are no ranges.

    Attributes:
        point: index of the measured point.
        nodes: names, empty if unknown, and for how many of B.
        thread: None if all are zero, as is the last one.
        count: locations of a range.
        top: the largest value of each kernel.
        mean: K x B, in steps of the largest value; low and high, too.
    """

    point: int
    nodes: Sequence[tuple[str, int]]
    process: Sequence[int]
    thread: Sequence[int] | None
    last_process: Sequence[int] | None
    last_thread: Sequence[int] | None
    count: Sequence[int] | None
    top: Floats
    mean: Steps
    low: Steps | None
    high: Steps | None


@dataclass(frozen=True, kw_only=True)
class LocationsPayload:
    """The largest kernels of a metric on each location.

    Attributes:
        accelerators: whether the locations are accelerators.
        kernels: region, call path or -1 for all of the region, whether it is the only one of the region.
    """

    metric: str
    unit: str
    accelerators: bool
    kernels: Sequence[tuple[int, int, int]]
    points: Sequence[PointLocationsPayload]


@dataclass(frozen=True, kw_only=True)
class FilterPayload:
    """What the filter decides, one row per region."""

    names: Sequence[str]
    columns: Sequence[ColumnPayload]


@dataclass(frozen=True, kw_only=True)
class RooflinePayload:
    """Regions with hardware counters on one node of the machine measured on.

    Attributes:
        bandwidths: ceilings in B/s, the fastest first.
        peaks: ceilings in flop/s, the fastest first.
        runs: the measured points.
        judged: the run that the verdicts are about.
        levels: of memory where bytes were counted, the farthest first.
        points: name, level, flop/B, flop/s, run.
        names: of the regions in the table.
        columns: what limits each of them.
    """

    machine: str
    bandwidths: Sequence[tuple[str, float]]
    peaks: Sequence[tuple[str, float]]
    runs: Sequence[str]
    judged: int
    levels: Sequence[str]
    points: Sequence[tuple[str, str, float | None, float, int]]
    names: Sequence[str]
    columns: Sequence[ColumnPayload]


@dataclass(frozen=True, kw_only=True)
class ReportPayload(PositionsPayload):
    """All that the scripts of a report know.

    Attributes:
        relative_growth: whether growth is judged by shares, since the parameter counts no processes.
        factors: counts, and the time of each, whose product is the effort.
        heads: of the columns of kernels that follow the target.
        metrics: of the call tree.
        others: metrics that the reader can switch to.
        locations: of one metric each.
        program: None if the models are not of time.
        roofline: None if the machine measured on is not known.
    """

    metric: str
    unit: str
    relative_growth: bool
    factors: Sequence[tuple[str, str]]
    heads: Sequence[ColumnPayload]
    regions: Sequence[RegionPayload]
    levels: LevelsPayload
    metrics: Sequence[TreeMetricPayload]
    imbalance: ImbalancePayload | None
    filter: FilterPayload | None
    program: ProgramPayload | None
    roofline: RooflinePayload | None
    others: Sequence[MetricPayload] = ()
    locations: Sequence[LocationsPayload] = ()
