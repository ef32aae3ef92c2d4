"""Paper 000: instruction ports, MG-CFD and HYDRA."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tools.gallery.asking import asked, machine_value, part, run
from tools.gallery.charts import Chart, Map
from tools.gallery.page import Item, Paper

SHARES = {
    "JACOB": 6.8,
    "GRAD": 16.8,
    "VFLUX": 35.8,
    "IFLUX": 10.7,
    "SRCSA": 14.6,
    "UPDATE": 7.3,
    "remaining": 8.0,
}
MACHINES = {"broadwell-e5-2660v4": (2.4, 28), "skylake-4116": (2.4, 24), "knl-7210": (1.3, 64)}
MODELS = ("constant ratio", "equal IPC", "superscalar", "contention")
# Mean, standard deviation and worst error in %, in the order of the models.
ERRORS = ((15.6, 20.4, 55.8), (31.0, 25.4, 74.7), (34.4, 21.3, 69.6), (10.2, 6.2, 17.8))
SCALING = {
    "Broadwell AVX2": (10.6, 4.8, 16.3),
    "Broadwell SSE4.2": (5.0, 4.1, 9.8),
    "Skylake AVX2": (12.2, 3.1, 17.1),
}
ISAS = {"sse42": "SSE4.2", "avx2": "AVX2"}
NODE = "sample_profiles/mg-cfd-variants/node"
LIGHT, HEAVY = (f"project {NODE}/{name}.toml --at edges=1e6 --show" for name in ("light", "heavy"))
CODES = {
    "HPCG, a mini-app": ("sample_profiles/hpcg-strong", "--at p=8"),
    "OpenFOAM's cavity": ("sample_profiles/openfoam-procs", "--scaling strong --at p=8"),
}
STAND_IN = (
    "Neither counts nor cycles nor times were published. Kernels of our own after MG-CFD's equations stand "
    "in, measured with "
    "SSE4.2 and AVX2 on a virtual machine with two cores of an Emerald Rapids"
)


def items() -> Sequence[Item]:
    """Return Tables 1 to 4 and Figures 3 to 9."""
    return [
        _shares(),
        _machines(),
        _efficiency(),
        _counters(),
        *_ports(),
        _figure_7(),
        _table_3(),
        _figure_8(),
        _figure_9(),
    ]


def _shares() -> Item:
    command = "project hydra --at T_ref=100"
    found = asked(command)
    ours = [part(found, "flux" if "FLUX" in name else "other", name) for name in SHARES]
    return Item(
        title="Table 1: HYDRA by routine, % of the run time on Broadwell",
        status="input compared",
        covers="Table 1",
        commands=(command,),
        note="The application `hydra` takes the shares as published and projects with them.",
        columns=("routine", "published", "ours"),
        rows=list(zip(SHARES, SHARES.values(), ours, strict=True)),
        pictures=[
            Chart(
                title="HYDRA by routine",
                across="",
                up="share of the run time [%]",
                x=list(SHARES),
                lines={"published": list(SHARES.values()), "ours": ours},
                bars=True,
            )
        ],
    )


def _machines() -> Item:
    rows = [
        (name, clock, machine_value(name, "hz") / 1e9, cores, round(machine_value(name, "cores")))
        for name, (clock, cores) in MACHINES.items()
    ]
    return Item(
        title="Table 2: machines",
        status="input compared",
        covers="Table 2",
        commands=("machine list",),
        note="The machine files; memory and software of the table are not needed by a model.",
        columns=("machine", "GHz published", "GHz ours", "cores published", "cores ours"),
        rows=rows,
    )


def _efficiency() -> Item:
    scales = (1, 2, 4, 8)
    lines = {}
    for name, (folder, options) in CODES.items():
        at = {one["point"]["p"]: one["efficiency"]["value"] for one in run(folder, options)["runtime"]["at"]}
        lines[name] = [100 * at[scale] for scale in scales]
    for name, command in (("light, AVX2", LIGHT), ("heavy, AVX2", HEAVY)):
        took = {row["threads"]: row["measured"] for row in _threads(command) if row["term"] == "avx2"}
        lines[name] = [
            100 * took[1] / (scale * took[scale]) if scale in took else float("nan") for scale in scales
        ]
    return Item(
        title="Figure 3: parallel efficiency of a mini-app and of a code, with stand-in codes",
        status="stands in",
        covers="Figure 3",
        commands=[
            *(f"run {folder} {options}" for folder, options in CODES.values()),
            f"{LIGHT} threads",
            f"{HEAVY} threads",
        ],
        note="The times of MG-CFD and iflux on 24 cores were not published; the paper: alike up to 12 "
        "threads, then iflux loses more. "
        "HPCG, a mini-app of conjugate gradients, stands beside OpenFOAM's cavity, whose pressure is solved "
        "by them: alike, too, on "
        "two cores, which processes share beyond p = 2. Two flux kernels of our own run on two threads.",
        columns=("code", *(f"{scale} processes or threads [%]" for scale in scales)),
        rows=[(name, *values) for name, values in lines.items()],
        pictures=[
            Chart(
                title="Parallel efficiency on two cores",
                across="processes or threads",
                up="efficiency [%]",
                x=scales,
                lines=lines,
                logarithmic_across=False,
            )
        ],
    )


def _counters() -> Item:
    command = f"{LIGHT} counters"
    found = asked(command)["counters"]
    return Item(
        title="Figure 4: correlation of counters with the loss of efficiency, with stand-in codes",
        status="stands in",
        covers="Figure 4",
        commands=(command,),
        note="PAPI's counters of MG-CFD and iflux were not published, and our virtual machine has none: what "
        "the operating system counts stands in, for the mini-app and kernel `light` on 1, 2, 4 and 8 threads "
        "of two cores. The paper calls a difference below 0.1 alike and both above 0.8 strong.",
        columns=("counter", "mini-app", "light", "alike", "strong"),
        rows=[
            (each["counter"], each["mini"], each["target"], each["alike"], each["strong"]) for each in found
        ],
        pictures=[
            Chart(
                title="Correlation with the loss of parallel efficiency",
                across="",
                up="correlation",
                x=[each["counter"] for each in found],
                lines={
                    "mini-app": [each["mini"] for each in found],
                    "kernel light": [each["target"] for each in found],
                },
                bars=True,
            )
        ],
    )


def _threads(command: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = asked(f"{command} threads")["threads"]
    return found


def _ports() -> list[Item]:
    """Return Figures 5 and 6: which ports execute a class, and how the ideal scheduler fills them."""
    command = f"{LIGHT} ports"
    loads = [load for load in asked(command)["port_loads"] if load["term"] == "avx2"]
    classes = sorted({kind for load in loads for kind in load["classes"]})
    cells = [[load["classes"].get(kind, 0.0) for kind in classes] for load in loads]
    ports = [load["port"] for load in loads]
    rows = [(port, *values, sum(values)) for port, values in zip(ports, cells, strict=True)]
    note = f"{STAND_IN}; cycles of an instruction are fitted to nine variants."
    return [
        Item(
            title="Figure 5 and matrix A: classes of instructions by port, with a stand-in kernel and core",
            status="stands in",
            covers="Figure 5, matrix A",
            commands=(command,),
            note=f"{note} The paper draws Skylake's ports; these are Golden Cove's.",
            columns=("port", *classes, "sum"),
            rows=rows,
            pictures=[
                Map(
                    title="Matrix A times cycles: cycles of an iteration by port and class",
                    across="class of instructions",
                    up="port",
                    columns=classes,
                    rows=ports,
                    cells=cells,
                )
            ],
        ),
        Item(
            title="Figure 6: the ideal scheduler, with a stand-in kernel and core",
            status="stands in",
            covers="Figure 6",
            commands=(command,),
            note=f"{note} The busiest port is the estimate, {max(row[-1] for row in rows):.3g} cycles.",
            pictures=[
                Chart(
                    title="Cycles of an iteration by port",
                    across="port",
                    up="cycles",
                    x=ports,
                    lines={"all classes": [sum(values) for values in cells]},
                    bars=True,
                )
            ],
        ),
    ]


def _errors(term: str) -> dict[str, list[float]]:
    """Return the errors of every model on the left-out variants of an instruction set, in percent."""
    targets = [target for target in asked(f"{LIGHT} models")["targets"] if target["term"] == term]
    return {
        model: [_error(target["predicted"][model], target["measured"]) for target in targets]
        for model in MODELS
    }


def _error(predicted: float | None, measured: float) -> float:
    return float("nan") if predicted is None else 100 * (predicted / measured - 1)


def _figure_7() -> Item:
    command = f"{LIGHT} models"
    names = [target["variant"] for target in asked(command)["targets"] if target["term"] == "avx2"]
    rows: list[tuple[object, ...]] = []
    for term, isa in ISAS.items():
        columns = _errors(term)
        rows += [(f"{isa}, {name}", *(columns[model][k] for model in MODELS)) for k, name in enumerate(names)]
    short = [
        name.replace("edge_weights", "e").replace("reuse_div", "d").replace("reuse_flux", "f")
        for name in names
    ]
    return Item(
        title="Figure 7: error of the four models, %, with stand-in variants",
        status="stands in",
        covers="Figure 7",
        commands=(command,),
        note=f"{STAND_IN}. Each variant is predicted from the base variant and all others; the constant "
        f"ratio is measured with "
        "SSE4.2 and assumed in AVX2. In the pictures e is edge_weights, d reuse_div, f reuse_flux.",
        columns=("variant", *MODELS),
        rows=rows,
        pictures=[
            Chart(
                title=f"Error of the four models, {isa}",
                across="variant",
                up="error [%]",
                x=short,
                lines=_errors(term),
                bars=True,
            )
            for term, isa in ISAS.items()
        ],
    )


def _table_3() -> Item:
    command = f"{LIGHT} models"
    rows: list[tuple[object, ...]] = []
    for model, published in zip(MODELS, ERRORS, strict=True):
        off = np.abs([error for term in ISAS for error in _errors(term)[model] if not np.isnan(error)])
        rows.append((model, *published, float(off.mean()), float(off.std()), float(off.max())))
    heads = [f"{what}, {whose}" for whose in ("published", "ours") for what in ("mean", "deviation", "worst")]
    return Item(
        title="Table 3: errors of the four models, %, with stand-in variants",
        status="stands in",
        covers="Table 3",
        commands=(command,),
        note=f"{STAND_IN}. Ours are of both instruction sets together, those of the constant ratio of AVX2.",
        columns=("model", *heads),
        rows=rows,
        pictures=[
            Chart(
                title="Mean error of the four models",
                across="",
                up="mean error [%]",
                x=MODELS,
                lines={"published": [each[0] for each in ERRORS], "ours": [_number(row[4]) for row in rows]},
                bars=True,
            )
        ],
    )


def _number(cell: object) -> float:
    return cell if isinstance(cell, float) else float("nan")


def _scaling(command: str) -> dict[str, list[float]]:
    """Return the errors over threads by instruction set, in percent."""
    found = _threads(command)
    return {isa: [100 * row["error"] for row in found if row["term"] == term] for term, isa in ISAS.items()}


def _times(command: str, title: str) -> Chart:
    """Draw predicted times with their intervals beside the measured ones."""
    rows = _threads(command)
    return Chart(
        title=title,
        across="",
        up="time of a sweep [ms]",
        x=[
            f"{ISAS[row['term']]}, {row['threads']} thread{'s' if row['threads'] > 1 else ''}" for row in rows
        ],
        lines={
            key: [1e3 * row[value] for row in rows]
            for key, value in (("measured", "measured"), ("predicted", "value"))
        },
        ranges={"predicted": ([1e3 * row["lower"] for row in rows], [1e3 * row["upper"] for row in rows])},
        bars=True,
    )


def _figure_8() -> Item:
    command = f"{LIGHT} threads"
    off = _scaling(LIGHT)
    return Item(
        title="Figure 8: errors of strong scaling of iflux, %, with a stand-in kernel on two cores",
        status="stands in",
        covers="Figure 8",
        commands=(command,),
        note=f"{STAND_IN}; `light` has fewer operations than the mini-app, as iflux. Published in the text: "
        f"mean 3.7 (SSE4.2) and 4.4 "
        "(AVX2) on Broadwell, 2.5 and about 10 on Skylake, at most 16.1 and 12.2 on Knights Landing. Two "
        "threads do not saturate memory.",
        columns=("instruction set", "1 thread", "2 threads"),
        rows=[(isa, *values) for isa, values in off.items()],
        pictures=[_times(LIGHT, "Kernel light over threads, predicted from the mini-app")],
    )


def _figure_9() -> Item:
    command = f"{HEAVY} threads"
    off = _scaling(HEAVY)
    rows: list[tuple[object, ...]] = [(name, *values) for name, values in SCALING.items()]
    for isa, values in off.items():
        each = np.abs(values)
        rows.append((f"ours, {isa}", float(each.mean()), float(each.std()), float(each.max())))
    return Item(
        title="Figure 9 and Table 4: errors of strong scaling of vflux, %, with a stand-in kernel on two "
        "cores",
        status="stands in",
        covers="Figure 9, Table 4",
        commands=(command,),
        note=f"{STAND_IN}; `heavy` has viscous stresses and more operations than the mini-app, as vflux. "
        f"Ours over one and two threads.",
        columns=("system", "mean", "deviation", "worst"),
        rows=rows,
        pictures=[_times(HEAVY, "Kernel heavy over threads, predicted from the mini-app")],
    )


PAPER = Paper(
    number="000",
    title="Paper 000: instruction ports, MG-CFD and HYDRA",
    items=items,
    missing={
        "Figures 1, 2": "drawings of meshes; nothing is computed",
    },
)
