"""Texts kept beside the tests: what a person reads is compared with what was approved.

The fixture `snapshot` of `tests/conftest.py` compares a text with a file in the folder ``snapshots`` beside
the test. ``pytest --update-snapshots`` writes the files; read their diff before committing it.

`alike` compares what commands print with what pages show number by number: the last digits of a fit depend on
the processor, since numpy's functions differ by an ulp with and without AVX-512.
"""

import math
import re
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
CLOSE = 0.005  # relative difference of the same figure on two machines


def alike(text: str, shown: str) -> bool:
    """Whether two lines have the same words, and numbers that differ by little or by one in the last digit.

    Whole numbers without separators are counts and have no last digit to spare. Blanks count once,
    since columns are as wide as their numbers.
    """
    words = [" ".join(NUMBER.sub("#", one).split()) for one in (text, shown)]
    pairs = zip(NUMBER.findall(text), NUMBER.findall(shown), strict=False)
    return words[0] == words[1] and all(_close(one, other) for one, other in pairs)


def _close(text: str, shown: str) -> bool:
    value, other = (float(one.replace(",", "")) for one in (text, shown))
    digits, _, exponent = shown.replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    step = 10.0 ** (int(exponent or 0) - decimals) if decimals else 0.0
    return math.isclose(value, other, rel_tol=CLOSE, abs_tol=1.001 * step)


def compare_with_snapshot(text: str, file: Path, *, update: bool) -> None:
    """Assert that a text is that of the file, or write the file."""
    if update:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    assert file.is_file(), f"there is no {file}: write it with --update-snapshots and read it"
    assert text == file.read_bytes().decode(), f"differs from {file}: if intended, use --update-snapshots"
