"""Paper 003: rooflines from CrayPat's counters, and projection by bandwidth."""

from collections.abc import Mapping, Sequence

from tools.gallery.asking import asked, defined, machine_value
from tools.gallery.charts import Chart
from tools.gallery.page import Item, Paper
from tools.gallery.paper_003_rooflines import STAND_IN, roofline_chart, roofline_items

NODE = "blue-waters-xe6"
# GB/s per node and per NUMA domain.
BANDWIDTHS = {
    NODE: (59.6, 14.9),
    "ivybridge-e5-2670v2": (93.5, 46.7),
    "haswell-e5-2680v3": (112.3, 56.2),
    "broadwell-e5-2680v4": (125.1, 62.5),
}
# Projected wall time in s and speed-up, measured wall time in s and error in %.
WALL = {
    "ivybridge-e5-2670v2": (1715.3, 1.76, 1603.0, 7.00),
    "haswell-e5-2680v3": (1427.7, 2.11, 1293.0, 10.42),
    "broadwell-e5-2680v4": (1282.2, 2.35, 1168.0, 9.78),
}
GROUPS = {"U/VLL": 33.1, "U/main": 25.3, "U/OT": 25.2, "U/VLL_B": 1.0}  # % of the run time
INTENSITY = {
    ("stencil-2d", 8): 0.1,
    ("stencil-2d", 4): 0.2,
    ("stencil-3d", 8): 0.1071,
    ("stencil-3d", 4): 0.2143,
}
# MB in single and in double precision, by inner points in each direction.
FOOTPRINTS: Mapping[str, Mapping[int, tuple[float, float]]] = {
    "stencil-2d": {
        128: (0.135, 0.270),
        256: (0.532, 1.065),
        512: (2.1, 4.2),
        1024: (8.4, 16.8),
        2048: (33.6, 67.2),
        4096: (134, 269),
        8192: (537, 1074),
    },
    "stencil-3d": {
        16: (0.047, 0.093),
        32: (0.314, 0.629),
        64: (2.3, 4.6),
        128: (17.6, 35.2),
        256: (127, 275),
        416: (584, 1169),
    },
}


def items() -> Sequence[Item]:
    """Return the tables of nodes, intensities, footprints and SETSM, and the roofline of the node."""
    return [
        _node(),
        _series(),
        _intensities(),
        *map(_footprints, FOOTPRINTS),
        _roofline(),
        *roofline_items(),
        _groups(),
        *_setsm(),
    ]


def _defined(command: str, name: str) -> list[float]:
    """Return what an application defines at each value that a command sweeps."""
    return [defined(each)[name] for each in asked(command)["projections"]]


def _node() -> Item:
    rows = []
    for name, published in BANDWIDTHS.items():
        ours = [machine_value(name, key) / 1e9 for key in ("bw_node", "bw_numa")]
        rows.append((name, *(cell for pair in zip(published, ours, strict=True) for cell in pair)))
    return Item(
        title="Table of target nodes: STREAM per node and NUMA domain, GB/s",
        status="input compared",
        covers="target nodes",
        commands=("machine list",),
        note="Ours are the values of the machine files, which the projections below take.",
        columns=("machine", "node, published", "node, ours", "NUMA, published", "NUMA, ours"),
        rows=rows,
        pictures=[
            Chart(
                title="STREAM of a node",
                across="",
                up="GB/s",
                x=list(BANDWIDTHS),
                lines={
                    "published": [each[0] for each in BANDWIDTHS.values()],
                    "ours": [machine_value(name, "bw_node") / 1e9 for name in BANDWIDTHS],
                },
                bars=True,
            )
        ],
    )


def _series() -> Item:
    orders = (1, 2, 5, 10, 20, 29)
    command = f"project geometric-series --at order={','.join(map(str, orders))}"
    ours = _defined(command, "intensity")
    published = [(2 * order - 1) / (2 * 8) for order in orders]
    return Item(
        title="Intensity of the geometric series, flop/B",
        status="reproduced",
        covers="intensity of the series",
        commands=(command,),
        note="Published as the formula (2 n - 1) / (2 values), here of 8 B. The 4176 byte counts were "
        "not published.",
        columns=("order", "published", "ours"),
        rows=list(zip(orders, published, ours, strict=True)),
        pictures=[
            Chart(
                title="Intensity of the geometric series",
                across="order",
                up="flop/B",
                x=orders,
                lines={"published": published, "ours": ours},
            )
        ],
    )


def _intensities() -> Item:
    commands = {stencil: f"project {stencil} --at n=256,real=8,4" for stencil in FOOTPRINTS}
    rows = [
        (f"{stencil}, {size} B", INTENSITY[stencil, size], ours)
        for stencil, command in commands.items()
        for size, ours in zip((8, 4), _defined(command, "intensity"), strict=True)
    ]
    return Item(
        title="Intensity of the stencils, flop/B",
        status="reproduced",
        covers="intensity of the stencils",
        commands=list(commands.values()),
        note="Counted from the kernels. The measured intensities of 72 cases are plots without numbers.",
        columns=("stencil", "published", "ours"),
        rows=rows,
    )


def _footprints(stencil: str) -> Item:
    sizes = FOOTPRINTS[stencil]
    points = ",".join(map(str, sizes))
    commands = [f"project {stencil} --at n={points},real={size}" for size in (4, 8)]
    single, double = ([each / 1e6 for each in _defined(command, "footprint")] for command in commands)
    rows = [
        (n, published[0], small, published[1], large)
        for (n, published), small, large in zip(sizes.items(), single, double, strict=True)
    ]
    return Item(
        title=f"Table of footprints, {stencil}, MB",
        status="reproduced",
        covers=f"footprints of {stencil}",
        commands=commands,
        note="The largest differences are rounding but for 256 points in three dimensions, single precision.",
        columns=("n", "SP published", "SP ours", "DP published", "DP ours"),
        rows=rows,
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
        status="partly",
        covers="roofline of the node with the stencils",
        commands=["machine list", *commands.values()],
        note="Ceilings: STREAM, and the Empirical Roofline Tool's caches as the authors' tool plots them. "
        "Rates are what the ceilings "
        "allow at n = 2048; the measured points are plots without numbers.",
        columns=("kernel", "flop/B", "Gflop/s at most"),
        rows=rows,
        pictures=[roofline_chart("Roofline of Blue Waters' XE6", ceilings)],
    )


def _groups() -> Item:
    command = f"project setsm --on {NODE}"
    found = asked(command)
    whole = found["reference"]["value"]
    rows = [
        (line["path"][0], GROUPS[line["path"][0]], 100 * line["value"] / whole) for line in found["breakdown"]
    ]
    return Item(
        title="Groups of SETSM on an XE6 node, % of the run time",
        status="reproduced",
        covers="groups of SETSM",
        commands=(command,),
        note="The published time of U/main, 671.3 s, contradicts its share; it is taken as published.",
        columns=("group", "published", "ours"),
        rows=rows,
    )


def _setsm() -> list[Item]:
    commands = {name: f"project setsm --on {name}" for name in WALL}
    found = {name: asked(command) for name, command in commands.items()}
    projected = [
        (name, WALL[name][0], each["total"]["value"], WALL[name][1], each["speedup"]["value"])
        for name, each in found.items()
    ]
    errors = [
        (name, each["measured"]["value"], WALL[name][3], 100 * each["measured"]["error"])
        for name, each in found.items()
    ]
    return [
        Item(
            title="Table of SETSM's projected wall times",
            status="reproduced",
            covers="projected wall times",
            commands=list(commands.values()),
            note="The published times do not follow from the published inputs but from 7.3 % more "
            "bandwidth of the "
            "XE6: [readings](../explanations/projection.md#setsm).",
            columns=("node", "wall time [s] published", "ours", "speed-up published", "ours"),
            rows=projected,
            pictures=[
                Chart(
                    title="SETSM on other nodes",
                    across="",
                    up="wall time [s]",
                    x=list(WALL),
                    lines={
                        "published": [row[1] for row in projected],
                        "ours": [row[2] for row in projected],
                        "published, measured": [row[1] for row in errors],
                    },
                    bars=True,
                )
            ],
        ),
        Item(
            title="Table of SETSM's measured wall times, errors of the projections",
            status="reproduced",
            covers="errors of the projections",
            commands=list(commands.values()),
            note="Measured times are the published ones.",
            columns=("node", "measured [s]", "error [%] published", "ours"),
            rows=errors,
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
