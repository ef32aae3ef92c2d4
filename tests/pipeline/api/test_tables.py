"""Studies from DataFrames."""

import numpy as np
import pandas as pd
import pytest

import pipeline as pl
from ingest.run_settings import METADATA


@pytest.fixture
def rows():
    """Wall seconds of a location: `solve` is 40/p, `sum` 0.1 sqrt(p)."""
    return pd.DataFrame(
        [
            {"p": p, "run": run, "region": name, "time [ms]": 1e3 * seconds * (1 + 0.001 * run), "host": "a1"}
            for p in (4, 8, 16, 32, 64)
            for run in (1, 2)
            for name, seconds in (("solve", 40 / p), ("sum", 0.1 * p**0.5))
        ]
    )


def test_a_frame_in_long_form_is_a_study(rows):
    study = pl.read_frame(rows)
    assert (study.parameters, study.problems) == (("p",), ())
    assert list(study.runs.locations.unique()) == [4, 8, 16, 32, 64]
    models = study.fit()
    found = models.runtime(p=[256]).set_index("p")
    wall = {p: 1.0015 * (40 / p + 0.1 * p**0.5) for p in (4, 64)}
    assert found.wall_seconds[4] == pytest.approx(wall[4])
    assert found.speedup[64] == pytest.approx(wall[4] / wall[64], rel=1e-6)
    assert found.efficiency[64] == pytest.approx(wall[4] / wall[64] / 16, rel=1e-6)
    assert found.wall_seconds_lower[256] < 1.0015 * (40 / 256 + 1.6) < found.wall_seconds_upper[256]


def test_columns_may_be_named(rows):
    renamed = rows.set_axis(["cores", "try", "what", "t", "where"], axis=1)
    study = pl.read_frame(
        renamed,
        parameters="cores",
        repetition="try",
        kernel="what",
        value="t",
        unit="ms",
        locations="cores",
        metadata=["where"],
    )
    pd.testing.assert_frame_equal(
        study.measurements.rename(columns={"cores": "p"}), pl.read_frame(rows).measurements
    )
    assert study._read.experiment.runs[0].attributes[METADATA + "where"] == "a1"


def test_the_measurements_of_a_study_are_a_frame_again(strong_study):
    study = pl.read_study(strong_study)
    rows = study.measurements.drop(columns=["region", "effort"])
    rows["visits"] /= rows.p  # of a location, as the times are
    again = pl.read_frame(rows)
    pd.testing.assert_frame_equal(again.measurements, study.measurements, check_exact=False)
    one, two = study.fit(scaling="strong").runtime(p=[64]), again.fit(scaling="strong").runtime(p=[64])
    pd.testing.assert_frame_equal(one, two, check_exact=False, rtol=1e-6)


def test_a_number_of_locations_holds_for_all_rows():
    rows = pd.DataFrame({"n": [1, 2, 4], "kernel": "f", "seconds": [1.0, 2.0, 4.0]})
    assert "series" in pl.read_frame(rows).fit().scaling
    study = pl.read_frame(rows, locations=3)
    assert study.measurements.effort.tolist() == [3.0, 6.0, 12.0]


def test_what_cannot_be_used_is_a_warning_and_a_problem(rows):
    rows.loc[2, "time [ms]"] = np.nan
    with pytest.warns(UserWarning, match="1 run could not be read") as caught:
        study = pl.read_frame(rows, name="my rows")
    assert caught[0].filename == __file__
    assert study.problems == ("my rows (p = 4, repetition 2): row 2: 'time [ms]' has no value",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kernel": "nothing"}, "names the column 'nothing', which is not there"),
        ({"statistic": "median"}, "statistic: invalid value 'median'; choose mean, sum or maximum"),
        ({"locations": 0}, "locations: invalid locations 0"),
        ({"unit": "parsec"}, "is neither a time"),
    ],
)
def test_wrong_arguments_are_said_in_one_line(rows, given, message):
    with pytest.raises(pl.PipelineError, match=message):
        pl.read_frame(rows.rename(columns={"time [ms]": "time"}), **given)
