"""The README begins with the problem for people who know no tool, commands, a picture; its Python runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES_OF_TOOLS = ("Score-P", "Extra-P", "kernel", "call path", "profile")


def test_it_begins_with_three_sentences_two_commands_and_a_picture():
    head = README.partition("![")[0]
    title, problem, commands = re.split(r"\n\n(?=A |```)", head)
    assert title == "# pipeline"
    assert len(re.findall(r"[.?!](?:\s|$)", problem)) == 3
    assert not [name for name in NAMES_OF_TOOLS if name in problem]
    assert len(re.findall(r"^(?:pipx|pipeline) ", commands, re.MULTILINE)) == 2
    assert README.index("![") < README.index("\n## ")


@pytest.mark.slow
def test_its_python_runs_as_it_stands():
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "wall_seconds" in done.stdout
