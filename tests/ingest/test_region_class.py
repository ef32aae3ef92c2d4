import tomllib
from pathlib import Path

import numpy as np
import pytest

from ingest.profile import RegionTable
from ingest.region_class import (
    CLASSES,
    MESSAGE_PASSING,
    USEFUL_WORK,
    Activity,
    RegionClass,
    region_class,
    region_classes,
    regions_in,
)

C = RegionClass

CASES = tomllib.loads((Path(__file__).parent / "region_classes.toml").read_text())
OTHERS = [(*of, found) for found, regions in CASES["others"].items() for of in regions]


@pytest.mark.parametrize(("found", "calls"), CASES["mpi"].items())
def test_calls_of_mpi(found, calls):
    for call in calls.split():
        assert region_class("mpi", f"MPI_{call}") is C[found], call


@pytest.mark.parametrize(
    "name", ["MPI_Allreduce()", "PMPI_Allreduce", "mpi_allreduce_", "MPI_Allreduce_c", "mpi_allreduce_f08ts_"]
)
def test_one_call_under_many_names(name):
    assert region_class("mpi", name) is C.COLLECTIVE


@pytest.mark.parametrize(("paradigm", "name", "found"), OTHERS)
def test_other_paradigms(paradigm, name, found):
    assert region_class(paradigm, name) is C[found]


def test_a_whole_table_at_once():
    names = ("main", "MPI_Send", "fwrite", "MPI_Init")
    table = RegionTable(
        name=names,
        mangled=names,
        paradigm=("compiler", "mpi", "io", "mpi"),
        file=("",) * 4,
        line=np.full(4, -1),
    )
    found = [CLASSES[i] for i in region_classes(table).tolist()]
    assert found == [C.COMPUTATION, C.POINT_TO_POINT, C.IO, C.START_UP]
    assert regions_in(table, USEFUL_WORK).tolist() == [True, False, True, False]
    assert regions_in(table, {C.START_UP, C.IO}).tolist() == [False, False, True, True]


def test_every_class_belongs_to_one_activity():
    members = {activity: {c for c in RegionClass if c.activity is activity} for activity in Activity}
    assert members == {
        Activity.COMPUTATION: {C.COMPUTATION, C.MEMORY},
        Activity.COMMUNICATION: {C.POINT_TO_POINT, C.COLLECTIVE, C.ONE_SIDED, C.COMPLETION, C.MANAGEMENT},
        Activity.WAITING: {C.SYNCHRONISATION},
        Activity.OFFLOAD: {C.OFFLOAD},
        Activity.ACCELERATOR: {C.KERNEL, C.COPY, C.IDLE},
        Activity.IO: {C.IO, C.MPI_IO},
        Activity.START_UP: {C.START_UP},
        Activity.MEASUREMENT: {C.MEASUREMENT},
    }


def test_what_counts_as_useful_and_what_shows_that_communication_was_measured():
    assert {C.COMPUTATION, C.MEMORY, C.IO} == USEFUL_WORK
    assert {
        C.POINT_TO_POINT,
        C.COLLECTIVE,
        C.ONE_SIDED,
        C.COMPLETION,
        C.MANAGEMENT,
        C.MPI_IO,
        C.START_UP,
    } == MESSAGE_PASSING
