"""Values that a reader holds in memory, for formats that are read whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest.arrays import FloatArray
from ingest.profile import Metric


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
