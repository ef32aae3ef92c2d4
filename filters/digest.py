"""Which filter a run was measured with: kernels of runs under different filters cannot be compared."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from filters.scorep_format.parser import FilterRules, parse
from ingest.profile import Profile

FILTER_ATTRIBUTE = "pipeline::filter"
UNFILTERED = "none"
_COPY = "scorep.filter"
_LENGTH = 16


def digest(rules: FilterRules) -> str:
    """Return 16 hexadecimal digits that stand for the rules in their order, whatever the layout."""
    if not rules.files and not rules.regions:
        return UNFILTERED
    digested = hashlib.sha256()
    for block, listed in (("file", rules.files), ("region", rules.regions)):
        for rule in listed:
            line = f"{block}\t{rule.include}\t{rule.mangled}\t{rule.pattern}\n"
            digested.update(line.encode(errors="surrogateescape"))
    return digested.hexdigest()[:_LENGTH]


def digest_of_run(profile: Profile, given: str | None = None) -> str | None:
    """Return the digest of the filter that a run was measured with; None if it is unknown.

    In this order: as given, as stored in the attributes by `filters.simulation`, from Score-P's attributes
    about a filter, from the copy of the filter that Score-P leaves beside its profile.

    Args:
        profile: the run.
        given: the text of the filter file, if the user names it.

    Raises:
        FilterError: if a filter file cannot be parsed.
    """
    if given is not None:
        return digest(parse(given))
    stored = profile.attributes.get(FILTER_ATTRIBUTE)
    if stored is not None:
        return stored
    named = [value for key, value in sorted(profile.attributes.items()) if "filter" in key.lower() and value]
    if named:
        return hashlib.sha256("\n".join(named).encode()).hexdigest()[:_LENGTH]
    copy = Path(profile.source).with_name(_COPY)
    if copy.is_file():
        return digest(parse(copy.read_text(encoding="utf-8", errors="surrogateescape"), where=str(copy)))
    return None


def mixed_filters(digests: Mapping[str, str | None]) -> str | None:
    """Return a sentence if runs were measured under different filters, otherwise None.

    Args:
        digests: per run its digest; a run whose filter is unknown differs from none.
    """
    groups: dict[str, list[str]] = {}
    for source, found in digests.items():
        if found is not None:
            groups.setdefault(found, []).append(source)
    if len(groups) < 2:
        return None
    listed = "; ".join(f"{key}: {runs[0]} and {len(runs) - 1} more" for key, runs in sorted(groups.items()))
    return (
        f"the runs were measured under {len(groups)} filters, so their kernels are not comparable ({listed})"
    )
