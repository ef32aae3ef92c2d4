"""A location that makes the others wait, seen and as sums over locations show it."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.gate.check_result import Outcome
from pipeline.report.check.wording import headline
from tests.pipeline.gate.checks import found, run
from tests.pipeline.gate.studies import study
from tests.pipeline.gate.test_kernel_groups import BEFORE, COMPUTING, MPI


def of_ranks(whole, balance, uneven):
    """Give a study its load balance and how far the largest location of each kernel is above the mean."""
    rows = np.array(
        [1.0 if k.region.startswith("MPI") else uneven.get(k.region, 1.01) for k in whole.kernels]
    )
    runs = balance * np.exp(0.002 * np.random.default_rng(3).normal(size=whole.values.shape[1:]))
    return replace(whole, load_balance=runs, uneven=np.repeat(rows[:, None], len(whole.points), axis=1))


WAITING = {
    "MPI_Allreduce": 6 + 7.0,
    "MPI_Waitall": 8 + 6.5,
    "MPI_Alltoall": 7 + 1.0,
}  # of 161 that are computed


def night(uneven, **changed):
    return run(
        of_ranks(study(BEFORE | WAITING | changed, seed=2), 0.99 / 1.1, uneven),
        of_ranks(study(BEFORE), 0.99, {}),
    )


def test_waiting_for_a_slow_location_is_not_a_regression_and_named():
    result = night(dict.fromkeys(COMPUTING, 1.1))
    assert (result.outcome, found(result)) == (Outcome.INCONCLUSIVE, set())
    assert headline(result) == (
        "Inconclusive: all communication slower, one location 10 % slower than the mean: "
        "machine or placement, cannot tell"
    )


def test_one_kernel_that_is_uneven_is_the_program():
    assert {"MPI_Allreduce", "MPI_Waitall"} <= found(night({"k3": 1.7}))


def test_a_slow_location_explains_no_more_than_it_makes_others_wait():
    assert "MPI_Alltoall" in found(night(dict.fromkeys(COMPUTING, 1.1), MPI_Alltoall=7.0 + 25.0))
    assert found(night(dict.fromkeys(COMPUTING, 1.1), k3=23.0 * 1.4)) == {"k3"}


def test_nobody_waits_without_communication_and_unknown_balances_say_nothing():
    alone = of_ranks(study(COMPUTING, seed=2), 0.9, dict.fromkeys(COMPUTING, 1.1))
    assert run(alone, of_ranks(study(COMPUTING), 0.99, {})).outcome is Outcome.PASSED
    unknown = of_ranks(study(BEFORE, seed=2), np.nan, {})
    assert run(unknown, of_ranks(study(BEFORE), np.nan, {})).outcome is Outcome.PASSED


ALIKE = np.ones(5)
GROWING = np.array([0.2, 0.6, 1.0, 1.5, 2.5])


def sums(shape=ALIKE, **changed):
    """Check a night of which sums are known, with so many times the waiting at the scales."""
    waits = {name: effort + shape * (WAITING[name] - effort) for name, effort in MPI.items()}
    return run(study(BEFORE | waits | changed, seed=2), study(BEFORE))


def test_sums_cannot_tell_waiting_from_the_program():
    now, before = study(BEFORE | WAITING, seed=2), study(BEFORE)
    unequal = of_ranks(now, 0.9, dict.fromkeys(COMPUTING, 1.1)), before
    unknown = of_ranks(now, np.nan, {}), of_ranks(before, np.nan, {})
    for result in (sums(), run(*unequal), run(*unknown)):
        assert (result.outcome, found(result)) == (Outcome.INCONCLUSIVE, set())
        assert headline(result).startswith(
            "Inconclusive: all communication slower, as if one location were 9.0 % slower"
        )
        assert "values of every location would tell" in result.reasons[0].text


def test_waiting_that_grows_is_the_program():
    assert set(WAITING) & found(sums(GROWING))


def test_what_one_function_takes_more_is_its_own():
    assert found(run(study(BEFORE | {"MPI_Waitall": 14.5}, seed=2), study(BEFORE))) == {"MPI_Waitall"}


def test_what_does_not_wait_is_no_victim_of_a_slow_location():
    before = BEFORE | {"MPI_Isend": 9.0}
    result = run(study(before | WAITING | {"MPI_Isend": 25.0}, seed=2), study(before))
    assert found(result) == {"MPI_Isend"}


@pytest.mark.parametrize(("adds", "outcome"), [(True, Outcome.INCONCLUSIVE), (False, Outcome.REGRESSED)])
def test_a_slow_location_adds_its_part_to_the_sum_of_computing(adds, outcome):
    ranks = np.array([2, 4, 8, 16, 32])
    work = {name: effort * (1 + 0.09 * adds / ranks) for name, effort in COMPUTING.items()}
    waits = {name: MPI[name] + (1 - 1 / ranks) * (more - MPI[name]) for name, more in WAITING.items()}
    now = study(work | waits, scales=ranks.tolist(), seed=2, noise=0.005)
    now = replace(now, locations=lambda points: points[:, 0])
    assert run(now, study(BEFORE, scales=ranks.tolist(), noise=0.005)).outcome is outcome
