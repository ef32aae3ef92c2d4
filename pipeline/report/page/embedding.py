"""What the HTML file embeds: styles, scripts, security policy, and data that is never read as markup."""

import base64
import hashlib
import json
import posixpath
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.record_codec import entries
from pipeline.columns.column import Column, Found
from pipeline.report.page.payload import ColumnPayload, Floats

if TYPE_CHECKING:
    from jinja2 import Environment  # which few commands need

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_DECLARATION = re.compile(r"^(?:export )?(?:async function|function|class|const|let) (\w+)", re.MULTILINE)
_LEFTOVER = re.compile(r"^\s*(?:import|export)\b.*|\bimport\s*\(.*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/)\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_LONG_TEMPLATE = re.compile(r"^(?:[^`\n]*`[^`\n]*`)*[^`\n]*`[^`\n]*$", re.MULTILINE)
_UNNEEDED = re.compile(r"/\*[\s\S]*?\*/|(?<=[{};:,])\s+|\s+(?=[{}])")  # of styles
_STYLES = ("layout", "table", "chart")
_LEVEL, _SCRIPT_LEVEL = 7, 9  # of compression
_MEMORY = 5  # of compression: short blocks, as numbers change from array to array
LETTERS = np.array([n for n in range(ord("!"), ord("~") + 1) if chr(n) not in "\"&'-/<>\\~"], dtype=np.uint8)
"""What bytes are written with: no quotes, and nothing that markup or escapes begin with."""
EMBEDDED_BYTES = "$bytes"  # stands in JSON for bytes beside it
_ROUNDING = 1 << 4  # half of the last bit that short numbers have
_DRAWN = 1 << 10  # the same of numbers that are only drawn
_HALF = 2e-3  # how far from the middle between two written numbers a float32 surely is on the right side
_OWN_STYLES = {"report": ("tree",), "comparison": ("tree", "comparison"), "history": ("history",)}
ENTRIES = {"report": "main.js", "comparison": "comparison.js", "history": "history.js"}
"""The module that each page begins with."""

START = "start.js"
"""The module that unpacks the script of a page and runs it."""


def page_text(page: str, data: Any = None, **content: Any) -> str:  # noqa: ANN401
    """Return a page, a key of `ENTRIES`, with what its script reads and what its template shows.

    It needs no network, runs its own script alone, and shows whatever names hold as text.
    """
    from markupsafe import Markup

    scripts, styles, start = script(page), style_sheet(page), starter()
    text = (
        _templates()
        .get_template(f"{page}.html.j2")
        .render(
            content,
            policy=content_security_policy([start, scripts], [styles]),
            styles=Markup(styles),
            start=Markup(start),
            scripts=Markup(packed_script(page)),
            data=Markup(compressed(data)),
        )
    )
    return text.encode("utf-8", "replace").decode()


@cache
def style_sheet(page: str = "report") -> str:
    """Return the styles of a page; the first, with the colours, are needed by all others."""
    folder = _folder("css")
    texts = (_text(folder / f"{name}.css") for name in (*_STYLES, *_OWN_STYLES[page]))
    return _UNNEEDED.sub("", "\n".join(texts))


@cache
def script(page: str = "report") -> str:
    """Return the modules that a page needs as one script."""
    return joined(modules(), ENTRIES[page])


@cache
def starter() -> str:
    """Return the script that unpacks that of a page."""
    return joined(modules(), START)


@cache
def packed_script(page: str = "report") -> str:
    """Return the script of a page as it carries it: compressed, in letters, a quarter of its length."""
    return _lettered(zlib.compress(script(page).encode(), _SCRIPT_LEVEL))


def modules() -> dict[str, str]:
    """Return the texts of all ES modules by path, such as ``draw/chart.js``."""
    return dict(_modules(_folder("js"), ""))


@cache
def _templates() -> "Environment":
    """Return the templates, each of which is compiled once; what they are given is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("pipeline.report.page", "templates"),
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


def packed(values: FloatArray, rounding: int = _ROUNDING) -> Floats:
    """Return float32 as differences from number to number, first the lowest bytes of all; NaN survives.

    They have as few digits as write the same number with three or four significant ones: the lowest bytes are
    mostly zero, and take next to nothing when the page is compressed. Figures beyond the range of float32
    become infinite. `rounding`: half of the last bit that they have; 0 keeps all bits of float32.
    """
    with np.errstate(over="ignore"):
        exact = np.ascontiguousarray(values, dtype="<f4").ravel()
    kept = ~np.uint32(max(2 * rounding - 1, 0))
    short = ((exact.view("<u4") + rounding) & kept).view("<f4")
    short = np.where(np.isfinite(exact) & np.isfinite(short), short, exact)
    given = np.where(np.isfinite(exact), np.ravel(values), 0.0).astype(np.float64)
    size = np.log10(np.abs(given), where=given != 0, out=np.zeros(given.shape))
    for digits in (3, 4):
        factor = 10.0 ** (digits - 1 - np.floor(size))
        written = given * factor
        wrong = np.rint(short.astype(np.float64) * factor) != np.rint(written)
        short[wrong] = exact[wrong]
        half = np.abs(np.abs(written) % 1 - 0.5) < _HALF
        for i in np.flatnonzero(half).tolist():
            short[i] = _written_alike(given[i], exact[i])
    steps = np.diff(short.astype("<f4").view("<u4"), prepend=np.uint32(0)).astype("<u4")
    return Floats(steps.view(np.uint8).reshape(-1, 4).T.tobytes())


def drawn(values: FloatArray) -> Floats:
    """Return what is drawn and never written, as `packed` does but with little more than three digits."""
    with np.errstate(over="ignore"):
        exact = np.ascontiguousarray(values, dtype="<f4").ravel()
    short = ((exact.view("<u4") + _DRAWN) & ~np.uint32(2 * _DRAWN - 1)).view("<f4")
    return packed(np.where(np.isfinite(exact), short, exact), 0)


def _written_alike(value: float, near: np.float32) -> np.float32:
    """Return the number nearest to a value halfway between two shorter ones that is rounded like it."""
    ends = (np.nextafter(near, np.float32(end)) for end in (-np.inf, np.inf))
    wanted = (f"{value:.2e}", f"{value:.3e}")
    alike = (one for one in (near, *ends) if (f"{one:.2e}", f"{one:.3e}") == wanted)
    return next(alike, near)


def plain(values: FloatArray) -> list[float | None]:
    """Return numbers with nine digits, None for what is not known."""
    return [short(value, 9) for value in values.tolist()]


def few_digits(value: float, digits: int = 6) -> float:
    """Return a number with few digits."""
    return float(f"{value:.{digits}g}")


def short(value: float, digits: int = 6) -> float | None:
    """Return a number with few digits, None for what is not known or infinite."""
    return few_digits(value, digits) if np.isfinite(value) else None


def integers(values: IntArray | BoolArray) -> list[int]:
    """Return integers as a flat list."""
    flat: list[int] = np.asarray(values, dtype=np.int64).ravel().tolist()
    return flat


def columns_data(columns: Iterable[Column[Found]], found: Found, lacking: int = 0) -> list[ColumnPayload]:
    """Return columns with values and texts; ``js/draw/table.js`` makes tables of such.

    Rows at the end that are `lacking` have nothing in them.
    """
    return [
        ColumnPayload(
            key=cells.name,
            title=cells.heading,
            help=column.about,
            number=cells.is_number,
            values=[*cells.values, *[None] * lacking],
            texts=[*cells.texts, *[""] * lacking],
        )
        for column in columns
        for cells in column.filled(found)
    ]


def script_name(field: str) -> str:
    """Return what scripts call a field of a record: ``measuredOnly`` for ``measured_only``."""
    first, *rest = field.split("_")
    return first + "".join(map(str.capitalize, rest))


def compressed(value: Any) -> str:  # noqa: ANN401
    """Return records as JSON and bytes, compressed, in letters that no HTML parser takes for markup.

    The length of the JSON comes first, as four bytes, then the JSON, then all bytes in a row, whose place and
    number stand in the JSON. `readData` reads it.
    """
    parts: list[bytes] = []

    def placed(part: Any) -> dict[str, object]:  # noqa: ANN401
        if not isinstance(part, bytes):
            kind: Any = type(part)
            held = ((one, getattr(part, one.field)) for one in entries(kind))
            return {
                script_name(one.key): value for one, value in held if value is not None or not one.may_lack
            }
        parts.append(part)
        return {EMBEDDED_BYTES: [sum(map(len, parts[:-1])), len(part)]}

    text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=placed).encode()
    content = b"".join([len(text).to_bytes(4, "little"), text, *parts])
    packer = zlib.compressobj(_LEVEL, memLevel=_MEMORY)
    return _lettered(packer.compress(content) + packer.flush())


def _lettered(content: bytes) -> str:
    """Return five of 85 letters for every four bytes, for fewer at the end one more than they are."""
    words = np.frombuffer(content + bytes(-len(content) % 4), dtype=">u4").astype(np.uint32)
    letters: bytes = LETTERS[words[:, None] // 85 ** np.arange(4, -1, -1, dtype=np.uint32) % 85].tobytes()
    return letters[: len(content) + -(-len(content) // 4)].decode()


# Joins the page's ES modules into one script, without any JavaScript tool.
#
# The modules are found by following the imports of the entry. Each becomes a function that is called once and
# returns its exports, so that it keeps its own scope, and stands after all modules that it imports from. Of
# the language's module syntax the page uses two forms, which are all that is understood here::
#
#     import { figure, percent } from "../text/numbers.js";
#     export function figure(value) {
#
# with ``const``, ``class`` or ``async function`` in place of ``function``. Everything else is refused. The
# entry may wait (``await``) outside of functions, too.


class ModuleError(ValueError):
    """The modules cannot be joined."""


@dataclass(frozen=True)
class _Module:
    """A parsed module."""

    imports: Mapping[str, tuple[str, ...]]  # names by the path that they are imported from
    exports: tuple[str, ...]  # exported names
    body: str  # the text without imports, the word ``export``, indentation and comments on lines of their own


def joined(sources: Mapping[str, str], entry: str) -> str:
    """Join ES modules, texts by path, into one classic script in strict mode that begins with `entry`."""
    parsed: dict[str, _Module] = {}
    _follow(sources, entry, (), parsed)
    parts = [_as_function(path, module, "async " * (path == entry)) for path, module in parsed.items()]
    return "\n".join(['"use strict";', "{", "const modules = {};", *parts, "}", ""])


def _follow(
    sources: Mapping[str, str], path: str, importers: tuple[str, ...], parsed: dict[str, _Module]
) -> None:
    """Add a module to `parsed`, after all that it imports from."""
    if path in importers:
        circle = " -> ".join((*importers[importers.index(path) :], path))
        raise ModuleError(f"modules import each other in a circle: {circle}")
    if path in parsed:
        return
    if path not in sources:
        importer = importers[-1] if importers else "the page"
        raise ModuleError(f"{importer} imports {path}, which does not exist")
    module = _parse(path, sources[path])
    for source, names in module.imports.items():
        _follow(sources, source, (*importers, path), parsed)
        if unknown := set(names) - set(parsed[source].exports):
            raise ModuleError(f"{path} imports {', '.join(sorted(unknown))}, which {source} does not export")
    parsed[path] = module


def _parse(path: str, text: str) -> _Module:
    if long := _LONG_TEMPLATE.search(text):  # its lines could look like comments or imports
        raise ModuleError(f"{path} has a template of several lines: {long.group().strip()}")
    text = _COMMENT.sub("", text)
    folder = posixpath.dirname(path)
    found = [
        (
            posixpath.normpath(posixpath.join(folder, source)),
            tuple(filter(None, map(str.strip, names.split(",")))),
        )
        for names, source in _IMPORT.findall(text)
    ]
    declared = [*_DECLARATION.findall(text), *(name for _, names in found for name in names)]
    if twice := {name for name in declared if declared.count(name) > 1}:
        raise ModuleError(f"{path} declares {', '.join(sorted(twice))} twice")
    if len({source for source, _ in found}) < len(found):
        raise ModuleError(f"{path} imports from one module in two places")
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    if leftover := _LEFTOVER.search(body):
        raise ModuleError(f"{path} has module syntax that is not supported: {leftover.group().strip()}")
    return _Module(dict(found), tuple(_EXPORT.findall(text)), _INDENT.sub("", body.strip()))


def _as_function(path: str, module: _Module, kind: str) -> str:
    imports = [
        f'const {{ {", ".join(names)} }} = modules["{source}"];' for source, names in module.imports.items()
    ]
    exports = f"return {{ {', '.join(module.exports)} }};"
    return "\n".join([f'modules["{path}"] = ({kind}() => {{', *imports, module.body, exports, "})();"])
