"""Instrumentation filters made from profiles."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from filters.make_filter import FilterResult
from ingest.record_codec import document
from pipeline.config.options import load_options, override
from pipeline.report.frames import frame_html
from pipeline.report.terminal.filter import effect_sentence
from pipeline.stages.filter import filter_of_path, store_filter


@dataclass(frozen=True, eq=False, repr=False)
class Filter:
    """An instrumentation filter with its evidence; `make_filter` makes it."""

    _result: FilterResult
    _skipped: tuple[str, ...]

    @property
    def text(self) -> str:
        """The content of the filter file."""
        return self._result.text

    @property
    def problems(self) -> tuple[str, ...]:
        """Runs that could not be read, and what should be known about the filter, one sentence each."""
        return (*self._skipped, *self._result.notices)

    @cached_property
    def regions(self) -> pd.DataFrame:
        """One row per region that was called: whether it is kept and why, visits, time, call paths."""
        return pd.DataFrame(document(self._result.evidence)["regions"])

    @property
    def overhead(self) -> float:
        """The predicted instrumentation overhead with the filter, as a share of the plain run time."""
        return self._result.prediction.dilation.at(self._result.application).value - 1.0

    @property
    def overhead_without(self) -> float:
        """The estimated instrumentation overhead of the measurement without a filter."""
        return self._result.prediction.dilation.at(None).value - 1.0

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the filter file, and its evidence beside it as ``PATH.json``; PipelineError if that fails."""
        place = Path(path)
        store_filter(place, self._result)
        return place

    def __repr__(self) -> str:
        return f"Filter({effect_sentence(self._result)})"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.regions[["region", "kept", "why", "visits", "time"]])


def make_filter(
    path: str | PathLike[str],
    *,
    config: str | PathLike[str] | None = None,
    **options: Any,  # noqa: ANN401  # as FilterOptions declares them
) -> Filter:
    """Select the regions that are worth measuring.

    Args:
        path: a profile or a directory of runs.
        config: a configuration file; by default ``pipeline.toml`` in the directory.
        options: the options of `pipeline filter` with ``_`` for ``-``, such as ``max_overhead=0.05``,
            ``protect=["solve*"]``, ``drop=["operator*"]``, ``form="include"``, ``to="tau"``; also those of
            ``[filter]`` in pipeline.toml, such as ``per_visit=0.25``.

    Raises:
        PipelineError: an option is invalid, or the profiles have no visits or no time.
    """
    place = Path(path)
    settings = load_options(None if config is None else Path(config), place if place.is_dir() else None)
    result, skipped = filter_of_path(place, override(settings, options, flags=False))
    return Filter(result, tuple(f"{entry['path']}: {entry['reason']}" for entry in skipped))
