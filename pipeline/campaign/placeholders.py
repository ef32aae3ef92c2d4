"""Texts with placeholders: ``{p}`` stands for the value of parameter p in a run.

Only a name in braces is a placeholder: ``${HOME}`` and ``{a,b}`` are left to the shell, and ``{{p}}`` stands
for ``{p}`` itself.
"""

import re
from collections.abc import Iterable, Mapping

from ingest.errors import UsageError
from pipeline.config.toml_file import unknown_hint

REPETITION = "repetition"
RUN = "run"
FOLDER = "folder"
FILTER = "filter"
OTHERS = (REPETITION, RUN, FOLDER)
"""Placeholders beside the parameters: the number of the repetition, the name of the run, the folder of
`campaign.toml`."""

_PLACEHOLDER = re.compile(r"\{(\{[^\W\d](?:[^\W\d]|-)*\})\}|(?<!\$)\{([^\W\d](?:[^\W\d]|-)*)\}")


def placeholders(text: str) -> set[str]:
    """Return the names in the placeholders of a text."""
    return {found[2] for found in _PLACEHOLDER.finditer(text) if found[2]}


def require_known(text: str, known: Iterable[str]) -> None:
    """Refuse placeholders that nothing stands for.

    Raises:
        UsageError: with the placeholder and the nearest known one.
    """
    known = tuple(known)
    for name in sorted(placeholders(text)):
        if name not in known:
            hint = f"{unknown_hint(name, known)}; for the text itself write {{{{{name}}}}}"
            raise UsageError(f"unknown placeholder {{{name}}}", hint=hint)


def value_in_name(value: float) -> str:
    """Write the value of a parameter without an exponent, as run names have it: ``1048576``, ``0.05``."""
    text = f"{value:.15f}".rstrip("0").rstrip(".")
    return text or "0"


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values instead of its placeholders, all of which are known."""
    return _PLACEHOLDER.sub(lambda found: found[1] or values[found[2]], text)
