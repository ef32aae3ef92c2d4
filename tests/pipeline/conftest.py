"""Runs on disk, small enough to be read in milliseconds, and a scheduler."""

import tempfile
from pathlib import Path

import pytest

from tests.foam_cases import write_strong_study
from tools import local_slurm


@pytest.fixture(scope="session")
def local_cluster():
    """The folder of a Slurm with two CPUs, which tests may stop, start and fill as they like."""
    if reason := local_slurm.what_is_missing():
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="slurm-") as name:
        local_slurm.start(Path(name), cpus=2)
        yield Path(name)
        local_slurm.stop(Path(name))


@pytest.fixture
def slurm(local_cluster, monkeypatch) -> Path:
    """The folder of a Slurm whose programs are called by this test."""
    monkeypatch.setenv("SLURM_CONF", str(local_slurm.configuration(local_cluster)))
    return local_cluster


@pytest.fixture
def strong_study(tmp_path) -> Path:
    """A strong-scaling study, p = 1..16, two repetitions: `solve` scales, `sum` does not."""
    return write_strong_study(tmp_path / "study")
