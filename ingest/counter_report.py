"""What a file of counters says, whichever tool wrote it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.errors import InputError

TOTAL_ROW = ("Total",)
"""The path of the whole program."""


@dataclass(frozen=True, kw_only=True)
class CountedRegion:
    """A region of a report."""

    # names from the outermost group inwards, such as ``("USER", "solve")``; `TOTAL_ROW` is the program
    path: tuple[str, ...]
    seconds: float | None = None  # wall time, averaged over processes; None if the report does not state it
    share: float | None = None  # of the whole, 0 to 1; None if the report does not say
    # by name, summed over the processes and threads of one node
    counters: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The path as application files write it: ``USER/solve``."""
        return "/".join(self.path)


@dataclass(frozen=True, kw_only=True)
class CounterReport:
    """A report."""

    where: str
    processes: int  # how many were measured in all
    cores: int | None  # how many cores of a node they ran on, if the report says; None means all
    regions: tuple[CountedRegion, ...]
    notices: tuple[str, ...] = ()  # doubts about the figures, one sentence each

    def region(self, *path: str) -> CountedRegion:
        """Return the region of a path; InputError if there is none."""
        for region in self.regions:
            if region.path == path:
                return region
        names = ", ".join(region.name for region in self.regions)
        raise InputError(f"no region '{'/'.join(path)}'", where=self.where, hint=f"regions are {names}")


def merged(reports: Sequence[CounterReport]) -> CounterReport:
    """Return one report of one or more runs of the same program in which different counters were measured.

    Times and shares are those of the first. Counters of the others are scaled to its times, since no two runs
    take equally long; a counter that several have is the first one's. InputError if a later report has no
    region in common with the first.
    """
    first, *others = reports
    regions = {region.path: region for region in first.regions}
    for other in others:
        common = [region for region in other.regions if region.path in regions]
        if not common:
            hint = "give reports of the same program"
            raise InputError(f"no region in common with {first.where}", where=other.where, hint=hint)
        for region in common:
            known = regions[region.path]
            scale = known.seconds / region.seconds if known.seconds and region.seconds else 1.0
            regions[region.path] = completed(known, region, scale)
    notices = tuple(dict.fromkeys(notice for report in reports for notice in report.notices))
    return replace(first, regions=tuple(regions.values()), notices=notices)


def completed(region: CountedRegion, other: CountedRegion, scale: float = 1.0) -> CountedRegion:
    """Return a region with what another one knows besides, its counters times `scale`."""
    added = {name: value * scale for name, value in other.counters.items()}
    return replace(
        region,
        seconds=other.seconds if region.seconds is None else region.seconds,
        share=other.share if region.share is None else region.share,
        counters={**added, **region.counters},
    )
