"""The families of models that machine and application files know by name: a function and a row each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ingest.arrays import FloatArray
from pipeline.projection.bootstrap import Weights
from pipeline.projection.cache_kernel import cache_kernel, fit_cache_kernel
from pipeline.projection.fit import Fit
from pipeline.projection.model import Model
from pipeline.projection.network import (
    allreduce,
    fit_allreduce,
    fit_latency_bandwidth,
    latency_bandwidth,
    loggp,
)


@dataclass(frozen=True)
class Family:
    """A kind of model.

    Attributes:
        build: makes the model whose parameters are the symbols ``<name>.<parameter>``.
        inputs: the symbols that are arguments where the model is called, in that order.
        defaults: parameters that need not be given, SI units.
        fit: fits name, inputs and times with the weights asked for; None where there is no fit.
    """

    build: Callable[[str], Model]
    inputs: tuple[str, ...]
    defaults: Mapping[str, float] = field(default_factory=dict)
    fit: Callable[[str, Mapping[str, FloatArray], FloatArray, Weights], Fit] | None = None


def _fit_cache_kernel(name: str, data: Mapping[str, FloatArray], times: FloatArray, weights: Weights) -> Fit:
    return fit_cache_kernel(name, data["V"], times, weights=weights)


def _fit_wire(name: str, data: Mapping[str, FloatArray], times: FloatArray, weights: Weights) -> Fit:
    return fit_latency_bandwidth(name, data["x"], times, weights=weights)


def _fit_allreduce(name: str, data: Mapping[str, FloatArray], times: FloatArray, weights: Weights) -> Fit:
    return fit_allreduce(name, data["P"], times, weights=weights)


FAMILIES: Mapping[str, Family] = {
    "cache_kernel": Family(cache_kernel, ("V",), fit=_fit_cache_kernel),
    "latency_bandwidth": Family(latency_bandwidth, ("x",), fit=_fit_wire),
    "loggp": Family(loggp, ("x",), {"congestion": 1.0}),
    "allreduce": Family(allreduce, ("P",), {"base": 2.0}, _fit_allreduce),
}
