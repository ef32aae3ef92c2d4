"""What stands in the published schemas of documents (docs/reference/schemas)."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Published:
    """Says that something has the shape that a published schema describes."""

    name: str  # of the schema
    at: str = ""  # place in it; the whole by default
