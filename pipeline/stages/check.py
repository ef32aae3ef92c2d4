"""The check stage: reads studies and baselines for the gate, and writes the outputs of a check."""

import datetime
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

from filters.digest import digest_of_run, mixed_filters
from ingest.errors import InputError, UsageError
from ingest.experiment import Experiment
from ingest.profile import Profile
from ingest.scaling import decide_scaling
from pipeline.config.options import Options
from pipeline.execution.executor import Progress, no_progress
from pipeline.gate.baseline import SMALLEST_SHARE, document_text, from_document, to_document
from pipeline.gate.check import Kind, check
from pipeline.gate.history import against_history
from pipeline.gate.measurements import KernelId, Level, Measurements, Origin, measurements_of
from pipeline.gate.options import CheckOptions
from pipeline.gate.result import CheckResult
from pipeline.models.analysis import scaling_of
from pipeline.report.check.annotations import github_annotations, gitlab_code_quality
from pipeline.report.check.document import check_document
from pipeline.report.check.junit import junit_xml
from pipeline.report.check.markdown import check_markdown
from pipeline.report.check.sarif import sarif_document
from pipeline.stages.ingest import ingest, locate, skipped_entry
from pipeline.stages.model import metric_to_model
from pipeline.store.atomic import json_text, write_json, write_text
from pipeline.store.history import kernel_rows, read_history
from pipeline.store.results import PROVENANCE, read_analysis, read_provenance

MACHINE_ATTRIBUTES = ("machine", "cluster", "hostname", "Hostname")


@dataclass(frozen=True, eq=False)
class Study:
    """A study read for the gate.

    Attributes:
        measurements: its kernels.
        notices: one sentence per doubt about it.
        damaged: path and reason of every run that could not be read.
    """

    measurements: Measurements
    notices: tuple[str, ...]
    damaged: Sequence[Mapping[str, str]]


def read_study(path: Path, options: Options, machine: str = "", progress: Progress = no_progress) -> Study:
    """Read a results directory, a directory of runs or a series file.

    Args:
        path: which.
        options: how to read runs; a results directory keeps the metric and scaling it was made with.
        machine: name of the machine; if empty, the one that the runs name.
        progress: passes the runs on as they are read.

    Raises:
        PipelineError: if nothing can be read or the runs have no parameter.
    """
    if (path / PROVENANCE).is_file():
        analysis, provenance = read_analysis(path), read_provenance(path)
        experiment, decision = analysis.experiment, analysis.decision
        metric, damaged = provenance["configuration"]["metric"], tuple(provenance["damaged"])
    else:
        read = ingest(locate(path, options.runs), options.metric, options.processes, progress)
        experiment, metric = read.experiment, metric_to_model(read, options)
        decision = decide_scaling(experiment, scaling_of(options.scaling))
        damaged = tuple(skipped_entry(entry) for entry in read.damaged)
    if not experiment.parameters:
        raise InputError(
            "the runs have no parameter, so their scaling is unknown",
            where=str(path),
            hint="name run folders like app.p4.r1, or list the runs with their parameters in pipeline.toml",
        )
    origin, mixed = _origin(experiment, machine)
    found = measurements_of(experiment, decision, metric, origin)
    return Study(found, (*experiment.notices, *mixed), damaged)


def _origin(experiment: Experiment, machine: str) -> tuple[Origin, tuple[str, ...]]:
    """Read machine and filter from the runs; return them, and a notice if the filters are mixed."""
    digests = {
        # The digest needs no more of a profile than its source and attributes, which a run record has too.
        run.source: digest_of_run(cast(Profile, run))
        for run in experiment.runs
    }
    known = sorted({digest for digest in digests.values() if digest is not None})
    machines = [
        run.attributes[key]
        for run in experiment.runs
        for key in MACHINE_ATTRIBUTES
        if run.attributes.get(key)
    ]
    mixed = mixed_filters(digests)
    origin = Origin(machine or (machines[0] if machines else ""), "+".join(known))
    return origin, (mixed,) if mixed else ()


def write_baseline(path: Path, study: Study, options: Options, configuration: Mapping[str, Any]) -> int:
    """Write a baseline file and return the number of its kernels."""
    kept = study.measurements.above_share(SMALLEST_SHARE)
    write_text(path, document_text(to_document(kept, options.models, configuration)))
    return len(kept.kernels)


def read_baseline(path: Path) -> Measurements:
    """Read a baseline file.

    Raises:
        InputError: if it cannot be read or is not a baseline.
    """
    hint = "write it with `pipeline baseline DIR -o FILE`"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path), hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON ({error})", where=str(path), hint=hint) from error
    return from_document(document, str(path))


def read_verdicts(path: Path) -> dict[KernelId, str]:
    """Read the verdicts of a check.json.

    Raises:
        InputError: if it cannot be read or is not a check.json.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {
            KernelId(Level(entry["level"]), tuple(entry["callpath"])): str(entry["verdict"])
            for entry in document["kernels"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "write it with `pipeline check --json FILE`"
        raise InputError(f"is not a check.json ({error})", where=str(path), hint=hint) from error


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What a study is compared with, at most one of three.

    Attributes:
        baseline: file of `pipeline baseline`.
        paired_with: runs of the other program, in turn with those of the study.
        history: file of `pipeline history add`.
        last: number of entries of the history that count.
    """

    baseline: Path | None = None
    paired_with: Path | None = None
    history: Path | None = None
    last: int = 10


@dataclass(frozen=True, eq=False)
class Known:
    """What was read of a reference.

    Attributes:
        kind: which of the three.
        measurements: of the baseline or the other program; None without.
        studies: studies whose notices and damaged runs are the user's to know.
        entries: of the history, and how many count.
    """

    kind: Kind = Kind.BASELINE
    measurements: Measurements | None = None
    studies: tuple[Study, ...] = ()
    entries: tuple[Mapping[KernelId, Sequence[Mapping[str, Any]]], int] | None = None


def read_reference(
    reference: Reference, options: Options, machine: str = "", progress: Progress = no_progress
) -> Known:
    """Read what a study is compared with; arguments as of `read_study`.

    Raises:
        UsageError: more than one is given.
        PipelineError: it cannot be read.
    """
    given = [one for one in (reference.baseline, reference.paired_with, reference.history) if one is not None]
    if len(given) > 1:
        raise UsageError("give one of --baseline, --paired-with and --history", where="check")
    if reference.paired_with is not None:
        study = read_study(reference.paired_with, options, machine, progress)
        return Known(Kind.PAIRED, study.measurements, (study,))
    if reference.history is not None:
        return Known(Kind.HISTORY, entries=(kernel_rows(read_history(reference.history)), reference.last))
    return Known(measurements=read_baseline(reference.baseline) if reference.baseline is not None else None)


def checked(
    study: Study, known: Known, rules: CheckOptions, options: Options, today: datetime.date
) -> CheckResult:
    """Check a study against its reference and the rules; with ``--strict`` skipped input counts.

    Raises:
        PipelineError: as of `pipeline.gate.check.check`.
    """
    candidate, baseline = study.measurements, known.measurements
    if known.entries is not None:
        baseline, candidate = against_history(candidate, *known.entries)
    damaged = [entry for one in (study, *known.studies) for entry in one.damaged]
    skipped = [f"skipped {entry['path']}: {entry['reason']}" for entry in damaged] if options.strict else ()
    return check(candidate, baseline, rules, options.models, today, kind=known.kind, skipped=skipped)


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where each output goes; None: nowhere. ``-`` for `json` is standard output.

    Attributes:
        source_root: directory that source files are made relative to.
        configuration, reference: the configuration file and the baseline; findings without a source file
            point to the first that is not empty.
    """

    json: str | None = None
    junit: Path | None = None
    sarif: Path | None = None
    markdown: Path | None = None
    code_quality: Path | None = None
    source_root: str = ""
    configuration: str = ""
    reference: str = ""


def write_outputs(result: CheckResult, outputs: Outputs) -> bool:
    """Write all outputs; return whether JSON took standard output."""
    root = outputs.source_root
    if outputs.junit is not None:
        write_text(outputs.junit, junit_xml(result))
    if outputs.sarif is not None:
        elsewhere = outputs.configuration or outputs.reference
        write_json(outputs.sarif, sarif_document(result, root, elsewhere))
    if outputs.markdown is not None:
        write_text(outputs.markdown, check_markdown(result))
    if outputs.code_quality is not None:
        write_json(outputs.code_quality, gitlab_code_quality(result, root))
    _write_for_github(result, root, sys.stderr if outputs.json == "-" else sys.stdout)
    if outputs.json == "-":
        sys.stdout.write(json_text(check_document(result)))
        return True
    if outputs.json is not None:
        write_json(Path(outputs.json), check_document(result))
    return False


def _write_for_github(result: CheckResult, root: str, stream: TextIO) -> None:
    """Write annotations and the step summary in GitHub Actions, which reads both streams."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for line in github_annotations(result, root or os.environ.get("GITHUB_WORKSPACE", "")):
        print(line, file=stream)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(check_markdown(result))
        except OSError as error:
            raise UsageError(f"cannot be written ({error.strerror})", where=summary) from error
