"""What is said of a loop: its operations as expressions in application inputs, and how it runs.

The paper annotates source with such expressions (modelling assertions): vector and scalar flops, loads and
stores of one execution of the loop, the average vector length, and levels of locality.
"""

from dataclasses import dataclass, field

from ingest.errors import UsageError
from pipeline.projection.model import Model, ceiling, constant, fits
from pipeline.projection.units import FLOP, NONE

LEVELS = 3
_SCORES = ("00", "01", "10", "11")


def _none() -> Model:
    return constant(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class VectorLoop:
    """One loop nest.

    Attributes:
        name: what it is called.
        score: its MV score: first digit 1 where it is multistreamed (spread over the processors of a
            multistreaming processor; today: threaded), second digit 1 where it is vectorised.
        spatial: spatial locality, 0 extremely low, 1 moderate, 2 extremely high.
        temporal: temporal locality, the same levels.
        vector_flops: floating-point operations in vector instructions, as a count or in flop.
        vector_loads: elements loaded by vector instructions.
        vector_stores: elements stored by vector instructions.
        scalar_flops: floating-point operations in scalar instructions.
        scalar_loads: elements loaded by scalar instructions.
        scalar_stores: elements stored by scalar instructions.
        vector_length: average vector length (AVL); None where it is full.
    """

    name: str
    score: str
    spatial: int
    temporal: int
    vector_flops: Model = field(default_factory=_none)
    vector_loads: Model = field(default_factory=_none)
    vector_stores: Model = field(default_factory=_none)
    scalar_flops: Model = field(default_factory=_none)
    scalar_loads: Model = field(default_factory=_none)
    scalar_stores: Model = field(default_factory=_none)
    vector_length: Model | None = None

    def __post_init__(self) -> None:
        if self.score not in _SCORES:
            raise UsageError(f"MV score '{self.score}'", where=self.name, hint=f"one of {', '.join(_SCORES)}")
        if self.spatial not in range(LEVELS) or self.temporal not in range(LEVELS):
            raise UsageError(
                f"locality SL {self.spatial}, TL {self.temporal}",
                where=self.name,
                hint="levels are 0, 1 and 2",
            )

    @property
    def streamed(self) -> bool:
        """Whether it is multistreamed."""
        return self.score[0] == "1"

    @property
    def vectorised(self) -> bool:
        """Whether it is vectorised."""
        return self.score[1] == "1"


def average_vector_length(trips: Model, longest: Model) -> Model:
    """Return N / ceil(N / 64), the average vector length of a fully vectorised loop of N iterations.

    Args:
        trips: N, of the loop that is vectorised.
        longest: elements of a vector register.
    """
    return trips / ceiling(trips / longest)


def as_flops(count: Model) -> Model:
    """Return an operation count in flop, whether it was written as a plain number or with its unit.

    Raises:
        UsageError: where it measures something else.
    """
    if fits(count, FLOP):
        return count
    if count.dimension == NONE:
        return count * constant(1, FLOP)
    raise UsageError(f"unit mismatch: floating-point operations in {count.dimension}")
