"""What Netgauge writes of messages: the patterns one_one and loggp.

The time of a message is half a round trip: of one_one the median, or the least where only that is printed;
of loggp, from its output file, PRTT(1,0,s) / 2.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.errors import InputError
from ingest.tables.message_benchmarks import MessageTime

_MICRO = 1e-6
_SHORT = re.compile(r"\s*(?P<size>\d+) bytes\s+->\s+(?P<time>[\d.]+) us\s+==\s+[\d.]+ Mbit/s\s*")
_TITLE = re.compile(r"##\s*Netgauge v\S+ .*")
_MEDIAN = re.compile(r"##\s*(?P<letter>[A-Z])\.\.\.median RTT/2\s*")
_LOGGP = re.compile(r"#\s*size\s+n\s+PRTT\(1,0,s\).*")
_PROGRESS = re.compile(r"Testing \d+ bytes \d+ times:")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|nan|inf)")


def is_netgauge(lines: Sequence[str], path: Path) -> bool:
    """Return whether lines are an output of Netgauge that holds measured times.

    Raises:
        InputError: they are its fits.
    """
    if any(form.fullmatch(line.strip()) for line in lines for form in (_TITLE, _LOGGP, _SHORT)):
        return True
    if any(map(_PROGRESS.match, lines)):
        hint = "name the file that Netgauge writes with --output"
        raise InputError("Netgauge's loggp prints fits, not measured times", where=str(path), hint=hint)
    return False


def netgauge_times(lines: Sequence[str]) -> Iterator[MessageTime]:
    """Yield what the lines of an output state; tables name their columns by letters above them."""
    column, of_loggp = 0, any(_LOGGP.fullmatch(line.strip()) for line in lines)
    for number, line in enumerate(map(str.strip, lines), 1):
        numbers = _numbers(line)
        if of_loggp:
            if len(numbers) > 2:
                yield _time(number, "loggp", numbers[0], numbers[2] / 2)
        elif match := _SHORT.fullmatch(line):
            yield _time(number, "one_one", float(match["size"]), float(match["time"]))
        elif match := _MEDIAN.fullmatch(line):
            column = ord(match["letter"]) - ord("A")
        elif column and len(numbers) > column:
            yield _time(number, "one_one", numbers[0], numbers[column])


def _time(line: int, benchmark: str, size: float, microseconds: float) -> MessageTime:
    return MessageTime(line=line, benchmark=benchmark, size=size, seconds=microseconds * _MICRO, processes=2)


def _numbers(line: str) -> list[float]:
    """Return the numbers of a line that has only numbers between - ( ), else nothing."""
    words = re.sub(r"[()]|(?<=\s)-(?=\s)", " ", line).split()
    return [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else []
