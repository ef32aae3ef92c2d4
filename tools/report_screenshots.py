"""Take the screenshots of the HTML report in docs/images from the sample profiles.

Needs Chromium and playwright (`pip install playwright`). Run it from the top of the repository, inside the
environment: ``python tools/report_screenshots.py``.
"""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path("docs/images")
OPEN_FIRST_ROW = "document.querySelector('#kernel-table .opener').click()"
DIFFERENCE = "document.querySelector('#icicle-options input[value=difference]').click()"


@dataclass(frozen=True)
class Shot:
    """One picture: of which study, from which section on, how large, in which theme."""

    name: str
    study: str
    section: str
    width: int
    height: int
    theme: str
    before: str = ""


SHOTS = (
    Shot("report-hpcg", "hpcg-strong", "header", 1400, 1290, "light"),
    Shot("report-hpcg-kernel", "hpcg-strong", "#kernels", 1400, 1330, "light", OPEN_FIRST_ROW),
    Shot("report-hpcg-tree", "hpcg-strong", "#tree", 1400, 1330, "light"),
    Shot("report-hpcg-difference", "hpcg-strong", "#icicle", 1400, 620, "light", DIFFERENCE),
    Shot("report-cavity", "openfoam-cavity", "header", 1400, 1290, "dark"),
    Shot("report-cavity-narrow", "openfoam-cavity", "header", 700, 1460, "light"),
)


def main() -> None:
    """Make the reports and take all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        for study in sorted({shot.study for shot in SHOTS}):
            command = ["pipeline", "run", f"sample_profiles/{study}", "--out", f"{folder}/{study}"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        chromium = shutil.which("chromium") or sys.exit("no chromium; apt-get install chromium")
        browser = driver.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        for shot in SHOTS:
            size = {"width": shot.width, "height": shot.height}
            page = browser.new_page(viewport=size, color_scheme=shot.theme)
            page.goto(Path(folder, shot.study, "report.html").as_uri())
            take(page, shot)
            page.close()
        browser.close()


def take(page: Page, shot: Shot) -> None:
    """Bring the section to the top and save what is seen."""
    page.wait_for_selector("html[data-ready]", state="attached")
    if shot.before:
        page.evaluate(shot.before)
    page.evaluate("document.querySelector('.controls').style.position = 'static'")
    page.evaluate(f"window.scrollTo(0, document.querySelector('{shot.section}').offsetTop - 16)")
    page.wait_for_timeout(400)
    page.screenshot(path=IMAGES / f"{shot.name}.png")


if __name__ == "__main__":
    main()
