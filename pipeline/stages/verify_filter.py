"""The loop closed: a measurement made under a filter, beside what was predicted from the one without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filters.evidence import evidence_from_profile
from filters.filter_effect import FilterEffect, MeasuredEffect, measured_effect
from filters.filter_options import Application, Instrumenter
from filters.filter_verification import Verification, verify
from filters.make_filter import predict_filter, read_filter
from filters.scorep_format.rule_files import FilterRules, parse
from ingest.discovery import Run
from ingest.errors import InputError, UsageError
from ingest.profile import Profile
from pipeline.config.options import Options
from pipeline.stages.filter import filter_of_path, filter_request, runs_at, runs_to_filter


@dataclass(frozen=True, eq=False, kw_only=True)
class VerifiedFilter:
    """What a filter should have done and what it did.

    Attributes:
        filter: the file, or how the filter was made.
        verifications: one per measurement point that both have, the largest scale last.
        prediction: the effect on the largest scale, predicted from the profile without the filter.
        effect: what both profiles of the largest scale show.
        skipped: path and reason of every run that could not be read.
    """

    filter: str
    verifications: tuple[Verification, ...]
    prediction: FilterEffect
    effect: MeasuredEffect
    skipped: tuple[Mapping[str, str], ...]

    @property
    def agrees(self) -> bool:
        """Whether the visits agree within the tolerance at every measurement point."""
        return all(one.agrees for one in self.verifications)


def verify_filter(path: Path, second: Path, options: Options, rules: Path | None = None) -> VerifiedFilter:
    """Compare a profile or a directory of runs with another one that was measured under a filter.

    The filter is that of a file, or the one that the options make from the first path.

    Raises:
        PipelineError: a profile or the filter cannot be read, or no measurement point is in both.
    """
    request = filter_request(options.filter)
    found, name, applied, skipped = _rules(path, options, rules)
    pairs = _pairs(runs_at(path, options.runs), runs_at(second))
    verifications = []
    for before, after in pairs:
        full, reduced = _read(before), _read(after)
        verifications.append(verify(full, reduced, found))
    if (by_hand := verifications[-1].at_compile_time) is not None:
        applied = Application.COMPILE_TIME if by_hand else Application.RUN_TIME
    prediction = predict_filter(full, found, request)
    effect = measured_effect(
        evidence_from_profile(full),
        evidence_from_profile(reduced),
        prediction,
        applied=applied,
        baseline=request.baseline,
    )
    return VerifiedFilter(
        filter=name,
        verifications=tuple(verifications),
        prediction=prediction,
        effect=effect,
        skipped=skipped,
    )


def _rules(
    path: Path, options: Options, rules: Path | None
) -> tuple[FilterRules, str, Application | None, tuple[Mapping[str, str], ...]]:
    """Return the filter, what to call it, where it is applied if that is known, and the skipped runs."""
    if rules is not None:
        return parse(read_filter(rules), where=str(rules)), str(rules), None, ()
    if Instrumenter(options.filter.to) is not Instrumenter.SCOREP:
        raise UsageError("only Score-P's filters can be verified", where="--verify", hint="omit --to")
    made, skipped = filter_of_path(path, options)
    applied = made.application if made.budget else None
    return parse(made.text), f"made from {path} ({made.decision.method})", applied, skipped


def _read(run: Run) -> Profile:
    return run.reader.read(run.path)


def _pairs(without: Sequence[Run], under: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Pair runs of the same measurement point; a single run of each is a pair whatever its name says.

    Raises:
        InputError: no measurement point is in both.
    """
    first, second = runs_to_filter(without), runs_to_filter(under)
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    by_point = {run.parameters: run for run in second}
    pairs = [(run, by_point[run.parameters]) for run in first if run.parameters in by_point]
    if not pairs:
        raise InputError(
            "no measurement point is in both",
            where=str(second[0].path),
            hint="measure the same runs under the filter, or give one profile of each",
        )
    return pairs
