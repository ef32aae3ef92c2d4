"""Paper 000: errors of the models of instruction ports, over variants and over threads."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from tools.gallery.asking import ROOT, asked
from tools.gallery.charts import Chart
from tools.gallery.labels import Beside
from tools.gallery.page import Item
from tools.gallery.port_models import MODELS, compared, port_terms, rows_in

# Mean, standard deviation and worst error in %, in the order of the models.
ERRORS = ("15.6 20.4 55.8", "31.0 25.4 74.7", "34.4 21.3 69.6", "10.2 6.2 17.8")
SCALING = {
    "Broadwell AVX2": (10.6, 4.8, 16.3),
    "Broadwell SSE4.2": (5.0, 4.1, 9.8),
    "Skylake AVX2": (12.2, 3.1, 17.1),
}
ISAS = {"sse42": "SSE4.2", "avx2": "AVX2"}
NODE = "sample_profiles/mg-cfd-variants/node"
LIGHT, HEAVY = (f"{NODE}/{name}.toml" for name in ("light", "heavy"))
FITTED = f"project {LIGHT} --at edges=1e6"
KERNELS = "The kernels are our own"
STAND_IN = (
    "Neither counts nor cycles nor times were published: kernels of our own after MG-CFD's equations stand "
    "in, measured with SSE4.2 and AVX2 on a virtual machine with two cores of an Emerald Rapids."
)


def error_items() -> Sequence[Item]:
    """Return Figures 7 to 9 and Tables 3 and 4."""
    return [_figure_7(), _table_3(), _figure_8(), _figure_9()]


def threads(target: str) -> list[Mapping[str, Any]]:
    """Return the predicted and measured seconds of a target, one entry per term and number of threads."""
    rows = []
    for command, term, row in _sweeps(target):
        (line,) = (line for line in asked(command)["breakdown"] if line["path"] == [term])
        ends = {key: line[key] for key in ("value", "lower", "upper")}
        known = {"term": term, "threads": round(row["threads"]), "measured": row["measured"]}
        rows.append({**ends, **known, "error": line["value"] / row["measured"] - 1})
    return rows


def _sweeps(target: str) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """Return the command of every instruction set and number of threads, its term, and what was measured."""
    for term, isa in ISAS.items():
        for row in rows_in(ROOT / f"{target.removesuffix('.toml')}-{isa.lower()}.csv"):
            memory = row["dt_cycles"] * row["hz"] / row["dt_hz"]
            at = f"edges={row['iterations']:g},hz={row['hz']:g},memory={memory:.5g}"
            yield f"project {target} --at {at}", term, row


def _commands(target: str) -> list[str]:
    return list(dict.fromkeys(command for command, *_ in _sweeps(target)))


@cache
def _compared() -> tuple[list[str], Mapping[str, FloatArray]]:
    """Return the variants but the base, and the errors of the models by term, float64[4, m], in percent."""
    terms = port_terms(LIGHT)
    first = next(iter(terms.values())).variants
    relative = first.cycles / first.cycles[first.index("base")]
    ratios = dict(zip(first.names, relative.tolist(), strict=True))
    found = {}
    for name, term in terms.items():
        variants = term.variants
        others = np.array(variants.names) != "base"
        predicted = compared(term.portmap, variants, {} if variants.names is first.names else ratios)
        found[name] = 100 * (predicted / variants.cycles[others] - 1)
    return [name for name in first.names if name != "base"], found


def _errors(term: str) -> dict[str, list[float]]:
    """Return the errors of every model on the left-out variants of an instruction set, in percent."""
    return dict(zip(MODELS, _compared()[1][term].tolist(), strict=True))


def _figure_7() -> Item:
    names, _ = _compared()
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
        covers="Figure 7",
        stand_in=True,
        commands=(FITTED,),
        note=f"{KERNELS}. Each variant is predicted from the base variant and all others; the constant "
        "ratio is measured with SSE4.2 and assumed in AVX2. In the pictures e is edge_weights, d "
        "reuse_div, f reuse_flux.",
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
    rows: list[tuple[object, ...]] = []
    for model, published in zip(MODELS, ERRORS, strict=True):
        off = np.abs([error for term in ISAS for error in _errors(term)[model] if not np.isnan(error)])
        ours = (float(off.mean()), float(off.std()), float(off.max()))
        rows.append((model, *map(Beside, published.split(), ours)))
    return Item(
        title="Table 3: errors of the four models, %, with stand-in variants",
        covers="Table 3",
        stand_in=True,
        commands=(FITTED,),
        note=f"{KERNELS}. Ours are those of Figure 7, of both instruction sets together, of the constant "
        "ratio in AVX2. The page on ports has [errors](../explanations/ports.md) of the same kernels on "
        "another machine, in four builds: other measurements, other values.",
        columns=("model", "mean", "deviation", "worst"),
        rows=rows,
    )


def _scaling(target: str) -> dict[str, list[float]]:
    """Return the errors over threads by instruction set, in percent."""
    found = threads(target)
    return {isa: [100 * row["error"] for row in found if row["term"] == term] for term, isa in ISAS.items()}


def _times(target: str, title: str) -> Chart:
    """Draw predicted times with their intervals beside the measured ones."""
    rows = threads(target)
    return Chart(
        title=title,
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
    off = _scaling(LIGHT)
    return Item(
        title="Figure 8: errors of strong scaling of iflux, %, with a stand-in kernel on two cores",
        covers="Figure 8",
        stand_in=True,
        commands=_commands(LIGHT),
        note=f"{KERNELS}; `light` has fewer operations than the mini-app, as iflux. The text has errors: "
        "mean 3.7 (SSE4.2) and 4.4 (AVX2) on Broadwell, 2.5 and about 10 on Skylake, at most 16.1 and 12.2 "
        "on Knights Landing. Two threads do not saturate memory.",
        columns=("instruction set", "1 thread", "2 threads"),
        rows=[(isa, *values) for isa, values in off.items()],
        pictures=[_times(LIGHT, "Kernel light over threads, predicted from the mini-app")],
    )


def _figure_9() -> Item:
    off = _scaling(HEAVY)
    rows: list[tuple[object, ...]] = [(name, *values) for name, values in SCALING.items()]
    for isa, values in off.items():
        each = np.abs(values)
        rows.append((f"ours, {isa}", float(each.mean()), float(each.std()), float(each.max())))
    return Item(
        title="Figure 9 and Table 4: errors of strong scaling of vflux, %, with a stand-in kernel on two "
        "cores",
        covers="Figure 9, Table 4",
        stand_in=True,
        commands=_commands(HEAVY),
        note=f"{KERNELS}; `heavy` has viscous stresses and more operations than the mini-app, as vflux. "
        "Ours are errors on one and two threads.",
        columns=("system", "mean", "deviation", "worst"),
        rows=rows,
        pictures=[_times(HEAVY, "Kernel heavy over threads, predicted from the mini-app")],
    )
