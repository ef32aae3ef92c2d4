"""Paper 004: tables of inputs, message counts, kernels and networks of MILC."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.projection.expressions.shipped_files import find
from tools.gallery.asking import asked, defined, part
from tools.gallery.charts import Chart
from tools.gallery.labels import Beside
from tools.gallery.page import Item

MIB = 2.0**20
KERNELS = ("FF", "GF", "LL", "FL", "CG")
# b1 and b2 in microseconds and s in sites, by machine and kernel.
SERIAL = {
    "power5plus": "255 326 2500, 88 157 1900, 1.3 2.2 2500, 30 56 2000, 0.425 0.483 1200",
    "bgp": "1410 1479 1500, 483 567 2000, 8.33 9.4 2500, 178 200 2500, 3.04 3.05 4000",
    "xt5": "195 610 1000, 74 387 1500, 1.96 7.9 1500, 23 131 1500, 0.66 1.37 1000",
    "xe6": "232 483 1000, 81 261 1500, 1.56 4.8 1500, 27 90.7 1500, 0.57 1.07 600",
    "infiniband-ds1": "247 435 2000, 83 225 2000, 1.6 4.3 2000, 27 79 2000, 0.71 0.97 1000",
}
# P, latency in microseconds, mean and best bandwidth in MiB/s, which was not published of one machine.
NETWORK = {
    "power5plus": "256 5.8 250, 1024 5.8 209",
    "bgp": "64 19.2 303 304, 2048 16.4 205 206, 4096 16.1 118 119",
    "xt5": "1024 12.1 167 231, 2048 10.3 211 264",
    "xe6": "1024 13.8 595 718, 2048 6.6 459 486, 8192 41.5 232 253",
    "infiniband-ds1": "1024 26.7 269 315, 2048 33.6 164 209",
}
# L, o in microseconds and G in microseconds for a byte, by link and message.
LOGGP = {
    "intra, small": "2.7 3.5 0.00068",
    "intra, large": "2.7 33.5 0.00045",
    "inter, small": "5.8 14 0.0013",
    "inter, large": "5.8 40 0.0011",
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
    """Return Table I, and the tables of message counts, LogGP, kernels and networks."""
    return [_inputs(), _counts(), _loggp(), _kernels(), _networks(), _text()]


def sweep(machine: str, processes: int, variant: str = "") -> tuple[str, list[Mapping[str, Any]]]:
    """Return a command, and what it finds at all sizes of the lattice."""
    command = f"project milc --on {machine} --at L=4:14,P={processes}"
    command += f" --variant {variant}" if variant else ""
    return command, asked(command)["projections"]


def scales(machine: str) -> list[int]:
    """Return the numbers of processes for which the network of a machine was published."""
    return [int(row.partition(" ")[0]) for row in NETWORK[machine].split(", ")]


def _inputs() -> Item:
    command = "project --list"
    inputs = next(one["inputs"] for one in asked(command)["applications"] if one["name"] == "milc")
    meanings = {entry["name"]: entry["meaning"] for entry in inputs}
    return Item(
        title="Table I: performance-critical input parameters",
        covers="Table I",
        commands=(command,),
        note="Local lattices have the same size in all directions, as in the paper's analysis; what "
        "influences convergence is the number of iterations.",
        columns=("number", "parameter", "meaning"),
        rows=[(k, Beside(name, ours), meanings[ours]) for k, (name, ours) in enumerate(INPUTS.items(), 1)],
    )


def _counts() -> Item:
    command = "project milc --at L=8,P=256,trajecs=2,warms=1,steps=5"
    found = defined(asked(command))
    published = {"FF": "24240", "GF": "12420", "LL": "376", "FL": "13536", "CG": "32484"}
    ours = {kernel: found[f"n_{kernel}"] for kernel in KERNELS}
    ours["CG"] += found["n_CG_start"]
    return Item(
        title="Table of message counts, section II.D",
        covers="table of message counts",
        commands=(command,),
        note="Published are formulas, here at trajecs = 2, warms = 1, steps = 5.",
        reading="The paper contradicts itself: its table counts 2 messages of CG for a measurement, its "
        "Eq. (3) 32, which is used.",
        columns=("kernel", "messages"),
        rows=[(kernel, Beside(published[kernel], ours[kernel])) for kernel in KERNELS],
    )


def _terms(machine: str) -> dict[str, Any]:
    """Return the terms of a machine file as they stand there, those of the noiseless network with them."""
    with find("machine", machine).open("rb") as file:
        found = tomllib.load(file)
    noiseless = found["variants"].get("noiseless", {})
    return {**found["terms"], "noiseless": noiseless.get("message")}


def _beside(published: str, given: Sequence[object]) -> list[Beside]:
    """Return numbers beside those of a file, which have units and scatter: ``255 us +- 1 %``."""
    return [Beside(one, _quantity(value)) for one, value in zip(published.split(), given, strict=True)]


def _quantity(text: object) -> float:
    return float(str(text).split()[0])


def _read(title: str, note: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Item:
    return Item(
        title=title,
        covers=title.partition(",")[0],
        commands=("machine list",),
        note=note,
        columns=columns,
        rows=rows,
    )


def _loggp() -> Item:
    terms, rows = _terms("power5plus"), []
    for link, published in LOGGP.items():
        name, size = link.split(", ")
        one = terms[name]
        rows.append((link, *_beside(published, (one["L"], one[size]["o"], one[size]["G"]))))
    note = "The fourth parameter, g, is below o everywhere, so that it is in no formula."
    return _read("Table of LogGP, power5plus", note, ("link, message", "L [us]", "o [us]", "G [us/B]"), rows)


def _kernels() -> Item:
    rows = [
        (
            f"{machine} {kernel}",
            *_beside(published, [_terms(machine)[kernel][key] for key in ("b1", "b2", "s")]),
        )
        for machine, table in SERIAL.items()
        for kernel, published in zip(KERNELS, table.split(", "), strict=True)
    ]
    note = "A site takes b1 in cache and b2 outside, and s sites are in cache."
    return _read("Tables of kernels, five machines", note, ("kernel", "b1 [us]", "b2 [us]", "s"), rows)


def _networks() -> Item:
    rows: list[tuple[object, ...]] = []
    for machine, table in NETWORK.items():
        mean, best = (_by_scale(machine, name) for name in ("message", "noiseless"))
        for row in table.split(", "):
            processes, _, published = row.partition(" ")
            scale = int(processes)
            given = [mean[scale]["latency"], mean[scale]["bandwidth"]]
            given += [best[scale]["bandwidth"]] if best else []
            pairs = _beside(published, given)
            rows.append((f"{machine}, P = {scale}", *pairs, *["-"] * (3 - len(pairs))))
    heads = ("machine", "latency [us]", "mean bandwidth [MiB/s]", "best bandwidth [MiB/s]")
    note = "The best bandwidth is that of the variant `noiseless`."
    return _read("Tables of the network, five machines", note, heads, rows)


def _by_scale(machine: str, name: str) -> dict[int, Any]:
    return {row["P"]: row for row in (_terms(machine)[name] or {"rows": []})["rows"]}


def _text() -> Item:
    """Return what the text says of the tables."""
    command, found = sweep("power5plus", 256, "ideal")
    counts = [defined(each) for each in found[-2:]]
    took = [
        part(each, "T_p2p", "matrix") / one["n_matrix"] for each, one in zip(found[-2:], counts, strict=True)
    ]
    bandwidth = (counts[1]["A"] - counts[0]["A"]) / (took[1] - took[0]) / MIB
    inside, outside = (
        [
            _quantity(_terms("bgp")[kernel][key]) / _quantity(_terms(machine)[kernel][key])
            for kernel in KERNELS
            for machine in ("xt5", "xe6", "infiniband-ds1")
        ]
        for key in ("b1", "b2")
    )
    mean, best = (_by_scale("infiniband-ds1", name) for name in ("message", "noiseless"))
    noise = max(1 - _quantity(mean[P]["bandwidth"]) / _quantity(best[P]["bandwidth"]) for P in mean)
    falls = [
        [_quantity(row["bandwidth"]) for row in _by_scale(machine, "message").values()]
        for machine in ("bgp", "xt5", "xe6")
    ]
    rows = [
        ("effective bandwidth on POWER5+ beyond 32 KiB [MiB/s]", Beside("227", bandwidth)),
        ("BG/P slower than x86 in cache, at least", Beside("4", min(inside))),
        ("BG/P slower than x86 in cache, at most", Beside("7", max(inside))),
        ("BG/P slower than x86 out of cache, at least", Beside("2", min(outside))),
        ("BG/P slower than x86 out of cache, at most", Beside("3", max(outside))),
        ("bandwidth lost to noise on InfiniBand, at most [%]", Beside("50", 100 * noise)),
        (
            "bandwidth lost to congestion in a torus, at most a factor of",
            Beside("4", max(max(each) / min(each) for each in falls)),
        ),
    ]
    return Item(
        title="Numbers that the text has of the tables",
        covers="numbers of the text",
        commands=(command,),
        note="The first is read off messages of two sizes, the others are ratios of values in the tables "
        "above.",
        reading="The first is 227 MB/s, 216.7 MiB/s; of the others the text speaks roughly, and where it "
        'says "nearly 50 %" its own tables do not bear it out.',
        columns=("", "value"),
        rows=rows,
    )


def lines_over_size(
    title: str, lines: Mapping[str, Sequence[float]], up: str, logarithmic: bool = True
) -> Chart:
    """Draw lines over the sizes of the local lattice."""
    return Chart(title=title, across="L", up=up, x=SIZES, lines=lines, logarithmic=logarithmic)
