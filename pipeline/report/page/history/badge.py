"""A badge for a README: what the whole program takes at the target, and whether it changed lately."""

from html import escape

import numpy as np

from pipeline.gate.trends import Measure
from pipeline.report.page.history.index_page import Site
from pipeline.report.page.history.wording import NOTHING, Wording
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
    wording = Wording(site.entries)
    value = wording.value(Measure.TARGET, float(whole[Measure.TARGET].values[-1]))
    efficiency = float(whole[Measure.EFFICIENCY].values[-1])
    if np.isfinite(efficiency):
        value += f", {percent(efficiency)} efficient"
    change = next((row for row in site.recent_changes if row.kernel.row == 0), None)
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
