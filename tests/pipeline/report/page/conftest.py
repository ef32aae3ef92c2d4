"""What tests of the page share."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page import Report, report_html
from tests.pipeline.report.page.browser import WIDE, OpenPage, Scripts, Watched, WritePage
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
def write_page(tmp_path_factory: pytest.TempPathFactory) -> WritePage:
    """A function that writes a page, each into a folder of its own."""

    def write(text: str) -> Path:
        path = tmp_path_factory.mktemp("page") / "index.html"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def file(write_page: WritePage) -> Path:
    """The page of the study that most tests look at."""
    return write_page(report_html(answered(study())))


@pytest.fixture
def screen(open_page: OpenPage, file: Path) -> Any:
    """The page of that study as most screens show it."""
    return open_page(file, viewport={"width": 1400, "height": 900}).page


@pytest.fixture
def open_page(running: Any, write_page: WritePage) -> Iterator[OpenPage]:
    """A function that opens the page of a file or of a report; no page may complain."""
    pages: list[Watched] = []

    def opened(what: Path | Report, address: str = "", **options: Any) -> Watched:
        path = write_page(report_html(what)) if isinstance(what, Report) else what
        pages.append(Watched(running, path, address, **{"viewport": WIDE, **options}))
        return pages[-1]

    yield opened
    for watched in pages:
        assert watched.complaints == []
        watched.page.close()
