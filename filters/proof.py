"""Proof that a filter file does what was intended, by reading it back as Score-P would."""

import numpy as np

from filters.language import parse
from filters.matching import filterable, kept
from ingest.arrays import BoolArray
from ingest.errors import FilterError
from ingest.profile import RegionTable


def prove(text: str, regions: RegionTable, intended: BoolArray, *, where: str = "filter") -> None:
    """Check that a filter file decides every region as intended.

    Args:
        text: the content of the file.
        regions: the regions of a profile, or those a filter was made for.
        intended: bool[region], whether it is to be measured; not looked at where no filter applies.
        where: the name of the file, for errors.

    Raises:
        FilterError: where Score-P would refuse the file, or it decides a region otherwise.
    """
    wrong = np.flatnonzero((kept(parse(text, where=where), regions) != intended) & filterable(regions))
    if len(wrong):
        name = regions.name[int(wrong[0])]
        verb = "keeps" if not intended[wrong[0]] else "drops"
        more = f" and {len(wrong) - 1} more regions wrongly" if len(wrong) > 1 else ""
        raise FilterError(f"the filter {verb} '{name}' against the decision{more}", where=where)
