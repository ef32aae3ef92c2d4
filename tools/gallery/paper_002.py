"""Paper 002: symbolic models of HYCOM's loops on the Cray X1E."""

from collections.abc import Sequence

from pipeline.projection.expressions.toml_tables import find, read_toml
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.vector_loops.vector_loop import bandwidth_table, nearest_localities
from tools.gallery.page import Chart, Item, Paper, asked

# Table 5: observed bandwidth of each of the 18 loops in GB/s.
OBSERVED = (
    14.0,
    14.0,
    0.8,
    0.8,
    14.0,
    16.0,
    14.0,
    12.0,
    34.0,
    3.0,
    10.0,
    28.0,
    28.0,
    20.0,
    24.0,
    28.0,
    3.5,
    2.5,
)
LARGEST = (0, 9, 10, 13, 16, 17)  # about 90 % of the time of all loops
SCORES = ("00", "10", "01", "11")
WORK = "flops=20,loads=8,stores=2"
STAND_IN = "Counts and times were not published: every loop does the same work for each grid point instead"


def items() -> Sequence[Item]:
    """Return Tables 2 to 5 and Figures 1 to 4."""
    return [
        *(_bandwidths(level) for level in range(3)),
        _formula(),
        _loops(),
        _distribution(),
        *_strategies(),
    ]


def _bandwidths(level: int) -> Item:
    machines = [load_machine(name) for name in ("x1e", "zen4-vm")]
    published, ours = ([bandwidth_table(m.values, score)[level] / 1e9 for score in SCORES] for m in machines)
    rows = [
        (f"SL {k}", *(float(table[k]) for table in published), *(float(table[k]) for table in ours))
        for k in range(3)
    ]
    return Item(
        title=f"Table {level + 2}: bandwidth at temporal locality {level}, GB/s; beside it a stand-in "
        f"processor",
        commands=(),
        note="The published values are the machine file `x1e`. Ours are `zen4-vm`, measured with the "
        "benchmark of "
        "the package on a virtual machine with two cores, since no X1E is left to measure.",
        columns=("", *(f"X1E, MV {score}" for score in SCORES), *(f"Zen 4, MV {score}" for score in SCORES)),
        rows=rows,
    )


def _formula() -> Item:
    found = asked("project hycom --at flops=20,loads=0,stores=0")
    times = {line["path"][0]: line["value"] for line in found["breakdown"]}
    points = 48 * 1500 * 1100 * 26 / 24 * 20
    rows = [
        (f"loop{k}, MV {score}", rate, points / times[f"loop{k}"] / 1e9)
        for k, score, rate in ((0, "11", 18.0), (9, "01", 4.5), (2, "10", 2.26))
    ]
    return Item(
        title="Figure 1: the formulas of the two times",
        commands=("project hycom --to latex", "project hycom --at flops=20,loads=0,stores=0"),
        note="The formulas are printed by the first command. Without loads and stores the peaks of the "
        "formulas are "
        "what is left, in Gflop/s; MV 00 (0.565) is the score of no loop.",
        columns=("loop", "published", "ours"),
        rows=rows,
    )


def _loops() -> Item:
    command = "project hycom --at flops=0,loads=8,stores=2 --show strategies"
    moved = (8 + 2) * 8 * 1500 * 1100 * 26 / 24 / 1e9  # GB of a loop
    times = [loop["predicted"] for loop in asked(command)["loops"]]
    ours, peaks = ([moved / time[strategy] for time in times] for strategy in ("pred_novl", "pred_hb"))
    terms = read_toml(find("application", "hycom")).content["terms"]
    values = load_machine("x1e").values
    rows = []
    for k, observed in enumerate(OBSERVED):
        term = terms[f"loop{k}"]
        found = nearest_localities(bandwidth_table(values, term["mv"]), observed * 1e9)
        near = " or ".join(f"{cell.spatial}, {cell.temporal}" for cell in found)
        rows.append((k, term["mv"], f"{term['sl']}, {term['tl']}", near, observed, ours[k], peaks[k]))
    return Item(
        title="Table 5: bandwidth of the 18 loops, GB/s",
        commands=(command,),
        note="Ours is what a loop without arithmetic moves in the time of its levels (`pred_novl`, full "
        "vectors), the "
        "peak that of `pred_hb`. Levels of locality as published, beside those that the observed "
        "bandwidth has in Tables 2 to 4. Loop 9 "
        "is published with the levels of another cell; the peak of MV 01 is 8.25 in Table 4 and 8.5 in "
        "Table 5.",
        columns=("loop", "MV", "SL, TL published", "SL, TL ours", "observed", "ours", "peak"),
        rows=rows,
        chart=Chart(
            title="Bandwidth of HYCOM's loops",
            across="loop",
            up="GB/s",
            x=range(len(OBSERVED)),
            lines={"published, observed": OBSERVED, "ours, of the published levels": ours},
            bars=True,
        ),
    )


def _distribution() -> Item:
    command = f"project hycom --at {WORK},timesteps=1"
    shares = [100 * line["share"] for line in asked(command)["breakdown"]]
    rows = [("loops 0, 9, 10, 13, 16, 17", "about 90 %", f"{sum(shares[k] for k in LARGEST):.1f} %")]
    return Item(
        title="Figure 2: distribution of the run time over the loops, 24 MSPs, with stand-in counts",
        commands=(command,),
        note=f"{STAND_IN}, so that shares show bandwidth and vectorisation alone.",
        columns=("share", "published", "ours"),
        rows=rows,
        chart=Chart(
            title="Share of the loops",
            across="loop",
            up="%",
            x=range(len(shares)),
            lines={"ours, equal work": shares},
            bars=True,
        ),
    )


def _strategies() -> list[Item]:
    return [_errors(number, processors) for number, processors in ((3, 24), (4, 59))]


def _errors(number: int, processors: int) -> Item:
    command = f"project hycom --at {WORK},msps={processors} --show strategies"
    loops = [loop["predicted"] for loop in asked(command)["loops"]]
    off = {
        strategy: [100 * (1 - loop[strategy] / loop["pred"]) for loop in loops]
        for strategy in ("pred_novl", "pred_lb", "pred_hb")
    }
    rows = [
        (
            "loops 2, 3",
            "pred_novl, pred_lb equal pred; pred_hb far off",
            *(f"{v[2]:+.0f} %" for v in off.values()),
        ),
        ("loop 14", "pred_novl rises; pred_lb not 0", *(f"{v[14]:+.0f} %" for v in off.values())),
        ("loop 15", "pred_lb over-predicts", *(f"{v[15]:+.0f} %" for v in off.values())),
    ]
    return Item(
        title=f"Figure {number}: the four strategies on {processors} MSPs, with stand-in counts",
        commands=(command,),
        note=f"{STAND_IN}, and the time by `pred` stands for the measured one: errors are those of a run "
        f"that `pred` "
        "meets (the paper: below 30 %). Positive where a strategy takes less time.",
        columns=("", "published", *off),
        rows=rows,
        chart=Chart(
            title=f"Strategies against pred, {processors} MSPs",
            across="loop",
            up="error [%]",
            x=range(len(loops)),
            lines=off,
            bars=True,
        ),
    )


PAPER = Paper(
    number="002",
    title="Paper 002: symbolic models of loops, HYCOM on the Cray X1E",
    items=items,
    missing={"Table 1": "names of the levels of locality: [vector loops](../explanations/vector-loops.md)"},
)
