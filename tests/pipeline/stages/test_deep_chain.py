"""A chain of calls thousands deep: cost and files grow with the calls, not with their square."""

import json
import tracemalloc

import numpy as np
import pyarrow.parquet as pq
import pytest

from ingest.calltree import MOST_NAMES, CallTree
from ingest.experiment import Experiment
from ingest.profile import Metric, RegionTable
from ingest.reduction import Reduction
from ingest.scaling import Scaling
from pipeline.config.options import Options
from pipeline.models.kernels import callpath_kernels, region_kernels, start_up
from pipeline.report.summary import LISTED
from pipeline.stages.run import run
from pipeline.store.results import MODELS, SUMMARY
from tests.cubex_writer import MetricSpec, write_cubex

REGIONS = [f"step_{i}" for i in range(8)]


def test_kernels_of_ten_thousand_calls_take_little_memory():
    count = 10_000
    nothing = ("",) * len(REGIONS)
    experiment = Experiment(
        parameters=("p",),
        points=np.array([[1.0], [2.0]]),
        tree=CallTree(np.arange(count) - 1, np.arange(count) % len(REGIONS)),
        regions=RegionTable(
            name=tuple(REGIONS), mangled=nothing, paradigm=nothing, file=nothing, line=np.full(8, -1)
        ),
        metrics=(Metric("time", "s"),),
        values={"time": Reduction(*np.ones((4, count, 2, 1)))},
        runs=(),
    )
    tracemalloc.start()
    kernels = callpath_kernels(experiment, "time", Scaling.STRONG)
    assert not start_up(kernels).any()
    assert len(region_kernels(kernels)) == len(REGIONS)
    assert len(kernels.callpaths[count - 1]) == count
    assert tracemalloc.get_traced_memory()[1] < 20e6  # all names together are 50 million
    tracemalloc.stop()


@pytest.mark.slow
def test_a_deep_chain_is_modelled_and_written(tmp_path):
    count, study = 1500, tmp_path / "study"
    for p in (2, 4, 8, 16, 32):
        folder = study / f"app.p{p}.r1"
        folder.mkdir(parents=True)
        time = 1.0 + np.arange(count)[:, None] % 7 / p
        write_cubex(
            folder / "profile.cubex",
            parent=list(range(-1, count - 1)),
            regions=REGIONS,
            callee=[i % len(REGIONS) for i in range(count)],
            metrics=[
                MetricSpec("time", time),
                MetricSpec("visits", np.full((count, 1), 3), dtype="UINT64", unit="occ"),
            ],
        )
    out = tmp_path / "out"
    run(study, Options(out=out))
    summary = json.loads((out / SUMMARY).read_text())
    kernels = summary["kernels"]
    paths = [tuple(kernel["callpath"]) for kernel in kernels]
    assert len(set(paths)) == LISTED and summary["not_listed"]["kernels"] == count - LISTED
    assert all(path[-1] == kernel["region"] for path, kernel in zip(paths, kernels, strict=True))
    table = pq.read_table(out / MODELS)
    stored = [tuple(path) for path in table["callpath"].to_pylist()]
    assert sorted(map(len, stored)) == [min(depth, MOST_NAMES) for depth in range(1, count + 1)]
    assert len(set(stored)) == count and set(paths) <= set(stored)
    formulas = dict(zip(stored, table["formula"].to_pylist(), strict=True))
    assert {path for path, text in formulas.items() if text} == set(paths)
