"""The page's scripts in a browser."""

from typing import Any

import pytest

from tests.pipeline.report.html.browser import Scripts


@pytest.fixture(scope="session")
def scripts(running: Any) -> Scripts:
    """The modules, each of which a test can call."""
    return Scripts(running)
