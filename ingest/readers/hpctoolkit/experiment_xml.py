"""``experiment.xml``, the document of databases until 2021: metrics, names and the call tree.

Below ``SecCallPathProfileData`` stand procedure frames (``PF``), procedures that the compiler inlined
(``Pr``), loops (``L``), call sites (``C``) and statements (``S``), each with the number of its values.
Numbers stand for the names of procedures and files, which tables before define.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ingest.calltree import ROOT
from ingest.errors import InputError

MAX_BYTES = 1 << 31
MAX_DIGITS = 9
MAX_QUOTED = 120  # characters of an error, which may quote the file
LOOP, CALL_SITE, STATEMENT = "L", "C", "S"
_NODES = frozenset(("PF", "Pr", LOOP, CALL_SITE, STATEMENT))
_DATA = "SecCallPathProfileData"

Attributes = dict[str, str]


@dataclass(frozen=True)
class WrittenMetric:
    """A metric with values in ``*.metric-db``.

    Attributes:
        name: as it is written, with its unit and (I) or (E) for inclusive or exclusive values.
        column: of its values.
    """

    name: str
    column: int


@dataclass(eq=False, kw_only=True)
class Document:
    """The content of a document; columns have one entry per node, callers first.

    Attributes:
        metrics: the metrics.
        tables: names by their numbers, for ``File`` and ``Procedure``.
        tag: what a node is; call sites and procedures without a name are `CALL_SITE`.
        identifier: the number of its values, from 1.
        parent: the node that it is in, or `ROOT`.
        region: name and source file.
        line: source line, 0 if unknown.
    """

    metrics: list[WrittenMetric] = field(default_factory=list)
    tables: dict[str, dict[str, str]] = field(default_factory=lambda: {"File": {}, "Procedure": {}})
    tag: list[str] = field(default_factory=list)
    identifier: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    region: list[tuple[str, str]] = field(default_factory=list)
    line: list[int] = field(default_factory=list)

    def kept(self) -> list[bool]:
        """Return which nodes are call paths: all but call sites, and statements that call nothing."""
        kept = [tag not in (CALL_SITE, STATEMENT) for tag in self.tag]
        inside = [False] * len(kept)
        for node in range(len(kept) - 1, -1, -1):
            kept[node] = kept[node] or (inside[node] and self.tag[node] == STATEMENT)
            if self.parent[node] != ROOT:
                inside[self.parent[node]] |= kept[node] or inside[node]
        return kept


def read_document(path: Path) -> Document:
    """Parse a document.

    Raises:
        InputError: with the line, if it is damaged, too large, or not a document of HPCToolkit.
    """
    events = _Events()
    try:
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size > MAX_BYTES:
                raise InputError(f"more than {MAX_BYTES >> 20} MiB of XML", where=str(path))
            events.parser.ParseFile(stream)
    except (expat.ExpatError, LookupError) as error:  # the latter for an encoding that is not known
        raise InputError(f"damaged XML ({str(error)[:MAX_QUOTED]})", where=str(path)) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    except ValueError as error:
        what = f"line {events.parser.CurrentLineNumber}: {error}"
        raise InputError(what, where=str(path)) from error
    return events.document


class _Events:
    """The handlers that expat calls; they raise ValueError."""

    def __init__(self) -> None:
        self.document = Document()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.root
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity
        self.inside = False  # of the call tree
        self.open: list[int] = [ROOT]
        self.files: list[str] = [""]  # of the nodes that are open

    def root(self, tag: str, attributes: Attributes) -> None:
        if tag != "HPCToolkitExperiment":
            raise ValueError(f"the document is <{tag[:40]}>, not <HPCToolkitExperiment>")
        self.parser.StartElementHandler = self.start

    def start(self, tag: str, attributes: Attributes) -> None:
        if self.inside and tag in _NODES:
            self.node(tag, attributes)
        elif tag in self.document.tables:
            self.document.tables[tag][attributes.get("i", "")] = attributes.get("n", "")
        elif tag == "MetricDB":
            metrics = self.document.metrics
            column = _number(attributes.get("db-id", str(len(metrics))), "a metric without a column")
            metrics.append(WrittenMetric(attributes.get("n", ""), column))
        elif tag == _DATA:
            self.inside = True

    def end(self, tag: str) -> None:
        if self.inside and tag in _NODES:
            self.open.pop()
            self.files.pop()
        elif tag == _DATA:
            self.inside = False

    def node(self, tag: str, attributes: Attributes) -> None:
        document = self.document
        line = _number(attributes.get("l", "0").partition("-")[0], "an impossible source line")
        file = self.named("File", attributes["f"]) if "f" in attributes else self.files[-1]
        name = f"{file.rpartition('/')[2]}:{line}"
        if tag in ("PF", "Pr"):
            name = self.named("Procedure", attributes.get("n", ""))
            tag = tag if name or tag == "PF" else CALL_SITE
        elif tag == LOOP:
            name = f"Loop@{name}"
        document.tag.append(tag)
        document.identifier.append(_number(attributes.get("i", ""), "a node without a number"))
        document.parent.append(self.open[-1])
        document.region.append((name, file))
        document.line.append(line)
        self.open.append(len(document.tag) - 1)
        self.files.append(file)

    def named(self, table: str, number: str) -> str:
        try:
            return self.document.tables[table][number]
        except KeyError:
            raise ValueError(f"an undefined {table.lower()} ('{number[:20]}')") from None

    def entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares an entity ('{name[:20]}'), which HPCToolkit does not")


def _number(text: str, otherwise: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise ValueError(otherwise)
    return int(text)
