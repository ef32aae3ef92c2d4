"""The resolution of values is found in them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.repetition_noise import rounding_errors, step_of
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
