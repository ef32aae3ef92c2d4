"""Data survives its way into a script element, and nothing that is embedded can end its element."""

import base64
import hashlib
import json
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.page.embedding import (
    compressed,
    content_security_policy,
    integers,
    modules,
    packed,
    script,
    style_sheet,
)
from pipeline.wording.quantities import figure
from tests.pipeline.report.page.studies import floats, unpacked


def test_floats_come_back_with_few_digits_and_nan() -> None:
    values = np.array([[1.0, np.nan], [1 / 3, 1e-30]])
    np.testing.assert_allclose(floats(packed(values), 2), values, rtol=1e-4)
    np.testing.assert_array_equal(floats(packed(np.array([1, 2]))), [1, 2])
    np.testing.assert_array_equal(floats(packed(np.arange(6.0).reshape(2, 3).T)), [0, 3, 1, 4, 2, 5])


@given(st.lists(st.floats(-1e15, 1e15) | st.floats(900, 20_000) | st.floats(-1e-3, 1e-3), max_size=30))
def test_packed_numbers_are_written_as_before(values: list[float]) -> None:
    usual = np.array([value for value in values if value == 0 or abs(value) > 1e-30])
    assert [*map(figure, floats(packed(usual)))] == [*map(figure, usual)]


def test_what_float32_cannot_hold_is_infinite() -> None:
    np.testing.assert_array_equal(floats(packed(np.array([1e300, -1e300]))), [np.inf, -np.inf])


def test_integers_are_flat() -> None:
    assert integers(np.array([[1, -1], [3, 4]])) == [1, -1, 3, 4]
    assert json.dumps(integers(np.array([True, False]))) == "[1, 0]"


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=8))
def test_data_come_back_and_cannot_end_their_element(value: object) -> None:
    text = compressed(value)
    assert re.fullmatch(r"[^\s\"&'/<>\\]+", text)
    assert unpacked(text) == value
    assert unpacked(compressed([value, b"\0<1", {"of": b""}])) == [value, b"\0<1", {"of": b""}]


def test_data_are_never_nan() -> None:
    with np.testing.assert_raises(ValueError):
        compressed([float("nan")])


def test_scripts_and_styles_cannot_end_their_elements() -> None:
    assert "</script" not in script()
    assert "<!--" not in script()
    assert "</style" not in style_sheet()


def test_style_sheets_stand_in_order_with_the_dark_colours() -> None:
    text = style_sheet()
    assert text.count("--paper:#15181c;") == 1
    places = [text.index(part) for part in (":root{", "h1{", "caption{", ".chart{", ".tree-head,.node{")]
    assert places == sorted(places)


def test_modules_are_named_by_their_paths() -> None:
    found = modules()
    assert {"main.js", "state.js", "data/kernel_set.js", "views/kernels.js"} <= set(found)
    assert "export class KernelSet" in found["data/kernel_set.js"]
    assert all(path.endswith(".js") for path in found)


def test_policy_admits_the_embedded_texts_alone() -> None:
    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert content_security_policy(["a", "ä"], ["b"]) == (
        f"default-src 'none'; script-src {digest('a')} {digest('ä')}; style-src {digest('b')}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
