"""Tables of the gate: kernels of checks and comparisons, and kernels over commits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import ESTIMATE, FIGURE, PATH, SHARE, Column, filled, parameters
from pipeline.gate.check_result import CheckResult, KernelResult, PointRatio, Ruling, StudySide
from pipeline.wording.quantities import Figure, growth_text, number, point_text

_NO_STYLES: Mapping[Ruling, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class ChangeWords:
    """What verdicts and the two studies are called: `sides` in files, `names` for people."""

    verdicts: Mapping[Ruling, str]
    sides: tuple[str, str]
    names: tuple[str, str]


CHECK_WORDS = ChangeWords(
    verdicts={verdict: verdict.value for verdict in Ruling},
    sides=("baseline", "now"),
    names=("baseline", "now"),
)

AtTarget: TypeAlias = tuple[KernelResult, int]
"""A kernel, and which of the targets."""


def growth_change(result: KernelResult) -> str:
    """Return the growth before and now, once if it is the same; empty if it is not known."""
    sides = (result.baseline, result.candidate)
    growths = [growth_text(side.growth) for side in sides if side is not None and side.growth]
    return " → ".join(dict.fromkeys(growths))


def ratio_at(result: KernelResult) -> str | None:
    """Return where the stated ratio was measured; None if that is the largest common point."""
    stated = result.stated
    largest = [change.at for change in result.measured[-1:]]
    return None if stated is None or stated.at in largest else measured_at(stated.at)


def measured_at(point: Mapping[str, float]) -> str:
    """Say where a ratio was measured; an empty point means over all of them."""
    return point_text(point) if point else "all points"


def changed_kernels(result: CheckResult) -> list[KernelResult]:
    """Return the kernels that are not unchanged, the most important first."""
    return [one for one in result.kernels if one.verdict is not Ruling.UNCHANGED]


def changes_table(
    result: CheckResult,
    *,
    limit: int,
    notes: Sequence[str] = (),
    words: ChangeWords = CHECK_WORDS,
    styles: Mapping[Ruling, str] = _NO_STYLES,
    last: bool = False,
) -> DataTable:
    """Return one row per target and kernel that is not unchanged.

    Values are those at the largest common point; ratios are those that verdicts rest on.
    """
    targets = result.targets or ({},)
    shown = range(len(targets) - 1, len(targets)) if last else range(len(targets))
    rows = [(one, q) for one in changed_kernels(result)[:limit] for q in shown]
    return filled(
        change_columns(result, words, [targets[q] for _, q in rows], styles),
        rows,
        notes=notes,
        title=f"Kernels ({result.unit})" if result.unit else "Kernels",
    )


def change_columns(
    result: CheckResult,
    words: ChangeWords,
    targets: Sequence[Mapping[str, float]],
    styles: Mapping[Ruling, str] = _NO_STYLES,
) -> list[Column[Sequence[AtTarget]]]:
    """Return the columns of checks and comparisons; the target of each row is given."""
    unit, names = result.unit, (result.targets or ({},))[0]
    files = Audience.FILES
    return [
        _verdicts(words.verdicts, styles, Audience.TERMINAL),
        Column(key="kernel", kind=PATH, each=lambda row: row[0].kernel.callpath),
        Column(key="level", each=lambda row: row[0].kernel.level.value, audience=files),
        _verdicts(words.verdicts, styles, files),
        *(
            Column(
                key=side,
                heading=words.names[place],
                kind=FIGURE,
                unit=unit,
                unit_in_title=True,
                each=partial(_value, place),
            )
            for place, side in enumerate(words.sides)
        ),
        Column(key="share", kind=SHARE, each=lambda row: number(row[0].share)),
        Column(
            key="ratio",
            kind=ESTIMATE,
            interval="interval",
            interval_for=Audience.FILES,
            each=lambda row: _ratio(row[0].stated),
            dispensable=1,
        ),
        Column(
            key="ratio_at",
            each=lambda row: ratio_at(row[0]),
            texts=lambda rows: (ratio_at(one) or "" for one, _ in rows),
            dispensable=2,
        ),
        *parameters(names, targets, files),
        Column(
            key="target_ratio",
            kind=ESTIMATE,
            heading="at target",
            interval="interval at target",
            each=lambda row: _ratio(next(iter(row[0].target[row[1] :]), None)),
        ),
        Column(
            key="growth", each=lambda row: growth_change(row[0]), audience=Audience.TERMINAL, dispensable=3
        ),
        *(
            Column(key=f"growth_{side}", each=partial(_growth, n), audience=files)
            for n, side in enumerate(words.sides)
        ),
    ]


def _verdicts(
    words: Mapping[Ruling, str], styles: Mapping[Ruling, str], audience: Audience
) -> Column[Sequence[AtTarget]]:
    """Return the verdicts, which stand before the names in terminals and behind them in files."""
    return Column(
        key="verdict",
        each=lambda row: words[row[0].verdict],
        styles=lambda rows: (styles.get(one.verdict, "") for one, _ in rows),
        audience=audience,
    )


def _side(place: int, row: AtTarget) -> StudySide | None:
    return (row[0].baseline, row[0].candidate)[place]


def _value(place: int, row: AtTarget) -> float | None:
    side = _side(place, row)
    return None if side is None else number(side.value)


def _growth(place: int, row: AtTarget) -> str:
    side = _side(place, row)
    return "" if side is None else growth_text(side.growth)


def _ratio(change: PointRatio | None) -> Figure | None:
    return None if change is None else Figure.of(change.ratio, change.lower, change.upper)
