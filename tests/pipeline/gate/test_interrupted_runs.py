"""Interrupted runs are judged as others are."""

from datetime import date

import numpy as np

from ingest.scaling import Scaling, ScalingDecision
from pipeline.gate.check_result import Outcome
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import measurements_of
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.ingest.test_interrupted_runs import runs_of
from tests.profiles import with_longest


def test_the_gate_passes_a_program_that_was_interrupted_twice():
    def study_of(seconds, seed):
        random = np.random.default_rng(seed)

        def make(n, r):
            noise, extra = random.normal(1.0, 0.01, 2), seconds if (n, r) in ((8, 0), (16, 1)) else 0.0
            rows = [
                (0, "main", 1, 0.1),
                (1, "kernel", 1000, noise[0] + extra),
                (1, "other", 1000, noise[1]),
            ]
            return with_longest(rows, [2.2 + extra, 1e-3 + extra, 1e-3])

        return measurements_of(runs_of(make, repetitions=2), ScalingDecision(Scaling.STRONG, "n", ""), "time")

    found = check(study_of(0.3, 1), study_of(0.0, 2), CheckOptions(), ModelOptions(), date(2026, 11, 29))
    assert found.outcome is Outcome.PASSED
