import json
from dataclasses import asdict, replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_equal

from ingest.locate import locate
from pipeline.stages.ingest import ingest
from pipeline.store.results import CALLPATHS, MEASUREMENTS, read_experiment, write_experiment
from tests.cubex_writer import MetricSpec, RegionSpec, write_cubex


@pytest.mark.parametrize("rows", [1, 50, 1 << 14])
def test_an_experiment_comes_back_as_it_was_stored(strong_study, tmp_path, monkeypatch, rows):
    monkeypatch.setattr("pipeline.store.arrow.ROWS_AT_ONCE", rows)
    experiment = replace(ingest(locate(strong_study), "time").experiment, notices=("odd", "strange"))
    write_experiment(tmp_path, experiment)
    back = read_experiment(lambda name: (tmp_path / name).read_bytes())
    assert back.callpaths == experiment.callpaths
    kept = replace(experiment, runs=tuple(replace(run, largest={}) for run in experiment.runs))
    assert_equal(plain(back), plain(kept))


def plain(experiment):
    """Return what an experiment holds, with the regions of call paths instead of their numbers."""
    found = asdict(replace(experiment, regions=None, tree=None))
    return found | {"parent": experiment.tree.parent, "callpaths": list(experiment.callpaths)}


def test_a_series_file_and_names_of_parameters_that_are_taken_come_back(tmp_path):
    file = tmp_path / "series.jsonl"
    lines = [
        {"params": {"sum": p, "n": n}, "callpath": "main->a", "metric": "time", "value": [float(p * n)]}
        for p in (1, 2)
        for n in (3, 4)
        if (p, n) != (2, 3)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    experiment = ingest(locate(file), "time").experiment
    write_experiment(tmp_path, experiment)
    back = read_experiment(lambda name: (tmp_path / name).read_bytes())
    assert (back.parameters, back.runs, back.notices) == (("sum", "n"), (), experiment.notices)
    assert np.array_equal(back.points, experiment.points)
    assert np.array_equal(back.values["time"].sum, experiment.values["time"].sum, equal_nan=True)
    columns = pq.read_table(tmp_path / MEASUREMENTS).column_names
    assert columns == ["metric", "callpath", "point", "repetition", "sum", "mean", "min", "max"]


def test_parameters_are_columns_for_human_readers(strong_study, tmp_path):
    write_experiment(tmp_path, ingest(locate(strong_study), "time").experiment)
    table = pq.read_table(tmp_path / MEASUREMENTS).to_pandas()
    assert table[table.point == 3].p.unique().tolist() == [8.0]


def test_more_places_for_values_than_memory_has_are_refused(strong_study, tmp_path):
    write_experiment(tmp_path, ingest(locate(strong_study), "time").experiment)
    table = pq.read_table(tmp_path / CALLPATHS)
    shared = json.loads(table.schema.metadata[b"experiment"]) | {"repetitions": 1 << 40}
    pq.write_table(table.replace_schema_metadata({b"experiment": json.dumps(shared)}), tmp_path / CALLPATHS)
    with pytest.raises(ValueError, match="rows are too few for"):
        read_experiment(lambda name: (tmp_path / name).read_bytes())


def test_sources_and_paradigms_of_regions_come_back(tmp_path):
    (tmp_path / "app.p1.r1").mkdir()
    write_cubex(
        tmp_path / "app.p1.r1" / "profile.cubex",
        parent=[-1, 0, 0],
        metrics=[MetricSpec("time", [[1.0], [2.0], [3.0]])],
        regions=[
            RegionSpec("main", "_Z1", "user"),
            RegionSpec("b", "_Z2", "mpi"),
            RegionSpec("a", "_Z3", "openmp"),
        ],
    )
    experiment = ingest(locate(tmp_path), "time").experiment
    write_experiment(tmp_path, experiment)
    back = read_experiment(lambda name: (tmp_path / name).read_bytes()).regions
    for name in ("name", "mangled", "paradigm", "file"):
        assert getattr(back, name) == getattr(experiment.regions, name)
    assert np.array_equal(back.line, experiment.regions.line)
