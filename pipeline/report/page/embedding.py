"""What the HTML file embeds: styles, scripts, security policy, and data that is never read as markup."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.report.page.modules import joined

if TYPE_CHECKING:
    from jinja2 import Environment  # which few commands need

STYLES = ("tokens", "layout", "table", "chart", "tree")
DARK = "@dark@"  # stands in tokens.css for the colours of the dark theme, which are needed twice
REPORT, COMPARISON = "main.js", "comparison/comparison.js"
HISTORY, HISTORY_KERNEL = "history/index.js", "history/kernel.js"
ENTRIES = (REPORT, COMPARISON, HISTORY, HISTORY_KERNEL)
"""The modules that pages begin with."""


def style_sheet(names: Sequence[str] = STYLES) -> str:
    """Return style sheets as one; the first, with the colours, is needed by all others."""
    folder = _folder("css")
    dark = _text(folder / "dark.css")
    return "\n".join(_text(folder / f"{name}.css") for name in names).replace(DARK, dark)


def script(entry: str = REPORT) -> str:
    """Return the modules that a page needs as one script."""
    return joined(modules(), entry)


def modules() -> dict[str, str]:
    """Return the texts of all ES modules by path, such as ``draw/chart.js``."""
    return dict(_modules(_folder("js"), ""))


@cache
def templates(package: str) -> "Environment":
    """Return the templates of a package, each of which is compiled once; what they are given is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def content_security_policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return a policy under which the page loads nothing and runs only these texts."""
    return (
        f"default-src 'none'; script-src {_sources(scripts)}; style-src {_sources(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sources(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"


def _folder(name: str) -> Traversable:
    return files("pipeline.report.page") / name


def _modules(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _modules(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".js"):
            yield prefix + entry.name, _text(entry)


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")


def packed(values: FloatArray) -> str:
    """Return values as base64 of little-endian float32, 5.3 characters each and seven digits; NaN survives.

    Figures beyond the range of float32 become infinite.
    """
    with np.errstate(over="ignore"):
        return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def packed_double(values: FloatArray) -> str:
    """Return values as base64 of little-endian float64: for coefficients, whose terms may cancel."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


def integers(values: IntArray | BoolArray) -> list[int]:
    """Return integers as a flat list."""
    flat: list[int] = np.asarray(values, dtype=np.int64).ravel().tolist()
    return flat


def json_for_script(value: Any) -> str:  # noqa: ANN401
    """Return compact JSON that no HTML parser can take for the end of its script element.

    ``<`` is escaped, so neither ``</script>`` nor ``<!--`` can occur; all else is ASCII.
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
