"""The check stage: a study against a baseline, another program or a history, and ``[check]``; its reports."""

import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

import numpy as np

from filters.instrumentation import digest_of_run, mixed_filters
from ingest.errors import InputError, UsageError
from ingest.experiment import Experiment
from ingest.locate import Located, locate
from ingest.options import INFINITE
from ingest.own_results import PROVENANCE
from ingest.reading.packed import content_of
from ingest.run_checks import LEAST_SHARED, unlike_repetitions
from ingest.run_settings import METADATA, processor_of
from ingest.scaling import ScalingDecision, decide_scaling
from ingest.toml_table import TomlTable, read_toml
from pipeline.config.option_readers import read_targets
from pipeline.config.options import Options, override
from pipeline.execution.executors import ProgressDisplay, no_progress
from pipeline.gate.baselines import SMALLEST_SHARE, against_history, baseline_of, from_document
from pipeline.gate.check_result import CheckResult
from pipeline.gate.compared_studies import ComparedStudies, TwoStudies, possible_renames, recorded_digests
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_values import (
    KernelId,
    KernelValues,
    Origin,
    Scope,
    StudyModels,
    Treatment,
    measurements_of,
    over_the_same,
)
from pipeline.gate.study_check import BaselineKind, check
from pipeline.gate.target_forecast import modelled
from pipeline.models.formulas import GROWTH_HINT, read_growth
from pipeline.models.options import Exponent, ModelOptions
from pipeline.questions.analysis import analyse, scaling_of
from pipeline.questions.expected_growth import JudgedExpectation, judged
from pipeline.report.check.ci_servers import (
    check_markdown,
    github_annotations,
    gitlab_code_quality,
    junit_xml,
    sarif_document,
)
from pipeline.report.check.document import check_document
from pipeline.report.check.terminal import TOTAL_KERNEL
from pipeline.stages.ingest import ingest, skipped_entry
from pipeline.stages.model import metric_to_model
from pipeline.stages.overhead import true_times
from pipeline.store.atomic import json_bytes, text_bytes
from pipeline.store.history_file import kernel_rows, read_history
from pipeline.store.results import read_study as read_stored_study

if TYPE_CHECKING:
    from pipeline.projection.study.study_machine import StudyMachine


def load_check_options(path: Path | None, **given: Any) -> CheckOptions:  # noqa: ANN401
    """Read the ``[check]`` table, if there is one; the command line counts as in `load_options`."""
    options = CheckOptions() if path is None else _from_table(read_toml(path, UsageError).table("check"))
    return override(options, given)


def _from_table(table: TomlTable) -> CheckOptions:
    return CheckOptions(
        **table.options(CheckOptions, beside=("targets", "rule", "waiver")),
        targets=_targets(table),
        kernels=tuple(_rule(entry) for entry in table.tables("rule")),
        waivers=tuple(_waiver(entry) for entry in table.tables("waiver")),
    )


def _targets(table: TomlTable) -> tuple[Mapping[str, float], ...]:
    with table.errors_of("targets"):
        return read_targets(table.content.get("targets", []), table.path.parent)


def _rule(table: TomlTable) -> KernelRule:
    table.check_keys(("kernel", "growth", "share", "factor"))
    if len(table.content) < 2:
        raise table.error("kernel", "has no rule", "add growth, share or factor")
    return KernelRule(
        match=table.text("kernel"),
        growth=_growth(table) if "growth" in table else None,
        share=table.number("share", least=0.0, most=1.0) if "share" in table else None,
        factor=table.number("factor", least=1.0, most=INFINITE) if "factor" in table else None,
        place=table.at("kernel"),
    )


def _growth(table: TomlTable) -> Exponent:
    """Read ``1``, ``log2(p)``, ``p^(3/2)``, ``p * log2(p)``."""
    found = read_growth(table.text("growth"))
    if found is None:
        raise table.error("growth", f"invalid growth {table.content['growth']!r}", GROWTH_HINT)
    return found


def _waiver(table: TomlTable) -> Waiver:
    table.check_keys(("kernel", "reason", "until"))
    until = table.content.get("until")
    if not isinstance(until, datetime.date) or isinstance(until, datetime.datetime):
        raise table.error("until", f"{until!r} is not a date", "write until = 2027-01-31")
    return Waiver(
        match=table.text("kernel"), reason=table.text("reason"), until=until, place=table.at("kernel")
    )


_MACHINE_ATTRIBUTES = (METADATA + "machine", "machine", "cluster", "hostname", "Hostname")


@dataclass(frozen=True, eq=False)
class GateStudy:
    """A study read for the gate."""

    measurements: KernelValues  # its kernels
    notices: tuple[str, ...]  # one sentence per doubt about it
    damaged: Sequence[Mapping[str, str]]  # path and reason of every run that could not be read
    experiment: Experiment  # and `decision`: its runs, and how it scales
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

    A results directory keeps the metric and scaling it was made with. The machine's name is by default the
    one that the runs state; with two `places`, the times on the second are returned.
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
    machines = [one[key] for one in stated for key in _MACHINE_ATTRIBUTES if one.get(key)]
    mixed, processors = mixed_filters(digests), set(map(processor_of, stated))
    origin = Origin(
        machine=machine or (machines[0] if machines else ""),
        processor="" if machine else " and ".join(sorted(processors - {""})),
        filter="+".join(known),
        overhead=_treatment(experiment),
        recorded=recorded_digests(experiment.recorded),
    )
    return origin, (mixed,) if mixed else ()


def _treatment(experiment: Experiment) -> Treatment:
    if experiment.is_series:
        return ""
    return "corrected" if experiment.correction is not None else "measured"


def _require_common(compared: ComparedStudies, a: str, b: str) -> None:
    """Refuse to compare studies of two programs.

    A renamed function is none that they have in common, but what it calls is. InputError if less than
    `LEAST_SHARED` of the call paths of the smaller study are in the other.
    """
    matched = compared.matched
    same, new, vanished = (
        sum(kernel.level is Scope.CALLPATH for kernel in part.kernels)
        for part in (matched.baseline, matched.new, matched.vanished)
    )
    common = same - sum(rename.kind == "renamed" for rename in compared.renames)
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


REPORTS: Mapping[str, Callable[[CheckResult, str, str], bytes]] = {
    "junit": lambda result, root, elsewhere: text_bytes(junit_xml(result)),
    "sarif": lambda result, root, elsewhere: json_bytes(sarif_document(result, root, elsewhere)),
    "markdown": lambda result, root, elsewhere: text_bytes(check_markdown(result)),
    "code_quality": lambda result, root, elsewhere: json_bytes(gitlab_code_quality(result, root, elsewhere)),
    "json": lambda result, root, elsewhere: json_bytes(check_document(result)),
}
"""What a check can write: from its result, the directory that source files are made relative to, and what
findings without a source file point to."""


def baseline_text(
    study: GateStudy, options: Options, configuration: Mapping[str, object]
) -> tuple[str, Sequence[KernelId]]:
    """Return the text of a baseline file, and its kernels."""
    kept = study.measurements.above_share(SMALLEST_SHARE)
    return baseline_of(kept, options.models, configuration).text, kept.kernels


def read_baseline(path: Path) -> KernelValues:
    """Read a baseline file; InputError if it cannot be read or is not a baseline."""
    hint = "write it with `pipeline baseline DIR -o FILE`"
    try:
        document = json.loads(content_of(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path), hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON ({error})", where=str(path), hint=hint) from error
    return from_document(document, str(path))


def read_verdicts(path: Path) -> dict[KernelId, str]:
    """Read the verdicts of a check.json; InputError if it cannot be read or is not a check.json."""
    try:
        document = json.loads(content_of(path))
        return {
            KernelId(Scope(entry["level"]), tuple(entry["callpath"])): str(entry["verdict"])
            for entry in document["kernels"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "write it with `pipeline check --json FILE`"
        raise InputError(f"is not a check.json ({error})", where=str(path), hint=hint) from error


def check_rules(
    file: Path | None, at: Sequence[Mapping[str, float]] | None, options: Options, **given: object
) -> CheckOptions:
    """Return the rules of a configuration file, whose targets give way to `at`."""
    rules = load_check_options(file, **given)
    return replace(rules, targets=tuple(at or rules.targets or options.at))


def check_study(
    path: Path,
    rules: CheckOptions,
    options: Options,
    machine: str = "",
    progress: ProgressDisplay = no_progress,
    places: Places = None,
    announce: Callable[[GateStudy], None] = lambda _: None,
    *,
    baseline: Path | None = None,
    paired_with: Path | None = None,
    history: Path | None = None,
    last: int = 10,
) -> tuple[CheckResult, tuple[GateStudy, ...]]:
    """Check a study against at most one of three, and the rules; with ``--strict`` skipped input counts.

    The three: a baseline, runs of another program in turn with those of the study, and the last entries of a
    history; UsageError if more than one is given. Each study that was read is announced before it is
    compared. Returns the result, the study and, if there is one, that of the other program.
    """
    if sum(one is not None for one in (baseline, paired_with, history)) > 1:
        raise UsageError("give one of --baseline, --paired-with and --history", where="check")
    known = None if baseline is None else read_baseline(baseline)
    entries = None if history is None else kernel_rows(read_history(history))
    reading, kind = (machine, progress, places), BaselineKind.BASELINE
    others: tuple[GateStudy, ...] = ()
    if paired_with is not None:
        others, kind = (read_study(paired_with, options, *reading),), BaselineKind.PAIRED
        known = others[0].measurements
    study = read_study(path, like_baseline(options, known), *reading)
    studies, candidate = (study, *others), study.measurements
    for one in studies:
        announce(one)
    if entries is not None:
        known, candidate = against_history(candidate, entries, last)
        kind = BaselineKind.HISTORY
    skipped = skipped_texts(studies) if options.strict else ()
    expectations = _judged(study, rules, options)
    result = check(
        candidate,
        known,
        rules,
        options.models,
        datetime.date.today(),
        kind=kind,
        skipped=skipped,
        expectations=expectations,
    )
    return result, studies


def skipped_texts(studies: Sequence[GateStudy]) -> list[str]:
    """Say which runs of studies were not read, and why."""
    return [f"skipped {one['path']}: {one['reason']}" for study in studies for one in study.damaged]


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
    target = known.targets(rules.targets)[-1]
    return judged(options.expectations, experiment, models, target)


def write_for_github(result: CheckResult, root: str, stream: TextIO) -> None:
    """Write annotations and the step summary in GitHub Actions, which reads both streams.

    UsageError if the summary cannot be written.
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


def compare_studies(
    names: tuple[str, str], studies: Sequence[GateStudy], rules: CheckOptions, models: ModelOptions
) -> tuple[TwoStudies, ComparedStudies]:
    """Compare studies A and B, as `read_alike` reads them; return what was found, and both."""
    one, two = over_the_same(*(study.measurements for study in studies))
    one, two = (modelled(study, models) for study in (one, two))
    compared = ComparedStudies.of(one, two, models, rules.share_floor)
    _require_common(compared, *names)
    found = TwoStudies(
        names=names,
        result=check(two, one, rules, models, datetime.date.today()),
        renamed=possible_renames(compared.matched, rules.share_floor),
        totals=compared.curves([TOTAL_KERNEL], two.targets(rules.targets)),
    )
    return found, compared


def comparison_rules(factor: float, targets: Sequence[Mapping[str, float]] = ()) -> CheckOptions:
    """Return the rules of a comparison: differences up to a factor are not reported."""
    return CheckOptions(targets=tuple(targets), factor=factor, common_factor=min(factor, 1.05))
