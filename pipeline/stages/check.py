"""The check stage: a study against a baseline, another program or a history, and the rules; its reports."""

import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from ingest.errors import InputError, UsageError
from pipeline.config.options import Options
from pipeline.execution.executors import ProgressDisplay, no_progress
from pipeline.gate.baselines import SMALLEST_SHARE, against_history, document_text, from_document, to_document
from pipeline.gate.check_result import CheckResult
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelId, KernelValues, Scope
from pipeline.gate.study_check import Against, check
from pipeline.gate.target_forecast import target_points
from pipeline.questions.analysis import analyse
from pipeline.questions.expected_growth import JudgedExpectation, judged
from pipeline.report.check.ci_servers import github_annotations, gitlab_code_quality, junit_xml
from pipeline.report.check.document import check_document
from pipeline.report.check.markdown import check_markdown
from pipeline.report.check.sarif import sarif_document
from pipeline.stages.gate_study import GateStudy, Places, read_study
from pipeline.store.atomic import json_bytes, text_bytes
from pipeline.store.history_file import kernel_rows, read_history

REPORTS: Mapping[str, Callable[[CheckResult, str, str], bytes]] = {
    "junit": lambda result, root, elsewhere: text_bytes(junit_xml(result)),
    "sarif": lambda result, root, elsewhere: json_bytes(sarif_document(result, root, elsewhere)),
    "markdown": lambda result, root, elsewhere: text_bytes(check_markdown(result)),
    "code_quality": lambda result, root, elsewhere: json_bytes(gitlab_code_quality(result, root, elsewhere)),
    "json": lambda result, root, elsewhere: json_bytes(check_document(result)),
}
"""What a check can write: from its result, the directory that source files are made relative to, and what
findings without a source file point to."""


def baseline_text(study: GateStudy, options: Options, configuration: Mapping[str, Any]) -> tuple[str, int]:
    """Return the text of a baseline file, and the number of its kernels."""
    kept = study.measurements.above_share(SMALLEST_SHARE)
    return document_text(to_document(kept, options.models, configuration)), len(kept.kernels)


def read_baseline(path: Path) -> KernelValues:
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
            KernelId(Scope(entry["level"]), tuple(entry["callpath"])): str(entry["verdict"])
            for entry in document["kernels"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "write it with `pipeline check --json FILE`"
        raise InputError(f"is not a check.json ({error})", where=str(path), hint=hint) from error


@dataclass(frozen=True, eq=False)
class ReadReference:
    """What was read of a reference.

    Attributes:
        kind: which of the three.
        measurements: of the baseline or the other program; None without.
        studies: studies whose notices and damaged runs are the user's to know.
        entries: of the history, and how many count.
    """

    kind: Against = Against.BASELINE
    measurements: KernelValues | None = None
    studies: tuple[GateStudy, ...] = ()
    entries: tuple[Mapping[KernelId, Sequence[Mapping[str, Any]]], int] | None = None


def read_reference(
    options: Options,
    machine: str = "",
    progress: ProgressDisplay = no_progress,
    places: Places = None,
    *,
    baseline: Path | None = None,
    paired_with: Path | None = None,
    history: Path | None = None,
    last: int = 10,
) -> ReadReference:
    """Read what a study is compared with, at most one of three; other arguments as of `read_study`.

    Args:
        options, machine, progress, places: as there.
        baseline: file of `pipeline baseline`.
        paired_with: runs of the other program, in turn with those of the study.
        history: file of `pipeline history add`, of which the `last` entries count.
        last: see there.

    Raises:
        UsageError: more than one is given.
        PipelineError: it cannot be read.
    """
    if sum(one is not None for one in (baseline, paired_with, history)) > 1:
        raise UsageError("give one of --baseline, --paired-with and --history", where="check")
    if paired_with is not None:
        study = read_study(paired_with, options, machine, progress, places)
        return ReadReference(Against.PAIRED, study.measurements, (study,))
    if history is not None:
        return ReadReference(Against.HISTORY, entries=(kernel_rows(read_history(history)), last))
    return ReadReference(measurements=read_baseline(baseline) if baseline is not None else None)


def checked(
    study: GateStudy, known: ReadReference, rules: CheckOptions, options: Options, today: datetime.date
) -> CheckResult:
    """Check a study against its reference and the rules; with ``--strict`` skipped input counts."""
    candidate, baseline = study.measurements, known.measurements
    if known.entries is not None:
        baseline, candidate = against_history(candidate, *known.entries)
    damaged = [entry for one in (study, *known.studies) for entry in one.damaged]
    skipped = [f"skipped {entry['path']}: {entry['reason']}" for entry in damaged] if options.strict else ()
    expectations = _judged(study, rules, options)
    return check(
        candidate,
        baseline,
        rules,
        options.models,
        today,
        kind=known.kind,
        skipped=skipped,
        expectations=expectations,
    )


def _judged(study: GateStudy, rules: CheckOptions, options: Options) -> tuple[JudgedExpectation, ...]:
    """Judge what is expected at the last target; the metrics that are named are modelled for it."""
    if rules.expect and not options.expectations:
        raise UsageError("nothing is expected", where="--expect", hint="write [[expect]] in pipeline.toml")
    experiment, known = study.experiment, study.measurements
    wanted = dict.fromkeys(one.metric for one in options.expectations)
    measured = (*experiment.values, *experiment.metrics_of_runs)
    models = {
        metric: analyse(experiment, study.decision, metric, options.models, options.groups)
        for metric in wanted
        if metric in measured
    }
    target = target_points(known, rules.targets)[-1]
    return judged(options.expectations, experiment, models, target)


def write_for_github(result: CheckResult, root: str, stream: TextIO) -> None:
    """Write annotations and the step summary in GitHub Actions, which reads both streams.

    Raises:
        UsageError: the summary cannot be written.
    """
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
