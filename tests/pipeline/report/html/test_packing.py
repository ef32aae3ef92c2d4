"""Data survives its way into a script element, and nothing in it can end that element."""

import base64
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.html.packing import integers, json_for_script, packed, packed_double


def test_floats_come_back_with_seven_digits_and_nan() -> None:
    values = np.array([[1.0, np.nan], [1 / 3, 1e-30]])
    back = np.frombuffer(base64.b64decode(packed(values)), dtype="<f4").reshape(2, 2)
    np.testing.assert_allclose(back, values, rtol=1e-7)


def test_doubles_come_back_exactly() -> None:
    values = np.array([1 / 3, 1e-300, -7e200])
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(packed_double(values)), dtype="<f8"), values)


def test_what_float32_cannot_hold_is_infinite() -> None:
    assert np.isinf(np.frombuffer(base64.b64decode(packed(np.array([1e300]))), dtype="<f4")).all()


def test_integers_are_flat() -> None:
    assert integers(np.array([[1, -1], [3, 4]])) == [1, -1, 3, 4]


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=8))
def test_json_cannot_end_its_element(value: object) -> None:
    text = json_for_script(value)
    assert "<" not in text
    assert json.loads(text) == value
