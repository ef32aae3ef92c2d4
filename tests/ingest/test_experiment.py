"""Which metrics of a profile are kept."""

from ingest.experiment import MetricChoice


def test_without_others_only_required_metrics_are_kept():
    choice = MetricChoice(required=("time", "visits"))
    assert "time" in choice and "visits" in choice and "bytes_sent" not in choice


def test_others_are_kept_but_for_patterns_and_required_ones_always():
    choice = MetricChoice(required=("time",), every=True, excluded=("PAPI_*", "ti?e"))
    assert "bytes_sent" in choice and "time" in choice
    assert "PAPI_L2_DCM" not in choice and "tide" not in choice


def test_instructions_and_cycles_are_always_kept():
    choice = MetricChoice(required=("time",), every=True, excluded=("*",))
    assert "PAPI_TOT_INS" in choice and "perf::CYCLES" in choice and "PAPI_L2_DCM" not in choice


def test_different_choices_have_different_keys():
    choices = [
        MetricChoice(required=("time",)),
        MetricChoice(required=("visits",)),
        MetricChoice(required=("time",), on_locations="visits"),
        MetricChoice(required=("time",), every=True),
        MetricChoice(required=("time",), every=True, excluded=("a",)),
        MetricChoice(required=("time",), every=True, excluded=("a", "b")),
    ]
    assert len({choice.key for choice in choices}) == len(choices)
