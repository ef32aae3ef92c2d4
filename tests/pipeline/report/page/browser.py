"""The page in a real browser: Debian's chromium, driven by playwright."""

import csv
import io
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from pipeline.report.page.embedding import compressed, modules

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE = {"width": 1400, "height": 5000}  # all in sight, so that nothing waits for being scrolled to
TIMEOUT = 120_000  # milliseconds for what should take a few, on a machine that does much else
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

    def __init__(self, running: Any, path: Path, address: str = "", **options: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = running.new_page(**options)
        self.page.set_default_timeout(TIMEOUT)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("a dialog"), dialog.dismiss()))
        self.page.goto(path.as_uri() + (f"#{address}" if address else ""))
        self.page.wait_for_selector("html[data-ready]", state="attached")


OpenPage = Callable[..., Watched]
WritePage = Callable[[str], Path]


def watching(running: Any, path: Path, **options: Any) -> Iterator[Watched]:
    """Open a page for a fixture, which closes it and fails if the page complained."""
    opened = Watched(running, path, **options)
    yield opened
    assert opened.complaints == []
    opened.page.close()


class Scripts:
    """The page's ES modules, loaded by the browser one by one as they are in the folder."""

    ADDRESS = "http://report.test/"

    def __init__(self, running: Any) -> None:
        self.page = running.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.page.route(f"{self.ADDRESS}**", self._serve)
        self.page.goto(self.ADDRESS)

    def _serve(self, route: Any) -> None:
        path = route.request.url.removeprefix(self.ADDRESS)
        if path:
            route.fulfill(body=modules()[path], content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    def each(self, path: str, name: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Call an exported function once for each list of arguments."""
        expression = f"values[0].map((value) => {name}(...value))"
        found: list[Any] = self.evaluate(path, name, expression, [list(call) for call in calls])
        return found

    def evaluate(self, path: str, names: str, expression: str, *values: Any) -> Any:
        """Evaluate an expression over exported names and `values`."""
        script = (
            f"async (values) => {{ const {{ {names} }} = await import('/{path}'); return {expression}; }}"
        )
        return self.page.evaluate(script, list(values))

    def read(self, payload: Mapping[str, Any], expression: str, *values: Any) -> Any:
        """Evaluate an expression over the data (``report``, ``level``), modules (IMPORTS) and `values`."""
        script = (
            f"async ({{ text, values }}) => {{ {IMPORTS} const report = readReport(await unpacked(text)); "
        )
        script += f"const level = report.levels.callpaths; return {expression}; }}"
        return self.page.evaluate(script, {"text": compressed(payload), "values": list(values)})


IMPORTS = """
const { readReport } = await import("/data/report.js");
const { unpacked } = await import("/data/payload.js");
const shares = await import("/data/shares.js");
const program = await import("/data/report.js");
const nodes = await import("/draw/nodes.js");
const numbers = await import("/text/numbers.js");
const names = await import("/text/names.js");
const controls = await import("/views/controls.js");
const crossovers = await import("/views/overview.js");
const boxes = await import("/draw/boxes.js");
const differences = await import("/views/difference.js");
const scales = await import("/views/icicle.js");
"""


AXE = Path("tools/javascript/node_modules/axe-core/axe.min.js")
RUN_AXE = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]);
}"""

MOVING = """[...document.querySelectorAll('*')].filter((node) => {
    const style = getComputedStyle(node);
    return style.transitionDuration !== '0s' || style.animationName !== 'none';
}).length"""


def violations(page: Any) -> list[Any]:
    """Return what axe-core finds that keeps people from using a page; skips loudly without axe-core."""
    if not AXE.exists():
        pytest.skip("NO AXE-CORE: accessibility was not tested; `make javascript` installs it")
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[Any] = page.evaluate(RUN_AXE)
    return found


def settle(page: Any) -> None:
    """Wait until the page has drawn what was chosen."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def kept(page: Any) -> dict[str, str]:
    """What the address has once it follows."""
    page.evaluate("new Promise((done) => setTimeout(done, 400))")  # a timer of the page, behind its own ones
    return dict(parse_qsl(page.url.partition("#")[2], keep_blank_values=True))


def set_target(page: Any, value: float) -> None:
    """Ask for a value of the parameter p."""
    page.get_by_label("Target p", exact=True).fill(str(value))
    page.keyboard.press("Enter")
    settle(page)


def press(page: Any, label: str) -> None:
    """Press a button, of a chart in its menu, which is opened first and closed again."""
    button = page.locator(f'[aria-label="{label}"]')
    opener = page.locator("details.tools:not([open])", has=button).locator("summary")
    if opener.count():
        opener.click()
    button.click()
    if page.locator("details.tools[open]").count():
        page.keyboard.press("Escape")


def saved(page: Any, label: str) -> tuple[str, bytes]:
    """Name and content of what a button saves."""
    with page.expect_download() as download:
        press(page, label)
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def rows_of(content: bytes) -> list[dict[str, str]]:
    """Rows of a CSV file by the names of their columns."""
    return list(csv.DictReader(io.StringIO(content.decode())))


def shows(locator: Any, text: str) -> None:
    """Wait until an element shows a text, however many pictures the page takes to draw it."""
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, use_inner_text=True)


def hides(locator: Any, text: str) -> None:
    """Wait until an element no longer shows a text."""
    from playwright.sync_api import expect

    expect(locator).not_to_contain_text(text, use_inner_text=True)
