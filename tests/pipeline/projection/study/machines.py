"""Two machines with figures that are easy to reckon with, and a program whose counts are known."""

import numpy as np

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.options import ModelOptions
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.study.study_machine import study_machine
from pipeline.questions.analysis import analyse
from tests.profiles import make_profile

STRONG = ScalingDecision(Scaling.STRONG, "p", "")
SLOW = """
name = "slow cluster"
[values]
cores = 4
hz = "2 GHz"
peak_dp = "64 Gflop/s"
bw_node = "40 GB/s"
bw_core = "20 GB/s"
latency_memory = "100 ns"
[terms.message]
model = "latency_bandwidth"
latency = "2 us"
bandwidth = "1 GB/s"
[terms.allreduce]
inputs = { P = "1" }
expression = "10e-6 * unit.s * log2(P)"
"""
FAST = """
name = "fast cluster"
[values]
cores = 8
hz = "4 GHz"
peak_dp = "512 Gflop/s"
bw_node = "320 GB/s"
bw_core = "80 GB/s"
latency_memory = "50 ns"
[terms.message]
model = "latency_bandwidth"
latency = "1 us"
bandwidth = "10 GB/s"
[terms.allreduce]
inputs = { P = "1" }
expression = "5e-6 * unit.s * log2(P)"
"""


def no_results(directory, level):
    raise AssertionError("no term of these machines is measured")


def machine(folder, text, name):
    path = folder / f"{name}.toml"
    path.write_text(text)
    return study_machine(load_machine(path), no_results)


def study(times, counts=None, scales=(1, 2, 4, 8, 16), repetitions=2, counters=None):
    """Analyses by metric of a program.

    Args:
        times: gives the seconds of a location per region below `main`, from p.
        counts: gives calls and bytes of a location per region.
        scales: values of p.
        repetitions: of each, which differ by 1 %.
        counters: gives per hardware counter what a location counts per region, from p.
    """
    runs = []
    for p in scales:
        for repetition in range(repetitions):
            rows = {("main",): 0.0} | {("main", name): t for name, t in times(p).items()}
            metrics = {"time": {path: [t * (1 + 0.01 * repetition)] * p for path, t in rows.items()}}
            for n, name in enumerate(("visits", "bytes_sent")):
                of_region = counts(p) if counts else {}
                metrics[name] = {path: [float(of_region.get(path[-1], (1, 0))[n])] * p for path in rows}
            for name, of_region in counters(p).items() if counters else ():
                metrics[name] = {path: [float(of_region.get(path[-1], 0.0))] * p for path in rows}
            profile = reduce_profile(make_profile(metrics), list(metrics))
            runs.append(MeasuredRun((float(p),), repetition, profile))
    experiment = align(["p"], runs)
    return {
        metric: analyse(experiment, STRONG, metric, ModelOptions())
        for metric in ("time", "visits", "bytes_sent")
        if np.nansum(experiment.values[metric].sum) > 0
    }
