"""How entries of a history are named, and where their commits are found."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from ingest.errors import UsageError
from pipeline.gate.trends import Entries
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import shorten_middle

PLACE = "{commit}"
SHORT = 10  # characters of a digest that are shown
LONGEST = 24  # characters of other labels that are shown
_DIGEST = re.compile(r"[0-9a-f]{7,64}")
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


@dataclass(frozen=True)
class Commits:
    """Names and addresses of the entries of a history.

    Attributes:
        entries: of the history.
        template: address of a commit, with ``{commit}`` for its name; empty without links.
    """

    entries: Entries
    template: str = ""

    def name(self, entry: int) -> str:
        """Return the label of an entry as it is shown: digests are cut as version control does."""
        return short_label(self.entries.labels[entry])

    def commit(self, entry: int) -> str:
        """Return the commit of an entry: the one stored, or its label if that is a digest; else empty."""
        stored, label = self.entries.commits[entry], self.entries.labels[entry]
        return stored or (label if _DIGEST.fullmatch(label) else "")

    def address(self, entry: int) -> str:
        """Return the address of an entry's commit; empty if there is none."""
        commit = self.commit(entry)
        return self.template.replace(PLACE, quote(commit, safe="")) if self.template and commit else ""


def short_label(label: str) -> str:
    """Return a label as it is shown."""
    return label[:SHORT] if _DIGEST.fullmatch(label) else shorten_middle(visible(label), LONGEST)


def checked_template(template: str) -> str:
    """Return the template of addresses as it is given.

    Raises:
        UsageError: it is not an address of the web, or does not say where the commit goes.
    """
    if _ADDRESS.fullmatch(template) and PLACE in template:
        return template
    raise UsageError(
        f"'{template}' is not an address with {PLACE}",
        where="--commit-url",
        hint="write it as in https://github.com/owner/name/commit/{commit}",
    )
