"""The files a reader names of a run that is a folder are those that decide on what is read."""

import pickle
import shutil

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader, hpctoolkit, profile_readers, read_profile, series_readers
from tests.foam_cases import solver, write_profiling

from .hpctoolkit_files import write_database
from .tau_files import CPI, write_text


def serial_case(folder):
    for time in ("0.5", "1"):
        write_profiling(folder, time, solver("c", float(time)))
    (folder / "1" / "U").write_text("a field")
    (folder / "constant").mkdir()
    (folder / "constant" / "uniform").write_text("")


def parallel_case(folder):
    for rank in (0, 1):
        write_profiling(folder / f"processor{rank}", "1", solver("c", 1.0 + rank))
        (folder / f"processor{rank}" / "1" / "p").write_text("a field")
    write_profiling(folder / "processor1", "2", solver("c", 3.0))


def tau(folder):
    write_text(folder, "0.0.0", CPI)
    (folder / "tautrace.0.0.0.trc").write_bytes(b"a trace")


def tau_with_counters(folder):
    for metric in ("TIME", "PAPI_TOT_INS"):
        write_text(folder / f"MULTI__{metric}", "0.0.0", CPI, metric)
    (folder / "MULTI__notes").write_text("no folder")
    (folder / "profile.0.0.0").write_text("not read beside folders of metrics")


@pytest.mark.parametrize(
    ("write", "others"), [(serial_case, 2), (parallel_case, 2), (tau, 1), (tau_with_counters, 2)]
)
def test_with_the_named_files_alone_a_run_reads_the_same(tmp_path, write, others):
    run, copy = tmp_path / "run", tmp_path / "copy"
    run.mkdir()
    write(run)
    reader = find_profile_reader(run)
    named = list(reader.files(run))
    assert len(named) + others == sum(file.is_file() for file in run.rglob("*"))
    for file in named:
        place = copy / file.relative_to(run)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    one, other = reader.read(run), reader.read(copy)
    assert one.tree.paths(one.regions.name) == other.tree.paths(other.regions.name)
    assert one.metrics == other.metrics
    assert one.notices == other.notices
    for metric in one.metrics:
        np.testing.assert_array_equal(one.values(metric.name), other.values(metric.name))


def test_the_files_of_a_database(tmp_path):
    database = write_database(tmp_path / "a", {(0, 0): 1.0, (1, 0): 2.0})
    (database / "src").mkdir()
    (database / "src" / "a.c").write_text("")
    named = [file.name.split("-")[0] for file in hpctoolkit.files(database)]
    assert named == ["experiment.xml", "1.a", "1.a"]


def test_what_is_not_there_and_what_is_in_no_known_format(tmp_path):
    with pytest.raises(InputError, match=r"nothing: no such file or directory$"):
        read_profile(tmp_path / "nothing")
    (tmp_path / "odd").write_text("odd")
    with pytest.raises(InputError, match=r"od: no such file or directory; did you mean 'odd'\?"):
        read_profile(tmp_path / "od")
    with pytest.raises(InputError, match=r"odd: no profile in a known format; known: [0-9]+ formats"):
        read_profile(tmp_path / "odd")


def test_readers_go_to_other_processes():
    for reader in (*profile_readers(), *series_readers()):
        assert pickle.loads(pickle.dumps(reader)) is reader
