"""The counts of the checklists are those of their tables, and every answer has a reason where it is no."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs/checklists.md").read_text(encoding="utf-8")


def test_the_counts_are_those_of_the_tables():
    head, *lists = re.split(r"^## ", TEXT, flags=re.MULTILINE)
    stated = re.findall(r"^\| \[([^]]+)\]\(\S+\) \| (\d+) \| (\d+) \|$", head, re.MULTILINE)
    counted = []
    for one in lists:
        answers = re.findall(r"^\| .+? \| (yes|no) \| (.*)\|$", one, re.MULTILINE)
        assert all(reason.strip() for answer, reason in answers if answer == "no")
        rows = len(re.findall(r"^\| ", one, re.MULTILINE)) - 1
        assert rows == len(answers), one.partition("\n")[0]
        counts = [[answer for answer, _ in answers].count(word) for word in ("yes", "no")]
        counted.append((one.partition("\n")[0], *map(str, counts)))
    assert [(name.removesuffix(" community policies"), yes, no) for name, yes, no in stated] == counted
