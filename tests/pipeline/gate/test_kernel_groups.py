"""Groups of kernels that a machine slows down together."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.gate.check_result import Cause, Outcome, Ruling
from pipeline.gate.kernel_groups import group_of
from pipeline.report.check.wording import headline
from tests.pipeline.gate.checks import found, run
from tests.pipeline.gate.studies import study

COMPUTING = {f"k{n}": 20.0 + n for n in range(7)}
MPI = {"MPI_Allreduce": 6.0, "MPI_Waitall": 8.0, "MPI_Alltoall": 7.0}
BEFORE = COMPUTING | MPI


def slower(factor, **more):
    return BEFORE | {name: factor * effort for name, effort in MPI.items()} | more


@pytest.mark.parametrize(
    ("region", "group"),
    [
        ("MPI_Allreduce", "communication"),
        ("shmem_putmem", "communication"),
        ("ncclAllReduce", "communication"),
        ("void solve(int)", "computation"),
        ("fwrite", "file access (write)"),
        ("MPI_File_write_at_all", "file access (write)"),
        ("pread64", "file access (read)"),
        ("readout", "computation"),
    ],
)
def test_the_group_of_a_region_is_known_by_its_name(region, group):
    assert group_of(region) == group


def test_a_slower_network_is_not_a_regression_and_named():
    result = run(study(slower(1.2), seed=2), study(BEFORE))
    (reason,) = result.reasons
    assert (result.outcome, reason.cause, found(result)) == (Outcome.INCONCLUSIVE, Cause.COMMON, set())
    assert headline(result) == "Inconclusive: all communication slower: machine or placement, cannot tell"
    assert reason.text.startswith("all communication takes 1.2")


def test_each_kind_of_call_to_files_has_a_factor_of_its_own():
    files = {"write": 9.0, "fwrite": 8.0, "read": 9.0, "fread": 7.0}
    before = BEFORE | files
    result = run(study(before | {"write": 9 * 1.3, "fwrite": 8 * 1.3}, seed=2), study(before))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert headline(result).startswith("Inconclusive: all file access (write) slower")


@pytest.mark.parametrize(
    "changed",
    [
        {"MPI_Alltoall": 7.0 * 1.2 * 1.3},  # beyond the factor of its group
        {"k3": 23.0 * 1.3},  # of another group
        {name: [effort * f for f in (1.0, 1.1, 1.2, 1.35, 1.5)] for name, effort in MPI.items()},  # grow
    ],
)
def test_what_a_group_does_not_share_or_grows_is_a_regression(changed):
    result = run(study(slower(1.2, **changed), seed=2, noise=0.01), study(BEFORE, noise=0.01))
    assert (result.outcome, found(result) - {"total"}) == (Outcome.REGRESSED, set(changed))


def test_one_function_is_no_group():
    before = COMPUTING | {"MPI_Allreduce": 15.0}
    result = run(study(before | {"MPI_Allreduce": 18.5}, seed=2), study(before))
    assert found(result) == {"MPI_Allreduce"}


@pytest.mark.parametrize(("factors", "outcome"), [
    (1.3, Outcome.INCONCLUSIVE),
    ((1.0, 1.0, 1.0, 1.0, 1.5), Outcome.REGRESSED),
    ((1.0, 1.15, 1.3, 1.5, 1.75), Outcome.REGRESSED),
])  # fmt: skip
def test_a_column_of_run_times_that_is_slower_alike_at_all_scales_is_the_machine(factors, outcome):
    result = run(study({"main": (100.0 * np.array(factors)) * np.ones(5)}, seed=2), study({"main": 100.0}))
    assert result.outcome is outcome
    if outcome is Outcome.INCONCLUSIVE:
        assert result.reasons[0].cause is Cause.COMMON
        assert {one.verdict for one in result.kernels} == {Ruling.UNCHANGED}


def test_functions_that_are_slow_in_some_runs_only_are_disturbed_together():
    now = study(BEFORE, seed=2)
    rows = np.flatnonzero([kernel.region in ("k1", "k2", "k4", "total") for kernel in now.kernels])
    disturbed = np.ones(now.values.shape[1:])
    disturbed[2, 1:] = 1.5
    some, every = now.values.copy(), now.values.copy()
    some[rows] *= disturbed
    every[rows, 2] *= 1.4
    result = run(replace(now, values=some), study(BEFORE))
    assert (result.outcome, found(result)) == (Outcome.INCONCLUSIVE, set())
    assert result.reasons[0].text == (
        "several functions are slower in some runs at p = 32 and as before in others: "
        "disturbed runs, or a program that is slow at times: measure there again"
    )
    assert {"k1", "k2", "k4"} <= found(run(replace(now, values=every), study(BEFORE)))
    alone = now.values.copy()
    alone[rows[1:2]] *= disturbed
    assert found(run(replace(now, values=alone), study(BEFORE))) - {"total"} <= {"k1"}
