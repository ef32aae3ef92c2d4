"""What tests of the page share."""

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.report.page.browser import Scripts


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that runs `pipeline run` on a folder of sample_profiles, once, and returns the results."""

    @cache
    def results(name: str) -> Path:
        out = tmp_path_factory.mktemp("sample") / "results"
        command = [sys.executable, "-m", "pipeline", "run", f"sample_profiles/{name}", "--out", str(out)]
        subprocess.run(command, check=True, capture_output=True)
        return out

    return results


@pytest.fixture(scope="session")
def scripts(running: Any) -> Scripts:
    """The page's modules, each of which a test can call."""
    return Scripts(running)
