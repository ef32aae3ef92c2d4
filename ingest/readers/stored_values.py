"""Values that a reader holds in memory, for formats that are read whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest.arrays import FloatArray
from ingest.errors import InputError
from ingest.profile import Metric

LARGEST = 1e280  # sums of smaller numbers do not overflow


@dataclass(frozen=True, eq=False)
class StoredValues:
    """The `load` of a profile whose values are all read already.

    Attributes:
        values: per metric name float64[call path, location].
    """

    values: Mapping[str, FloatArray] = field(repr=False)

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric."""
        return self.values[metric.name]


def require_summable(values: FloatArray, what: str, where: str) -> None:
    """Refuse what would poison every sum it goes into.

    Raises:
        InputError: where a value is not finite, or so large that it can only be damage.
    """
    if values.size and not (values.min() > -LARGEST and values.max() < LARGEST):
        raise InputError(f"a value of {what} is not finite, or too large", where=where)
