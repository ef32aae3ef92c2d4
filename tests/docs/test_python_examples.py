"""The examples of the page of the Python interface give what is shown beneath them."""

import doctest
import os
import re
import subprocess
import sys
from inspect import isroutine
from pathlib import Path

import pytest

import pipeline
from tests.snapshots import alike

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
EXAMPLES = re.compile(r"(?<=^```pycon\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


class AlikeNumbers(doctest.OutputChecker):
    """Compares number by number, since the last digits depend on the processor."""

    def check_output(self, want, got, optionflags):
        wanted, given = want.splitlines(), got.splitlines()
        return len(wanted) == len(given) and all(map(alike, given, wanted))


def test_every_function_has_an_example():
    for name in pipeline.__all__:
        if isroutine(getattr(pipeline, name)):
            assert f"pl.{name}(" in "".join(EXAMPLES.findall(TEXT)), name


@pytest.mark.slow
def test_the_examples_give_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    (tmp_path / "sample_profiles").symlink_to(ROOT / "sample_profiles")
    for command in ("run", "baseline"):
        words = [sys.executable, "-m", "pipeline", command, "sample_profiles/hpcg-strong"]
        subprocess.run(words, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, check=True)
    examples = doctest.DocTestParser().get_doctest("".join(EXAMPLES.findall(TEXT)), {}, "python.md", None, 0)
    assert doctest.DocTestRunner(AlikeNumbers()).run(examples).failed == 0
