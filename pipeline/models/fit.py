"""From measurements to models: the one entry to all ways of fitting."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import ModelError
from pipeline.models.forecast import forecasts, with_remarks
from pipeline.models.multi_parameter.fit import fit_observations
from pipeline.models.observations import Observations, observe
from pipeline.models.one_parameter import experiment_setting, fit_by_evidence
from pipeline.models.one_term import fit_one_term
from pipeline.models.options import ModelOptions
from pipeline.models.scaling_models import ScalingModels


def fit(
    parameters: tuple[str, ...],
    points: FloatArray,
    values: FloatArray,
    options: ModelOptions | None = None,
    *,
    parts: bool = False,
) -> ScalingModels:
    """Fit a model to every kernel.

    Args:
        parameters: names of the D parameters.
        points: float64[P, D], positive.
        values: float64[K, P, R], repetitions apart, NaN where nothing was measured.
        options: how to fit.
        parts: whether the kernels are the parts of a sum: then it is modelled, too, and made known to them.

    Raises:
        ModelError: the arrays do not fit together, a parameter value is not positive or a value infinite.
    """
    options = options or ModelOptions()
    data = observe(points, values)
    if data.points.shape[1] != len(parameters):
        raise ModelError(f"{len(parameters)} parameter names for {data.points.shape[1]} parameters")
    if len(parameters) > 1:
        fit_formulas: Callable[..., ScalingModels] = fit_observations
    elif options.method == "leave-one-out":
        fit_formulas = fit_one_term
    else:  # chosen once, back-tests and the sum are fitted in the same setting
        setting = experiment_setting(parameters[0], data, options)
        fit_formulas = partial(fit_by_evidence, setting=setting)

    def formulas(some: Observations) -> ScalingModels:
        first, place = some.distinct()
        if 2 * len(first) > len(place):
            return sure_of_zeros(fit_formulas(parameters, some, options), some)
        once = some.take(first)
        return sure_of_zeros(fit_formulas(parameters, once, options), once).take(place)

    if options.method == "leave-one-out":
        return with_remarks(formulas(data), data)
    return forecasts(formulas, data, parts=parts)


def sure_of_zeros(models: ScalingModels, data: Observations) -> ScalingModels:
    """Return the models without an error for kernels that were zero wherever they were measured.

    Noise that is learned from other kernels says nothing about what does not happen.
    """
    zero = data.measured.any(axis=1) & (data.mean == 0).all(axis=1)
    if not zero.any():
        return models
    rivals = models.rivals
    covariance = np.where(zero[rivals.kernel, None, None], 0.0, rivals.covariance)
    drift = np.where(zero, 0.0, rivals.drift)
    return replace(models, rivals=replace(rivals, covariance=covariance, drift=drift))
