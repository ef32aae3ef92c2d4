"""What the user decided about regions, and what was done about it, one sentence each."""

from collections.abc import Sequence

import numpy as np

from filters.decision import Decision, Reason, matching
from filters.options import Overrides
from filters.scorep_format.matcher import by_hand
from ingest.arrays import BoolArray
from ingest.cpp_names import short_list


def override_notices(decision: Decision, overrides: Overrides) -> tuple[str, ...]:
    """Name the regions that are kept or dropped on request, which request wins, and patterns without a match.

    ``--protect`` wins over ``--drop``, and both over every rule, the budget and automatic protection. The
    entry point of the program cannot be dropped.
    """
    reason, drop = decision.reason, matching(decision.regions, overrides.drop)
    protected = reason == Reason.PROTECTED
    sentences = (
        ("kept on request (--protect)", protected & ~drop),
        ("kept on request: --protect and --drop both match, and --protect wins", protected & drop),
        ("dropped on request (--drop)", reason == Reason.ASKED_TO_DROP),
        ("kept in spite of --drop, as the entry point of the program", drop & (reason == Reason.ENTRY_POINT)),
    )
    called = decision.regions.called
    named = [
        f"{text}: {_names(decision, chosen)}" for text, which in sentences if (chosen := which & called).any()
    ]
    if (reason[by_hand(decision.regions.table) & called] == Reason.ASKED_TO_DROP).any():
        named.append(
            "regions instrumented by hand are dropped at run time only; a filter at compile time leaves them"
        )
    return (
        *named,
        *_unmatched(decision, "--protect", overrides.protect),
        *_unmatched(decision, "--drop", overrides.drop),
    )


def _names(decision: Decision, chosen: BoolArray) -> str:
    names = decision.regions.table.name
    return short_list([names[i] for i in np.flatnonzero(chosen).tolist()])


def _unmatched(decision: Decision, option: str, patterns: Sequence[str]) -> list[str]:
    return [
        f"{option} '{pattern}' matches no region that a filter can name; a pattern must match the whole "
        "displayed or mangled name"
        for pattern in patterns
        if not matching(decision.regions, (pattern,)).any()
    ]
