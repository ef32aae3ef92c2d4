"""The configuration file being read, to say where in it something is wrong."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import UsageError


@dataclass(frozen=True)
class Place:
    """A part of a TOML file that errors can be located in.

    Attributes:
        path: the file.
        lines: its lines.
        first: index of the first line of the part.
    """

    path: Path
    lines: tuple[str, ...]
    first: int = 0

    def within(self, header: str, occurrence: int = 0) -> "Place":
        """Return the part that begins at the n-th table of that name, such as ``[[check.rule]]``."""
        starts = [
            n for n, line in enumerate(self.lines) if line.split("#")[0].replace(" ", "").strip() == header
        ]
        first = starts[occurrence] if occurrence < len(starts) else self.first
        return Place(self.path, self.lines, first)

    def at(self, key: str) -> str:
        """Return ``file:line`` of a key in this part, of its header where the key is not found."""
        for n in range(self.first, len(self.lines)):
            line = self.lines[n].strip()
            if n > self.first and line.startswith("["):
                break
            if line.split("=")[0].strip().strip("\"'") == key:
                return f"{self.path}:{n + 1}"
        return f"{self.path}:{self.first + 1}"

    def error(self, key: str, what: str, hint: str) -> UsageError:
        """Make the error for a key."""
        return UsageError(f"{key}: {what}", where=self.at(key), hint=hint)

    def check_keys(self, table: Mapping[str, Any], known: Sequence[str]) -> None:
        """Refuse keys that are not known.

        Raises:
            UsageError: with the nearest known key, or all of them.
        """
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                raise self.error(
                    key,
                    "unknown key",
                    f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}",
                )

    def number(self, table: Mapping[str, Any], key: str, low: float, high: float) -> float:
        """Return a number within limits.

        Raises:
            UsageError: where it is none.
        """
        value = table[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            wanted = f"from {low:g} to {high:g}" if high < float("inf") else f"of at least {low:g}"
            raise self.error(key, f"{value!r} is not what is expected", f"write a number {wanted}")
        return float(value)

    def text(self, table: Mapping[str, Any], key: str) -> str:
        """Return a text that is there and not empty.

        Raises:
            UsageError: where it is missing, empty or of another type.
        """
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(
                key, f"{value!r} is no text" if key in table else "is missing", f'write {key} = "..."'
            )
        return value
