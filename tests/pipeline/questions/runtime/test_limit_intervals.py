"""How the interval of a limit is written."""

import numpy as np
import pytest

from pipeline.questions.runtime.limits import Limit, limit_interval, limit_interval_text


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (256.0, 1024.0, " (256 to 1024)"),
        (256.0, np.inf, " (256 or more)"),
        (0.0, 1024.0, " (at most 1024)"),
        (0.0, np.inf, ""),
        (512.0, 512.0, ""),
        (np.nan, np.nan, ""),
    ],
)
def test_open_and_unknown_ends(lower, upper, text):
    limit = Limit(
        point=np.array([512.0]), measured=False, value=0.8, at_the_end=False, lower=lower, upper=upper
    )
    assert limit_interval_text(limit_interval(limit), "p", 1) == text


def test_the_parameter_is_named_if_there_are_several():
    assert limit_interval_text({"lower": 2, "upper": 5}, "p", 2) == " (p: 2 to 5)"
