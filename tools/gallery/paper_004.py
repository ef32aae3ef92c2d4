"""Paper 004: kernels, cache and network of MILC su3_rmd on five machines."""

import csv
from collections.abc import Mapping, Sequence

import numpy as np

from tools.gallery.asking import ROOT, asked, part
from tools.gallery.charts import Chart
from tools.gallery.labels import Beside
from tools.gallery.page import Item, Paper
from tools.gallery.paper_004_tables import SIZES, lines_over_size, scales, sweep, table_items

LARGEST = {machine: max(scales(machine)) for machine in ("bgp", "xt5", "xe6", "infiniband-ds1")}
(COMMON,) = set.intersection(*(set(scales(machine)) for machine in LARGEST))  # P published of all four
STAND_IN = "project sample_profiles/su3-lattice/su3.toml --at L=4:14"
SAMPLES = ROOT / "sample_profiles" / "su3-lattice"
ABOUT = "`sample_profiles/su3-lattice` stands in"
MEASURED = (
    "Box plots of the paper's measurements were not published: `sample_profiles/su3-lattice` stands in, "
    "products of su3 matrices and messages between two processes, measured thousands of times on a virtual "
    "machine."
)


def items() -> Sequence[Item]:
    """Return the tables, and Figures 1 and 2."""
    return [*table_items(), _figure_1a(), _figure_1b(), _figure_1c(), _noise(), _topology()]


def _measured(name: str, factor: float) -> dict[float, list[float]]:
    """Return the quantiles of a sample's times by L, in another unit."""
    found: dict[float, list[float]] = {}
    with (SAMPLES / name).open() as file:
        for row in csv.DictReader(file):
            found.setdefault(float(row["L"]), []).append(factor * float(row["time [us]"]))
    return found


def _figure_1a() -> Item:
    command, found = sweep("power5plus", 256)
    ours = [1e6 * part(each, "products") for each in asked(STAND_IN)["projections"]]
    seen = _measured("sites.csv", 1.0)
    off = [100 * (value / np.median(seen[size]) - 1) for value, size in zip(ours, SIZES, strict=True)]
    return Item(
        title="Figure 1a: serial model of GF on POWER5+; box plots of a stand-in kernel",
        covers="Figure 1a",
        commands=(command, STAND_IN),
        note=f"The curve for POWER5+ follows from the published parameters. {ABOUT}.",
        columns=("L", *map(str, SIZES)),
        rows=[("model against the median [%]", *off)],
        pictures=[
            lines_over_size(
                "GF on POWER5+, published parameters",
                {"model": [part(each, "T_ser", "GF") for each in found]},
                "time [s]",
            ),
            Chart(
                title="su3 products on a virtual machine, measured",
                across="L",
                up="time of a sweep [us]",
                x=SIZES,
                lines={"model": ours},
                boxes=seen,
                logarithmic=True,
            ),
        ],
    )


def _figure_1b() -> Item:
    lines, commands = {}, []
    for processes in (256, 1024):
        command, found = sweep("power5plus", processes)
        commands.append(command)
        lines[f"parallel, P = {processes}"] = [each["total"]["value"] for each in found]
    lines["serial"] = [part(each, "T_ser") for each in found]
    ours = asked(STAND_IN)["projections"]
    products, messages = _measured("sites.csv", 1.0), _measured("messages.csv", 8.0)
    measured = [float(np.median(products[size]) + np.median(messages[size])) for size in SIZES]
    return Item(
        title="Figure 1b: parallel and serial model on POWER5+; measured points of a stand-in",
        covers="Figure 1b",
        commands=[*commands, STAND_IN],
        note=f"The curves for POWER5+ follow from the published parameters. {ABOUT}; measured is the sum of "
        "the medians.",
        columns=("L", *map(str, SIZES)),
        rows=[
            (
                "model against measured [%]",
                *(
                    100 * (each["total"]["value"] * 1e6 / m - 1)
                    for each, m in zip(ours, measured, strict=True)
                ),
            )
        ],
        pictures=[
            lines_over_size("MILC on POWER5+, published parameters", lines, "time [s]"),
            Chart(
                title="su3 products and eight messages on a virtual machine",
                across="L",
                up="time [us]",
                x=SIZES,
                lines={
                    "parallel": [1e6 * each["total"]["value"] for each in ours],
                    "serial": [1e6 * part(each, "products") for each in ours],
                },
                points={"parallel, measured": ([float(size) for size in SIZES], measured)},
                logarithmic=True,
            ),
        ],
    )


def _figure_1c() -> Item:
    lines, commands = {}, []
    for variant in ("expected", "noiseless"):
        command, found = sweep("infiniband-ds1", 2048, variant)
        commands.append(command)
        of_gf = 828 / 3628  # messages
        lines[variant] = [1e3 * of_gf * part(each, "T_p2p", "matrix") for each in found]
    ours = {}
    for variant in ("expected", "noiseless"):
        asking = f"{STAND_IN} --variant {variant}"
        commands.append(asking)
        ours[variant] = [1e6 * part(each, "messages") / 8 for each in asked(asking)["projections"]]
    return Item(
        title="Figure 1c: communication of GF, models of mean and of best data; box plots of stand-in "
        "messages",
        covers="Figure 1c",
        commands=commands,
        note="The curves are those of the machine with the most noise, since the text does not name one. "
        f"{ABOUT}; a straight line does not fit the small messages of a socket, which the command says.",
        pictures=[
            lines_over_size(
                "Communication of GF on infiniband-ds1, P = 2048, published parameters", lines, "time [ms]"
            ),
            Chart(
                title="Messages between two processes, measured",
                across="L",
                up="time of a message [us]",
                x=SIZES,
                lines=ours,
                boxes=_measured("messages.csv", 1.0),
            ),
        ],
    )


def _losses(variant: str, at: Mapping[str, int]) -> tuple[list[str], dict[str, list[float]]]:
    """Return commands, and the percentages lost against a variant of the network by machine and P, over L."""
    lines, commands = {}, []
    for machine, processes in at.items():
        command, found = sweep(machine, processes)
        commands.append(command)
        of_all = [{each["name"]: each["loss"] for each in p["variants"]}[variant] for p in found]
        lines[f"{machine}, P = {processes}"] = [100 * loss["value"] for loss in of_all]
    return commands, lines


def _noise() -> Item:
    commands, lines = _losses("noiseless", LARGEST)
    return Item(
        title="Figure 2a: performance lost against the noiseless network",
        covers="Figure 2a",
        commands=commands,
        note="The text says that BG/P has no significant loss and all others are affected. Losses over L = "
        "4 to 14 at the largest P of every machine.",
        columns=("machine", "least [%]", "most [%]"),
        rows=[(name, min(values), max(values)) for name, values in lines.items()],
        pictures=[
            lines_over_size("Loss against the noiseless network", lines, "loss [%]", logarithmic=False)
        ],
    )


def _topology() -> Item:
    commands, lines = _losses("ideal", dict.fromkeys(LARGEST, COMMON))
    most = max(lines, key=lambda name: max(lines[name]))
    rows: list[tuple[object, ...]] = [("most of all", "-", Beside("25", max(lines[most])))]
    _, others = _losses("ideal", {machine: P for machine, P in LARGEST.items() if P != COMMON})
    rows += [(name, min(values), max(values)) for name, values in (lines | others).items()]
    return Item(
        title=f"Figure 2b: performance lost against the ideal network at P = {COMMON}",
        covers="Figure 2b",
        commands=commands,
        note=f"The text says: up to 25 % lower performance. P = {COMMON} is the only one that all four "
        f"machines have; there {most.partition(',')[0]} loses most, {max(lines[most]):.2f} %. A loss is "
        "negative where the application saw more than injection alone, which messages inside a node do. At "
        "other P losses are other ones, see the last rows.",
        columns=("machine", "least [%]", "most [%]"),
        rows=rows,
        pictures=[
            lines_over_size(
                f"Loss against the ideal network, P = {COMMON}", lines, "loss [%]", logarithmic=False
            )
        ],
    )


PAPER = Paper(
    number="004",
    title="Paper 004: kernels, cache and network, MILC su3_rmd",
    items=items,
    stand_in=MEASURED,
    missing={},
)
