"""The page's own style sheets and scripts, and the security policy that admits nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

STYLES = ("tokens", "layout", "table", "chart", "tree")
SCRIPTS = (
    "dom",
    "data",
    "numbers",
    "models",
    "outlook",
    "formula",
    "names",
    "target",
    "axes",
    "chart",
    "hover",
    "overview",
    "table",
    "kernel_plot",
    "kernels",
    "tree_values",
    "tree",
    "icicle",
    "imbalance",
    "filter",
    "heatmap",
    "theme",
    "main",
)
DARK = "@dark@"  # stands in tokens.css where the colours of the dark theme go: they are needed twice


def style_sheet() -> str:
    """Return all style sheets as one."""
    dark = _read("css", "dark.css")
    return "\n".join(_read("css", f"{name}.css") for name in STYLES).replace(DARK, dark)


def script() -> str:
    """Return all scripts as one, in one scope; what runs at the start uses what stands before it."""
    body = "\n".join(_read("js", f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n{{\n{body}}}\n'


def content_security_policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return a policy under which the page loads nothing and runs only these texts."""
    return (
        f"default-src 'none'; script-src {_sources(scripts)}; style-src {_sources(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sources(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def _read(folder: str, name: str) -> str:
    return files("pipeline.report.html").joinpath(folder, name).read_text(encoding="utf-8")
