"""A check of kernels with hostile names."""

import pytest

from pipeline.gate.gate_options import CheckOptions, Waiver
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import many, study
from tests.pipeline.report.check.results import NASTY, TODAY


@pytest.fixture(scope="package")
def nasty():
    changed = many(**{NASTY: 90.0, "operator<<": 60.0})
    options = CheckOptions(waivers=(Waiver(match="*/operator<<", reason="known", until=TODAY),))
    before = study(many(**{NASTY: 30.0, "operator<<": 30.0}), seed=1)
    return check(study(changed, seed=2), before, options, ModelOptions(), TODAY)
