"""Machine and application files that come with the package, found by name wherever it is installed."""

import difflib
from pathlib import Path
from typing import Literal, TypeAlias

from ingest.errors import UsageError

Kind: TypeAlias = Literal["machines", "examples"]

_HERE = Path(__file__).parent


def shipped(kind: Kind) -> tuple[str, ...]:
    """Return the names of the files of a kind that come with the package."""
    return tuple(sorted(path.stem for path in (_HERE / kind).glob("*.toml")))


def find(kind: Kind, name: str | Path) -> Path:
    """Return the file of that path or, where there is none, the shipped one of that name.

    ``machines/xt5.toml``, ``xt5.toml`` and ``xt5`` all find the shipped file.

    Raises:
        UsageError: where there is neither.
    """
    given = Path(name)
    if given.is_file():
        return given
    known = shipped(kind)
    stem = given.stem if given.suffix == ".toml" else given.name
    if stem in known and str(given.parent) in (".", kind):
        return _HERE / kind / f"{stem}.toml"
    close = difflib.get_close_matches(stem, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"give a file, or one of {', '.join(known)}"
    raise UsageError(f"no such file, and nothing of that name among the {kind}", where=str(name), hint=hint)
