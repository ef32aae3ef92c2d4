"""Run in Extra-P's environment as ``model.py DATA.npz ANSWER.json``; see `environment.model`."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.experiment import Experiment
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.entities.parameter import Parameter
from extrap.modelers.model_generator import ModelGenerator


def experiment_of(points, values):
    experiment, metric = Experiment(), Metric("time")
    for number in range(points.shape[1]):
        experiment.add_parameter(Parameter(f"p{number}"))
    experiment.add_metric(metric)
    coordinates = [Coordinate(*map(float, point)) for point in points]
    for coordinate in coordinates:
        experiment.add_coordinate(coordinate)
    for k, kernel in enumerate(values):
        callpath = Callpath(f"k{k}")
        experiment.add_callpath(callpath)
        for coordinate, repetitions in zip(coordinates, kernel, strict=True):
            known = [float(v) for v in repetitions[~np.isnan(repetitions)]]
            if known:
                experiment.add_measurement(Measurement(coordinate, callpath, metric, known))
    return experiment, metric


def leading_exponents(function):
    exponents = []
    for compound in getattr(function, "compound_terms", []):
        if not hasattr(compound, "simple_terms"):  # of several parameters
            return None
        power = logarithm = 0.0
        for factor in compound.simple_terms:
            if factor.term_type == "polynomial":
                power += float(factor.exponent)
            else:
                logarithm += float(factor.exponent)
        exponents.append((power, logarithm))
    return max(exponents, default=None)


def predicted(function, target):
    return float(np.squeeze(function.evaluate(target[0] if len(target) == 1 else target)))


def main():
    with np.load(sys.argv[1]) as data:
        points, values, targets = data["points"], data["values"], data["targets"]
    experiment, metric = experiment_of(points, values)
    generator = ModelGenerator(experiment)
    start = time.perf_counter()
    generator.model_all()
    seconds = time.perf_counter() - start
    functions = [
        generator.models[(Callpath(f"k{k}"), metric)].hypothesis.function for k in range(len(values))
    ]
    answer = {
        "seconds": seconds,
        "predictions": [[predicted(f, target) for target in targets.tolist()] for f in functions],
        "leading": [leading_exponents(f) for f in functions],
    }
    Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
