from ingest.number_text import IN_A_SECOND, SECONDS


def test_units_in_a_second_are_whole_numbers():
    assert {IN_A_SECOND[unit] for unit in IN_A_SECOND} == {1.0, 1e3, 1e6, 1e9}
    assert IN_A_SECOND["ns"] == IN_A_SECOND["nsecond"] == 1e9
    assert IN_A_SECOND.keys() == SECONDS.keys() - {"min", "minutes", "h", "hours"}
