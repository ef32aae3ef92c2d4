"""Data survives its way into a script element, and nothing that is embedded can end its element."""

import base64
import hashlib
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.page.embedding import (
    content_security_policy,
    integers,
    json_for_script,
    modules,
    packed,
    packed_double,
    script,
    style_sheet,
)


def test_floats_come_back_with_seven_digits_and_nan() -> None:
    values = np.array([[1.0, np.nan], [1 / 3, 1e-30]])
    back = np.frombuffer(base64.b64decode(packed(values)), dtype="<f4").reshape(2, 2)
    np.testing.assert_allclose(back, values, rtol=1e-7)


def test_rows_of_a_view_come_back_in_their_order() -> None:
    values = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(
        np.frombuffer(base64.b64decode(packed(values)), dtype="<f4"), values.ravel()
    )
    np.testing.assert_array_equal(
        np.frombuffer(base64.b64decode(packed_double(values)), dtype="<f8"), values.ravel()
    )


def test_doubles_come_back_exactly() -> None:
    values = np.array([1 / 3, 1e-300, -7e200])
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(packed_double(values)), dtype="<f8"), values)


def test_what_float32_cannot_hold_is_infinite() -> None:
    found = np.frombuffer(base64.b64decode(packed(np.array([1e300, -1e300]))), dtype="<f4")
    np.testing.assert_array_equal(found, [np.inf, -np.inf])


def test_whole_numbers_are_packed_as_floats() -> None:
    values = np.array([1, 2])
    assert base64.b64decode(packed(values)) == np.array([1, 2], dtype="<f4").tobytes()
    assert base64.b64decode(packed_double(values)) == np.array([1, 2], dtype="<f8").tobytes()


def test_integers_are_flat() -> None:
    assert integers(np.array([[1, -1], [3, 4]])) == [1, -1, 3, 4]
    assert json.dumps(integers(np.array([True, False]))) == "[1, 0]"


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=8))
def test_json_cannot_end_its_element(value: object) -> None:
    text = json_for_script(value)
    assert "<" not in text
    assert text.isascii()
    assert json.loads(text) == value


def test_json_is_compact_and_never_nan() -> None:
    assert json_for_script({"a": [1, 2], "b": "<!--"}) == '{"a":[1,2],"b":"\\u003c!--"}'
    with np.testing.assert_raises(ValueError):
        json_for_script([float("nan")])


def test_scripts_and_styles_cannot_end_their_elements() -> None:
    assert "</script" not in script()
    assert "<!--" not in script()
    assert "</style" not in style_sheet()


def test_style_sheets_stand_in_order_with_the_dark_colours_twice() -> None:
    text = style_sheet()
    assert "@dark@" not in text
    assert text.count("--paper: #15181c;") == 2
    places = [
        text.index(part) for part in (":root {", "h1 {", "caption {", ".chart {", ".tree-head, .node {")
    ]
    assert places == sorted(places)


def test_modules_are_named_by_their_paths() -> None:
    found = modules()
    assert {"main.js", "state.js", "data/level.js", "views/kernels.js"} <= set(found)
    assert "export class Level" in found["data/level.js"]
    assert all(path.endswith(".js") for path in found)


def test_policy_admits_the_embedded_texts_alone() -> None:
    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert content_security_policy(["a", "ä"], ["b"]) == (
        f"default-src 'none'; script-src {digest('a')} {digest('ä')}; style-src {digest('b')}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
