"""The exit codes of the command line: this table is their only home."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command ends with."""

    brief: str  # what it means, in one or two words
    meaning: str  # the same in full, for the documentation

    def __new__(cls, value: int, brief: str, meaning: str) -> "ExitCode":
        """Make a code that knows what it means."""
        code = int.__new__(cls, value)
        code._value_, code.brief, code.meaning = value, brief, meaning
        return code

    FINE = 0, "fine", "fine; `check`: no regression"
    REGRESSION = 1, "regression", "`check`: regression, or a rule is broken"
    BAD_INPUT = (
        2,
        "bad usage or input",
        "bad usage or bad input; one line says where, what and how to fix it (or which extra is to be "
        "installed); `inspect`: `run` would refuse the runs",
    )
    INCONCLUSIVE = (
        3,
        "inconclusive",
        "`check`: inconclusive; `run` with `--strict`: a run could not be read; `filter "
        "--verify`: not measured under the filter; `campaign`: runs failed, or the question is still open",
    )
    EXCEEDED = 4, "expectation exceeded", "`check --expect`: an expectation is exceeded"
    CRASHED = (  # EX_SOFTWARE of sysexits.h
        70,
        "crash",
        "a crash, which is a defect of this program: one line names a report file to send",
    )
    INTERRUPTED = 130, "interrupted", "interrupted with Ctrl-C"  # as of the shell


def exit_codes_line() -> str:
    """Return all codes in a line: ``0 fine, 1 regression, ...``."""
    return ", ".join(f"{code.value} {code.brief}" for code in ExitCode)
