"""Paper 004: kernels, cache and network of MILC su3_rmd on five machines."""

import csv
from collections.abc import Sequence

import numpy as np

from tools.gallery.asking import ROOT, asked, part
from tools.gallery.charts import Chart
from tools.gallery.page import Item, Paper
from tools.gallery.paper_004_tables import SIZES, lines_over_size, sweep, table_items

TORI = {"bgp": 4096, "xt5": 2048, "xe6": 8192, "infiniband-ds1": 2048}  # and P of the figures of losses
STAND_IN = "project sample_profiles/su3-lattice/su3.toml --at L=4:14"
SAMPLES = ROOT / "sample_profiles" / "su3-lattice"
ABOUT = "`sample_profiles/su3-lattice` stands in"
MEASURED = (
    "Box plots of the paper's measurements were not published: `sample_profiles/su3-lattice` stands in, "
    "products of su3 matrices and messages between two processes, measured thousands of times on a virtual "
    "machine. Machine files have the published values; ours are read off projected times."
)


def items() -> Sequence[Item]:
    """Return the tables, and Figures 1 and 2."""
    return [*table_items(), _figure_1a(), _figure_1b(), _figure_1c(), *_figure_2()]


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
        status="partly",
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
        status="partly",
        covers="Figure 1b",
        commands=[*commands, STAND_IN],
        note=f"The curves for POWER5+ follow from the published parameters. {ABOUT}; measured is the sum of "
        f"the medians.",
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
        lines[variant] = [
            1e3 * part(each, "T_p2p", "matrix") * 828 / 3628 for each in found
        ]  # GF has 828 of those 3628 messages
    ours = {}
    for variant in ("expected", "noiseless"):
        asking = f"{STAND_IN} --variant {variant}"
        commands.append(asking)
        ours[variant] = [1e6 * part(each, "messages") / 8 for each in asked(asking)["projections"]]
    return Item(
        title="Figure 1c: communication of GF, models of mean and of best data; box plots of stand-in "
        "messages",
        status="partly",
        covers="Figure 1c",
        commands=commands,
        note=f"The curves are those of the machine with the most noise, since the text does not name one. "
        f"{ABOUT}; a straight line does not "
        "fit the small messages of a socket, which the command says.",
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


def _figure_2() -> list[Item]:
    told = {"noiseless": "BG/P: no significant loss", "ideal": "up to 25 % lower performance"}
    return [_losses(letter, variant, told[variant]) for letter, variant in zip("ab", told, strict=True)]


def _losses(letter: str, variant: str, published: str) -> Item:
    lines, commands = {}, []
    for machine, processes in TORI.items():
        command, found = sweep(machine, processes)
        commands.append(command)
        of_all = [{each["name"]: each["loss"] for each in p["variants"]}[variant] for p in found]
        lines[f"{machine}, P = {processes}"] = [100 * loss["value"] for loss in of_all]
    return Item(
        title=f"Figure 2{letter}: performance lost against the {variant} network",
        status="reproduced",
        covers=f"Figure 2{letter}",
        commands=commands,
        note=f"Published in the text: {published}. Losses at the largest P of every machine; what does "
        f"not follow "
        "from the published parameters is [listed](../explanations/projection.md).",
        columns=("machine", "least [%]", "most [%]"),
        rows=[(name, min(values), max(values)) for name, values in lines.items()],
        pictures=[
            lines_over_size(f"Loss against the {variant} network", lines, "loss [%]", logarithmic=False)
        ],
    )


PAPER = Paper(
    number="004",
    title="Paper 004: kernels, cache and network, MILC su3_rmd",
    items=items,
    stand_in=MEASURED,
    missing={
        "Table of LogGP, POWER5+, inside a node": "values of the machine file `power5plus`: messages inside "
        "a node are always hidden "
        "behind those between nodes, so that no time shows them",
    },
)
