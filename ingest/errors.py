"""The errors that reach a user, in one place.

Every one of them is told in a single line: where, what is wrong, how to fix it. The command line turns
them into exit code 2; nothing else is caught there, so a traceback always means a defect of ours.

    PipelineError          base class, never raised itself
    ├── UsageError         an option or configuration value that cannot be meant
    ├── InputError         a file or directory that cannot be read as what it claims to be
    │   └── RunNameError   a run's name from which no parameters can be told
    ├── FilterError        a filter that does not decide the regions as intended
    └── ModelError         data from which no model can be made
"""

MOST_TOLD = 600  # characters of what is wrong, and of how to fix it


class PipelineError(Exception):
    """Base of all errors that are the user's to fix.

    Args:
        what: what is wrong, without a full stop.
        where: the file, option or key it is about; empty where there is none.
        hint: what the user can do about it; empty where nothing can be said.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(what)

    def __str__(self) -> str:
        """Return the one line that the user sees."""
        line = f"{self.where}: {_cut(self.what)}" if self.where else _cut(self.what)
        return one_line(f"{line}; {_cut(self.hint)}" if self.hint else line)


def _cut(text: str) -> str:
    """Shorten what cites a file at too great a length."""
    text = one_line(text)
    return text if len(text) <= MOST_TOLD else f"{text[: MOST_TOLD - 3]}..."


def one_line(text: str) -> str:
    """Bring a text into one line that can be shown.

    What files and their names may hold to steer a terminal, or what cannot be encoded, is written out.
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


class UsageError(PipelineError):
    """An option or configuration value that cannot be meant."""


class InputError(PipelineError):
    """A file or directory that cannot be read as what it claims to be."""


class RunNameError(InputError):
    """A run's name from which no parameters can be told."""


class FilterError(PipelineError):
    """A filter that does not decide the regions as intended, or cannot be parsed."""


class ModelError(PipelineError):
    """Data from which no model can be made."""
