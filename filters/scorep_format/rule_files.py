"""Score-P filter files: read with the same verdict as Score-P's own parser, and what they let through.

Facts (from Score-P's parser): blocks of file names and of region names, any number of them; rules apply in
order, the last match wins, everything is included at the start. A `#` starts a comment and white space ends
a token unless the character before is a backslash. MANGLED holds until the next EXCLUDE or INCLUDE.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from filters.evidence import by_hand, filterable
from filters.scorep_format.patterns import KEYWORDS, PatternSet
from ingest.arrays import BoolArray, IntArray
from ingest.errors import FilterError
from ingest.profile import RegionTable

_COMMENT = re.compile(r"(?<!\\)#")
_GAP = re.compile(r"(?<!\\)[ \t\r\n]")
_BLOCKS = {"SCOREP_FILE_NAMES": "file", "SCOREP_REGION_NAMES": "region"}
UNTOUCHED, INCLUDED, EXCLUDED = 0, 1, 2


@dataclass(frozen=True)
class FilterRule:
    """One pattern of a filter."""

    include: bool  # whether what it matches is measured
    pattern: str  # as written, with its escapes
    mangled: bool = False  # whether it is matched against the mangled instead of the displayed name


@dataclass(frozen=True)
class FilterRules:
    """The rules of a filter file, in their order."""

    files: tuple[FilterRule, ...] = ()
    regions: tuple[FilterRule, ...] = ()


@dataclass(frozen=True)
class _State:
    """Where the parser stands: in which block, under which verb, and whether MANGLED was said."""

    block: str = ""
    include: bool | None = None
    mangled: bool = False


def parse(text: str, *, where: str = "filter") -> FilterRules:
    """Read a filter file; FilterError, with the number of the line, if Score-P would refuse it."""
    state = _State()
    rules: dict[str, list[FilterRule]] = {"file": [], "region": []}
    for number, line in enumerate(text.split("\n"), start=1):
        for token in _tokens(line, f"{where}, line {number}"):
            if token in KEYWORDS:
                state = _keyword(state, token, f"{where}, line {number}")
            elif state.include is None:
                hint = "write patterns after EXCLUDE or INCLUDE, inside a block"
                raise FilterError(f"unexpected '{token}'", where=f"{where}, line {number}", hint=hint)
            else:
                rules[state.block].append(FilterRule(state.include, token, state.mangled))
    return FilterRules(tuple(rules["file"]), tuple(rules["region"]))


def _tokens(line: str, where: str) -> Iterable[str]:
    comment = _COMMENT.search(line)
    rest = line[: comment.start()] if comment else line + "\n"
    # Score-P looks at the last character but one, whatever the last one is: it refuses more than line breaks.
    if len(rest) > 1 and rest[-2] == "\\":
        hint = "write a final backslash as [\\\\] and put comments on lines of their own"
        raise FilterError("a backslash before the end of the line", where=where, hint=hint)
    return (token for token in _GAP.split(rest) if token)


def _keyword(state: _State, token: str, where: str) -> _State:
    name, _, edge = token.rpartition("_")
    if name in _BLOCKS and edge == "BEGIN" and not state.block:
        return _State(_BLOCKS[name])
    if name in _BLOCKS and edge == "END" and state.block == _BLOCKS[name]:
        return _State()
    if token in ("EXCLUDE", "INCLUDE") and state.block:
        return _State(state.block, token == "INCLUDE")
    if token in ("MANGLED", "DEMANGLED") and state.block == "region" and state.include is not None:
        return _State(state.block, state.include, token == "MANGLED")
    raise FilterError(f"unexpected '{token}'", where=where, hint="see the filter section of Score-P's manual")


def kept(rules: FilterRules, regions: RegionTable, *, at_compile_time: bool = False) -> BoolArray:
    """Return which regions are measured under a filter, bool[region].

    File rules come first and region rules cannot undo them; regions that cannot be filtered are always
    measured, those instrumented by hand if the filter is applied at compile time.
    """
    by_file = last_match(rules.files, regions.file, regions.file)
    by_name = last_match(rules.regions, regions.name, regions.mangled)
    unnamed_file = np.array([file == "" for file in regions.file], dtype=np.bool_)
    passed = ((by_file != EXCLUDED) | unnamed_file) & (by_name != EXCLUDED)
    untouched = ~filterable(regions) | (by_hand(regions) & at_compile_time)
    return np.asarray(passed | untouched)


def last_match(rules: Sequence[FilterRule], names: Sequence[str], mangled: Sequence[str]) -> IntArray:
    """Return what the last matching rule says of each name: UNTOUCHED (none does), INCLUDED or EXCLUDED."""
    verdict = np.full(len(names), UNTOUCHED)
    pending = list(range(len(names)))
    for (include, by_mangled), group in groupby(reversed(rules), key=lambda r: (r.include, r.mangled)):
        matcher = PatternSet.of(rule.pattern for rule in group)
        subject = mangled if by_mangled else names
        hits = [matcher.matches(subject[i]) for i in pending]
        verdict[[i for i, hit in zip(pending, hits, strict=True) if hit]] = INCLUDED if include else EXCLUDED
        pending = [i for i, hit in zip(pending, hits, strict=True) if not hit]
    return verdict
