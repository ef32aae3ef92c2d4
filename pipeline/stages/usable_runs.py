"""Which of the runs that could be read may be modelled together, and why the others may not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from filters.instrumentation import FILTER_ATTRIBUTE, Instrumentation, instrumentations, mixed_filters
from ingest.alignment import MeasuredRun, align
from ingest.discovery import Discovery, Run, Skipped
from ingest.errors import InputError
from ingest.experiment import Experiment
from ingest.reduction import ReducedProfile
from ingest.run_checks import (
    RENAME,
    contradicted_name,
    doubts,
    foreign_runs,
    misnamed_runs,
    unusable_runs,
)
from ingest.run_names import named_parameters
from pipeline.stages.read_runs import ReadRun
from pipeline.store.made_from import InputFile
from pipeline.wording.quantities import counted, value_text

UNLIKE = "measured under another filter"

GoodRun: TypeAlias = tuple[Run, ReducedProfile]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ingested:
    """What was read.

    Attributes:
        experiment: the runs to model, aligned; they were measured under one filter.
        runs: which these are; empty for a series file and for tables.
        beside: what lies beside the runs and is not a run, and runs under another filter.
        damaged: what could not be read, contradicts its name or is of another program, and why.
        inputs: the files of the runs, including those of damaged runs whose bytes can be read.
        widest: the runs, perhaps under another filter, that recorded the most functions: of them a filter is
            made.
        doubts: those notices of the experiment that say what makes the runs hard to compare.
    """

    experiment: Experiment
    runs: tuple[Run, ...] = ()
    beside: tuple[Skipped, ...] = ()
    damaged: tuple[Skipped, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    widest: tuple[Run, ...] = ()
    doubts: tuple[str, ...] = ()


def usable_runs(found: Discovery, read: Sequence[ReadRun]) -> Ingested:
    """Choose the runs that can be modelled together.

    Under a filter the time of a dropped function is in its caller. So runs under different filters are never
    mixed: not averaged at one point, and not put into one series. Those that cover the most points are used;
    of equal ones those with the fewest visits per second, since they are disturbed least.

    Raises:
        InputError: none could be read, or half of them contradict their names.
    """
    good, damaged = _separate(read)
    if not good:
        raise _nothing_read(damaged)
    good, of_others, kinds = _of_one_kind(found.labels, good)
    named, contradictions, misnamed = _without_misnamed(found, good)
    experiment = align(found.parameters, _measured(named))
    own, foreign = _without_foreign(experiment, named)
    groups = instrumentations(_measured(own))
    used, *others = groups
    if len(used.runs) < len(named):
        experiment = align(found.parameters, _measured([own[i] for i in used.runs]))
    mixed = mixed_filters({run.source: run.attributes.get(FILTER_ATTRIBUTE) for run in experiment.runs})
    unlike = [_filters_sentence(found.parameters, own, groups)] if others else []
    doubtful = (*kinds, *contradictions, *unlike, *([mixed] if mixed else []), *doubts(experiment))
    widest = max(groups, key=lambda group: len(group.recorded))
    empty = tuple(filter(is_problem, found.skipped))
    return Ingested(
        experiment=replace(
            experiment,
            notices=(*found.notices, *experiment.notices, *doubtful),
            recorded=tuple(sorted(used.recorded)) if used.complete else (),
        ),
        runs=tuple(own[i][0] for i in used.runs),
        beside=(
            *(entry for entry in found.skipped if entry not in empty),
            *of_others,
            *(Skipped(own[i][0].path, UNLIKE) for i in sorted(i for group in others for i in group.runs)),
        ),
        widest=tuple(own[i][0] for i in widest.runs),
        damaged=(*empty, *damaged, *misnamed, *foreign),
        inputs=tuple(file for run in read for file in run.inputs),
        doubts=doubtful,
    )


def _separate(read: Sequence[ReadRun]) -> tuple[list[GoodRun], list[Skipped]]:
    """Separate the runs with a profile from those that could not be read."""
    good: list[GoodRun] = []
    bad: list[Skipped] = []
    for entry in read:
        run, outcome = entry.run, entry.outcome
        if isinstance(outcome, InputError):
            bad.append(Skipped(run.path, f"{outcome.what}" + (f"; {outcome.hint}" if outcome.hint else "")))
        else:
            good.append((run, replace(outcome, attributes=run.described(outcome.attributes))))
    reasons = unusable_runs([profile.attributes for _, profile in good])
    bad += [Skipped(good[i][0].path, reason) for i, reason in reasons.items()]
    return [one for i, one in enumerate(good) if i not in reasons], bad


def _of_one_kind(
    labels: Sequence[str], good: Sequence[GoodRun]
) -> tuple[list[GoodRun], list[Skipped], list[str]]:
    """Choose the runs of the kind with the most points, the first of equal ones: kinds are no series.

    Returns:
        Its runs, the others, and a sentence if there are others.
    """
    kinds: dict[str, list[GoodRun]] = {}
    for one in good:
        kind = ", ".join(f"{name} = {one[0].metadata[name]}" for name in labels)
        kinds.setdefault(kind, []).append(one)
    used = max(kinds, key=lambda kind: len({run.parameters for run, _ in kinds[kind]}))
    others = {kind: runs for kind, runs in kinds.items() if kind != used}
    if not others:
        return list(good), [], []
    aside = [Skipped(run.path, f"{kind}: another kind") for kind, runs in others.items() for run, _ in runs]
    left = ", ".join(f"{counted(len(runs), 'run')} with {kind}" for kind, runs in others.items())
    sentence = (
        f"{' and '.join(labels)} {'is a label, no number' if len(labels) == 1 else 'are labels, no numbers'}"
        f" to model over: {counted(len(kinds[used]), 'run')} with {used} are used, {left} are left out;"
        f" --group-by {labels[0]} makes a study of each"
    )
    return kinds[used], aside, [sentence]


def _measured(good: Sequence[GoodRun]) -> list[MeasuredRun]:
    return [MeasuredRun(run.parameters, run.repetition, profile) for run, profile in good]


def _without_misnamed(
    found: Discovery, good: Sequence[GoodRun]
) -> tuple[list[GoodRun], list[str], list[Skipped]]:
    """Return the runs to use, notices, and runs whose names contradict their profiles."""
    reasons = misnamed_runs(found.parameters, _measured(good))
    if found.listed:
        return list(good), [f"{good[i][0].path}: {reason}" for i, reason in reasons.items()], []
    if reasons and 2 * len(reasons) >= len(good):
        first, what = next(iter(reasons.items()))
        raise InputError(
            f"{what}, and {len(reasons)} of {len(good)} runs contradict their names",
            where=str(good[first][0].path),
            hint="rename the runs, or list them in pipeline.toml",
        )
    skipped = [Skipped(good[i][0].path, f"{reason}; {RENAME}") for i, reason in reasons.items()]
    said = list(filter(None, [contradicted_name(found.parameters, _measured(good))]))
    return [entry for i, entry in enumerate(good) if i not in reasons], said, skipped


def _without_foreign(experiment: Experiment, good: Sequence[GoodRun]) -> tuple[list[GoodRun], list[Skipped]]:
    """Separate the runs of another program than most are of."""
    reasons = foreign_runs(experiment)
    foreign = [(run, reasons[profile.source]) for run, profile in good if profile.source in reasons]
    others = [entry for entry in good if entry[1].source not in reasons]
    return others, [Skipped(run.path, reason) for run, reason in foreign]


def _nothing_read(bad: Sequence[Skipped]) -> InputError:
    others = f" (and {len(bad) - 1} more runs that cannot be read)" if len(bad) > 1 else ""
    return InputError(f"{bad[0].reason}{others}", where=str(bad[0].path))


def _filters_sentence(
    parameters: Sequence[str], read: Sequence[GoodRun], groups: Sequence[Instrumentation]
) -> str:
    used, *others = (_described(parameters, read, group) for group in groups)
    return (
        f"the runs were measured under {len(groups)} different filters, so the time of some functions is in "
        f"their callers in some runs: these runs are not mixed. Used: {used}. Left out: {'; '.join(others)}. "
        f"To use others, list their runs as [[run]] in pipeline.toml or move them to a directory of their own"
    )


def _described(parameters: Sequence[str], read: Sequence[GoodRun], group: Instrumentation) -> str:
    runs = [read[i][0] for i in group.runs]
    points = sorted({run.parameters for run in runs})
    at = ", ".join(value_text(point[0]) for point in points) if len(parameters) == 1 else ""
    where = f"{parameters[0]} = {at}" if at else counted(len(points), "point")
    others = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
    return (
        f"{counted(len(runs), 'run')} that recorded {counted(len(group.recorded), 'function')} "
        f"({where}; {runs[0].path}{others})"
    )


def is_problem(entry: Skipped) -> bool:
    """Return whether a measurement is missing: a damaged profile, or none in a folder named like a run."""
    return entry.damaged or (entry.path.is_dir() and bool(named_parameters(entry.path.name)))
