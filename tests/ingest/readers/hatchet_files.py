"""Tiny dictionaries of Hatchet and of Proton."""

import json
from collections.abc import Mapping
from typing import Any


def frame(name: str, *children: Mapping[str, Any], **metrics: object) -> dict[str, Any]:
    """A frame; the first word of a metric may stand before a unit in brackets: ``time__ns``."""
    named = {key.replace("__", " (") + ")" * ("__" in key): value for key, value in metrics.items()}
    found: dict[str, Any] = {"frame": {"name": name, "type": "function"}, "metrics": named}
    return found | ({"children": list(children)} if children else {})


LITERAL = [
    frame(
        "main",
        frame("solve", frame("dot", time=2.0, time__inc=2.0, nid=3), time=3.0, time__inc=5.0, nid=2),
        frame("write", time=1.0, time__inc=1.0, nid=4),
        time=0.5,
        time__inc=6.5,
        nid=1,
    )
]
INCLUSIVE = [
    frame("main", frame("solve", time__inc=5.0, PAPI_TOT_INS__inc=50), time__inc=6.5, PAPI_TOT_INS__inc=60)
]
PROTON = [
    frame(
        "ROOT",
        frame("forward", frame("matmul", count=2, time__ns=3_000_000, device_id="1", device_type="CUDA")),
        frame("matmul", count=1, time__ns=1_000_000, device_id="1", device_type="CUDA", flops16=1e9),
    ),
    {"CUDA": {"1": {"arch": "90", "num_sms": 132}}},
]

HATCHET: Mapping[str, str] = {
    "literal": json.dumps(LITERAL),
    "python": repr(LITERAL),
    "inclusive": json.dumps(INCLUSIVE, indent=1),
    "proton": json.dumps(PROTON),
}
