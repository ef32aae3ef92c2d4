"""The page: every figure beside its peer, today and at the last release, and what has become worse."""

from collections.abc import Iterator, Sequence

from benchmarks.overview.ledger import FigureEntry
from benchmarks.overview.measured_figure import OURS, MeasuredFigure

LOST = 1.05
"""Times the figure of the last release, from which a figure is listed as worse."""


def page(now: FigureEntry, before: FigureEntry | None) -> Iterator[str]:
    """Write the page as Markdown, line by line.

    Args:
        now: what was measured today.
        before: what was measured at the last release; None if nothing was.
    """
    yield f"{now.label}, {now.date}, on {now.machine} ({now.note})."
    yield "Medians of the rounds with their range; less is better. Processor seconds are those of all"
    yield "processes of a command, from its start to its end."
    yield ""
    at_release = "-" if before is None else before.label
    yield f"| figure | unit | ours | peer | peer / ours | at {at_release}: ours | peer / ours |"
    yield "|---|---|---:|---|---:|---:|---:|"
    for figure in _own(now):
        yield _row(now, before, figure)
    yield ""
    yield from _lost(now, before)


def _own(entry: FigureEntry) -> list[MeasuredFigure]:
    return [one for one in entry.figures if one.side == OURS]


def _same(entry: FigureEntry | None, figure: MeasuredFigure, *, peer: bool = False) -> MeasuredFigure | None:
    """Return a figure of an entry with the same name and unit, that of the peer or ours."""
    figures: Sequence[MeasuredFigure] = entry.figures if entry else ()
    return next(
        (
            one
            for one in figures
            if (one.name, one.unit, one.side != OURS) == (figure.name, figure.unit, peer)
        ),
        None,
    )


def _ratio(entry: FigureEntry | None, figure: MeasuredFigure) -> float | None:
    """Return the peer's figure over ours, both of one sitting; None without a peer."""
    own, peer = _same(entry, figure), _same(entry, figure, peer=True)
    return peer.median / own.median if own and peer and own.median > 0 else None


def _row(now: FigureEntry, before: FigureEntry | None, figure: MeasuredFigure) -> str:
    peer, earlier = _same(now, figure, peer=True), _same(before, figure)
    cells = (
        figure.name,
        figure.unit,
        figure.text,
        f"{peer.side}: {peer.text}" if peer else "-",
        _number(_ratio(now, figure)),
        earlier.text if earlier else "-",
        _number(_ratio(before, figure)),
    )
    return f"| {' | '.join(cells)} |"


def _number(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.1f}"


def _lost(now: FigureEntry, before: FigureEntry | None) -> Iterator[str]:
    """List what has become worse by more than 5 %: beside its peer of the same sitting, else by itself.

    The peer is measured in turn with ours, so how fast the machine was that day has no part in their ratio.
    """
    if before is None or before.label == now.label:
        yield "Lost since the last release: nothing to compare with yet."
        return
    worse = [line for figure in _own(now) if (line := _worse(now, before, figure))]
    yield f"Lost more than {LOST - 1:.0%} since {before.label}: {'nothing.' if not worse else ''}".rstrip()
    if worse:
        yield ""
        yield from worse


def _worse(now: FigureEntry, before: FigureEntry, figure: MeasuredFigure) -> str:
    """Return the line of a figure that has become worse; empty if it has not."""
    earlier = _same(before, figure)
    if earlier is None or earlier.median <= 0:
        return ""
    ratios = _ratio(now, figure), _ratio(before, figure)
    beside = None not in ratios
    factor = (ratios[1] or 0.0) / (ratios[0] or 1.0) if beside else figure.median / earlier.median
    if factor <= LOST:
        return ""
    what = "beside its peer" if beside else "by itself"
    doubt = "; the ranges overlap" if figure.overlaps(earlier) else ""
    values = f"{earlier.text} before, {figure.text} now"
    return f"* {figure.name} ({figure.unit}): {factor - 1:+.0%} {what}, {values}{doubt}"
