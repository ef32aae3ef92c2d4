"""Paper 004: tables of inputs, message counts, kernels and networks of MILC."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.gallery.asking import asked, defined, part
from tools.gallery.charts import Chart
from tools.gallery.page import Item

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
SIZES = range(4, 15)
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


def table_items() -> Sequence[Item]:
    """Return Table I, and the tables of message counts, of LogGP, and of kernels and network by machine."""
    tables = [each for machine in SERIAL for each in (_serial(machine), _network(machine))]
    return [_inputs(), _counts(), _loggp(), *tables]


def sweep(machine: str, processes: int, variant: str = "") -> tuple[str, list[Mapping[str, Any]]]:
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
    command, found = sweep(machine, NETWORK[machine][0][0])
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
        note="Ours: a site at L = 4, a site between L = 13 and 14, and where both meet.",
        columns=("kernel", *heads),
        rows=rows,
        pictures=[
            lines_over_size(
                f"Time of a site on {machine}", lines, "time of a site over b1", logarithmic=False
            )
        ],
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
        command, found = sweep(machine, processes)
        commands.append(command)
        ours = _message(found[4])
        means.append(ours[1])
        row: list[object] = [processes, latency, ours[0], mean, ours[1]]
        if best is not None:
            command, found = sweep(machine, processes, "noiseless")
            commands.append(command)
            row += [best, _message(found[4])[1]]
        rows.append(row)
    heads = ["latency [us]", "mean bandwidth [MiB/s]"] + ["best bandwidth [MiB/s]"] * (len(rows[0]) > 5)
    return Item(
        title=f"Table of the network, {machine}",
        status="input compared",
        covers=f"network of {machine}",
        commands=commands,
        note="Ours: messages of two sizes at L = 8.",
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
    command, found = sweep("power5plus", 256, "ideal")
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
        note="Ours are read off the projected times at L = 8 and 14, where only L + 2 o can be determined. "
        "Messages inside a "
        "node are always hidden behind those between nodes.",
        columns=("link", "L + 2 o [us] published", "ours", "G [us/B] published", "ours"),
        rows=rows,
    )


def lines_over_size(
    title: str, lines: Mapping[str, Sequence[float]], up: str, logarithmic: bool = True
) -> Chart:
    """Draw lines over the sizes of the local lattice."""
    return Chart(title=title, across="L", up=up, x=SIZES, lines=lines, logarithmic=logarithmic)
