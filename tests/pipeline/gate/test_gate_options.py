from dataclasses import fields

import pytest

from ingest.options import INFINITE, declaration
from pipeline.gate.gate_options import CheckOptions

VALID = {
    "factor": (1.1, 1, INFINITE),
    "common": ("inconclusive", -INFINITE, INFINITE),
    "common_factor": (1.05, 1, INFINITE),
    "allow_missing": (False, -INFINITE, INFINITE),
    "detect": (None, 1, INFINITE),
    "most_noisy": (0.5, 0, 1),
    "false_alarms": (0.05, 1e-6, 0.5),
    "share_floor": (0.01, 0, 1),
    "new_share": (0.05, 0, 1),
    "resolution": (2.0, 1, INFINITE),
    "parallel_efficiency": (None, 0, 1),
    "total": (None, 0, INFINITE),
    "expect": (False, -INFINITE, INFINITE),
}


def test_every_number_of_a_check_is_listed_here():
    assert {f.name for f in fields(CheckOptions) if declaration(f)} == set(VALID)
    assert CheckOptions().targets == CheckOptions().kernels == CheckOptions().waivers == ()


@pytest.mark.parametrize("name", VALID)
def test_defaults_and_limits(name):
    default, least, most = VALID[name]
    (declared,) = (declaration(f) for f in fields(CheckOptions) if f.name == name)
    assert getattr(CheckOptions(), name) == default
    assert (declared.least, declared.most) == (least, most)
