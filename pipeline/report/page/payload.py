"""What the scripts of a report read, as records; ``tools/payload_types.py`` declares them for the scripts.

Shapes: K kernels, P measured points, G positions (lines x scales). What is not known is None or NaN.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, NewType, TypeAlias

from ingest.record_codec import entry
from pipeline.models.growth import GROWING
from pipeline.questions.analysis import NOTEWORTHY_SHARE
from pipeline.questions.runtime.trust import FAR, VERY_FAR

_MAY_LACK = entry(may_lack=True)

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
    """What was measured, and where predictions are known."""

    parameters: Sequence[str]
    column: Annotated[int, "the parameter that scales"]
    points: Annotated[Sequence[Point], "measured ones"]
    largest: Annotated[int, "index of the largest measured point"]
    scales: Annotated[Sequence[float], "values of the parameter that scales, ascending"]
    lines: Annotated[Sequence[Point], "with the scales they make the positions; the page opens at the first"]
    reach: Annotated[float, "the largest scale that curves are drawn to"]
    measured_only: Annotated[bool, "whether nothing is predicted: values at the positions were measured"]
    extrapolation: Annotated[Sequence[float], "by what factor positions lie beyond the measured points"]
    limits: LimitsPayload = LimitsPayload()
    observed: Annotated[str, "what dots are: measured, or projected from another machine"] = "measured"


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
    """What a chart shows along a line of positions."""

    points: Annotated[EstimatesPayload, "measured"]
    held_out: Annotated[EstimatesPayload, "measured, but not known to the models"]
    curve: Annotated[EstimatesPayload, "of the models"]
    ideal: Annotated[Numbers | None, "along the curve"]


@dataclass(frozen=True, kw_only=True)
class ChartPayload:
    """A figure over the scaled parameter."""

    name: str
    label: str
    threshold: Annotated[float | None, "the efficiency asked for, in charts of efficiency"]
    lines: Annotated[Sequence[ChartLinePayload | None], "per line of positions"]


@dataclass(frozen=True, kw_only=True)
class SurfacePayload:
    """Figures over a size and a scale, size by size."""

    scaled: str
    size: str
    at: Annotated[Point, "the other parameters of the figures"]
    beside: Annotated[str, "the same in words, empty without any"]
    scales: Annotated[Sequence[float], "ascending"]
    sizes: Annotated[Sequence[float], "ascending"]
    efficiency: IntervalsPayload
    wall: Annotated[Numbers, "seconds"]
    share: Annotated[float, "the efficiency asked for"]
    reference: Annotated[str, "what efficiencies are relative to"]


@dataclass(frozen=True, kw_only=True)
class ProgramPayload:
    """The figures of the whole program that are known."""

    strong: Annotated[bool, "whether points are compared as under strong scaling"]
    answers: Sequence[AnswerPayload]
    charts: Sequence[ChartPayload]
    surface: Annotated[SurfacePayload | None, "None unless a size varies beside the scale"]
    said: Annotated[
        Mapping[str, Sequence[str | None]] | None,
        "texts at all positions: the verdict, its trust, and answers",
    ] = field(default=None, metadata=_MAY_LACK)


@dataclass(frozen=True, kw_only=True)
class RegionPayload:
    """A region; what is empty or the same as its name is left out."""

    name: str
    short: str | None = field(default=None, metadata=_MAY_LACK)
    paradigm: str | None = field(default=None, metadata=_MAY_LACK)
    mangled: str | None = field(default=None, metadata=_MAY_LACK)
    source: str | None = field(default=None, metadata=_MAY_LACK)


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
class ValuesPayload:
    """Kernels with what was measured and is predicted of them."""

    region: Annotated[Sequence[int], "index into regions"]
    parent: Annotated[Sequence[int], "the caller's kernel, -1 for a root"]
    mean: Annotated[Floats, "K x P"]
    value: Annotated[Floats, "K x G predictions"]
    weighty: Annotated[EndsPayload, "intervals at all positions"]
    others: Annotated[EndsPayload, "intervals of the others, at measured and requested positions"]
    total: Annotated[IntervalsPayload | None, "None without a sum"]
    repetitions: RepetitionsPayload


@dataclass(frozen=True, kw_only=True)
class KernelsPayload(ValuesPayload):
    """The kernels of a level."""

    standing: StandingPayload
    crossovers: Sequence[CrossoverPayload]
    further: Annotated[Sequence[ColumnPayload], "columns that no view draws in its own way"]
    growing: Annotated[Floats, "probability that a kernel grows"]
    smape: Floats
    cv_smape: Floats
    valid_from: Annotated[Floats, "K x parameters"]
    rivals: Annotated[
        Sequence[Sequence[tuple[str, float]]],
        "plausible models, the most probable first, empty if the formula",
    ]
    formula: Annotated[Sequence[str], "of what is predicted"]
    latex: Annotated[Sequence[str], "the formula with its range"]
    python: Annotated[Sequence[str], "the formula as a function"]
    range: Annotated[Sequence[str], "where formulas agree with predictions"]
    growth_class: Annotated[Sequence[str], "how kernels grow"]
    warnings: Sequence[Sequence[str]]
    curves: Annotated[Floats, "what the formulas of weighty kernels give, one after the other: rivals x G"]
    node: Annotated[
        Sequence[int] | None,
        "of another metric than the chosen one: its call path of the chosen metric, -1 for regions",
    ] = field(default=None, metadata=_MAY_LACK)


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
    """A metric that the reader can switch to; kernels that are zero everywhere are left out."""

    metric: str
    unit: str
    additive: Annotated[bool, "whether its values have a sum"]
    levels: LevelsPayload


@dataclass(frozen=True, kw_only=True)
class ImbalancePayload:
    """Values of locations of N call paths, the most uneven first."""

    unit: str
    locations: Annotated[Sequence[float], "per point"]
    kernels: Sequence[int]
    low: Annotated[Floats, "N x P: the smallest value of a location"]
    mean: Floats
    high: Floats


@dataclass(frozen=True, kw_only=True)
class PointLocationsPayload:
    """Values on B locations, or ranges of locations, of a point; None if there are no ranges."""

    point: Annotated[int, "index of the measured point"]
    nodes: Annotated[Sequence[tuple[str, int]], "names, empty if unknown, and for how many of B"]
    process: Sequence[int]
    thread: Annotated[Sequence[int] | None, "None if all are zero, as is the last one"]
    last_process: Sequence[int] | None
    last_thread: Sequence[int] | None
    count: Annotated[Sequence[int] | None, "locations of a range"]
    top: Annotated[Floats, "the largest value of each kernel"]
    mean: Annotated[Steps, "K x B, in steps of the largest value; low and high, too"]
    low: Steps | None
    high: Steps | None


@dataclass(frozen=True, kw_only=True)
class LocationsPayload:
    """The largest kernels of a metric on each location."""

    metric: str
    unit: str
    accelerators: Annotated[bool, "whether the locations are accelerators"]
    kernels: Annotated[
        Sequence[tuple[int, int, int]], "region, call path or -1, whether the region has no other"
    ]
    points: Sequence[PointLocationsPayload]


@dataclass(frozen=True, kw_only=True)
class FilterPayload:
    """What the filter decides, one row per region."""

    names: Sequence[str]
    columns: Sequence[ColumnPayload]


@dataclass(frozen=True, kw_only=True)
class RooflinePayload:
    """Regions with hardware counters on one node of the machine measured on."""

    machine: str
    bandwidths: Annotated[Sequence[tuple[str, float]], "ceilings in B/s, the fastest first"]
    peaks: Annotated[Sequence[tuple[str, float]], "ceilings in flop/s, the fastest first"]
    runs: Annotated[Sequence[str], "the measured points"]
    judged: Annotated[int, "the run that the verdicts are about"]
    levels: Annotated[Sequence[str], "of memory where bytes were counted, the farthest first"]
    points: Annotated[Sequence[tuple[str, str, float | None, float, int]], "name, level, flop/B, flop/s, run"]
    names: Annotated[Sequence[str], "of the regions in the table"]
    columns: Annotated[Sequence[ColumnPayload], "what limits each of them"]


@dataclass(frozen=True, kw_only=True)
class ReportPayload(PositionsPayload):
    """All that the scripts of a report know."""

    metric: str
    unit: str
    relative_growth: Annotated[bool, "whether shares judge growth: the parameter counts no processes"]
    factors: Annotated[Sequence[tuple[str, str]], "counts, and the time of each, whose product is the effort"]
    heads: Annotated[Sequence[ColumnPayload], "of the columns of kernels that follow the target"]
    regions: Sequence[RegionPayload]
    levels: LevelsPayload
    metrics: Annotated[Sequence[TreeMetricPayload], "of the call tree"]
    imbalance: ImbalancePayload | None
    filter: FilterPayload | None
    program: Annotated[ProgramPayload | None, "None if the models are not of time"]
    roofline: Annotated[RooflinePayload | None, "None if the machine measured on is not known"]
    others: Annotated[Sequence[MetricPayload], "metrics that the reader can switch to"] = ()
    locations: Annotated[Sequence[LocationsPayload], "of one metric each"] = ()
