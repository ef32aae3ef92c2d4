"""One browser for all tests of pages: two in one process would get into each other's way."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.pipeline.report.page.browser import browser


@pytest.fixture(scope="session")
def running() -> Iterator[Any]:
    """A running browser; tests that need one are skipped without."""
    with browser() as started:
        yield started
