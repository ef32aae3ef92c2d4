"""The resolution of values is found in them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.check_result import Outcome
from pipeline.gate.repetition_noise import rounding_errors, step_of
from pipeline.report.check.wording import headline
from tests.pipeline.gate.checks import run
from tests.pipeline.gate.studies import study


def repeated(values):
    """Three repetitions, of which two are equal and one is the next value."""
    return np.stack([values, values, np.append(values[1:], values[-1])], axis=1)


COUNTS = np.array([3, 7, 11, 12, 40, 101, 102.0])


@given(st.sampled_from([1e-9, 0.01, 0.05, 0.16, 1.0, 3.0]), st.integers(1, 64))
def test_the_step_of_rounded_values_is_found(step, locations):
    assert step_of(repeated(COUNTS * step * locations)) == pytest.approx(step * locations)


def test_values_without_a_step_have_none():
    random = np.random.default_rng(1)
    assert step_of(repeated(random.lognormal(0, 1, 200))) == 0.0
    assert step_of(repeated(COUNTS * 1e-9 + 1.0)) == 0.0  # too fine to matter
    assert step_of(repeated(np.array([1.0, 2.0, np.nan, 3.0]))) == 0.0  # few are multiples of something
    assert step_of(np.full((9, 2), np.nan)) == 0.0
    assert step_of(COUNTS.reshape(-1, 1)) == step_of(COUNTS[:6].reshape(-1, 2)) == 0.0  # none is repeated


def test_what_lies_between_is_a_multiple_of_a_part_of_the_smallest_difference():
    assert step_of(repeated(np.array([0.2, 0.5, 0.9, 1.2]))) == pytest.approx(0.1)


def test_a_mean_is_wrong_by_the_resolution_of_its_call_paths():
    whole = study({("main", "a"): 3.0, ("main", "b", "a"): 5.0, ("main", "c"): 40.0, ("d",): 11.0}, noise=0)
    values = whole.values.copy()
    values[[-1, 0, 4], :, 0] += 1.0  # d, its region and the total, once
    whole = replace(whole, values=values)
    found = rounding_errors(whole)
    names = [(kernel.level.name, kernel.callpath) for kernel in whole.kernels]
    errors = dict(zip(names, found[:, 0].tolist(), strict=True))
    step = 1.0
    assert errors["CALLPATH", ("main", "c")] == pytest.approx(step / 40 / 12**0.5)
    assert errors["REGION", ("a",)] == pytest.approx(2**0.5 * step / 8 / 12**0.5)
    assert errors["TOTAL", ("total",)] == pytest.approx(2 * step / 59.2 / 12**0.5)
    assert (rounding_errors(study({f"k{n}": 1.0 + n for n in range(9)})) == 0).all()


def written(efforts, seed, digits, **more):
    """A study whose times are written to some digits."""
    whole = study(efforts, seed=seed, **more)
    size = 10.0 ** (np.floor(np.log10(whole.values)) - digits + 1)
    return replace(whole, values=np.round(whole.values / size) * size)


EFFORTS = {f"k{n}": (2.0 + 0.31 * n) * np.array([1.0, 2.1, 4.2, 8.3, 16.5]) for n in range(12)}


@pytest.mark.parametrize("digits", [1, 2])
def test_few_digits_are_a_resolution_that_differs_from_decade_to_decade(digits):
    whole = written(EFFORTS, 1, digits)
    last = 10.0 ** (np.floor(np.log10(whole.mean[-1])) - digits + 1)
    assert rounding_errors(whole)[-1] == pytest.approx(last / 12**0.5 / whole.mean[-1])


def test_times_that_do_not_scatter_at_all_are_steps_of_a_clock_and_visits_are_not():
    flat = study({f"k{n}": 0.01 * n for n in (1, 2, 3, 5, 8, 111, 134)}, noise=0)
    assert rounding_errors(flat)[-1] == pytest.approx(0.01 / 1.34 / 12**0.5)
    assert (rounding_errors(replace(flat, metric="visits", unit="")) == 0).all()


@pytest.mark.parametrize("changed", [{}, {"k5": 1.2 * EFFORTS["k5"]}])
def test_what_few_steps_hide_is_said_first_and_nothing_passes(changed):
    result = run(written(EFFORTS | changed, 2, 1), written(EFFORTS, 1, 1))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert re.match(r"Inconclusive: values of few steps hide changes below a factor of \d", headline(result))


def test_counts_vary_as_counts_do():
    random = np.random.default_rng(5)

    def counted(efforts):
        whole = study(efforts, noise=0)
        return replace(whole, metric="samples", unit="", values=random.poisson(50 * whole.values) * 1.0)

    few = {f"k{n}": 4.0 + 0.31 * n for n in range(12)}
    assert run(counted(few), counted(few)).outcome is Outcome.INCONCLUSIVE
    many = {name: 100 * effort for name, effort in few.items()}
    assert run(counted(many), counted(many)).outcome is Outcome.PASSED
