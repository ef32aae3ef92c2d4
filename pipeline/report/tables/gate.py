"""Tables of the gate: checks and comparisons, and kernels over commits."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.gate.check_result import Change, CheckResult, Ruling, StudySide
from pipeline.report.check.history import conclusion, recording_note, title
from pipeline.report.check.terminal import VERDICTS
from pipeline.report.check.wording import headline, rename_text
from pipeline.report.tables.data_table import (
    Column,
    DataTable,
    amounts,
    estimates,
    kernels,
    parameters,
    quantities,
    shares,
    words,
)
from pipeline.wording.quantities import figure, growth_text, number

RATIO = ("ratio", "ratio_lower", "ratio_upper")
TARGET_RATIO = ("target_ratio", "target_ratio_lower", "target_ratio_upper")


def check_table(result: CheckResult, *, limit: int) -> DataTable:
    """Return one row per target and kernel that is not unchanged; at most `limit` kernels."""
    return changes_table(result, headline(result), limit=limit, words_of=VERDICTS, sides=("baseline", "now"))


def changes_table(
    result: CheckResult,
    outcome: str,
    *,
    limit: int,
    words_of: Mapping[Ruling, str],
    sides: tuple[str, str],
) -> DataTable:
    """Return one row per target and kernel that is not unchanged.

    Values, shares and ratios are those at the largest common point.

    Args:
        result: of a check or a comparison.
        outcome: in one sentence.
        limit: the most kernels.
        words_of: what to call the verdicts.
        sides: what to call the two studies.
    """
    changed = [one for one in result.kernels if one.verdict is not Ruling.UNCHANGED]
    targets = result.targets or ({},)
    rows = [(one, q) for one in changed[:limit] for q in range(len(targets))]
    found = [one for one, _ in rows]
    pairs = [(one.baseline, one.candidate) for one in found]
    columns = [
        kernels(one.kernel.callpath for one in found),
        words("level", (one.kernel.level.value for one in found)),
        words("verdict", (words_of[one.verdict] for one in found)),
        *(quantities(side, (_value(pair[n]) for pair in pairs), result.unit) for n, side in enumerate(sides)),
        shares("share", (number(one.share) for one in found)),
        *_ratios(RATIO, [one.measured[-1:] for one in found]),
        *parameters(targets[0], [targets[q] for _, q in rows]),
        *_ratios(TARGET_RATIO, [one.target[q : q + 1] for one, q in rows]),
        *(words(f"growth_{side}", (_growth(pair[n]) for pair in pairs)) for n, side in enumerate(sides)),
    ]
    more = len(changed) - limit
    notes = [
        outcome,
        *(reason.text for reason in result.reasons),
        *([f"{more} more left out; --limit shows them"] if more > 0 else []),
        *map(rename_text, result.renames),
        *result.notices,
    ]
    return DataTable(columns=columns, notes=notes)


def _value(side: StudySide | None) -> float | None:
    return None if side is None else number(side.value)


def _growth(side: StudySide | None) -> str:
    return growth_text(side.growth) if side is not None else ""


def _ratios(names: Sequence[str], changes: Sequence[Sequence[Change]]) -> list[Column]:
    """Return the ratios of rows with one change each, or with none."""
    entries = [
        {"value": number(row[0].ratio), "lower": number(row[0].lower), "upper": number(row[0].upper)}
        if row
        else None
        for row in changes
    ]
    return estimates(entries, names=names, show=figure, interval="interval")


def history_table(documents: Sequence[Mapping[str, Any]], *, limit: int) -> DataTable:
    """Return one row per kernel and entry, the newest last.

    Args:
        documents: what `pipeline.report.check.history.history_document` returns.
        limit: the most kernels, and the most entries of each.
    """
    shown = documents[:limit]
    rows = [(one, entry) for one in shown for entry in one["entries"][-limit:]]
    found, entries = [one for one, _ in rows], [entry for _, entry in rows]
    changes = [{change["label"]: change["factor"] for change in one["change_points"]} for one in found]
    names = dict.fromkeys(name for one in shown for name in one["at"])
    columns: list[Column] = [
        kernels(one["callpath"] for one in found),
        words("level", (one["level"] for one in found)),
        *parameters(names, [one["at"] for one in found]),
        words("label", (entry["label"] for entry in entries)),
        words("added", (entry["added"] for entry in entries)),
        amounts("value", (entry["value"] for entry in entries)),
        words("unit", (one["unit"] for one in found)),
        shares("share", (entry["share"] for entry in entries)),
        words("growth", (entry["growth"] for entry in entries), (growth_text(e["growth"]) for e in entries)),
        amounts("predicted", (entry["predicted"] for entry in entries)),
        words("verdict", (entry["verdict"] for entry in entries)),
        amounts(
            "change_factor",
            (change.get(entry["label"]) for change, entry in zip(changes, entries, strict=True)),
            show=figure,
        ),
    ]
    notes = [f"{title(one)}: {conclusion(one)}" for one in shown]
    notes += [text for one in shown if (text := recording_note(one))]
    return DataTable(columns=columns, notes=notes)
