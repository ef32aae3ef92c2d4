"""Run in Extra-P's environment as ``extrap_model.py DATA.npz ANSWER.json``: models of several parameters."""

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
    for name in "xyzw"[: points.shape[1]]:
        experiment.add_parameter(Parameter(name))
    experiment.add_metric(metric)
    coordinates = [Coordinate(*map(float, point)) for point in points]
    for coordinate in coordinates:
        experiment.add_coordinate(coordinate)
    for k, kernel in enumerate(values):
        callpath = Callpath(f"k{k}")
        experiment.add_callpath(callpath)
        for coordinate, repetitions in zip(coordinates, kernel, strict=True):
            experiment.add_measurement(
                Measurement(coordinate, callpath, metric, [float(v) for v in repetitions])
            )
    return experiment, metric


def main():
    with np.load(sys.argv[1]) as data:
        points, values, target = data["points"], data["values"], data["target"]
    experiment, metric = experiment_of(points, values)
    generator = ModelGenerator(experiment)
    start = time.perf_counter()
    generator.model_all()
    seconds = time.perf_counter() - start
    models = [generator.models[Callpath(f"k{k}"), metric] for k in range(len(values))]
    predictions = [float(np.squeeze(m.hypothesis.function.evaluate(target.tolist()))) for m in models]
    Path(sys.argv[2]).write_text(json.dumps({"seconds": seconds, "predictions": predictions}))


if __name__ == "__main__":
    main()
