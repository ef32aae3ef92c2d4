"""Commands shown in the documentation print what is shown beneath them.

In blocks of the language ``console`` a line that begins with ``$ `` is run by bash, all commands of a page in
order in one empty directory beside the sample profiles. What it prints, notices included, has to be what
follows, number by number (`tests.snapshots.alike`); a line of three dots stands for any lines.
``pytest tests/docs --update-snapshots`` writes outputs that differ into the pages, with as many lines
before and after the dots as there were.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.snapshots import alike

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
REFUSED = (2, 70)  # exit codes of wrong usage or input, and of defects
ANNOUNCED = re.compile(r"\b(refus|exit code|fails?|wrong|error|mistake)", re.IGNORECASE)
HOME = "/home/ada/study"  # what the directory is called in the pages
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.fixture
def shell(tmp_path):
    """Run a command in bash, with `pipeline` from this source tree, in a directory of its own."""
    directory, programs = tmp_path / "study", tmp_path / "bin"
    directory.mkdir()
    programs.mkdir()
    (directory / "sample_profiles").symlink_to(ROOT / "sample_profiles")
    program = programs / "pipeline"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pipeline "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "110",
        "XDG_RUNTIME_DIR": str(tmp_path),  # for the lock of campaigns
    }

    def run(command: str) -> tuple[str, int]:
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        text = result.stdout.replace(str(directory), HOME)
        return "".join(f"{line.rstrip()}\n" for line in text.splitlines()), result.returncode

    return run


def fits(output: str, shown: str) -> bool:
    """Whether an output is what is shown, its lines being `alike` and three dots standing for any lines."""
    lines, expected = output.splitlines(), shown.splitlines()
    if "..." in expected:
        before = expected.index("...")
        after = len(expected) - before - 1
        if len(lines) < before + after:
            return False
        lines[before : len(lines) - after] = ["..."]
    return len(lines) == len(expected) and all(map(alike, lines, expected))


def abridged(output: str, shown: str) -> str:
    """Return an output cut as an earlier one was."""
    lines, old = output.splitlines(keepends=True), shown.splitlines()
    if "..." not in old:
        return output
    before, after = old.index("..."), len(old) - old.index("...") - 1
    return "".join([*lines[:before], "...\n", *lines[len(lines) - after :]])


def announced_refusals(text: str) -> set[str]:
    """Return the commands of blocks whose paragraph before says that something is refused."""
    found = set()
    for block in BLOCK.finditer(text):
        paragraph = text[: block.start()].rpartition("```console")[0].strip().rpartition("\n\n")[2]
        if ANNOUNCED.search(paragraph):
            found |= {command["command"] for command in COMMAND.finditer(block[0])}
    return found


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.relative_to(ROOT).with_suffix("").as_posix())
def test_commands_print_what_is_shown(page, shell, request):
    update = request.config.getoption("--update-snapshots")
    text = page.read_text(encoding="utf-8")

    def run_again(found: re.Match[str]) -> str:
        output, code = shell(found["command"])
        if code in REFUSED and found["command"] not in announced:
            refused.append(found["command"])
        if fits(output, found["output"]):
            return found[0]
        return f"$ {found['command']}\n{abridged(output, found['output'])}"

    refused: list[str] = []
    announced = announced_refusals(text)
    again = BLOCK.sub(lambda block: COMMAND.sub(run_again, block[0]), text)
    assert not refused, "a refusal is shown where the text promises a result"
    if update:
        page.write_text(again, encoding="utf-8")
    else:
        assert again == text, "if intended, use --update-snapshots and read the pages"


def test_refusals_are_announced_in_the_paragraph_before():
    block = "```console\n$ pipeline run none\npipeline: none: does not exist\n```\n"
    assert announced_refusals(f"A folder that is not there is refused:\n\n{block}") == {"pipeline run none"}
    assert announced_refusals(f"It is refused.\n\nThis is what it prints:\n\n{block}") == set()


def test_readme_and_tutorials_show_output():
    assert {"README.md", "score-p.md", "openfoam.md"} <= {page.name for page in SHOWN}


@pytest.mark.parametrize(
    ("output", "shown", "same"),
    [
        ("compute  4.2630  83.5 %", "compute     4.2611  83.6 %", True),
        ("compute  4.2930  83.5 %", "compute     4.2611  83.5 %", False),
        ("12,310 times at p = 1731", "12,300 times at p = 1730", True),
        ("8 runs", "9 runs", False),
        ("p16 is slow", "p17 is slow", False),
        ("a 1\nb 2\nc 3", "a 1\n...\nc 3", True),
        ("a 1\nc 3", "a 1\n...\nc 3", True),
        ("a 1", "a 1\n...\na 1", False),
        ("a 1\nb 2", "a 1", False),
    ],
)
def test_outputs_fit_what_is_shown(output, shown, same):
    assert fits(output, shown) is same
