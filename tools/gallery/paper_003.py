"""Paper 003: rooflines from CrayPat's counters, and projection by bandwidth."""

from collections.abc import Iterator, Mapping, Sequence

from tools.gallery.asking import asked, defined, machine_value
from tools.gallery.labels import Beside
from tools.gallery.page import Item, Paper
from tools.gallery.paper_003_rooflines import STAND_IN, roofline_chart, roofline_items

NODE = "blue-waters-xe6"
# GB/s per node and per NUMA domain.
BANDWIDTHS = {
    NODE: ("59.6", "14.9"),
    "ivybridge-e5-2670v2": ("93.5", "46.7"),
    "haswell-e5-2680v3": ("112.3", "56.2"),
    "broadwell-e5-2680v4": ("125.1", "62.5"),
}
# Projected wall time in s and speed-up, measured wall time in s and error in %.
WALL = {
    "ivybridge-e5-2670v2": ("1715.3", "1.76", "1603.0", "7.00"),
    "haswell-e5-2680v3": ("1427.7", "2.11", "1293.0", "10.42"),
    "broadwell-e5-2680v4": ("1282.2", "2.35", "1168.0", "9.78"),
}
GROUPS = {"U/VLL": "33.1", "U/main": "25.3", "U/OT": "25.2", "U/VLL_B": "1.0"}  # % of the run time
INTENSITY = {
    ("stencil-2d", 8): "0.1",
    ("stencil-2d", 4): "0.2",
    ("stencil-3d", 8): "0.1071",
    ("stencil-3d", 4): "0.2143",
}
# MB in single and in double precision, by inner points in each direction.
FOOTPRINTS: Mapping[str, Mapping[int, tuple[str, str]]] = {
    "stencil-2d": {
        128: ("0.135", "0.270"),
        256: ("0.532", "1.065"),
        512: ("2.1", "4.2"),
        1024: ("8.4", "16.8"),
        2048: ("33.6", "67.2"),
        4096: ("134", "269"),
        8192: ("537", "1074"),
    },
    "stencil-3d": {
        16: ("0.047", "0.093"),
        32: ("0.314", "0.629"),
        64: ("2.3", "4.6"),
        128: ("17.6", "35.2"),
        256: ("127", "275"),
        416: ("584", "1169"),
    },
}
MISPRINTS = {
    "stencil-2d": "The 532.512 KB of n = 256 are cut, not rounded.",
    "stencil-3d": "The 275 MB beside it, in double precision, are twice ours: 127 is a misprint of 137.",
}
AS_COMPUTED = "tools/gallery/setsm-as-computed.toml"


def items() -> Sequence[Item]:
    """Return the tables of nodes, intensities, footprints and SETSM, and the roofline of the node."""
    return [
        _node(),
        _series(),
        _intensities(),
        *map(_footprints, FOOTPRINTS),
        _roofline(),
        *roofline_items(),
        *_setsm(),
    ]


def _defined(command: str, name: str) -> list[float]:
    """Return what an application defines at each value that a command sweeps."""
    return [defined(each)[name] for each in asked(command)["projections"]]


def _node() -> Item:
    return Item(
        title="Table of target nodes: STREAM per node and NUMA domain, GB/s",
        covers="target nodes",
        commands=("machine list",),
        note="Ours are the values of the machine files, which the projections below take.",
        columns=("machine", "node", "NUMA"),
        rows=[
            (
                name,
                *(
                    Beside(one, machine_value(name, key) / 1e9)
                    for one, key in zip(printed, ("bw_node", "bw_numa"), strict=True)
                ),
            )
            for name, printed in BANDWIDTHS.items()
        ],
    )


def _series() -> Item:
    orders = (1, 2, 5, 10, 20, 29)
    command = f"project geometric-series --at order={','.join(map(str, orders))}"
    ours = _defined(command, "intensity")
    published = [f"{(2 * order - 1) / 16:.4f}" for order in orders]
    return Item(
        title="Intensity of the geometric series, flop/B",
        covers="intensity of the series",
        commands=(command,),
        note="The paper prints the formula (2 n - 1) / (2 values); here a value has 8 B. The 4176 byte "
        "counts were not published.",
        columns=("order", "intensity"),
        rows=list(zip(orders, map(Beside, published, ours), strict=True)),
    )


def _intensities() -> Item:
    commands = {stencil: f"project {stencil} --at n=256,real=8,4" for stencil in FOOTPRINTS}
    rows = [
        (f"{stencil}, {size} B", Beside(INTENSITY[stencil, size], ours))
        for stencil, command in commands.items()
        for size, ours in zip((8, 4), _defined(command, "intensity"), strict=True)
    ]
    return Item(
        title="Intensity of the stencils, flop/B",
        covers="intensity of the stencils",
        commands=list(commands.values()),
        note="Operations and bytes are counted from the kernels. The measured intensities of 72 cases are "
        "plots without numbers.",
        columns=("stencil", "intensity"),
        rows=rows,
    )


def _footprints(stencil: str) -> Item:
    sizes = FOOTPRINTS[stencil]
    points = ",".join(map(str, sizes))
    commands = [f"project {stencil} --at n={points},real={size}" for size in (4, 8)]
    single, double = ([each / 1e6 for each in _defined(command, "footprint")] for command in commands)
    return Item(
        title=f"Table of footprints, {stencil}, MB",
        covers=f"footprints of {stencil}",
        commands=commands,
        note="Two arrays with a layer of points around them; the paper prints small ones in KB, large ones "
        "in GB.",
        reading=MISPRINTS[stencil],
        columns=("n", "single precision", "double precision"),
        rows=[
            (n, Beside(small, one), Beside(large, two))
            for (n, (small, large)), one, two in zip(sizes.items(), single, double, strict=True)
        ],
    )


def _roofline() -> Item:
    commands = {key: f"project {key} --at n=2048" for key in ("stencil-2d", "stencil-3d")}
    found = {key: asked(command) for key, command in commands.items()}
    rows = [
        (key, defined(each)["intensity"], defined(each)["flop"] / each["total"]["value"] / 1e9)
        for key, each in found.items()
    ]
    ceilings = {
        "bandwidths": {key: machine_value(NODE, key) for key in ("bw_l1", "bw_l2", "bw_node")},
        "peaks": {"peak_dp": machine_value(NODE, "peak_dp")},
        "points": [{"name": key, "intensity": x, "rate": 1e9 * rate} for key, x, rate in rows],
    }
    return Item(
        title="Roofline of the XE6 node, with both stencils at the ceiling (measured rates not published)",
        covers="roofline of the node with the stencils",
        commands=["machine list", *commands.values()],
        note="The ceilings are STREAM and, of caches, the Empirical Roofline Tool as the authors' tool "
        "plots it. Rates are what the ceilings allow at n = 2048; the measured points are plots without "
        "numbers.",
        columns=("kernel", "flop/B", "Gflop/s at most"),
        rows=rows,
        pictures=[roofline_chart("Roofline of Blue Waters' XE6", ceilings)],
    )


def _setsm() -> Iterator[Item]:
    """Yield SETSM as printed, and as its authors computed it."""
    yield from _projected(
        f"setsm --on {NODE}",
        "as printed",
        groups="671.3 s of U/main are 25.3 % of 2653 s, while the other groups are their shares of 3007 to "
        "3014 s: two digits of 761.3 s are exchanged.",
        wall="The printed times do not follow from the printed inputs but from other ones, see below.",
    )
    yield from _projected(
        f"{AS_COMPUTED} --on tools/gallery/blue-waters-as-computed.toml",
        "as its authors computed it",
        groups="",
        wall="The differences are within the rounding of the printed inputs: half a unit of 62.5 GB/s is "
        "0.08 % of a time.",
    )


def _projected(at_home: str, how: str, *, groups: str, wall: str) -> list[Item]:
    """Return the groups, and the table of projected wall times with the errors; the last two are readings."""
    application = at_home.partition(" ")[0]
    commands = {name: f"project {application} --on {name}" for name in WALL}
    whole = asked(f"project {at_home}")
    shares = {
        line["path"][0]: 100 * line["value"] / whole["reference"]["value"] for line in whole["breakdown"]
    }
    rows = []
    for name, (time, speedup, measured, error) in WALL.items():
        found = asked(commands[name])
        ours = (found["total"]["value"], found["speedup"]["value"], 100 * found["measured"]["error"])
        rows.append((name, measured, *map(Beside, (time, speedup, error), ours)))
    note = (
        "Inputs are those printed, but for 761.3 s of U/main and 62.6 GB/s of the XE6."
        if groups == ""
        else ""
    )
    return [
        Item(
            title=f"Groups of SETSM on an XE6 node {how}, % of the run time",
            covers=f"groups of SETSM {how}",
            commands=(f"project {at_home}",),
            note=note or "The application `setsm` has the times as printed.",
            reading=groups,
            columns=("group", "share"),
            rows=[(group, Beside(share, shares[group])) for group, share in GROUPS.items()],
        ),
        Item(
            title=f"Tables of SETSM's projected and measured wall times {how}",
            covers=f"wall times and errors {how}",
            commands=list(commands.values()),
            note=note or "The page on projection has the [readings](../explanations/projection.md#setsm).",
            reading=wall,
            columns=("node", "measured [s]", "wall time [s]", "speed-up", "error [%]"),
            rows=rows,
        ),
    ]


PAPER = Paper(
    number="003",
    title="Paper 003: rooflines from counters, projection by bandwidth",
    items=items,
    stand_in=STAND_IN,
    missing={
        "the system; Intel Advisor": "photographs, and a picture of another program's window",
    },
)
