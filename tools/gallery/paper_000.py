"""Paper 000: instruction ports, MG-CFD and HYDRA."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.ports.comparisons import MODELS, ModelComparison, compare_models
from pipeline.projection.ports.port_fit import variants_in
from pipeline.projection.ports.port_map import read_port_map
from tools.gallery.page import ROOT, Chart, Item, Paper, asked, part

FLUX = "sample_profiles/mg-cfd-variants/flux.toml"
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
# Mean, standard deviation and worst error in %, in the order of the models.
ERRORS = ((15.6, 20.4, 55.8), (31.0, 25.4, 74.7), (34.4, 21.3, 69.6), (10.2, 6.2, 17.8))
STAND_IN = (
    "Counts and cycles were not published: eighteen variants of a flux kernel of our own after MG-CFD's "
    "equations, "
    "SSE4.2 and AVX2, measured on a Sapphire Rapids virtual machine"
)
NO_NODE = "not published; the project has no measurement over threads of its own"


def items() -> Sequence[Item]:
    """Return Tables 1 to 3 and Figures 5 to 7."""
    compared = _compared()
    return [_shares(), _machines(), _ports(), _figure_7(compared), _table_3(compared)]


def _shares() -> Item:
    command = "project hydra --at T_ref=100"
    found = asked(command)
    ours = [part(found, "flux" if "FLUX" in name else "other", name) for name in SHARES]
    return Item(
        title="Table 1: HYDRA by routine, % of the run time on Broadwell",
        commands=(command,),
        note="The application `hydra` takes the shares as published and projects with them.",
        columns=("routine", "published", "ours"),
        rows=list(zip(SHARES, SHARES.values(), ours, strict=True)),
        chart=Chart(
            title="HYDRA by routine",
            across="",
            up="%",
            x=list(SHARES),
            lines={"published": list(SHARES.values()), "ours": ours},
            bars=True,
        ),
    )


def _machines() -> Item:
    rows = []
    for name, (clock, cores) in MACHINES.items():
        values = load_machine(name).values
        rows.append((name, clock, values["hz"].value / 1e9, cores, int(values["cores"].value)))
    return Item(
        title="Table 2: machines",
        commands=(),
        note="The machine files; memory and software of the table are not needed by a model.",
        columns=("machine", "GHz published", "GHz ours", "cores published", "cores ours"),
        rows=rows,
    )


def _ports() -> Item:
    command = f"project {FLUX} --at edges=24e6 --show ports"
    loads = asked(command)["port_loads"]
    classes = sorted({kind for load in loads for kind in load["classes"]})
    return Item(
        title="Figures 5, 6 and matrix A: ports and the ideal scheduler, with a stand-in kernel and core",
        commands=(command,),
        note=f"The counts of iflux were not published: an invented kernel of twice the work on Golden "
        f"Cove. {STAND_IN}.",
        columns=("port", *classes),
        rows=[(load["port"], *(load["classes"].get(kind, 0.0) for kind in classes)) for load in loads],
        chart=Chart(
            title="Cycles of an iteration by port",
            across="port",
            up="cycles",
            x=[load["port"] for load in loads],
            lines={kind: [load["classes"].get(kind, 0.0) for load in loads] for kind in classes},
            bars=True,
        ),
    )


def _compared() -> ModelComparison:
    portmap = read_port_map("golden-cove")
    columns = read_columns(Path(ROOT / "sample_profiles" / "mg-cfd-variants" / "variants.csv"))
    groups = {isa: variants_in(columns, portmap, where={"isa": isa}) for isa in ("SSE4.2", "AVX2")}
    return compare_models(portmap, groups, "base")


def _figure_7(compared: ModelComparison) -> Item:
    errors = 100 * (compared.predicted / compared.measured - 1)
    rows = [
        (f"{group}, {variant}", *("-" if np.isnan(error) else f"{error:+.1f}" for error in errors[:, k]))
        for k, (group, variant) in enumerate(compared.targets)
    ]
    return Item(
        title="Figure 7: error of the four models, %, with stand-in variants",
        commands=(f"project {FLUX} --at edges=24e6 --show models",),
        note=f"{STAND_IN}; each is predicted from the base variant and all others. The command has AVX2 "
        f"alone; "
        "the constant ratio is measured with SSE4.2.",
        columns=("variant", *MODELS),
        rows=rows,
        chart=Chart(
            title="Error of the four models",
            across="variant",
            up="error [%]",
            x=range(len(rows)),
            lines=dict(zip(MODELS, errors.tolist(), strict=True)),
            bars=True,
        ),
    )


def _table_3(compared: ModelComparison) -> Item:
    ours = compared.summary()
    rows = [
        (model, *published, *(100 * value for value in ours[model]))
        for model, published in zip(MODELS, ERRORS, strict=True)
    ]
    heads = [f"{what}, {whose}" for whose in ("published", "ours") for what in ("mean", "deviation", "worst")]
    return Item(
        title="Table 3: errors of the four models, %, with stand-in variants",
        commands=(f"project {FLUX} --at edges=24e6 --show models",),
        note=f"{STAND_IN}. Ours are of both instruction sets together, those of the constant ratio of AVX2.",
        columns=("model", *heads),
        rows=rows,
    )


PAPER = Paper(
    number="000",
    title="Paper 000: instruction ports, MG-CFD and HYDRA",
    items=items,
    missing={
        "Figures 1, 2": "drawings of meshes",
        "Figure 3": "parallel efficiency of MG-CFD and iflux: " + NO_NODE,
        "Figure 4": "correlations of counters (`compare_counters`): " + NO_NODE,
        "Figure 8": "iflux over threads (`pipeline project --show threads`): " + NO_NODE,
        "Figure 9, Table 4": "vflux over processes: " + NO_NODE,
    },
)
