"""How an option is declared: once, as a field of the record that holds it.

Keys of pipeline.toml, command-line options, their help, which values are valid and whether stored results can
be reused all follow from the fields, so that a new option is one line in one record.
"""

from collections.abc import Callable
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import Any

_KEY = "option"
INFINITE = float("inf")


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What is declared of an option beside its name, type and default.

    Attributes:
        help: one sentence for the user.
        commands: the commands that take it as a command-line option; all read it from pipeline.toml.
        flag: its name on the command line; empty for two dashes and the name of the field.
        metavar: what its value is called in the help; empty for the choices or the type.
        least, most: the valid numbers.
        recompute: whether results depend on it, so that stored ones cannot be reused after a change.
        toml: whether pipeline.toml may have it as a key.
        given: type of what the command line gives; None for the type of the field.
        read: turns what the user gave into a value, relative to a folder; raises `UsageError` or returns what
            fits the field. None takes the value as it is.
    """

    help: str
    commands: tuple[str, ...] = ()
    flag: str = ""
    metavar: str = ""
    least: float = -INFINITE
    most: float = INFINITE
    recompute: bool = True
    toml: bool = True
    given: Any = None
    read: Callable[[Any, Path], Any] | None = None


def option(default: Any, help: str, **declared: Any) -> Any:  # noqa: ANN401  # it may have any type
    """Declare an option as a field of a dataclass; see `Declaration` for the keywords."""
    return field(default=default, metadata={_KEY: Declaration(help=help, **declared)})


def declaration(declared: Field[Any]) -> Declaration | None:
    """Return what is declared of a field; None if the field is not an option."""
    found: Declaration | None = declared.metadata.get(_KEY)
    return found
