"""The counts of the checklists are those of their answers, and every no has a reason."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "paper/checklists.md").read_text(encoding="utf-8")


def test_the_counts_are_those_of_the_answers():
    head, *lists = re.split(r"^## ", TEXT, flags=re.MULTILINE)
    stated = re.findall(r"^\| \[([^]]+)\]\(\S+\) \| (\d+) \| (\d+) \|$", head, re.MULTILINE)
    counted = []
    for one in lists:
        (yes,) = re.findall(r"^Yes: (.+?)\.$", one, re.MULTILINE | re.DOTALL)
        no = [row for row in re.findall(r"^\| (.+?) \| (.*) \|$", one, re.MULTILINE) if row != ("no", "why")]
        assert all(reason.strip() for _, reason in no)
        counted.append((one.partition("\n")[0], str(len(re.split(r";\s", yes))), str(len(no))))
    assert [(name.removesuffix(" community policies"), yes, no) for name, yes, no in stated] == counted
