from dataclasses import fields

import pytest

from filters.filter_options import Application, Budget, PaperRule
from ingest.errors import UsageError
from ingest.options import declaration


def test_the_defaults_are_those_of_the_paper():
    assert PaperRule() == PaperRule(per_visit=0.25, total=0.25, visits=0.5)


@pytest.mark.parametrize("name", ["per_visit", "total", "visits"])
def test_shares_are_between_zero_and_one(name):
    for fine in (0.0, 1.0):
        assert getattr(PaperRule(**{name: fine}), name) == fine
    for wrong in (-1e-9, 1.0 + 1e-9, 25.0, float("nan")):
        with pytest.raises(UsageError, match=f"{name} is .*; it is a share between 0 and 1"):
            PaperRule(**{name: wrong})


def test_a_budget_allows_something():
    assert Budget(1e-9) == Budget(1e-9, None, 0.1)
    assert Budget(0.05, Application.RUN_TIME).applied is Application.RUN_TIME
    for wrong in (0.0, -0.1, float("nan")):
        with pytest.raises(UsageError, match=r"invalid overhead budget .*; give a share, such as 5%"):
            Budget(wrong)


def test_options_say_their_limits():
    limits = {one.name: (declaration(one).least, declaration(one).most) for one in fields(PaperRule)}
    assert limits.pop("paper_exact") == (-float("inf"), float("inf"))
    assert limits == {"per_visit": (0, 1), "total": (0, 1), "visits": (0, 1)}
