"""Paper 000: instruction ports, MG-CFD and HYDRA."""

from collections.abc import Sequence

import numpy as np

from tools.gallery.asking import ROOT, asked, machine_value, part, run
from tools.gallery.charts import Chart
from tools.gallery.labels import Beside
from tools.gallery.page import Item, Paper
from tools.gallery.paper_000_errors import FITTED, HEAVY, KERNELS, LIGHT, NODE, STAND_IN, error_items, threads
from tools.gallery.port_models import correlations, levelled, port_terms, rows_in

SHARES = {
    "JACOB": "6.8",
    "GRAD": "16.8",
    "VFLUX": "35.8",
    "IFLUX": "10.7",
    "SRCSA": "14.6",
    "UPDATE": "7.3",
    "remaining": "8.0",
}
MACHINES = {"broadwell-e5-2660v4": ("2.4", "28"), "skylake-4116": ("2.4", "24"), "knl-7210": ("1.3", "64")}
CODES = {
    "HPCG, a mini-app": ("sample_profiles/hpcg-strong", "--at p=8"),
    "OpenFOAM's cavity": ("sample_profiles/openfoam-procs", "--scaling strong --at p=8"),
}

ALIKE, STRONG = 0.1, 0.8  # the paper's marks of a difference of correlations, and of both


def items() -> Sequence[Item]:
    """Return Tables 1 to 4 and Figures 3 to 9."""
    return [_shares(), _machines(), _efficiency(), _counters(), *_ports(), *error_items()]


def _shares() -> Item:
    command = "project hydra --at T_ref=100"
    found = asked(command)
    rows = [
        (name, Beside(share, part(found, "flux" if "FLUX" in name else "other", name)))
        for name, share in SHARES.items()
    ]
    return Item(
        title="Table 1: HYDRA by routine, % of the run time on Broadwell",
        covers="Table 1",
        commands=(command,),
        note="The application `hydra` takes the shares as published and projects with them.",
        columns=("routine", "share"),
        rows=rows,
    )


def _machines() -> Item:
    rows = [
        (name, Beside(clock, machine_value(name, "hz") / 1e9), Beside(cores, machine_value(name, "cores")))
        for name, (clock, cores) in MACHINES.items()
    ]
    return Item(
        title="Table 2: machines",
        covers="Table 2",
        commands=("machine list",),
        note="The machine files; memory and software of the table are not needed by a model.",
        columns=("machine", "GHz", "cores"),
        rows=rows,
    )


def _efficiency() -> Item:
    scales = (1, 2, 4, 8)
    lines = {}
    for name, (folder, options) in CODES.items():
        at = [one for one in run(folder, options)["runtime"]["at"] if one["measured"]]
        lines[name] = [100 * one["efficiency"]["value"] for one in at]
    for name, target in (("light, AVX2", LIGHT), ("heavy, AVX2", HEAVY)):
        took = {row["threads"]: row["measured"] for row in threads(target) if row["term"] == "avx2"}
        lines[name] = [
            100 * took[1] / (scale * took[scale]) if scale in took else float("nan") for scale in scales
        ]
    return Item(
        title="Figure 3: parallel efficiency of a mini-app and of a code, with stand-in codes",
        covers="Figure 3",
        stand_in=True,
        commands=[f"run {folder} {options}" for folder, options in CODES.values()],
        note="The times of MG-CFD and iflux on 24 cores were not published; the paper says that they are "
        "alike up to 12 threads and iflux then loses more. HPCG, a mini-app of conjugate gradients, stands "
        "beside OpenFOAM's cavity, whose pressure is solved by them: alike, too, on two cores, which "
        "processes share beyond p = 2. Two flux kernels of our own run on two threads.",
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
    mini, light = (correlations(rows_in(ROOT / NODE / f"counters-{code}.csv")) for code in ("mini", "light"))
    counters = sorted(mini, key=lambda name: -abs(mini[name] - light[name]))
    rows = [
        (
            name,
            mini[name],
            light[name],
            abs(mini[name] - light[name]) < ALIKE,
            min(mini[name], light[name]) > STRONG,
        )
        for name in counters
    ]
    return Item(
        title="Figure 4: correlation of counters with the loss of efficiency, with stand-in codes",
        covers="Figure 4",
        stand_in=True,
        commands=(),
        note="PAPI's counters of MG-CFD and iflux were not published, and our virtual machine has none: "
        "what the operating system counts stands in, for the mini-app and kernel `light` on 1, 2, 4 and 8 "
        "threads of two cores. The paper calls a difference below 0.1 alike and both above 0.8 strong.",
        columns=("counter", "mini-app", "light", "alike", "strong"),
        rows=rows,
        pictures=[
            Chart(
                title="Correlation with the loss of parallel efficiency",
                up="correlation",
                x=counters,
                lines={
                    "mini-app": [mini[name] for name in counters],
                    "kernel light": [light[name] for name in counters],
                },
                bars=True,
            )
        ],
    )


def _ports() -> list[Item]:
    """Return Figures 5 and 6: which ports execute a class, and how the ideal scheduler fills them."""
    term = port_terms(LIGHT)["avx2"]
    ports, loads = term.portmap.ports, dict(zip(term.portmap.classes, levelled(term).T, strict=True))
    classes = sorted(kind for kind, load in loads.items() if load.any())
    cells = np.column_stack([loads[kind] for kind in classes]).tolist()
    rows = [(port, *values, sum(values)) for port, values in zip(ports, cells, strict=True)]
    note = f"{KERNELS}; cycles of an instruction are fitted to nine variants."
    return [
        Item(
            title="Figure 5 and matrix A: classes of instructions by port, with a stand-in kernel and core",
            covers="Figure 5, matrix A",
            stand_in=True,
            commands=(FITTED,),
            note=f"{note} The paper draws Skylake's ports; these are Golden Cove's.",
            columns=("port", *classes, "sum"),
            rows=rows,
        ),
        Item(
            title="Figure 6: the ideal scheduler, with a stand-in kernel and core",
            covers="Figure 6",
            stand_in=True,
            commands=(FITTED,),
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


PAPER = Paper(
    number="000",
    title="Paper 000: instruction ports, MG-CFD and HYDRA",
    items=items,
    stand_in=STAND_IN,
    missing={
        "Figures 1, 2": "drawings of meshes; nothing is computed",
    },
)
