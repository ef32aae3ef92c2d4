"""Tables of rates: times are those of one unit of work."""

import pytest

from ingest.errors import InputError
from ingest.run_settings import METADATA
from tests.ingest.tables.test_tables import efforts, read


@pytest.mark.parametrize(
    ("header", "seconds", "mapping"),
    [
        ("tokens/s", 1, {}),
        ("performance [ns/day]", 86400, {}),
        ("steps_per_second", 1, {}),
        ("MLUPS", 1, {}),
        ("throughput", 1, {}),
        ("speed", 3600, {"value": ("speed",), "unit": "jobs/h"}),
    ],
)
def test_rates_become_times_of_one_unit_of_work(tmp_path, header, seconds, mapping):
    study = read(tmp_path, f"p,{header}\n2,10\n4,16\n", **mapping)
    assert list(efforts(study).values()) == pytest.approx([2 * seconds / 10, 4 * seconds / 16])
    assert {run.profile.attributes[METADATA + "rate"] for run in study.runs} == {
        mapping.get("unit") or header.removeprefix("performance [").removesuffix("]")
    }
    assert study.notices[0].startswith("times and costs are those of one unit of work")


def test_times_go_before_rates(tmp_path):
    study = read(tmp_path, "p,steps/s,seconds\n2,10,7\n4,16,5\n")
    assert list(efforts(study).values()) == [14, 20]


def test_a_rate_of_zero_is_no_run(tmp_path):
    study = read(tmp_path, "p,steps/s\n2,10\n4,0\n")
    assert [run.parameters for run in study.runs] == [(2.0,)]
    assert "line 3: 'steps/s' is 0" in study.damaged[0][1]


def test_a_unit_that_is_neither_a_time_nor_a_rate_is_refused(tmp_path):
    with pytest.raises(InputError, match="neither a time nor a rate"):
        read(tmp_path, "p,time [furlongs]\n2,10\n4,16\n")
