"""Reader for `.cubex` profiles (CUBE 4: Score-P, Scalasca).

- container: the tar archive and its members
- anchor: anchor.xml by an XML parser; fixed_form reads its long sections faster
- rows: which rows a metric stores, and the rows, raw or compressed, block by block
- dtypes: the value types and the number taken from each
- values: reading a metric on demand; exclusive values of inclusive metrics are streamed
- reader: all of it put together as a `Profile`
"""

from pathlib import Path

from ingest.readers.cubex.reader import read

__all__ = ["matches", "read"]


def matches(path: Path) -> bool:
    """Return whether `path` looks like a file for this reader, by its name."""
    return path.suffix == ".cubex" and path.is_file()
