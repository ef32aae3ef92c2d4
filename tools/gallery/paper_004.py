"""Paper 004: kernels, cache and network of MILC su3_rmd on five machines."""

import csv
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tools.gallery.asking import ROOT, asked, defined, part
from tools.gallery.charts import Chart
from tools.gallery.page import Item, Paper

KERNELS = ("FF", "GF", "LL", "FL", "CG")
MIB = 2.0**20
# b1 and b2 in microseconds and s in sites, by kernel.
SERIAL: Mapping[str, Sequence[tuple[float, float, float]]] = {
    "power5plus": ((255, 326, 2500), (88, 157, 1900), (1.3, 2.2, 2500), (30, 56, 2000), (0.425, 0.483, 1200)),
    "bgp": ((1410, 1479, 1500), (483, 567, 2000), (8.33, 9.4, 2500), (178, 200, 2500), (3.04, 3.05, 4000)),
    "xt5": ((195, 610, 1000), (74, 387, 1500), (1.96, 7.9, 1500), (23, 131, 1500), (0.66, 1.37, 1000)),
    "xe6": ((232, 483, 1000), (81, 261, 1500), (1.56, 4.8, 1500), (27, 90.7, 1500), (0.57, 1.07, 600)),
    "infiniband-ds1": (
        (247, 435, 2000),
        (83, 225, 2000),
        (1.6, 4.3, 2000),
        (27, 79, 2000),
        (0.71, 0.97, 1000),
    ),
}
# P, latency in microseconds, mean and best bandwidth in MiB/s; None if none was published.
NETWORK: Mapping[str, Sequence[tuple[int, float, float, float | None]]] = {
    "power5plus": ((256, 5.8, 250, None), (1024, 5.8, 209, None)),
    "bgp": ((64, 19.2, 303, 304), (2048, 16.4, 205, 206), (4096, 16.1, 118, 119)),
    "xt5": ((1024, 12.1, 167, 231), (2048, 10.3, 211, 264)),
    "xe6": ((1024, 13.8, 595, 718), (2048, 6.6, 459, 486), (8192, 41.5, 232, 253)),
    "infiniband-ds1": ((1024, 26.7, 269, 315), (2048, 33.6, 164, 209)),
}
TORI = {"bgp": 4096, "xt5": 2048, "xe6": 8192, "infiniband-ds1": 2048}  # and P of the figures of losses
SIZES = range(4, 15)
STAND_IN = "project sample_profiles/su3-lattice/su3.toml --at L=4:14"
SAMPLES = ROOT / "sample_profiles" / "su3-lattice"
ABOUT = (
    "Box plots of the paper's measurements were not published: `sample_profiles/su3-lattice` stands in, "
    "products of su3 matrices and "
    "messages between two processes, measured thousands of times on a virtual machine and fitted by the same "
    "forms"
)
# Table I: the inputs of the model that it has; those of physics are in niters.
INPUTS = {
    "P": "P",
    "nx, ny, nz, nt": "L",
    "warms": "warms",
    "trajecs": "trajecs",
    "traj_between_meas": "meas",
    "steps_per_trajectory": "steps",
    "beta, mass1, mass2, error_for_propagator": "niters",
    "max_cg_iterations": "niters",
}


def items() -> Sequence[Item]:
    """Return the tables of counts, kernels and networks, and Figures 1 and 2."""
    tables = [each for machine in SERIAL for each in (_serial(machine), _network(machine))]
    return [_inputs(), _counts(), _loggp(), *tables, _figure_1a(), _figure_1b(), _figure_1c(), *_figure_2()]


def _sweep(machine: str, processes: int, variant: str = "") -> tuple[str, list[Mapping[str, Any]]]:
    """Return a command, and what it finds at all sizes of the lattice."""
    command = f"project milc --on {machine} --at L=4:14,P={processes}"
    command += f" --variant {variant}" if variant else ""
    return command, asked(command)["projections"]


def _inputs() -> Item:
    command = "project --list"
    inputs = next(one["inputs"] for one in asked(command)["applications"] if one["name"] == "milc")
    meanings = {entry["name"]: entry["meaning"] for entry in inputs}
    return Item(
        title="Table I: performance-critical input parameters",
        status="input compared",
        covers="Table I",
        commands=(command,),
        note="Local lattices have the same size in all directions, as in the paper's analysis; what "
        "influences convergence is the number "
        "of iterations.",
        columns=("parameter, published", "input of `milc`", "meaning"),
        rows=[(name, ours, meanings[ours]) for name, ours in INPUTS.items()],
    )


def _counts() -> Item:
    command = "project milc --at L=8,P=256,trajecs=2,warms=1,steps=5"
    found = defined(asked(command))
    published = {"FF": 24240, "GF": 12420, "LL": 376, "FL": 13536, "CG": 32484}
    ours = {kernel: found[f"n_{kernel}"] for kernel in KERNELS}
    ours["CG"] += found["n_CG_start"]
    return Item(
        title="Table of message counts, section II.D",
        status="reproduced",
        covers="table of message counts",
        commands=(command,),
        note="The published formulas at trajecs = 2, warms = 1, steps = 5. Those of CG contradict Eq. "
        "(3), which is used.",
        columns=("kernel", "published", "ours"),
        rows=[(kernel, published[kernel], int(ours[kernel])) for kernel in KERNELS],
    )


def _serial(machine: str) -> Item:
    command, found = _sweep(machine, NETWORK[machine][0][0])
    rows, lines = [], {}
    for kernel, published in zip(KERNELS, SERIAL[machine], strict=True):
        calls = {"LL": 4.0, "FL": 4.0, "CG": 2000.0}.get(kernel, 1.0)
        times = {each["at"]["L"] ** 4: 1e6 * part(each, "T_ser", kernel) / calls for each in found}
        small, large, largest = 4**4, 13**4, 14**4
        inside = times[small] / small
        outside = (times[largest] - times[large]) / (largest - large)
        break_at = (times[largest] - outside * largest) / (inside - outside)
        ours = (inside, outside, break_at)
        rows.append((kernel, *(cell for pair in zip(published, ours, strict=True) for cell in pair)))
        lines[kernel] = [time / sites / inside for sites, time in times.items()]
    heads = [f"{name} {whose}" for name in ("b1 [us]", "b2 [us]", "s") for whose in ("published", "ours")]
    return Item(
        title=f"Table of kernels, {machine}",
        status="input compared",
        covers=f"kernels of {machine}",
        commands=(command,),
        note="The machine file has the published values; ours are read off the projected times: a site at L "
        "= 4, a site between L = 13 "
        "and 14, and where both meet.",
        columns=("kernel", *heads),
        rows=rows,
        pictures=[_lines(f"Time of a site on {machine}", lines, "time of a site over b1", logarithmic=False)],
    )


def _message(projection: Mapping[str, Any]) -> tuple[float, float]:
    """Return latency in us and bandwidth in MiB/s, from messages of two sizes."""
    counts = defined(projection)
    large, small = (part(projection, "T_p2p", name) / counts[f"n_{name}"] for name in ("matrix", "CG"))
    return 1e6 * (2 * small - large), (counts["A"] - counts["B"]) / (large - small) / MIB


def _network(machine: str) -> Item:
    rows, commands = [], []
    means: list[float] = []
    for processes, latency, mean, best in NETWORK[machine]:
        command, found = _sweep(machine, processes)
        commands.append(command)
        ours = _message(found[4])
        means.append(ours[1])
        row: list[object] = [processes, latency, ours[0], mean, ours[1]]
        if best is not None:
            command, found = _sweep(machine, processes, "noiseless")
            commands.append(command)
            row += [best, _message(found[4])[1]]
        rows.append(row)
    heads = ["latency [us]", "mean bandwidth [MiB/s]"] + ["best bandwidth [MiB/s]"] * (len(rows[0]) > 5)
    return Item(
        title=f"Table of the network, {machine}",
        status="input compared",
        covers=f"network of {machine}",
        commands=commands,
        note="The machine file has the published values; ours are read off the projected times of messages "
        "of two sizes at L = 8.",
        columns=("P", *(f"{head}, {whose}" for head in heads for whose in ("published", "ours"))),
        rows=rows,
        pictures=[
            Chart(
                title=f"Effective bandwidth of a process, {machine}",
                across="processes P",
                up="MiB/s",
                x=[processes for processes, *_ in NETWORK[machine]],
                lines={"published, mean": [each[2] for each in NETWORK[machine]], "ours, mean": means},
                bars=True,
            )
        ],
    )


def _loggp() -> Item:
    command, found = _sweep("power5plus", 256, "ideal")
    sharing = 8  # processes on a link; half of each message goes between nodes
    rows = []
    for protocol, size, published in (("up to 32768 B", 8, (33.8, 0.0013)), ("beyond", 14, (85.8, 0.0011))):
        latency, bandwidth = _message(found[size - SIZES[0]])
        gap = 2e6 / (bandwidth * MIB) / sharing
        rows.append((f"inter, {protocol}", published[0], latency + sharing * gap, published[1], gap))
    return Item(
        title="Table of LogGP, power5plus, between nodes",
        status="input compared",
        covers="LogGP between nodes",
        commands=(command,),
        note="Ours are read off the projected times at L = 8 and 14, where only L + 2 o can be told. "
        "Messages inside a "
        "node are always hidden behind those between nodes.",
        columns=("link", "L + 2 o [us] published", "ours", "G [us/B] published", "ours"),
        rows=rows,
    )


def _lines(title: str, lines: Mapping[str, Sequence[float]], up: str, logarithmic: bool = True) -> Chart:
    return Chart(title=title, across="L", up=up, x=SIZES, lines=lines, logarithmic=logarithmic)


def _measured(name: str, factor: float) -> dict[float, list[float]]:
    """Return the quantiles of a sample's times by L, in another unit."""
    found: dict[float, list[float]] = {}
    with (SAMPLES / name).open() as file:
        for row in csv.DictReader(file):
            found.setdefault(float(row["L"]), []).append(factor * float(row["time [us]"]))
    return found


def _figure_1a() -> Item:
    command, found = _sweep("power5plus", 256)
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
            _lines(
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
        command, found = _sweep("power5plus", processes)
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
            _lines("MILC on POWER5+, published parameters", lines, "time [s]"),
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
        command, found = _sweep("infiniband-ds1", 2048, variant)
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
            _lines(
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
        command, found = _sweep(machine, processes)
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
        pictures=[_lines(f"Loss against the {variant} network", lines, "loss [%]", logarithmic=False)],
    )


PAPER = Paper(
    number="004",
    title="Paper 004: kernels, cache and network, MILC su3_rmd",
    items=items,
    missing={
        "Table of LogGP, POWER5+, inside a node": "values of the machine file `power5plus`: messages inside "
        "a node are always hidden "
        "behind those between nodes, so that no time shows them",
    },
)
