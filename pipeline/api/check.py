"""The CI gate: a study against a baseline and the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.config.option_readers import broadcast_points
from pipeline.config.options import configuration_file, load_options
from pipeline.gate.check_result import CheckResult
from pipeline.report.check.document import check_document
from pipeline.report.check.wording import headline
from pipeline.report.frames import checked_kernels_frame, expectations_frame, frame_html
from pipeline.stages.check import check_rules, check_study, skipped_texts


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """The result of a check; `check` makes it."""

    _result: CheckResult
    _notices: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """``passed``, ``regressed``, ``inconclusive`` or ``exceeded``."""
        return self._result.outcome.name.lower()

    @property
    def exit_code(self) -> int:
        """The exit code of `pipeline check`: 0, 1, 3 or, with ``expect`` in ``[check]``, 4."""
        return int(self._result.outcome)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the studies cannot be compared, and what else should be known, one sentence each."""
        return (*(reason.text for reason in self._result.reasons), *self._result.notices, *self._notices)

    @cached_property
    def kernels(self) -> pd.DataFrame:
        """One row per kernel, regressions first: level, kernel, verdict, ratio to the baseline, evidence."""
        return checked_kernels_frame(self.document)

    @cached_property
    def expectations(self) -> pd.DataFrame:
        """One row per ``[[expect]]``: what it is of, growth, judgement, probability, factors and range."""
        return expectations_frame(self._result)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The content of ``check.json``."""
        return check_document(self._result)

    def __repr__(self) -> str:
        return f"Check({self.verdict}: {headline(self._result)})"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.kernels)


def check(
    path: str | PathLike[str],
    baseline: str | PathLike[str] | None = None,
    *,
    config: str | PathLike[str] | None = None,
    machine: str = "",
    at: Mapping[str, float | Sequence[float]] | None = None,
) -> Check:
    """Check a study for scalability regressions.

    Args:
        path: a directory of runs, a results directory or a series file.
        baseline: a file of `pipeline baseline`; without it only the rules of the configuration are checked.
        config: a configuration file; by default ``pipeline.toml`` in the directory.
        machine: name of the machine; other machines are not compared with it.
        at: target points, such as ``{"p": 4096}``.

    Raises:
        PipelineError: the study or the baseline cannot be read, or there is nothing to check.
    """
    place = Path(path)
    file = configuration_file(None if config is None else Path(config), place if place.is_dir() else None)
    options = load_options(file, None)
    rules = check_rules(file, broadcast_points(at or {}), options)
    known = None if baseline is None else Path(baseline)
    result, (study,) = check_study(place, rules, options, machine, baseline=known)
    return Check(result, (*skipped_texts([study]), *study.notices))
