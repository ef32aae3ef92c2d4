"""Studies that the gate compares, from results directories, runs or series files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from filters.instrumentation import digest_of_run, mixed_filters
from ingest.errors import InputError
from ingest.experiment import Experiment
from ingest.locate import Located, locate
from ingest.run_checks import LEAST_SHARED, unlike_repetitions
from ingest.run_settings import METADATA, processor_of
from ingest.scaling import ScalingDecision, decide_scaling
from pipeline.config.options import Options, override
from pipeline.execution.executors import ProgressDisplay, no_progress
from pipeline.gate.compared_studies import ComparedStudies, recorded_digests
from pipeline.gate.kernel_values import KernelValues, Origin, Scope, StudyModels, measurements_of
from pipeline.questions.analysis import scaling_of
from pipeline.stages.ingest import ingest, skipped_entry
from pipeline.stages.model import metric_to_model
from pipeline.stages.overhead import true_times
from pipeline.store.generation import PROVENANCE
from pipeline.store.results import read_study as read_stored_study

if TYPE_CHECKING:  # it would load sympy, which checks of measured times do without
    from pipeline.projection.study.study_machine import StudyMachine

MACHINE_ATTRIBUTES = (METADATA + "machine", "machine", "cluster", "hostname", "Hostname")


@dataclass(frozen=True, eq=False)
class GateStudy:
    """A study read for the gate.

    Attributes:
        measurements: its kernels.
        notices: one sentence per doubt about it.
        damaged: path and reason of every run that could not be read.
        experiment, decision: its runs, and how it scales.
    """

    measurements: KernelValues
    notices: tuple[str, ...]
    damaged: Sequence[Mapping[str, str]]
    experiment: Experiment
    decision: ScalingDecision


Places: TypeAlias = "tuple[StudyMachine, StudyMachine] | None"
"""The machine measured on, and the one that is predicted; None for what was measured."""


def read_study(
    source: Path | Located,
    options: Options,
    machine: str = "",
    progress: ProgressDisplay = no_progress,
    places: Places = None,
) -> GateStudy:
    """Read a results directory, a directory of runs or a series file.

    Args:
        source: which, or some of the runs there.
        options: how to read runs; a results directory keeps the metric and scaling it was made with.
        machine: its name; if empty, the one that the runs state.
        progress: passes the runs on as they are read.
        places: two machines, if the times on the second are wanted.

    Raises:
        PipelineError: if nothing can be read or the runs have no parameter.
    """
    path = source if isinstance(source, Path) else source.path
    analysis = None
    if isinstance(source, Path) and (path / PROVENANCE).is_file():
        stored = read_stored_study(path)
        analysis, provenance = stored.chosen, stored.result.provenance
        experiment, decision = analysis.experiment, analysis.decision
        metric = analysis.metric
        damaged = tuple(provenance["damaged"])
        if experiment.per is not None:
            raise InputError(
                f"its values are per visit of '{experiment.per.region}', not of whole runs",
                where=str(path),
                hint="give the directory of the runs, or run without --per",
            )
    else:
        located = (
            locate(source, options.runs, options.table, options.parameter)
            if isinstance(source, Path)
            else source
        )
        excluded = None if places is None else options.exclude_metrics  # as `run` keeps what projections use
        read = ingest(located, options.metric, options.processes, progress, excluded=excluded)
        read = true_times(read, options)
        experiment, metric = read.experiment, metric_to_model(read, options)
        decision = decide_scaling(experiment, scaling_of(options.scaling))
        damaged = tuple(skipped_entry(entry) for entry in read.damaged)
    if unlike := unlike_repetitions(experiment):
        raise unlike
    if not experiment.parameters:
        raise InputError(
            "the runs have no parameter, so their scaling is unknown",
            where=str(path),
            hint="name run folders like app.p4.r1, or list the runs with their parameters in pipeline.toml",
        )
    if places is not None:
        from pipeline.projection.study.projected_study import project_experiment

        analysis = None  # of the machine measured on
        experiment = project_experiment(experiment, decision, metric, *places)
    origin, mixed = _origin(experiment, machine)
    if places is not None:
        one, other = (place.machine.path.stem for place in places)
        origin = replace(origin, projected=f"projected from {one} to {other}")
    found = measurements_of(experiment, decision, metric, origin)
    if not np.isfinite(found.values).any():
        raise InputError(f"no usable value of {metric}", where=str(path), hint="see `pipeline inspect`")
    if analysis is not None:
        callpaths, regions = analysis.callpaths.models, analysis.regions.models
        models = StudyModels(values=found.values, callpaths=callpaths, regions=regions)
        found = replace(found, models=models)
    return GateStudy(found, (*experiment.notices, *mixed), damaged, experiment, decision)


def _origin(experiment: Experiment, machine: str) -> tuple[Origin, tuple[str, ...]]:
    """Read machine and filter from the runs; return them, and a notice if the filters are mixed."""
    digests = {run.source: digest_of_run(run.source, run.attributes) for run in experiment.runs}
    known = sorted({digest for digest in digests.values() if digest is not None})
    stated = [experiment.stated, *(run.attributes for run in experiment.runs)]
    machines = [one[key] for one in stated for key in MACHINE_ATTRIBUTES if one.get(key)]
    mixed, processors = mixed_filters(digests), set(map(processor_of, stated))
    origin = Origin(
        machine=machine or (machines[0] if machines else ""),
        processor="" if machine else " and ".join(sorted(processors - {""})),
        filter="+".join(known),
        overhead=_treatment(experiment),
        recorded=recorded_digests(experiment.recorded),
    )
    return origin, (mixed,) if mixed else ()


def _treatment(experiment: Experiment) -> str:
    if experiment.is_series:
        return ""
    return "corrected" if experiment.correction is not None else "measured"


def require_common(compared: ComparedStudies, a: str, b: str) -> None:
    """Refuse to compare studies of two programs.

    A renamed function is none that they have in common, but what it calls is.

    Raises:
        InputError: less than `LEAST_SHARED` of the call paths of the smaller study are in the other.
    """
    matched = compared.matched
    same, new, vanished = (
        sum(kernel.level is Scope.CALLPATH for kernel in part.kernels)
        for part in (matched.baseline, matched.new, matched.vanished)
    )
    common = same - sum(rename.kind == "renamed" for rename in compared.same.renames)
    fewest = same + min(new, vanished)
    if common < LEAST_SHARED * fewest:
        raise InputError(
            f"they have {common} of {fewest} call paths in common, so they are of two programs",
            where=f"{a} and {b}",
            hint="compare studies of one program",
        )


def read_alike(
    sources: Sequence[Path | Located],
    options: Options,
    progress: ProgressDisplay = no_progress,
    places: Places = None,
) -> list[GateStudy]:
    """Read studies to compare: if overhead is taken out of the times of one, it is of the others."""
    studies = [read_study(source, options, progress=progress, places=places) for source in sources]
    if options.overhead != "auto" or all(s.measurements.origin.overhead != "corrected" for s in studies):
        return studies
    correcting = override(options, {"overhead": "correct"})
    return [
        read_study(source, correcting, places=places)
        if study.measurements.origin.overhead == "measured"
        else study
        for source, study in zip(sources, studies, strict=True)
    ]


def like_baseline(options: Options, baseline: KernelValues | None) -> Options:
    """Return the options with the baseline's treatment of overhead if the user asks for none."""
    choice = {"corrected": "correct", "measured": "keep"}.get(baseline.origin.overhead if baseline else "")
    return override(options, {"overhead": choice}) if choice and options.overhead == "auto" else options
