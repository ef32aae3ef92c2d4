"""The newest entry of a history as a badge: a number, an arrow and a colour."""

from dataclasses import dataclass
from xml.sax.saxutils import escape

from pipeline.gate.check_result import Ruling
from pipeline.gate.trends import Entries, HistoryRow
from pipeline.questions.pop_efficiency import FAIR, GOOD
from pipeline.wording.escaping import visible, xml
from pipeline.wording.quantities import figure, point_text, quantity, times

_GOOD, _FAIR, _POOR, _UNKNOWN = "#009e73", "#b57900", "#c4452a", "#6b7280"  # as on pages
_CHARACTER, _MARGIN = 6.6, 6  # pixels
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{text}">'
    '<title>{text}</title><rect width="{width}" height="20" rx="3" fill="#434b54"/>'
    '<path d="M{left} 0h{inside}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inside}z" fill="{colour}"/>'
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
    '<text x="{label_at}" y="14">{label}</text><text x="{message_at}" y="14">{message}</text></g></svg>\n'
)


@dataclass(frozen=True, kw_only=True)
class Badge:
    """Where was measured, what, and how it stands; names are those of shields.io's endpoint."""

    schemaVersion: int = 1  # noqa: N815
    label: str
    message: str
    color: str

    @property
    def svg(self) -> str:
        """The badge as an image."""
        left, right = (round(_CHARACTER * len(one)) + 2 * _MARGIN for one in (self.label, self.message))
        label, message = escape(xml(self.label)), escape(xml(self.message))
        return _SVG.format(
            width=left + right,
            left=left,
            inside=right - 3,
            colour=self.color,
            label=label,
            message=message,
            text=f"{label}: {message}".replace('"', "&quot;"),
            label_at=left / 2,
            message_at=left + right / 2,
        )


def history_badge(entries: Entries) -> Badge:
    """Return the newest entry's wall time, else its value, at the largest scale, against the entry before."""
    newest = entries.totals[-1]
    before = next((one for one in entries.totals[:-1] if one.label == newest.previous), None)
    value, unit = _measured(newest)
    message = quantity(value, unit)
    if before is not None and newest.step:
        message = f"{message} {_change(value / _measured(before)[0], newest.step)}"
    return Badge(label=visible(point_text(entries.at)), message=message, color=_colour(newest))


def _measured(total: HistoryRow) -> tuple[float, str]:
    return (total.wall_seconds, "s") if total.wall_seconds > 0 else (total.value, total.unit)


def _change(ratio: float, step: str) -> str:
    """Write an arrow and by how much, where the test says that something changed, or does not know."""
    if step == Ruling.UNCHANGED.value:
        return "→"
    size = f"{figure(100 * abs(ratio - 1), 2)} %" if 0.5 < ratio < 2 else times(max(ratio, 1 / ratio))
    doubt = " unclear" if step == Ruling.INCONCLUSIVE.value else ""
    return f"{'↑' if ratio > 1 else '↓'} {size}{doubt}"


def _colour(total: HistoryRow) -> str:
    """Colour a regression as poor, else by the efficiency at the largest scale as pages do."""
    if total.step == Ruling.REGRESSION.value:
        return _POOR
    if not total.efficiency > 0:
        return _UNKNOWN
    return _GOOD if total.efficiency >= GOOD else _FAIR if total.efficiency >= FAIR else _POOR
