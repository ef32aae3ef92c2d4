"""Results of checks, made in code or by a check of made-up studies."""

import datetime
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.gate.check_result import (
    Cause,
    Caveat,
    CheckResult,
    Finding,
    Ground,
    KernelResult,
    Outcome,
    PointRatio,
    Power,
    Ruling,
    StudySide,
)
from pipeline.gate.compared_studies import ComparedStudies, TwoStudies, possible_renames
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_values import KernelId, Scope, match
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import SCALES, Efforts, many, study

NASTY = '<script>alert("1")</script>|`&%\n\x01'
TODAY = datetime.date(2026, 11, 21)
P = np.array(SCALES, dtype=float)
ASSEMBLE = ("main", "Foam::fvMesh::update(bool)", "void Foam::fvMatrix<Foam::Vector<double>>::assemble(int)")

RULES = (KernelRule(match="*/k9", share=0.03, place="pipeline.toml:9"),)
WAIVERS = (
    Waiver(match="*/k6", reason="fixed by the new library", until=TODAY, place="pipeline.toml:14"),
    Waiver(match="*/nothing", reason="old", until=TODAY, place="pipeline.toml:18"),
)
POWER = Power(
    at={"p": 8.0},
    points=3,
    kernels=12,
    share=0.81,
    kernel_factor=1.28,
    kernel_everywhere=1.17,
    total_factor=1.12,
    total_everywhere=1.11,
    common_factor=1.06,
)


def of_every_kind() -> TwoStudies:
    """A check with kernels of every verdict, and what was possibly renamed."""
    common = {ASSEMBLE: 60.0, ("main", "write", "k3"): 5.0}
    before = common | many(k7=40.0, k8=40.0) | {"old_name": 30.0, "gone": 12.0}
    after = (
        common | many(k5=15 * np.sqrt(P / 8), k6=32.0, k7=40.0, k8=20.0) | {"old_name2": 30.0, "added": 9.0}
    )
    after |= {ASSEMBLE: 80.0, ("main", "write", "k3"): 12.0}
    noise = np.full((24, 1, 1), 0.01)
    noise[9] = 0.7  # k7
    one, two = (study(efforts, noise=noise, seed=n) for n, efforts in ((1, before), (2, after)))
    options = CheckOptions(kernels=RULES, waivers=WAIVERS, parallel_efficiency=0.65)
    result = check(two, one, options, ModelOptions(), TODAY)
    result = replace(result, kernels=(*result.kernels, *OTHER_FUNCTIONS))
    return compared(result, possible_renames(match(one, two), options.share_floor))


def compared(
    result: CheckResult,
    renamed: Sequence[tuple[KernelId, KernelId]] = (),
    names: tuple[str, str] = ("a", "b"),
) -> TwoStudies:
    """What comparing two studies found, without their curves."""
    return TwoStudies(names=names, result=result, renamed=renamed)


def studies(efforts: Efforts | None = None, others: Efforts | None = None) -> ComparedStudies:
    """Two studies; without efforts both have the same."""
    one = study(efforts or many(), seed=1)
    two = study(others or efforts or many(), seed=2)
    return ComparedStudies.of(one, two, ModelOptions(), 0.01)


def kernel(name: str = "f", verdict: Ruling = Ruling.REGRESSION, **given: object) -> KernelResult:
    """One kernel with sensible values."""
    sides = {
        side: StudySide(value=value, share=0.25) for side, value in (("baseline", 2.0), ("candidate", 3.0))
    }
    change = (PointRatio({"p": 8.0}, 1.5, 1.2, 1.9),)
    evidence = (Finding(Ground.MEASURED, "measured 1.5 times the baseline at p = 8", 0.001),)
    values = {"kernel": KernelId(Scope.CALLPATH, ("main", name)), "verdict": verdict, "evidence": evidence}
    return KernelResult(**(values | sides | {"measured": change, "target": change} | given))


def result(*kernels: KernelResult, outcome: Outcome = Outcome.REGRESSED, **given: object) -> CheckResult:
    """A check with these kernels."""
    given["reasons"] = tuple(Caveat(Cause.INCOMPARABLE, text) for text in given.get("reasons", ()))
    values = {"points": ({"p": 8.0},), "targets": ({"p": 32.0},), "unit": "core-s", "tests": 12}
    return CheckResult(outcome=outcome, kernels=kernels, **(values | given))


def kernels(number: int, verdict: Ruling = Ruling.REGRESSION) -> list[KernelResult]:
    """Kernels f0, f1, ... of one verdict."""
    return [kernel(f"f{n}", verdict) for n in range(number)]


RECORDING = (Finding(Ground.RECORDING, "the studies recorded different functions"),)
OTHER_FUNCTIONS = (
    kernel("inherits", Ruling.NOT_COMPARABLE, evidence=RECORDING, measured=(), target=()),
    kernel("accessor", Ruling.NOT_RECORDED, evidence=RECORDING, baseline=None, measured=(), target=()),
)
