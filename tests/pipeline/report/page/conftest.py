"""What tests of the page share."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page import Report, report_html
from tests.pipeline.report.page.browser import WIDE, OpenPage, Scripts, Watched
from tests.pipeline.report.page.studies import answered, study


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


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the study that most tests look at."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_html(answered(study())), encoding="utf-8")
    return path


@pytest.fixture
def open_page(running: Any, tmp_path: Path) -> Iterator[OpenPage]:
    """A function that opens the page of a file or of a report; no page may complain."""
    pages: list[Watched] = []

    def opened(what: Path | Report, address: str = "", **options: Any) -> Watched:
        if isinstance(what, Report):
            path = tmp_path / f"report{len(pages)}.html"
            path.write_text(report_html(what), encoding="utf-8")
        else:
            path = what
        pages.append(Watched(running, path, address, **{"viewport": WIDE, **options}))
        return pages[-1]

    yield opened
    for watched in pages:
        assert watched.complaints == []
        watched.page.close()
