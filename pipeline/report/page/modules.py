"""Joins the page's ES modules into one script, without any JavaScript tool.

The modules are found by following the imports of the entry. Each becomes a function that is called once and
returns its exports, so that it keeps its own scope, and stands after all modules that it imports from. Of the
language's module syntax the page uses two forms, which are all that is understood here::

    import { figure, percent } from "../text/numbers.js";
    export function figure(value) {

with ``const``, ``class`` or ``async function`` in place of ``function``. Everything else is refused. The
entry may wait (``await``) outside of functions, too.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_DECLARATION = re.compile(r"^(?:export )?(?:async function|function|class|const|let) (\w+)", re.MULTILINE)
_LEFTOVER = re.compile(r"^\s*(?:import|export)\b.*|\bimport\s*\(.*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/)\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_LONG_TEMPLATE = re.compile(r"^(?:[^`\n]*`[^`\n]*`)*[^`\n]*`[^`\n]*$", re.MULTILINE)


class ModuleError(ValueError):
    """The modules cannot be joined."""


@dataclass(frozen=True)
class _Module:
    """A parsed module.

    Attributes:
        imports: names by the path that they are imported from.
        exports: exported names.
        body: the text without imports, the word ``export``, indentation and comments on lines of their own.
    """

    imports: Mapping[str, tuple[str, ...]]
    exports: tuple[str, ...]
    body: str


def joined(sources: Mapping[str, str], entry: str) -> str:
    """Join ES modules into one classic script in strict mode.

    Args:
        sources: texts by path, such as ``draw/chart.js``.
        entry: path of the module to begin with.

    Raises:
        ModuleError: if modules import each other in a circle, an imported module or name does not exist, a
            module declares a name twice, or it has module syntax that is not supported.
    """
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
    found = [(_resolved(path, source), _names(names)) for names, source in _IMPORT.findall(text)]
    declared = [*_DECLARATION.findall(text), *(name for _, names in found for name in names)]
    if twice := {name for name in declared if declared.count(name) > 1}:
        raise ModuleError(f"{path} declares {', '.join(sorted(twice))} twice")
    if len({source for source, _ in found}) < len(found):
        raise ModuleError(f"{path} imports from one module in two places")
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    if leftover := _LEFTOVER.search(body):
        raise ModuleError(f"{path} has module syntax that is not supported: {leftover.group().strip()}")
    return _Module(dict(found), tuple(_EXPORT.findall(text)), _INDENT.sub("", body.strip()))


def _resolved(path: str, source: str) -> str:
    """Return the path that a module's import names."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), source))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _as_function(path: str, module: _Module, kind: str) -> str:
    imports = [
        f'const {{ {", ".join(names)} }} = modules["{source}"];' for source, names in module.imports.items()
    ]
    exports = f"return {{ {', '.join(module.exports)} }};"
    return "\n".join([f'modules["{path}"] = ({kind}() => {{', *imports, module.body, exports, "})();"])
