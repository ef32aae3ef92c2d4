"""The errors that reach a user, in one place.

Each is shown as a single line: where, what is wrong, how to fix it. The command line turns them into exit
code 2; everything else is a crash, exit code 70, and a defect of this program.

    PipelineError          base class, never raised itself
    ├── UsageError         an invalid option or configuration value
    ├── InputError         a file or directory that cannot be read as what it claims to be
    │   └── RunNameError   a run's name from which no parameters can be read
    ├── FilterError        a filter that does not decide on the regions as intended
    └── ModelError         data from which no model can be made
"""

import difflib
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

_COMMAND = re.compile(r"##(?=\[|vso\[)", re.IGNORECASE)

_MAX_LENGTH = 600  # characters of what is wrong, and of how to fix it


class PipelineError(Exception):
    """Base of all errors that are the user's to fix: what is wrong, where (file, option, key), and a hint."""

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(what)

    def __str__(self) -> str:
        line = f"{self.where}: {_cut(self.what)}" if self.where else _cut(self.what)
        return one_line(f"{line}; {_cut(self.hint)}" if self.hint else line)


def _cut(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 3]}..."


def one_line(text: str) -> str:
    """Bring a text into one line that is safe to show.

    Characters that control a terminal or cannot be encoded, which files may contain, are escaped, and so is
    ``##[``, which CI servers carry out wherever it stands.
    """
    line = _COMMAND.sub(r"#\\x23", " ".join(text.split()))
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def nearest_hint(name: str, known: Collection[str], otherwise: str = "") -> str:
    """Return the known name that was probably meant, as a question; `otherwise` if none is similar."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else otherwise


class UsageError(PipelineError):
    """An invalid option or configuration value."""


@contextmanager
def extra(name: str, *, where: str = "") -> Iterator[None]:
    """Turn a failing import of an extra's package into a UsageError whose hint says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        hint = f"pip install 'callpath-pipeline[{name}]'"
        raise UsageError(f"{error.name} is not installed", where=where, hint=hint) from error


class InputError(PipelineError):
    """A file or directory that cannot be read as what it claims to be."""


class RunNameError(InputError):
    """A run's name from which no parameters can be read."""


class FilterError(PipelineError):
    """A filter that does not decide on the regions as intended, or cannot be parsed."""


class ModelError(PipelineError):
    """Data from which no model can be made."""


@contextmanager
def located(where: str, *, hint: str = "") -> Iterator[None]:
    """Have errors that name no place name this one, and a hint if they give none."""
    try:
        yield
    except PipelineError as error:
        if error.where:
            raise
        raise type(error)(error.what, where=where, hint=error.hint or hint) from error
