"""Values of the largest kernels per location, from profiles to results and page."""

import numpy as np
import pytest

from ingest.locate import locate
from ingest.record_codec import document
from pipeline.config.options import Options
from pipeline.models.kernel_locations import study_locations
from pipeline.stages.ingest import ingest
from pipeline.stages.report import report_stored
from pipeline.stages.run import run
from pipeline.store.cache import ProfileCache
from pipeline.store.generation import open_result
from pipeline.store.results import read_analysis
from pipeline.store.stored_locations import LOCATIONS, read_locations
from tests.cubex_writer import GroupSpec, MetricSpec, RegionSpec, write_cubex
from tests.pipeline.report.page.studies import carried

REGIONS = [RegionSpec(name, paradigm="compiler") for name in ("main", "solve", "MPI_Send")]
SCALES = (2, 4, 8, 16)


def seconds(p, repetition):
    """[call path, location]: main, solve, MPI_Send below solve, MPI_Send below main."""
    rank = np.arange(p)
    solve = 64.0 / p * (1 + 0.5 * (rank == 1)) * (1 + 0.01 * repetition)
    return np.array([0.0 * rank + 0.25, solve, 0.1 * (1 + rank), 0.2 + 0.0 * rank])


@pytest.fixture
def uneven_study(tmp_path):
    """p = 2..16 in two repetitions; the second process of `solve` takes half as long again."""
    study = tmp_path / "study"
    for p in SCALES:
        for repetition in (1, 2):
            folder = study / f"app.p{p}.r{repetition}"
            folder.mkdir(parents=True)
            visits = np.full((4, p), 3.0)
            write_cubex(
                folder / "profile.cubex",
                parent=[-1, 0, 1, 0],
                regions=REGIONS,
                callee=[0, 1, 2, 2],
                metrics=[
                    MetricSpec("time", seconds(p, repetition)),
                    MetricSpec("visits", visits, unit="occ"),
                ],
                groups=[GroupSpec(rank) for rank in range(p)],
            )
    return study


def stored(out):
    return read_locations((out / LOCATIONS).read_bytes())


def kernel(found, region, callpath, point):
    k = list(zip(found.region, found.callpath.tolist(), strict=True)).index((region, callpath))
    return found.points[point].mean[k]


def options(tmp_path, **more):
    return Options(**{"out": tmp_path / "out", "overhead": "keep", **more})


def test_results_have_the_values_of_each_location(uneven_study, tmp_path):
    result = run(uneven_study, options(tmp_path))
    (found,) = stored(tmp_path / "out")
    assert [len(point) for point in found.points] == list(SCALES)
    for point, p in enumerate(SCALES):
        mean = (seconds(p, 1) + seconds(p, 2)) / 2
        assert kernel(found, "solve", 1, point) == pytest.approx(mean[1])
        assert kernel(found, "MPI_Send", 2, point) == pytest.approx(mean[2])
        assert kernel(found, "MPI_Send", -1, point) == pytest.approx(mean[2] + mean[3])
    assert LOCATIONS in open_result(tmp_path / "out").digests
    assert not any(LOCATIONS in notice for notice in result.notices)


def test_values_add_up_to_those_of_the_study(uneven_study, tmp_path):
    run(uneven_study, options(tmp_path))
    (found,) = stored(tmp_path / "out")
    sums = read_analysis(tmp_path / "out").experiment.values["time"].sum.mean(axis=2)
    for k, callpath in enumerate(found.callpath.tolist()):
        for point in found.points:
            expected = sums[callpath, point.point] if callpath >= 0 else sums[2:, point.point].sum()
            assert float(point.mean[k].sum()) == pytest.approx(expected, rel=1e-6)


def test_values_are_per_visit_and_without_kernels_as_the_others(uneven_study, tmp_path):
    run(uneven_study, options(tmp_path, per="solve", without=("*/solve/MPI_Send",)))
    (found,) = stored(tmp_path / "out")
    assert kernel(found, "solve", 1, 0) == pytest.approx((seconds(2, 1)[1] + seconds(2, 2)[1]) / 2 / 3)
    assert 2 not in found.callpath.tolist()
    assert float(kernel(found, "MPI_Send", -1, 0).sum()) == pytest.approx(2 * 0.2 / 3)


def test_every_way_of_reading_gives_the_same(uneven_study, tmp_path):
    def found(**how):
        (one,) = study_locations(ingest(locate(uneven_study), "time", **how).experiment, "time")
        return one.region, [point.mean.tolist() for point in one.points]

    cache = ProfileCache(tmp_path / "cache", print)
    alone = found()
    assert found(processes=2) == alone
    assert found(cache=cache) == alone  # read, and left in its files
    assert found(cache=ProfileCache(tmp_path / "cache", print)) == alone  # from its files
    assert study_locations(ingest(locate(uneven_study), "time", cache=cache).experiment, "visits") == ()


def test_another_metric_is_not_taken_from_the_cache_of_time(uneven_study, tmp_path):
    cache = ProfileCache(tmp_path / "cache", print)
    ingest(locate(uneven_study), "time", cache=cache)
    read = ingest(locate(uneven_study), "visits", cache=cache)
    assert {metric for one in read.experiment.runs for metric in one.largest} == {"visits"}


def embedded(out):
    text = (out / "report.html").read_text(encoding="utf-8")
    return carried(text)["locations"]


@pytest.mark.slow
def test_a_page_written_again_has_the_same_values(uneven_study, tmp_path):
    out = tmp_path / "out"
    run(uneven_study, options(tmp_path))
    first = embedded(out)
    assert [one["metric"] for one in first] == ["effort"] and len(first[0]["points"]) == len(SCALES)
    report_stored(out, [{"p": 64.0}])
    assert embedded(out) == first


def test_accelerators_are_locations_of_their_own(tmp_path):
    for p in (2, 4, 8):
        folder = tmp_path / "study" / f"app.p{p}"
        folder.mkdir(parents=True)
        rank = np.arange(p)
        on_cores = [np.full(p, 1.0), 20.0 / p + 0.1 * rank, np.zeros(p)]
        on_streams = [np.zeros(p), np.zeros(p), 16.0 / p + 0.2 * rank]
        write_cubex(
            folder / "profile.cubex",
            parent=[-1, 0, -1],
            regions=[*REGIONS[:2], RegionSpec("axpy", paradigm="cuda")],
            metrics=[MetricSpec("time", np.hstack([on_cores, on_streams]))],
            groups=[
                *(GroupSpec(r) for r in range(p)),
                *(
                    GroupSpec(r, "accelerator", ("accelerator stream",), creator=f"process {r}")
                    for r in range(p)
                ),
            ],
        )
    run(tmp_path / "study", options(tmp_path))
    cores, accelerators = stored(tmp_path / "out")
    assert (cores.metric, accelerators.metric) == ("time", "gpu_time")
    assert kernel(accelerators, "axpy", 2, 1) == pytest.approx([4.0, 4.2, 4.4, 4.6])
    assert accelerators.points[1].process.tolist() == [0, 1, 2, 3]
    pages = {one["metric"]: one["accelerators"] for one in embedded(tmp_path / "out")}
    assert pages == {"effort": False, "gpu_time": True}


@pytest.mark.slow
def test_results_without_such_values_have_no_file(strong_study, tmp_path):
    out = tmp_path / "out"
    run(strong_study, Options(out=out))  # all processes take the same there
    assert not (out / LOCATIONS).exists()
    report_stored(out, [])
    assert embedded(out) == []


def test_a_damaged_file_is_reported(uneven_study, tmp_path):
    from ingest.errors import InputError

    out = tmp_path / "out"
    run(uneven_study, options(tmp_path))
    (out / LOCATIONS).write_bytes(b"PAR1")
    with pytest.raises(InputError, match=rf"{LOCATIONS} has changed since it was written"):
        report_stored(out, [])


@pytest.mark.slow
def test_what_had_to_be_folded_is_said(uneven_study, tmp_path, monkeypatch):
    run(uneven_study, options(tmp_path, out=tmp_path / "whole"))
    size = (tmp_path / "whole" / LOCATIONS).stat().st_size
    monkeypatch.setattr("pipeline.store.stored_locations.MOST_LOCATION_BYTES", size - 1)
    monkeypatch.setattr("pipeline.store.stored_locations.FEWEST_RANGES", 2)
    result = run(uneven_study, options(tmp_path))
    ranges, kernels = (notice for notice in result.notices if LOCATIONS in notice)
    assert "ranges of up to" in ranges and "largest of" in kernels
    for where in (open_result(tmp_path / "out").provenance, document(result.summary)):
        assert {ranges, kernels} <= set(where["notices"])
