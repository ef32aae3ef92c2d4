"""Rooflines, ceilings and counts of paper 003, with kernels of our own as stand-ins."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any

from tools.gallery.asking import ROOT, asked
from tools.gallery.charts import Chart
from tools.gallery.page import Item

FOLDER = "sample_profiles/counted-kernels"
COUNTED = "Counters are simulated"
STAND_IN = (
    "Counters and rates were not published: `sample_profiles/counted-kernels` stands in, with operations "
    "known from the algorithm, times of one core of a virtual machine, and references that callgrind counts "
    "in simulated caches (16 KB, lines of 64 B)."
)
PROGRAMS = {
    "HPCG": "hpcg",
    "HPGMG-FV": "hpgmg",
    "PETSc": "petsc",
    "MUMPS": "mumps",
    "SuperLU": "superlu",
    "SETSM": "setsm",
    "2-D and 3-D stencils": "stencils",
}
ACCESS, LINE = 16, 64  # bytes that one reference and one refill of the first-level cache move
SERIES = ("inline", "recursive", "flat")
STENCILS = {"plane": "2-D", "cube": "3-D"}


def roofline_items() -> Sequence[Item]:
    """Return the ceilings, the counts of series and stencils, and the rooflines."""
    return [_ceilings(), _variation(), _ratio_of_series(), _raw(), _ratio_of_stencils(), _rooflines()]


def _rows(name: str) -> list[dict[str, str]]:
    with (ROOT / FOLDER / name).open() as file:
        return list(csv.DictReader(file))


def _ceilings() -> Item:
    rows = _rows("ceilings.csv")
    flows = [(float(row["KiB"]), float(row["value"]) / 1e9) for row in rows if row["what"] == "bandwidth"]
    peaks = {row["what"]: float(row["value"]) / 1e9 for row in rows if row["what"] != "bandwidth"}
    return Item(
        title="ERT measurements of a node, with one core of a virtual machine as a stand-in",
        covers="ERT measurements",
        stand_in=True,
        commands=(),
        note="The plots of the Empirical Roofline Tool are without numbers in the text. What stands in was "
        f"measured by `{FOLDER}/rooflines.py`, not by a command: a triad over its working set, and a series "
        "of numbers in the first-level cache.",
        columns=("peak", "Gflop/s"),
        rows=list(peaks.items()),
        pictures=[
            Chart(
                title="Bandwidth of a core by working set",
                across="working set [KiB]",
                up="GB/s",
                x=[size for size, _ in flows],
                lines={"triad": [rate for _, rate in flows]},
                logarithmic=True,
                logarithmic_across=True,
            )
        ],
    )


def _ratios(
    name: str, optimisation: str, kernels: Sequence[str]
) -> Iterator[tuple[dict[str, str], float, float]]:
    """Yield a case, and bytes that references and refills move over those that have to move."""
    moved = {"plane": 5, "cube": 7}
    for row in _rows(name):
        if row["optimisation"] != optimisation or row["kernel"] not in kernels:
            continue
        size, values = int(row["size"]), moved.get(row["kernel"], 2)
        exact = values * int(row["real"]) * size ** (3 if row["kernel"] == "cube" else 2)
        yield row, ACCESS * int(row["references"]) / exact, LINE * int(row["first_misses"]) / exact


def _variation() -> Item:
    rows: list[tuple[object, ...]] = []
    for optimisation in ("O3", "O0"):
        for kernel in SERIES:
            found = list(_ratios("series.csv", optimisation, [kernel]))
            cells: list[object] = []
            for each in ([one[1] for one in found], [one[2] for one in found]):
                cells += [min(each), max(each), 100 * pstdev(each) / fmean(each)]
            rows.append((f"{kernel}, {optimisation}", *cells))
    return Item(
        title="Variation and range of byte measurements of the geometric series, with simulated counters "
        "as a stand-in",
        covers="coefficients of variation; range of MIN and MAX",
        stand_in=True,
        commands=(),
        note=f"{COUNTED}. Values are the bytes counted over those that have to move, in 16 cases for each "
        "implementation (GCC): four orders, two sizes, two precisions.",
        columns=(
            "implementation",
            *(
                f"{which}, {what}"
                for which in ("L1_DCA", "DCR_GOOD")
                for what in ("least", "most", "STD/mean [%]")
            ),
        ),
        rows=rows,
    )


def _ratio_of_series() -> Item:
    pictures = []
    for optimisation in ("O3", "O0"):
        found = {kernel: list(_ratios("series.csv", optimisation, [kernel])) for kernel in SERIES}
        chosen = {
            k: [one for one in v if one[0]["real"] == "8" and one[0]["size"] == "256"]
            for k, v in found.items()
        }
        orders = [int(row["order"]) for row, *_ in chosen["inline"]]
        lines = {f"{kernel}, L1_DCA": [one[1] for one in cases] for kernel, cases in chosen.items()}
        lines |= {f"{kernel}, DCR_GOOD": [one[2] for one in cases] for kernel, cases in chosen.items()}
        pictures.append(
            Chart(
                title=f"Bytes measured over exact bytes, {optimisation}, 256 x 256 double precision",
                across="order of the series",
                up="ratio",
                x=orders,
                lines=lines,
                logarithmic=True,
            )
        )
    return Item(
        title="Ratio of the byte measurements over the exact transfers, with simulated counters as a "
        "stand-in",
        covers="ratio of bytes, series",
        stand_in=True,
        commands=(),
        note=f"{COUNTED}. Refills (DCR_GOOD) are at most 1.5 times what has to move, whatever the compiler "
        "does; references (L1_DCA) are that only if the series is inlined and optimised.",
        pictures=pictures,
    )


def _raw() -> Item:
    rows = [
        (
            f"GCC, {row['kernel']}, m = {row['size']}, {optimisation}, order {row['order']}, {row['real']} B",
            *(int(row[key]) for key in ("references", "first_misses", "last_misses")),
        )
        for kernel, size, optimisation in (
            ("inline", 256, "O3"),
            ("flat", 256, "O3"),
            ("recursive", 64, "O0"),
        )
        for row, *_ in _ratios("series.csv", optimisation, [kernel])
        if row["size"] == str(size) and row["real"] == "8"
    ]
    return Item(
        title="Raw data of byte measurement for selected cases, with simulated counters as a stand-in",
        covers="raw data",
        stand_in=True,
        commands=(),
        note=f"{COUNTED}, of three implementations.",
        columns=("case", "references", "misses of 16 KB", "misses of 1 MB"),
        rows=rows,
    )


def _ratio_of_stencils() -> Item:
    rows: list[tuple[object, ...]] = []
    lines: dict[str, list[float]] = {}
    labels: list[str] = []
    for kernel, name in STENCILS.items():
        for (row, references, refills), (_, plain, _) in zip(
            _ratios("stencils.csv", "O3", [kernel]), _ratios("stencils.csv", "O0", [kernel]), strict=True
        ):
            label = f"{name} {row['size']}, {row['real']} B"
            flop = int(row["flop"])
            intensity = flop / (LINE * int(row["first_misses"]))
            rows.append((label, flop, references, refills, plain, intensity))
            labels.append(label)
            lines.setdefault("L1_DCA, O3", []).append(references)
            lines.setdefault("DCR_GOOD, O3", []).append(refills)
            lines.setdefault("L1_DCA, O0", []).append(plain)
    return Item(
        title="Operations, bytes and intensity of the stencils, with simulated counters as a stand-in",
        covers="flop, byte ratios and intensity of stencils",
        stand_in=True,
        commands=(),
        note=f"{COUNTED}. Refills are below the exact transfers, since neighbours are in the cache already.",
        columns=(
            "stencil",
            "flop",
            "L1_DCA over exact, O3",
            "DCR_GOOD over exact, O3",
            "L1_DCA over exact, O0",
            "flop/B of DCR_GOOD, O3",
        ),
        rows=rows,
        pictures=[
            Chart(
                title="Bytes measured over exact bytes, stencils",
                up="ratio",
                x=labels,
                lines=lines,
                bars=True,
                logarithmic=True,
            )
        ],
    )


def _rooflines() -> Item:
    commands = {name: f"project {FOLDER}/rooflines/{file}.toml" for name, file in PROGRAMS.items()}
    found = {name: asked(command)["roofline"] for name, command in commands.items()}
    return Item(
        title="Rooflines of seven programs, with stand-ins",
        covers=f"rooflines of {', '.join(PROGRAMS)}",
        stand_in=True,
        commands=list(commands.values()),
        note=f"{COUNTED}, ceilings and bytes below the first-level cache are those of one core of ours. "
        "HPCG is its four kernels, written anew with the 27-point operator, HPGMG-FV a multigrid F-cycle "
        "of second order, SETSM the correlation of image patches, the kind of kernel it spends its time "
        "in. PETSc 3.18 runs the paper's solver, transpose-free QMR with additive Schwarz, on 4,096 to "
        "32,768 unknowns; MUMPS factorises up to 4,096, SuperLU up to 2,744. The stencils are the paper's.",
        columns=("point", "flop/B", "Gflop/s"),
        rows=[
            (point["name"], point["intensity"], point["rate"] / 1e9)
            for roofline in found.values()
            for point in roofline["points"]
        ],
        pictures=[
            roofline_chart(f"Roofline of {name}, stand-in on one core", one) for name, one in found.items()
        ],
    )


def roofline_chart(title: str, roofline: Mapping[str, Any]) -> Chart:
    """Draw what a projection says of a roofline: every bandwidth up to the highest peak, and all points."""
    x = [2.0 ** (power / 8) for power in range(-56, 49)]
    top = max(roofline["peaks"].values()) / 1e9
    ceilings = {
        f"{key} {rate / 1e9:.3g} GB/s": [min(top, rate / 1e9 * each) for each in x]
        for key, rate in roofline["bandwidths"].items()
    }
    ceilings |= {
        f"{key} {rate / 1e9:.3g} Gflop/s": [rate / 1e9] * len(x) for key, rate in roofline["peaks"].items()
    }
    return Chart(
        title=title,
        across="arithmetic intensity [flop/B]",
        up="Gflop/s",
        x=x,
        ceilings=ceilings,
        points={one["name"]: ([one["intensity"]], [one["rate"] / 1e9]) for one in roofline["points"]},
        logarithmic=True,
        logarithmic_across=True,
    )
