"""The page's own style sheet and script, and the security policy that admits nothing else."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

from pipeline.report.html.modules import joined

STYLES = ("tokens", "layout", "table", "chart", "tree")
DARK = "@dark@"  # stands in tokens.css for the colours of the dark theme, which are needed twice
ENTRY = "main.js"


def style_sheet() -> str:
    """Return all style sheets as one."""
    folder = _folder("css")
    dark = _text(folder / "dark.css")
    return "\n".join(_text(folder / f"{name}.css") for name in STYLES).replace(DARK, dark)


def script() -> str:
    """Return the modules of the page as one script."""
    return joined(modules(), ENTRY)


def modules() -> dict[str, str]:
    """Return the texts of the page's ES modules by path, such as ``draw/chart.js``."""
    return dict(_modules(_folder("js"), ""))


def content_security_policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return a policy under which the page loads nothing and runs only these texts."""
    return (
        f"default-src 'none'; script-src {_sources(scripts)}; style-src {_sources(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sources(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def _folder(name: str) -> Traversable:
    return files("pipeline.report.html") / name


def _modules(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _modules(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".js"):
            yield prefix + entry.name, _text(entry)


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")
