import pytest

from ingest.units import work_rate


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("tokens/s", 1.0),
        ("steps_per_second", 1.0),
        ("ns/day", 86400.0),
        ("cells / min", 60.0),
        ("samples per hour", 3600.0),
        ("GFlop/s", 1.0),
        ("MLUPS", 1.0),
        ("SYPD", 86400.0),
    ],
)
def test_rates_have_a_period(text, seconds):
    rate = work_rate(text)
    assert (rate.text, rate.seconds) == (text, seconds)


@pytest.mark.parametrize("text", ["s", "time", "seconds per step", "s/step", "/s", "", "nodes", "superb"])
def test_what_is_no_rate(text):
    assert work_rate(text) is None
