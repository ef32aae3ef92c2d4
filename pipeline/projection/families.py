"""Families of terms that files know by name: kernels, messages and allreduces, stated or fitted.

A new family is a function in a file of its own and one row in `FAMILIES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ingest.errors import InputError
from pipeline.projection.benchmark_output import ALLREDUCES, MESSAGES, STREAMS
from pipeline.projection.cache_kernel import cache_kernel, fit_cache_kernel
from pipeline.projection.files import Table
from pipeline.projection.fit import Fit
from pipeline.projection.model import Model, constant, symbol
from pipeline.projection.network import (
    allreduce,
    fit_allreduce,
    fit_latency_bandwidth,
    fit_loggp,
    latency_bandwidth,
    loggp,
)
from pipeline.projection.node_allreduce import fit_node_allreduce, node_allreduce
from pipeline.projection.term_data import Measurements
from pipeline.projection.units import Quantity

Given: TypeAlias = Mapping[str, Quantity]


@dataclass(frozen=True, kw_only=True)
class Family:
    """A kind of model that files know by name.

    Attributes:
        build: makes the model whose parameters are the symbols ``<name>.<parameter>``.
        inputs: the symbols that are its arguments, in that order.
        fit: fits a name to measurements, with what is stated beside them.
        defaults: parameters that need not be given.
        stated: parameters that may be stated beside measurements.
        benchmarks: whose output it is fitted to, if that has several.
    """

    build: Callable[[str], Model]
    inputs: tuple[str, ...]
    fit: Callable[[str, Measurements, Given], Fit]
    defaults: Mapping[str, float | str] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()


def _fit_cache_kernel(name: str, data: Measurements, _: Given) -> Fit:
    return fit_cache_kernel(name, data.inputs["V"], data.values, weights=data.weights)


def _fit_messages(name: str, data: Measurements, given: Given) -> Fit:
    latency = given["latency"].value if "latency" in given else None
    return fit_latency_bandwidth(name, data.inputs["x"], data.values, latency=latency, weights=data.weights)


def _fit_loggp(name: str, data: Measurements, given: Given) -> Fit:
    congestion = given["congestion"].value if "congestion" in given else 1.0
    return fit_loggp(name, data.inputs["x"], data.values, congestion=congestion, weights=data.weights)


def _fit_allreduce(name: str, data: Measurements, given: Given) -> Fit:
    base = given["base"].value if "base" in given else 2.0
    return fit_allreduce(name, data.inputs["P"], data.values, base=base, weights=data.weights)


FAMILIES: Mapping[str, Family] = {
    "cache_kernel": Family(build=cache_kernel, inputs=("V",), fit=_fit_cache_kernel),
    "latency_bandwidth": Family(
        build=latency_bandwidth,
        inputs=("x",),
        fit=_fit_messages,
        stated=("latency",),
        benchmarks=(*MESSAGES, *STREAMS),
    ),
    "loggp": Family(
        build=loggp,
        inputs=("x",),
        defaults={"congestion": 1.0},
        fit=_fit_loggp,
        stated=("congestion",),
        benchmarks=MESSAGES,
    ),
    "allreduce": Family(
        build=allreduce,
        inputs=("P",),
        defaults={"base": 2.0},
        fit=_fit_allreduce,
        stated=("base",),
        benchmarks=ALLREDUCES,
    ),
}


def allreduce_on_nodes(table: Table) -> Family:
    """Return the family of an allreduce with ``ranks_per_node``: a number, or ``"R"`` for a second input."""
    stated = table.content["ranks_per_node"]
    by_input = stated == "R"
    if not by_input and (isinstance(stated, bool) or not isinstance(stated, int | float) or not stated >= 1):
        hint = 'write a number such as 128, or "R" to make it an input'
        raise InputError(f"invalid ranks_per_node {stated!r}", where=table.where, hint=hint)
    nodes = symbol("R") if by_input else constant(float(stated))

    def fit(name: str, data: Measurements, _: Given) -> Fit:
        processes = data.inputs["P"]
        ranks = data.inputs["R"] if by_input else np.full(len(processes), float(stated))
        return fit_node_allreduce(name, processes, data.values, ranks, nodes=nodes, weights=data.weights)

    return Family(
        build=lambda name: node_allreduce(name, nodes),
        inputs=("P", "R") if by_input else ("P",),
        defaults={"inside": "0 s", "step": "0 s", "switch": 1},
        fit=fit,
        benchmarks=ALLREDUCES,
    )
