"""Checks of made studies, and what they found."""

import datetime

from pipeline.gate.check_result import Ruling
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions

TODAY = datetime.date(2026, 11, 21)


def run(candidate, baseline, **options):
    return check(candidate, baseline, CheckOptions(**options), ModelOptions(), TODAY)


def found(result, verdict=Ruling.REGRESSION):
    return {k.kernel.region for k in result.of(verdict)}


def of(result, region):
    (one,) = [k for k in result.kernels if k.kernel.region == region]
    return one


def grounds(result, region):
    return {e.ground for e in of(result, region).evidence}


def texts(result):
    evidence = [e.text for kernel in result.kernels for e in kernel.evidence]
    return [*(reason.text for reason in result.reasons), *result.notices, *evidence]
