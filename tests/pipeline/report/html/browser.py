"""The page in a real browser: Debian's chromium, driven by playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT = 5000  # milliseconds for what should take a few
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_browser() -> str:
    """Return the browser's path; skips loudly where there is none."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("NO BROWSER: the HTML report was not tested in one; apt-get install chromium")
    return path


@contextmanager
def browser() -> Iterator[Any]:
    """A running browser."""
    executable = find_browser()
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="NO PLAYWRIGHT: the HTML report was not tested in a browser"
    )
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield running
        running.close()


class Watched:
    """An opened page with what it asked of the network and what it complained about."""

    def __init__(self, running: Any, path: Path, **options: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = running.new_page(**options)
        self.page.set_default_timeout(TIMEOUT)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("a dialog"), dialog.dismiss()))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")


def shows(locator: Any, text: str) -> None:
    """Wait until an element shows a text, however many pictures the page takes to draw it."""
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, use_inner_text=True)


def hides(locator: Any, text: str) -> None:
    """Wait until an element no longer shows a text."""
    from playwright.sync_api import expect

    expect(locator).not_to_contain_text(text, use_inner_text=True)
