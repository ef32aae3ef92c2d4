"""locations.parquet: values come back as they were, and the file stays below 5 MB."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_equal

from pipeline.models.kernel_locations import KernelLocations, PointLocations, folded
from pipeline.store.stored_locations import (
    LOCATIONS,
    MOST_LOCATION_BYTES,
    abridged,
    read_locations,
    write_locations,
)


def made(kernels, scales, threads=1, metric="time"):
    """Values with a spread of 10 %, on nodes of 64 processes."""
    draw = np.random.default_rng(3)
    points = []
    for number, count in enumerate(scales):
        place = np.arange(count)
        process, thread = place // threads, place % threads
        mean = (draw.lognormal(0, 1, (kernels, 1)) * draw.normal(1, 0.1, (kernels, count))).astype(np.float32)
        mean[-1] = np.nan
        points.append(
            PointLocations(
                point=2 * number,
                node=tuple(f"n{p // 64}" for p in process.tolist()),
                process=process,
                thread=thread,
                last_process=process,
                last_thread=thread,
                count=np.ones(count, dtype=np.int64),
                mean=mean,
                low=mean,
                high=mean,
            )
        )
    return KernelLocations(
        metric=metric,
        unit="sec",
        region=tuple(f"kernel<{k}>" for k in range(kernels)),
        callpath=np.arange(kernels) - 1,
        alone=np.arange(kernels) % 2 == 0,
        points=tuple(points),
    )


@pytest.mark.parametrize("most", [64, 5])
def test_what_is_stored_comes_back(tmp_path, most):
    found = [folded(made(3, [1, 8, 24], threads=2), most), made(2, [4], metric="gpu_time")]
    stored = write_locations(tmp_path, found)
    assert abridged(found, stored) == []
    for one, other in zip(found, read_locations((tmp_path / LOCATIONS).read_bytes()), strict=True):
        assert_equal(asdict(one), asdict(other))


@pytest.mark.parametrize(
    ("kernels", "scales", "ranges", "left"),
    [
        (50, [8192] * 8, 8, 50),
        (100, [64 << i for i in range(8)], 1, 100),
        (100, [16384], 1, 100),
        pytest.param(100, [40000] * 4, 32, 100, marks=pytest.mark.slow),
        pytest.param(400, [64] * 200, 4, 100, marks=pytest.mark.slow),
    ],
)
def test_the_file_stays_below_5_mb(tmp_path, kernels, scales, ranges, left):
    found = made(kernels, scales)
    stored = write_locations(tmp_path, [found])
    content = (tmp_path / LOCATIONS).read_bytes()
    assert len(content) <= MOST_LOCATION_BYTES
    assert_equal(asdict(stored[0]), asdict(read_locations(content)[0]))
    assert max(int(point.count.max()) for point in stored[0].points) == ranges
    assert len(stored[0].region) == left
    texts = abridged([found], stored)
    assert any(f"ranges of up to {ranges} locations" in text for text in texts) == (ranges > 1)
    assert any(f"the {left} largest of {kernels} kernels" in text for text in texts) == (left < kernels)


def test_pandas_reads_one_row_per_kernel_and_point(tmp_path):
    found = made(2, [2, 4])
    write_locations(tmp_path, [found])
    table = pd.read_parquet(tmp_path / LOCATIONS)
    assert list(table.columns) == [
        *("metric", "unit", "region", "callpath", "alone", "point", "node", "process", "thread"),
        *("last_process", "last_thread", "count", "mean", "low", "high"),
    ]
    assert len(table) == 4
    last = table[(table.callpath == -1) & (table.point == 2)].iloc[0]
    assert last["mean"].tolist() == found.points[1].mean[0].tolist()
    assert (last["process"].tolist(), list(last["node"])) == ([0, 1, 2, 3], ["n0"] * 4)
    assert len(last["low"]) == len(last["count"]) == 0
