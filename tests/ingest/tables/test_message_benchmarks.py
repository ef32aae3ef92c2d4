"""Outputs of benchmarks of messages as tables."""

import pytest

from ingest.errors import InputError
from ingest.table_mapping import TableMapping
from ingest.tables.message_benchmarks import is_message_benchmark, message_times
from ingest.tables.table_files import find_tables

from .message_outputs import BANDWIDTH, BARRIER, IMB, NON_BLOCKING, allreduce


def times(text):
    return [(one.benchmark, one.size, pytest.approx(one.seconds)) for one in message_times(text.split("\n"))]


def study(folder):
    return find_tables(folder, TableMapping()).read()


def test_the_second_column_of_osu_is_the_mean_in_microseconds():
    assert times(allreduce(1.5, 16.0)) == [("osu_allreduce", 4, 1.5e-6), ("osu_allreduce", 1024, 16e-6)]


def test_bandwidth_is_the_time_of_a_message():
    assert times(BANDWIDTH) == [("osu_bw", 1000, 20e-6), ("osu_bw", 2000, 20e-6)]


def test_titles_tell_what_is_measured_where_no_header_does():
    text = BANDWIDTH.replace("# Size      Bandwidth (MB/s)        Validation\n", "")
    assert times(text) == [("osu_bw", 1000, 20e-6), ("osu_bw", 2000, 20e-6)]


def test_a_barrier_has_no_size():
    assert times(BARRIER) == [("osu_barrier", 0, 3.5e-6)]


def test_of_a_collective_that_does_not_block_the_whole_counts():
    assert times(NON_BLOCKING) == [("osu_ialltoall", 8, 12e-6)]


def test_imb_states_its_processes_and_what_is_not_a_row_is_passed_over():
    found = list(message_times(IMB.split("\n")))
    assert [(one.processes, one.size, one.seconds) for one in found] == [
        (4, 0, pytest.approx(0.05e-6)),
        (4, 8, pytest.approx(2e-6)),
        (8, 0, pytest.approx(0.1e-6)),
        (8, 8, pytest.approx(3e-6)),
    ]


def test_files_named_by_their_processes_are_a_study_of_processes_and_bytes(tmp_path):
    for p in (2, 4, 8):
        for r in (1, 2):
            (tmp_path / f"allreduce.p{p}.r{r}.out").write_text(allreduce(0.5 * p, 8.0 * p))
    found = study(tmp_path)
    runs = [(*run.parameters, run.repetition) for run in found.runs]
    assert found.parameters == ("bytes", "p")
    assert runs == [(size, p, r) for size in (4, 1024) for p in (2, 4, 8) for r in (1, 2)]


def test_processes_that_are_stated_are_a_parameter(tmp_path):
    (tmp_path / "imb.txt").write_text(IMB)
    assert set(study(tmp_path).parameters) == {"p", "bytes"}


def test_a_page_that_quotes_an_output_makes_no_table_of_its_folder(tmp_path):
    (tmp_path / "README.md").write_text(BANDWIDTH)
    assert find_tables(tmp_path, TableMapping()) is None


def test_an_output_without_a_row_is_refused(tmp_path):
    file = tmp_path / "osu.p2.out"
    file.write_text(allreduce(1.0, 2.0).partition("\n4 ")[0])
    assert is_message_benchmark(file)
    with pytest.raises(InputError, match="no time of a message in it"):
        study(file)
