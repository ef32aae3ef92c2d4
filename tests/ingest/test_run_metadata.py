"""Which numbers in the metadata of profiles are parameters."""

from ingest.run_metadata import choose_parameters


def test_a_parameter_follows_only_from_one_that_is_repeated():
    rows = [{"a": a, "half": a // 2} for a in (1, 2, 3, 4)]
    assert choose_parameters(rows) == (("a", "half"), {})  # a may be a number that only identifies the run
    assert choose_parameters([*rows, *rows]) == (("a",), {"half": "a"})


def test_parameters_are_chosen():
    rows = [{"jobsize": 8, "n": 1, "m": 1, "same": 3}, {"jobsize": 8, "n": 2, "m": 2, "same": 3, "only": 1}]
    assert choose_parameters(rows) == (("jobsize", "m"), {"n": "m"})
    assert choose_parameters([{"same": 3}, {"same": 3}]) == ((), {})
    assert choose_parameters([]) == ((), {})
