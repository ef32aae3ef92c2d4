"""XML documents, parsed event by event: neither depth nor size costs more than what the handlers keep.

Declarations of entities are refused: no profile has any, and XML bombs consist of them.
"""

from pathlib import Path
from typing import TypeAlias
from xml.parsers import expat

from ingest.errors import InputError
from ingest.reading.files import unreadable
from ingest.reading.packed import open_plain

_CHUNK = 1 << 20
_MAX_QUOTED = 120  # characters of an error, which may quote the file

XmlAttributes: TypeAlias = dict[str, str]


class XmlEvents:
    """The handlers that expat calls, `root` for the first element only; they raise ValueError."""

    who_declares = "no profile does"  # entities

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._root
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self._entity

    def _root(self, tag: str, attributes: XmlAttributes) -> None:
        self.root(tag, attributes)
        self.parser.StartElementHandler = self.start

    def _entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares an entity ('{name[:20]}'), which {self.who_declares}")

    def root(self, tag: str, attributes: XmlAttributes) -> None:
        """Refuse a document of another kind."""

    def start(self, tag: str, attributes: XmlAttributes) -> None:
        """Take an element below the root."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def read(self, path: Path, max_bytes: int) -> None:
        """Parse a file, packed or not; InputError with the line of what a handler refuses."""
        try:
            with open_plain(path, max_bytes) as file:
                size = 0
                while chunk := file.read(_CHUNK):
                    size += len(chunk)
                    if size > max_bytes:
                        raise InputError(f"more than {max_bytes >> 20} MiB of XML", where=str(path))
                    self.parser.Parse(chunk)
            self.parser.Parse(b"", True)
        except (expat.ExpatError, LookupError) as error:  # the latter for an encoding that is not known
            raise InputError(f"damaged XML ({str(error)[:_MAX_QUOTED]})", where=str(path)) from error
        except OSError as error:
            raise unreadable(path, error) from error
        except ValueError as error:
            what = f"line {self.parser.CurrentLineNumber}: {error}"
            raise InputError(what, where=str(path)) from error
