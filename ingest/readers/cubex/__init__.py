"""Reader for `.cubex` profiles (CUBE 4: Score-P, Scalasca).

- container: the tar archive and its members
- anchor: anchor.xml; program takes its regions and call paths, system its locations, where they stand in the
  fixed form of Cube's writers (fixed_form)
- index: which rows a metric stores
- rows: the stored rows, raw or compressed, block by block
- dtypes: the value types and the number taken of each
- inflate: inflating with a bound
- values: reading a metric when it is asked for, with streaming for exclusive values of inclusive metrics
- reader: all of it put together as a `Profile`
"""

from pathlib import Path

from ingest.readers.cubex.reader import read

__all__ = ["matches", "read"]


def matches(path: Path) -> bool:
    """Return whether `path` looks like a file for this reader, by its name."""
    return path.suffix == ".cubex" and path.is_file()
