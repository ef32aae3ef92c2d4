from dataclasses import fields

from filters.filter_options import PaperRule
from ingest.options import declaration


def test_the_defaults_are_those_of_the_paper():
    assert PaperRule() == PaperRule(per_visit=0.25, total=0.25, visits=0.5)


def test_options_say_their_limits():
    limits = {one.name: (declaration(one).least, declaration(one).most) for one in fields(PaperRule)}
    assert limits.pop("paper_exact") == (-float("inf"), float("inf"))
    assert limits == {"per_visit": (0, 1), "total": (0, 1), "visits": (0, 1)}
