"""Runs on disk, small enough to be read in milliseconds."""

from pathlib import Path

import pytest

from tests.foam_cases import write_foam_case


@pytest.fixture
def strong_study(tmp_path) -> Path:
    """A strong-scaling study, p = 1..16, two repetitions: `solve` scales, `sum` does not."""
    study = tmp_path / "study"
    for p in (1, 2, 4, 8, 16):
        for repetition in (1, 2):
            wobble = 1.0 + 0.002 * repetition
            times = {"solve": 64.0 / p * wobble, "sum": 0.5 * p * wobble, "main": 0.25 / p}
            write_foam_case(study / f"app.p{p}.r{repetition}", times, processes=p)
    return study
