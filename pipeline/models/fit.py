"""From measurements to models: the one entry to all ways of fitting."""

from ingest.arrays import FloatArray
from ingest.errors import ModelError
from pipeline.models.fit_evidence import fit_by_evidence
from pipeline.models.fit_one_term import fit_one_term
from pipeline.models.observations import observe
from pipeline.models.options import ModelOptions
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.several.fit import fit_observations


def fit(
    parameters: tuple[str, ...], points: FloatArray, values: FloatArray, options: ModelOptions | None = None
) -> ScalingModels:
    """Fit a model to every kernel.

    Args:
        parameters: names of the D parameters.
        points: float64[P, D], positive.
        values: float64[K, P, R], repetitions apart, NaN where nothing was measured.
        options: how to fit.

    Raises:
        ModelError: the arrays do not fit together, a parameter value is not positive or a value infinite.
    """
    options = options or ModelOptions()
    data = observe(points, values)
    if data.points.shape[1] != len(parameters):
        raise ModelError(f"{len(parameters)} parameter names for {data.points.shape[1]} parameters")
    if len(parameters) > 1:
        return fit_observations(parameters, data, options)
    if options.method == "leave-one-out":
        return fit_one_term(parameters, data, options)
    return fit_by_evidence(parameters, data, options)
