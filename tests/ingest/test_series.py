"""Values of a series file brought into dense arrays."""

import numpy as np
import pytest

from ingest import series as series_module
from ingest.errors import InputError
from ingest.series import SeriesBuilder


def two_paths():
    builder = SeriesBuilder(source="a.txt", parameters=("p",))
    builder.add("main", "time", (4.0,), [1.0])
    builder.add("main->f", "time", (2.0,), [3.0, -1.0])
    builder.add("main->f", "time", (4.0,), [5.0, np.inf])
    return builder


def test_points_are_sorted_and_what_is_missing_is_not_measured():
    found = two_paths().series(given=[(2.0,), (4.0,), (8.0,)], notices=["odd"])
    assert found.points.tolist() == [[2.0], [4.0]]
    nothing = [np.nan, np.nan]
    np.testing.assert_array_equal(
        found.values["time"], [[nothing, [1.0, np.nan]], [[3.0, -1.0], [5.0, np.nan]]]
    )
    assert found.notices == (
        "odd",
        "1 of the 3 points listed have no value",
        "1 of 5 values are not finite and count as not measured",
        "1 of 5 values are negative; they are kept",
        "time: 1 call paths lack some of the 2 points",
    )


def test_names_and_values_up_to_the_limits_are_held(monkeypatch):
    monkeypatch.setattr(series_module, "MAX_NAMES", 1)
    monkeypatch.setattr(series_module, "MAX_VALUES", 8)
    assert len(two_paths().series().callpaths) == 2
    monkeypatch.setattr(series_module, "MAX_VALUES", 7)
    with pytest.raises(InputError, match=r"too large for memory: 1 x 2 x 2 .* with up to 2 repetitions"):
        two_paths().series()
    monkeypatch.setattr(series_module, "MAX_NAMES", 0)
    with pytest.raises(InputError, match="its call paths are too long for memory"):
        two_paths().series()


@pytest.mark.parametrize(
    ("parameters", "message"), [((), "no parameter"), (("p", "n", "p"), "'p' is named twice")]
)
def test_parameters_are_named_once(parameters, message):
    builder = SeriesBuilder(source="a.txt", parameters=parameters)
    builder.add("main", "time", (4.0,) * len(parameters), [1.0])
    with pytest.raises(InputError, match=message):
        builder.series()


def test_a_series_without_values_is_none():
    with pytest.raises(InputError, match="no value"):
        SeriesBuilder(source="a.txt", parameters=("p",)).series()
