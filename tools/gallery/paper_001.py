"""Paper 001: filters by what regions cost, models of effort of OpenFOAM."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import median
from typing import Any, TypeAlias

from ingest.cpp_names import short_name
from tools.gallery.asking import ROOT, asked, run, scratch
from tools.gallery.charts import Chart
from tools.gallery.page import Item, Paper

RUNS = "sample_profiles/openfoam-scorep"
FILTERED, TIMES = f"{RUNS}/rt", f"--baseline-time {RUNS}/plain-times.csv"
SCALES, HELD_OUT, FARTHEST = (1, 2, 4, 8), 8, 16
# Run time over that without profiling, medians of the paper, and what a prediction calls the scheme.
SCHEMES = {
    "full instrumentation": ("1.34", "unfiltered"),
    "filtered at run time": ("1.30", "run_time"),
    "filtered at compile time": ("1.05", "compile_time"),
}
KERNELS: Mapping[str, tuple[str, str]] = {
    "MPI_Allreduce below gSumProd": ("::gSumProd(", "MPI_Allreduce"),
    "precondition, of DIC": ("", "::DICPreconditioner::precondition("),
    "Amul, the matrix product": ("", "::lduMatrix::Amul("),
}
"""Part of a name on the way, and of the name at its end."""
PROFILES = {
    **{f"OpenFOAM's cavity, p = {p}": f"{RUNS}/full/cavity.p{p}.r1" for p in SCALES},
    **{f"HPCG, p = {p}": f"sample_profiles/hpcg-strong/hpcg.p{p}.r1" for p in (1, 8)},
    "LULESH, every accessor": "sample_profiles/lulesh-accessors/full/lulesh.s24.r1",
    "LULESH": "sample_profiles/lulesh-schemes/unfiltered.cubex.gz",
}
MOST_NAMES = 3
Kernel: TypeAlias = Mapping[str, Any]


def items() -> Sequence[Item]:
    """Return Figures 1 to 3, and what the paper's rule selects."""
    return [_schemes(), _effort(), _held_out(), _rule()]


def _schemes() -> Item:
    command = f"filter {RUNS}/full/cavity.p{HELD_OUT}.r1 --apply {RUNS}/app.filter"
    dilation = asked(command)["prediction"]["dilation"]
    predicted = [dilation[key] for _, key in SCHEMES.values()]
    with (ROOT / RUNS / "plain-times.csv").open() as table:
        plain = median(
            float(row["cpu_core_seconds"]) for row in csv.DictReader(table) if row["p"] == str(HELD_OUT)
        )
    measured = [_core_seconds(folder) / plain for folder in ("full", "rt")] + [float("nan")]
    published = [printed for printed, _ in SCHEMES.values()]
    rows = [
        (scheme, printed, seen, f"{one['value']:.4g}", f"{one['low']:.3g} .. {one['high']:.3g}")
        for scheme, printed, seen, one in zip(SCHEMES, published, measured, predicted, strict=True)
    ]
    name = "predicted from one profile"
    return Item(
        title="Figure 1: run time by filter scheme over that without profiling, with stand-in runs",
        covers="Figure 1",
        stand_in=True,
        commands=(command,),
        note="The paper's are five repetitions on 520 processes, ours medians of three (without profiling "
        f"six) on {HELD_OUT}. Filtered at compile time was not measured; the command predicts all three from "
        "one profile with full instrumentation.",
        columns=("scheme", "published", "measured", "predicted", "90 % interval"),
        rows=rows,
        pictures=[
            Chart(
                title="Run time by filter scheme",
                up="over that without profiling",
                x=list(SCHEMES),
                lines={
                    "published": [float(printed) for printed in published],
                    "measured": measured,
                    name: [one["value"] for one in predicted],
                },
                ranges={name: ([one["low"] for one in predicted], [one["high"] for one in predicted])},
                bars=True,
            )
        ],
    )


def _core_seconds(folder: str) -> float:
    """Return the core-seconds of the profiles of a folder at the largest scale, their median."""
    runs = asked(f"inspect {RUNS}/{folder} --totals")["runs"]
    return median(one["totals"]["time [sec]"] for one in runs if one["at"] == [HELD_OUT])


@cache
def _found(options: str) -> Mapping[str, Any]:
    return run(FILTERED, f"{TIMES} {options}")


def _all_scales() -> Mapping[str, Any]:
    return _found(" ".join(f"--at p={p}" for p in range(1, FARTHEST + 1)))


def _kernels(found: Mapping[str, Any]) -> Iterator[tuple[str, Kernel]]:
    """Yield the call paths that are shown, of several the one that takes longest, by what they are called."""
    for name, (way, end) in KERNELS.items():
        fitting = [
            one
            for one in found["kernels"]
            if end in one["callpath"][-1] and any(way in region for region in one["callpath"])
        ]
        yield name, max(fitting, key=lambda one: float(one["measured"][-1]))


def _interval(prediction: Mapping[str, float]) -> str:
    return f"{prediction['lower']:.3g} .. {prediction['upper']:.3g}"


def _effort() -> Item:
    found = _all_scales()
    kernels = dict(_kernels(found))
    leading, overtaken, *_ = (kernel["callpath"] for kernel in kernels.values())
    crossing = next(
        one for one in found["crossovers"] if (one["overtakes"], one["overtaken"]) == (leading, overtaken)
    )
    rows = [
        (name, f"`{one['model']['formula']}`", float(one["measured"][-1]), float(at["value"]), _interval(at))
        for name, one in kernels.items()
        for at in one["predictions"][-1:]
    ]
    return Item(
        title=f"Figure 2: models of effort, p = 1, 2, 4 and {HELD_OUT}, with stand-in runs",
        covers="Figure 2",
        stand_in=True,
        commands=(f"run {FILTERED} {TIMES} --at p=1 --at p=2 ... --at p={FARTHEST}",),
        note="In the paper precondition dominates up to 600 processes, beyond MPI_Allreduce of gSumProd. In "
        f"ours it is predicted to overtake precondition at p = {crossing['at']['p']:.2g} (by p = {FARTHEST} "
        f"with {100 * crossing['probability']:.0f} %), and runs on {FARTHEST}, which were kept back, had it.",
        columns=(
            "kernel",
            "model",
            f"measured at p = {HELD_OUT} [core-s]",
            f"predicted at p = {FARTHEST} [core-s]",
            "90 % interval",
        ),
        rows=rows,
        pictures=[_chart(f"Models of p = 1, 2, 4 and {HELD_OUT}", range(1, FARTHEST + 1), kernels, kernels)],
    )


def _held_out() -> Item:
    options = f"--hold-out 'p == {HELD_OUT}'"
    found = _found(f"{options} " + " ".join(f"--at p={p}" for p in range(1, HELD_OUT + 1)))
    models, truth = dict(_kernels(found)), dict(_kernels(_all_scales()))
    total = found["held_out"]["points"][0]
    rows: list[tuple[object, ...]] = []
    for name, one in (*models.items(), ("the whole program", None)):
        seen = float(truth[name]["measured"][-1] if one else total["measured"])
        at = one["predictions"][-1] if one else total["predicted"]
        inside = "yes" if at["lower"] <= seen <= at["upper"] else "no"
        rows.append((name, seen, float(at["value"]), _interval(at), inside))
    return Item(
        title=f"Figure 3: models of p = 1, 2 and 4 beside the extended set, p = {HELD_OUT} held out, with "
        "stand-in runs",
        covers="Figure 3",
        stand_in=True,
        commands=(f"run {FILTERED} {TIMES} {options} --at p={HELD_OUT}",),
        note="In the paper models of up to six nodes agree with an extended set of up to 14. Three scales "
        "tell less than six: the wrong trend of the preconditioner, whose iterations are not monotonic.",
        columns=("kernel", "measured [core-s]", "predicted [core-s]", "90 % interval", "inside"),
        rows=rows,
        pictures=[_chart(f"p = {HELD_OUT} held out", range(1, HELD_OUT + 1), models, truth)],
    )


def _chart(title: str, x: range, models: Mapping[str, Kernel], truth: Mapping[str, Kernel]) -> Chart:
    def values(key: str) -> dict[str, list[float]]:
        return {name: [at[key] for at in one["predictions"]] for name, one in models.items()}

    lower, upper = values("lower"), values("upper")
    return Chart(
        title=title,
        across="processes p",
        up="effort [core-s]",
        x=x,
        lines=values("value"),
        bands={name: (lower[name], upper[name]) for name in models},
        points={
            f"{name}, measured": (SCALES, [float(value) for value in truth[name]["measured"]])
            for name in models
        },
        logarithmic=True,
        logarithmic_across=True,
    )


def _rule() -> Item:
    rows: list[tuple[object, ...]] = []
    for name, profile in PROFILES.items():
        with scratch() as folder:
            found = asked(f"filter {profile} --paper-exact -o {folder}/app.filter")
        kept = [one for one in found["regions"] if one["kept"]]
        longest = sorted(kept, key=lambda one: -float(one["time"]))[:MOST_NAMES]
        one = found["predictions"][0]
        visits, dilation = one["visits"], one["dilation"]
        rows.append(
            (
                name,
                f"{len(kept)} of {len(found['regions'])}",
                ", ".join(f"`{short_name(each['region'])}`" for each in longest),
                f"{100 * visits['filtered'] / visits['unfiltered']:.3g} %",
                f"{dilation['unfiltered']['value']:.3g}",
                f"{dilation['compile_time']['value']:.3g}",
            )
        )
    first = next(iter(PROFILES.values()))
    return Item(
        title="Section 3.1: what the paper's rule selects, on stand-in profiles",
        covers="the rule of Section 3.1",
        stand_in=True,
        commands=(f"filter {first} --paper-exact -o app.filter",),
        note="Regions whose time per visit is in the top quarter, callers of those whose total is, and all "
        "that leads there; on OpenFOAM gSumProd, too. The rule looks at time and visits only, so that what "
        "overhead it leaves, the last column, is left to chance. By default `filter` therefore keeps to a "
        "budget where that is more than 5 %.",
        columns=(
            "profile",
            "regions kept",
            "longest of them",
            "visits left",
            "dilation without",
            "with it at compile time",
        ),
        rows=rows,
    )


PAPER = Paper(
    number="001",
    title="Paper 001: filters and models of effort, OpenFOAM",
    items=items,
    missing={},
    stand_in="The paper's runs of OpenFOAM on 104 to 1456 processes were not published. Ours are the same "
    "program, icoFoam with PCG and DIC, on the same flow with 32³ cells, under Score-P on two cores: p = 4 "
    f"and 8 share them (`{RUNS}`).",
)
