"""Paper 001: filters by what regions cost, models of effort of OpenFOAM."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tools.gallery.asking import ROOT, asked, run, scratch
from tools.gallery.charts import Chart
from tools.gallery.page import Item, Paper

SCHEMES = "sample_profiles/lulesh-schemes"
# Run time over that without profiling: medians of the paper; ours in user seconds, as the sample states them.
PUBLISHED = {"full instrumentation": 1.34, "filtered at run time": 1.30, "filtered at compile time": 1.05}
PLAIN = 3.58
MEASURED = {"full instrumentation": 4.33, "filtered at run time": 3.66, "filtered at compile time": 3.64}
KEYS = {
    "full instrumentation": "unfiltered",
    "filtered at run time": "run_time",
    "filtered at compile time": "compile_time",
}
NEAR, ALL, HELD_OUT = (1, 2, 4), (1, 2, 4, 8), 8
STATED = (
    "The runs on 104 to 1456 processes were not published; in the paper MPI_Allreduce dominates beyond 600 "
    "processes."
)


@dataclass(frozen=True, kw_only=True)
class Study:
    """A stand-in for the runs of the paper.

    Attributes:
        runs: its folder, and the beginning of its runs' names.
        kernels: regions that are shown, by what they are called here.
    """

    title: str
    runs: tuple[str, str]
    kernels: Mapping[str, str]
    about: str


STUDIES = (
    Study(
        title="OpenFOAM's cavity",
        runs=("sample_profiles/openfoam-procs", "cavity"),
        kernels={
            "solver.p": "lduMatrix::solver.p",
            "time.run()": "time.run()",
            "smoother.Uz": "lduMatrix::smoother.Uz",
        },
        about="In their place stands the same case with 32³ cells and OpenFOAM's own profiling, which does "
        "not see MPI, on two cores: p = 4 and 8 share them, so that effort grows by waiting.",
    ),
    Study(
        title="HPCG",
        runs=("sample_profiles/hpcg-strong", "hpcg"),
        kernels={
            "MPI_Allreduce": "MPI_Allreduce",
            "SYMGS, the preconditioner": "ComputeSYMGS_ref",
            "SPMV, the matrix product": "ComputeSPMV_ref",
        },
        about="Conjugate gradients with Score-P, which sees MPI, stand for the solver of the cavity, on "
        "two cores, which p = 4 and 8 share: MPI_Allreduce overtakes the matrix product and the "
        "preconditioner, measured at p = 8.",
    ),
)


def items() -> Sequence[Item]:
    """Return Figures 1 to 3."""
    return [_schemes(), *(_effort(2, study) for study in STUDIES), *(_effort(3, study) for study in STUDIES)]


def _schemes() -> Item:
    command = f"filter {SCHEMES}/unfiltered.cubex.gz --apply {SCHEMES}/lulesh.filter"
    dilation = asked(command)["prediction"]["dilation"]
    predicted = [dilation[key] for key in KEYS.values()]
    measured = [MEASURED[scheme] / PLAIN for scheme in KEYS]
    rows = [
        (scheme, published, seen, f"{one['value']:.5g}", f"{one['low']:.5g} .. {one['high']:.5g}")
        for (scheme, published), seen, one in zip(PUBLISHED.items(), measured, predicted, strict=True)
    ]
    return Item(
        title="Figure 1: run time by filter scheme over that without profiling, with LULESH as a stand-in",
        covers="Figure 1",
        stand_in=True,
        commands=(command,),
        note="The runs of OpenFOAM on 520 processes were not published; their box plots are five "
        "repetitions. LULESH was measured in all four ways (medians of user seconds, "
        "`sample_profiles/lulesh-schemes`). The command predicts from the profile with full "
        "instrumentation alone what the filter leaves.",
        columns=("scheme", "published", "measured", "predicted", "90 % interval"),
        rows=rows,
        pictures=[
            Chart(
                title="Run time by filter scheme",
                up="over that without profiling",
                x=list(KEYS),
                lines={
                    "published, OpenFOAM": list(PUBLISHED.values()),
                    "LULESH measured": measured,
                    "LULESH predicted from one profile": [one["value"] for one in predicted],
                },
                ranges={
                    "LULESH predicted from one profile": (
                        [one["low"] for one in predicted],
                        [one["high"] for one in predicted],
                    )
                },
                bars=True,
            )
        ],
    )


@cache
def _models(runs: tuple[str, str], scales: tuple[int, ...]) -> Mapping[str, Any]:
    """Return what `pipeline run` finds from the runs of some scales, up to twice the largest."""
    folder, name = runs
    at = " ".join(f"--at p={p}" for p in range(1, 2 * scales[-1] + 1))
    with scratch() as chosen:
        for p in scales:
            for one in sorted((ROOT / folder).glob(f"{name}.p{p}.r*")):
                shutil.copytree(one, chosen / one.name)
        return run(str(chosen), f"--scaling strong {at}")


def _effort(number: int, study: Study) -> Item:
    scales = NEAR if number == 2 else ALL
    found = {kernel["region"]: kernel for kernel in _models(study.runs, scales)["regions"]}
    truth = {kernel["region"]: kernel for kernel in _models(study.runs, ALL)["regions"]}
    rows: list[tuple[object, ...]] = []
    lines, bands, points = {}, {}, {}
    target = HELD_OUT if number == 2 else 2 * HELD_OUT
    for name, pattern in study.kernels.items():
        region = next(full for full in found if pattern in full)
        predictions = found[region]["predictions"]
        lines[name] = [one["value"] for one in predictions]
        bands[name] = ([one["lower"] for one in predictions], [one["upper"] for one in predictions])
        seen = [float(value) for value in truth[region]["measured"]]
        points[f"{name}, measured"] = (ALL, seen)
        at = predictions[target - 1]
        interval = f"{at['lower']:.3g} .. {at['upper']:.3g}"
        rows.append(
            (
                name,
                f"`{found[region]['model']['formula']}`",
                float(at["value"]),
                interval,
                *(seen[-1:] if number == 2 else ()),
            )
        )
    folder = study.runs[0]
    named = "NEAR" if number == 2 else folder
    held_out = " `NEAR` holds the runs of p = 1, 2 and 4; p = 8 is held out." if number == 2 else ""
    what = "p = 1, 2, 4, with p = 8 held out" if number == 2 else "the extended set p = 1, 2, 4, 8"
    return Item(
        title=f"Figure {number}: models of effort, {what}, with stand-in runs of {study.title}",
        covers=f"Figure {number} ({study.title})",
        stand_in=True,
        commands=(
            f"run {named} --scaling strong "
            + " ".join(f"--at p={p}" for p in (1, 2, 3))
            + f" ... --at p={2 * scales[-1]}",
        ),
        note=f"{STATED} {study.about}{held_out}",
        columns=(
            "kernel",
            "model",
            f"predicted at p = {target} [core-s]",
            "90 % interval",
            *(("measured",) if number == 2 else ()),
        ),
        rows=rows,
        pictures=[
            Chart(
                title=f"Effort of {study.title}, models of {what}",
                across="processes p",
                up="effort [core-s]",
                x=range(1, 2 * scales[-1] + 1),
                lines=lines,
                bands=bands,
                points=points,
                logarithmic=True,
                logarithmic_across=True,
            )
        ],
    )


PAPER = Paper(
    number="001",
    title="Paper 001: filters and models of effort, OpenFOAM",
    items=items,
    missing={},
)
