"""Numbers and text on their way into a script tag: small, exact enough, and never read as markup."""

import base64
import json
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray


def packed(values: FloatArray) -> str:
    """Return values as base64 of little-endian float32, 5.3 characters each and seven digits; NaN survives.

    Figures beyond the range of float32 become infinite.
    """
    with np.errstate(over="ignore"):
        return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def packed_double(values: FloatArray) -> str:
    """Return values as base64 of little-endian float64: for coefficients, whose terms may cancel."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


def integers(values: IntArray) -> list[int]:
    """Return integers as a flat list."""
    flat: list[int] = np.asarray(values, dtype=np.int64).ravel().tolist()
    return flat


def json_for_script(value: Any) -> str:  # noqa: ANN401
    """Return compact JSON that no HTML parser can take for the end of its script element.

    ``<`` is escaped, so neither ``</script>`` nor ``<!--`` can occur; all else is ASCII.
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
