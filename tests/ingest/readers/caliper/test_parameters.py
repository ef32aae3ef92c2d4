"""Parameters of runs from the metadata in Caliper's profiles."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import read_profile
from ingest.readers.caliper import cali

from .cali_files import exclusive


def test_metadata_are_the_parameters(tmp_path):
    for i, (processes, size) in enumerate([(8, 30), (64, 30), (8, 60), (8, 30)]):
        stated = {"jobsize": processes, "mpi.world.size": processes, "problem_size": size, "iterations": 10}
        stated |= {"elapsed_time": "1.5", "launchdate": 1609796088 + i, "cluster": "a"}
        exclusive().globals(**{k: str(v) for k, v in stated.items()}).write(tmp_path / f"210104-{i}.cali")
    found = discover(tmp_path)
    assert found.parameters == ("jobsize", "problem_size")
    assert [(run.parameters, run.repetition) for run in found.runs] == [
        ((8.0, 30.0), 1),
        ((8.0, 30.0), 2),
        ((8.0, 60.0), 1),
        ((64.0, 30.0), 1),
    ]
    assert found.notices == ("parameters from the metadata of the profiles: jobsize, problem_size",)
    (tmp_path / "broken.cali").write_text("__rec=node,id=1\n")
    broken = discover(tmp_path)
    assert len(broken.runs) == 4
    assert [(skipped.path.name, skipped.damaged) for skipped in broken.skipped] == [("broken.cali", True)]


def test_names_are_the_parameters_where_there_are_no_metadata(tmp_path):
    for processes in (4, 8):
        exclusive().write(tmp_path / f"lulesh.p{processes}.cali")
    assert discover(tmp_path).parameters == ("p",)


def test_names_win_over_metadata(tmp_path):
    for processes, size in ((8, 30), (27, 30), (27, 60)):
        file = exclusive().globals(jobsize=str(processes), problem_size=str(size))
        file.write(tmp_path / f"lulesh.p{processes}.r{size}.cali")
    found = discover(tmp_path)
    assert found.parameters == ("p",)
    assert [run.parameters for run in found.runs] == [(8.0,), (27.0,), (27.0,)]
    assert found.notices == (
        "parameters from the run names; in the metadata of the profiles problem_size differs between runs"
        " with the same parameters: list the runs in pipeline.toml if it matters",
    )


def test_a_number_that_follows_from_a_parameter_is_left_out_with_a_notice(tmp_path):
    for i, (jobsize, hosts, size) in enumerate([(1, 1, 30), (8, 1, 30), (27, 2, 30), (64, 4, 60)]):
        numbers = {"jobsize": jobsize, "numhosts": hosts, "problem_size": size}
        file = exclusive().globals(**{name: str(value) for name, value in numbers.items()})
        file.write(tmp_path / f"210104-{i}.cali")
    found = discover(tmp_path)
    assert found.parameters == ("jobsize",)
    assert found.notices == (
        "parameters from the metadata of the profiles: jobsize",
        "numhosts is left out: it follows from jobsize",
        "problem_size is left out: it follows from jobsize",
    )


def test_whole_numbers_that_describe_the_run_may_be_parameters(tmp_path):
    globals_ = {"n": "30", "big": "9" * 15, "cali.version": "2", "spot.x": "1", "opts:y": "4"}
    globals_ |= {
        "huge": "9" * 16,
        "negative": "-3",
        "real": "1.5",
        "text": "a",
        "jobid": "7",
        "walltime": "3",
    }
    path = exclusive().globals(**globals_).write(tmp_path / "a.cali")
    assert cali.parameters(path) == {"big": 999999999999999.0, "n": 30.0}
    assert list(cali.parameters(path)) == ["big", "n"]


def test_parameters_need_no_records(tmp_path):
    path = exclusive().globals(n="30").write(tmp_path / "a.cali")
    path.write_text(path.read_text() + "__rec=ctx,ref=999999,attr=1,data=2\n\n")
    assert cali.parameters(path) == {"n": 30.0}
    with pytest.raises(InputError, match="damaged: "):
        read_profile(path)
