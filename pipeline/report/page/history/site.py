"""All files of the site: pages, badge and the text for a pull request."""

import hashlib
import re
from collections.abc import Iterator
from html import escape

import numpy as np

from pipeline.gate.findings import at_their_places, findings, steps_by_kernel
from pipeline.gate.kernel_values import KernelId
from pipeline.gate.trends import Entries, Measure, trends
from pipeline.report.page.embedding import page_text
from pipeline.report.page.history.history_words import NOTHING, HistoryWords, kernel_name, step_rows
from pipeline.report.page.history.index_page import RECENT, Site, index_content
from pipeline.report.page.history.kernel_page import kernel_content
from pipeline.report.page.history.pull_request import pull_request
from pipeline.wording.quantities import percent, point_text

HEIGHT = 20
MARGIN = 7  # pixels on either side of a text
CHARACTER = 6.4  # pixels, on average
LABEL = "#3b4148"
COLOURS = {
    "worse": "#b03a22",
    "better": "#00704f",
    "": "#1c5fb8",
}  # white text has a contrast of 5.9 at least


def badge(site: Site) -> str:
    """Return the SVG; its title says the same in words."""
    whole = site.kernels[0].measures
    value = site.words.value(Measure.TARGET, float(whole[Measure.TARGET].values[-1]))
    efficiency = float(whole[Measure.EFFICIENCY].values[-1])
    if np.isfinite(efficiency):
        value += f", {percent(efficiency)} efficient"
    change = next(iter(site.changes[0]), None)
    if change is not None and change.step.at < len(site.entries) - RECENT:
        change = None
    if change is not None and value != NOTHING:
        value += f" {change.leading.arrow} {change.leading.factor}"
    return _svg(f"at {point_text(site.entries.target)}", value, COLOURS[change.direction if change else ""])


def _svg(label: str, value: str, colour: str) -> str:
    left, right = (2 * MARGIN + CHARACTER * len(text) for text in (label, value))
    label, value = escape(label), escape(value)
    text = 'y="14" text-anchor="middle" lengthAdjust="spacingAndGlyphs" textLength'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="{HEIGHT}" role="img" '
        f'aria-label="{label}: {value}"><title>{label}: {value}</title>'
        f'<rect width="{left + right:.0f}" height="{HEIGHT}" rx="3" fill="{LABEL}"/>'
        f'<path d="M{left:.0f} 0h{right - 3:.0f}q3 0 3 3v{HEIGHT - 6}q0 3 -3 3h-{right - 3:.0f}z" '
        f'fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:.1f}" {text}="{left - 2 * MARGIN:.0f}">{label}</text>'
        f'<text x="{left + right / 2:.1f}" {text}="{right - 2 * MARGIN:.0f}">{value}</text></g></svg>\n'
    )


INDEX, BADGE, PULL_REQUEST = "index.html", "badge.svg", "pull-request.md"
SLUG = 40  # characters of a kernel's name in the name of its page


def site(entries: Entries, template: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file; the first page comes last.

    Args:
        entries: of the history.
        template: address of a commit with ``{commit}`` for its name; empty without links.
    """
    measured, words = trends(entries), HistoryWords(entries, template)
    found = findings(measured)
    steps_of_each = steps_by_kernel(measured, found)
    kernels = at_their_places(measured, steps_of_each)
    whole = Site(
        entries=entries,
        kernels=kernels,
        words=words,
        addresses=[page_of(one.kernel) for one in kernels],
        changes=[
            step_rows(kernel, steps, words) for kernel, steps in zip(kernels, steps_of_each, strict=True)
        ],
        findings=found,
    )
    for n, address in enumerate(whole.addresses):
        yield address, page_text("history_kernel", **kernel_content(whole, n))
    yield BADGE, badge(whole)
    yield PULL_REQUEST, pull_request(whole)
    yield INDEX, page_text("history", **index_content(whole))


def page_of(kernel: KernelId) -> str:
    """Return the path of a kernel's page, which stays the same from one site to the next."""
    slug = re.sub(r"[^a-z0-9]+", "-", kernel_name(kernel).lower()).strip("-")[:SLUG].strip("-")
    identity = "\0".join((kernel.level.value, *kernel.callpath)).encode(errors="surrogatepass")
    return f"kernels/{slug or 'kernel'}-{hashlib.sha256(identity).hexdigest()[:10]}.html"
