"""``meta.db``: what threads, metrics and functions are called."""

from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

from ingest.readers.hpctoolkit.structures import FilePart, sections
from ingest.reading.files import read_bytes

MAX_BYTES = 1 << 32
MAX_NAME = 1 << 16
MAX_METRICS = 1 << 16  # their identifiers have 16 bits
SECTIONS = ("general", "kinds", "metrics", "contexts", "strings", "modules", "files", "functions")

_TITLE = Struct("<Q")
_KINDS = Struct("<QB")
_METRICS = Struct("<QIBBB")
_METRIC = Struct("<QQQHH")  # name, instances, summaries, numbers of these
_INSTANCE = Struct("<QH")  # scope, identifier of its values
_SUMMARY = Struct("<QQBxH")  # scope, formula, how threads are combined, identifier of its values
_SCOPE = Struct("<QB")  # name, type
_FUNCTION = Struct("<QQQQI")  # name, module, offset in it, file, line
_NAMED = Struct("<8xQ")  # a load module or a source file: flags, path

_EXECUTION, _SUM, _IDENTITY = 2, 0, "$$"


@dataclass(frozen=True)
class MeasuredMetric:
    """A metric that was measured.

    Attributes:
        name: as it is written, with its unit.
        inclusive: identifier of its inclusive values (scope ``execution``) in the profiles of threads.
        total: identifier of the sum of these over all threads in the summary, -1 if there is none.
    """

    name: str
    inclusive: int
    total: int


@dataclass(frozen=True)
class Function:
    """A function, as far as it is known.

    Attributes:
        name: empty if it has none.
        module: file name of its load module, empty if unknown.
        offset: of its first instruction in the module.
        file: source file, empty if unknown.
        line: in the source file, 0 if unknown.
    """

    name: str
    module: str
    offset: int
    file: str
    line: int


@dataclass(eq=False, kw_only=True)
class MetaFile:
    """The content of ``meta.db``; methods raise ValueError if it is damaged.

    Attributes:
        characters: that may still be read: texts of a file are not many times longer than the file.
    """

    whole: FilePart
    sections: dict[str, FilePart]
    characters: int
    _texts: dict[int, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, path: Path) -> "MetaFile":
        """Read a file."""
        content = read_bytes(path, MAX_BYTES)
        whole, parts = FilePart(0, content), {}
        for name, (size, at) in zip(SECTIONS, sections(content, b"meta", len(SECTIONS)), strict=True):
            if not whole.holds(at, size):
                raise ValueError(f"the section of {name} lies behind the end: truncated")
            parts[name] = FilePart(at, content[at : at + size])
        return cls(whole=whole, sections=parts, characters=8 * len(content) + MAX_NAME)

    def text(self, at: int) -> str:
        """Return the text at an offset; empty at offset 0, which stands for none."""
        if not at:
            return ""
        if at not in self._texts:
            text = self.whole.text(at, MAX_NAME)
            self.characters -= len(text)
            if self.characters < 0:
                raise ValueError("its texts overlap")
            self._texts[at] = text
        return self._texts[at]

    def title(self) -> str:
        """Return the title: the program, if the user gave no other."""
        part = self.sections["general"]
        (at,) = part.unpack(_TITLE, part.start)
        return self.text(at)

    def kinds(self) -> list[str]:
        """Return the names of the kinds of identifiers: ``NODE``, ``RANK``, ``THREAD`` ..."""
        part = self.sections["kinds"]
        at, number = part.unpack(_KINDS, part.start)
        return [self.text(int(name)) for (name,) in part.table([("at", "<u8")], at, number).tolist()]

    def metrics(self) -> tuple[list[MeasuredMetric], list[str]]:
        """Return the metrics, and the names of those without inclusive values."""
        part = self.sections["metrics"]
        first, number, size, instance_size, summary_size = part.unpack(_METRICS, part.start)
        if number > MAX_METRICS:
            raise ValueError(f"{number} metrics")
        found, others, identifiers = [], [], 0
        for at in range(first, first + number * size, max(size, 1)):
            name, instances, summaries, scopes, summed = part.unpack(_METRIC, at)
            identifiers += scopes + summed
            if identifiers > 2 * MAX_METRICS:
                raise ValueError("more identifiers of metrics than there can be")
            inclusive = self._inclusive(
                range(instances, instances + scopes * instance_size, instance_size or 1)
            )
            total = self._total(range(summaries, summaries + summed * summary_size, summary_size or 1))
            if inclusive < 0:
                others.append(self.text(name))
            else:
                found.append(MeasuredMetric(self.text(name), inclusive, total))
        return found, others

    def function(self, at: int) -> Function:
        """Return the function at an offset."""
        name, module, offset, file, line = self.sections["functions"].unpack(_FUNCTION, at)
        return Function(self.text(name), self.module(module), offset, self.file(file), line)

    def module(self, at: int) -> str:
        """Return the file name of the load module at an offset; empty at offset 0."""
        return self.text(self.sections["modules"].unpack(_NAMED, at)[0]).rpartition("/")[2] if at else ""

    def file(self, at: int) -> str:
        """Return the path of the source file at an offset; empty at offset 0.

        A load module in brackets stands for files that are unknown.
        """
        path = self.text(self.sections["files"].unpack(_NAMED, at)[0]) if at else ""
        return "" if path.startswith("[") and path.endswith("]") else path

    def _inclusive(self, instances: range) -> int:
        part = self.sections["metrics"]
        for at in instances:
            scope, identifier = part.unpack(_INSTANCE, at)
            if part.unpack(_SCOPE, scope)[1] == _EXECUTION:
                return int(identifier)
        return -1

    def _total(self, summaries: range) -> int:
        part = self.sections["metrics"]
        for at in summaries:
            scope, formula, combine, identifier = part.unpack(_SUMMARY, at)
            summed = combine == _SUM and self.text(formula) == _IDENTITY
            if summed and part.unpack(_SCOPE, scope)[1] == _EXECUTION:
                return int(identifier)
        return -1
