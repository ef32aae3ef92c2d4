"""Entries of a history: a study is tested against the entry before it, as `pipeline check` tests."""

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pipeline.config.options import Options
from pipeline.gate.baselines import SMALLEST_SHARE, from_document
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelId
from pipeline.gate.study_check import check
from pipeline.gate.target_forecast import forecast, modelled
from pipeline.report.check.history import label_text, step_text, step_verdicts, step_words
from pipeline.report.check.terminal import TOTAL_KERNEL
from pipeline.stages.check import GateStudy, baseline_text
from pipeline.store.history_file import add_to_history, entry_before, history_rows
from pipeline.store.lock import Notify, only_writer_of
from pipeline.wording.quantities import counted


@dataclass(frozen=True, kw_only=True)
class Added:
    """What was added to a history."""

    history: str
    label: str
    kernels: int
    labels: Annotated[int, "that the history has now"]
    previous: Annotated[str, "label of the entry that it was tested against; empty if there is none"]
    step: Annotated[str, "verdict of that test about the whole program"]
    said: Annotated[str, "what it rests on"]

    def __str__(self) -> str:
        """Say what was found, what was written, and what shows it."""
        label = label_text(self.label)
        found = [f"{label}: {step_text(self.step, self.previous, self.said)}."] if self.step else []
        place = f"{self.history}, which has {counted(self.labels, 'label')}"
        added = f"Added {label} to {place}"
        return "\n".join([*found, added, f"Next: pipeline history show total --history {self.history}"])


def add_entry(
    file: Path,
    study: GateStudy,
    label: str,
    rules: CheckOptions,
    options: Options,
    *,
    at: Sequence[Mapping[str, float]] = (),
    commit: str = "",
    verdicts: Mapping[KernelId, str],
    notify: Notify = lambda _: None,
) -> Added:
    """Add a study to a history file, tested against the entry before it; others wait, and notify says so.

    Of the rules, only factors and levels count. Without a target the usual one is taken; commit and verdicts
    are as `history_rows` takes them.
    """
    study = replace(study, measurements=modelled(study.measurements, options.models))
    whole = study.measurements
    kept = whole.above_share(SMALLEST_SHARE)
    targets = whole.targets(at)
    target = whole.named(targets)[-1]
    ahead = forecast(whole, targets, options.models).of(kept.kernels)
    baseline = baseline_text(study, options, {})[0]
    with only_writer_of(file, notify):
        before = entry_before(file, whole, label)
        previous, steps, said = "", dict[KernelId, str](), dict[KernelId, str]()
        if before is not None:
            reference = from_document(json.loads(before.baseline), str(file))
            rules = _step_rules(rules, target)
            result = check(whole, reference, rules, options.models, datetime.date.today())
            previous, steps, said = before.label, step_verdicts(result), step_words(result)
        rows = history_rows(
            kept,
            ahead,
            target,
            label,
            verdicts,
            commit,
            previous=previous,
            steps=steps,
            said=said,
            baseline=baseline,
        )
        labels = add_to_history(file, rows)
    return Added(
        history=str(file),
        label=label,
        kernels=len(rows),
        labels=labels,
        previous=previous,
        step=steps.get(TOTAL_KERNEL, ""),
        said=said.get(TOTAL_KERNEL, ""),
    )


def _step_rules(rules: CheckOptions, target: Mapping[str, float]) -> CheckOptions:
    """Return the rules of a test against the entry before: their factors and levels, and nothing else."""
    return replace(
        rules,
        targets=(target,),
        waivers=(),
        parallel_efficiency=None,
        total=None,
        kernels=tuple(replace(one, growth=None, share=None) for one in rules.kernels),
    )
