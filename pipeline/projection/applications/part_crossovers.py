"""Where the parts of an application pass each other over an input, as kernels of measured studies do."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.prediction import Prediction
from pipeline.projection.applications.projections import Composition
from pipeline.projection.expressions.evaluation import predict
from pipeline.questions.crossovers import Ahead, MeasuredLine, crossovers, half_intervals


def part_crossovers(whole: Composition, points: Sequence[Mapping[str, float]], swept: str) -> Iterator[str]:
    """Yield a sentence for every outermost part that overtakes another between the values of an input.

    Points are all inputs, SI units. Parts of several dimensions are not compared.
    """
    parts = {path[0]: model for path, model in whole.parts.items() if len(path) == 1}
    values = np.unique([point[swept] for point in points])
    if len(values) < 2 or values[0] <= 0 or len({model.dimension for model in parts.values()}) != 1:
        return

    def ends(at: FloatArray) -> FloatArray:
        found = predict(parts, {**points[0], swept: at}).values()
        shapes = [(one.value, one.lower, one.upper) for one in found]
        return np.stack([[np.broadcast_to(end, len(at)) for end in each] for each in shapes], axis=1)

    first, last = float(values[0]), float(values[-1])
    below, above = half_intervals(Prediction(*ends(values)))
    ahead = Ahead(
        curve=lambda at: ends(at)[0],
        scales=values,
        below=below,
        above=above,
        first=first,
        last=first,
        horizon=last,
    )
    nothing = MeasuredLine(scales=np.empty(0), values=np.empty((len(parts), 0, 1)))
    names = tuple(parts)
    for one in crossovers(nothing, ahead, np.zeros(len(parts), dtype=np.bool_)):
        over, past = names[one.overtakes], names[one.overtaken]
        yield f"{one.named(swept).sentence(over, past, {swept: last})}."
