"""Which parameters say something: one value, sizes that rise with the processes, what follows from them."""

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align, experiment_from_series
from ingest.parameter_roles import ProcessCount, counts_parts, counts_processes, states_size, unit_counted
from ingest.profile import Metric
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, decide_scaling, process_parameter
from ingest.series import MeasuredSeries
from tests.profiles import make_profile

P = (1, 2, 4, 8)


def study(time=lambda p: 10.0, locations=int, points=P, **others):
    """Runs over p and other parameters, each a function of p, with a time per location."""
    runs = []
    for p in points:
        times = {("main",): [time(p)] * locations(p)}
        values = (float(p), *(float(of(p)) for of in others.values()))
        runs.append(MeasuredRun(values, 1, reduce_profile(make_profile({"time": times}), ["time"])))
    return align(["p", *others], runs)


ROLES = {
    "one value": ({"n": lambda p: 32}, (), "n = 32 in all runs"),
    "two of them": ({"n": lambda p: 32, "m": lambda p: 0.5}, (), "n = 32, m = 0.5 in all runs"),
    "cells": ({"cells": lambda p: 1e6 * p}, (), "cells rises with p (1000000 p): weak scaling"),
    "within a percent": (
        {"dofs": lambda p: 1e6 * p + 5e3},
        (),
        "dofs rises with p (1002000 p): weak scaling",
    ),
    "unknown": ({"foo": lambda p: 10 * p}, (), "foo follows from p: left out"),
    "edge of a cube": ({"n": lambda p: round(100 * p ** (1 / 3))}, (), "n^3 rises with p (1000000 p): weak"),
    "edge of a square": (
        {"n": lambda p: round(500 * p**0.5)},
        (),
        "n^2 rises with p (250000 p): weak scaling",
    ),
    "three edges": (
        {
            "nx": lambda p: 50 * min(p, 2),
            "ny": lambda p: 50 * max(1, p // 2) // max(1, p // 4),
            "nz": lambda p: 50 * max(1, p // 4),
        },
        (),
        "nx * ny * nz rises with p (125000 p): weak scaling",
    ),
    "decomposition": ({"px": lambda p: min(p, 2), "py": lambda p: max(1, p // 2)}, ("px", "py"), None),
    "nodes": ({"nodes": lambda p: 2 * p}, (), "nodes follows from p: left out"),
    "full nodes": ({"nodes": lambda p: -(-p // 4)}, (), "nodes follows from p: left out"),
    "two counts": (
        {"nodes": lambda p: p, "gpus": lambda p: 4 * p},
        (),
        "nodes, gpus follow from p: left out",
    ),
    "not proportional": ({"cells": lambda p: 1e6 * p**1.5 + 7}, (), "cells follows from p: left out"),
    "a size of several runs": ({"n": lambda p: 100 if p < 4 else 200}, ("n",), None),
    "no function": ({"n": lambda p: 100 * p % 300}, ("n",), None),
}


@pytest.mark.parametrize("case", ROLES)
def test_parameters_that_say_nothing_are_left_out_with_one_line(case):
    others, kept, said = ROLES[case]
    found = study(**others)
    assert found.parameters == ("p", *kept)
    assert found.points[:, 0].tolist() == list(P)
    assert [notice for notice in found.notices if said and notice.startswith(said)] == list(found.notices)
    assert len(found.notices) == (said is not None)
    weak = said is not None and "weak" in said
    assert (decide_scaling(found).scaling is Scaling.WEAK) is weak
    assert bool(found.left_out.weak) is weak
    assert set(found.left_out.values) == set(others) - set(kept)


def test_values_of_what_is_left_out_are_known_at_each_point():
    found = study(n=lambda p: 32, cells=lambda p: 10 * p)
    assert found.left_out.values == {"n": (32.0,) * 4, "cells": (10.0, 20.0, 40.0, 80.0)}
    assert found.named_point(2) == {"p": 4.0, "n": 32.0, "cells": 40.0}


def test_points_stay_in_order_if_the_first_parameter_is_left_out():
    series = align(
        ["id", "p"],
        [
            MeasuredRun(
                (i, p), 1, reduce_profile(make_profile({"time": {("main",): [10.0 * p] * int(p)}}), ["time"])
            )
            for i, p in ((4.0, 1.0), (3.0, 2.0), (9.0, 4.0), (1.0, 8.0))
        ],
    )
    assert series.points.tolist() == [[1.0], [2.0], [4.0], [8.0]]
    assert series.values["time"].sum[0, :, 0].tolist() == [10.0, 40.0, 160.0, 640.0]
    assert series.left_out.values == {"id": (4.0, 3.0, 9.0, 1.0)}


def test_one_parameter_is_left_of_a_single_point():
    assert study(points=(4,), n=lambda p: 32).parameters == ("p",)
    alone = align(
        ["n", "m"],
        [MeasuredRun((32.0, 2.0), 1, reduce_profile(make_profile({"time": {("main",): [1.0]}}), ["time"]))],
    )
    assert alone.parameters == ("n",) and alone.left_out.values == {"m": (2.0,)}


def test_a_product_of_counts_that_is_the_number_of_locations_stays():
    found = study(locations=lambda p: p * p, threads=lambda p: p)
    assert found.parameters == ("p", "threads")


def test_the_users_statement_wins_over_a_size():
    found = study(cells=lambda p: 10 * p)
    asked = decide_scaling(found, Scaling.STRONG)
    assert asked.scaling is Scaling.STRONG
    assert asked.reason == "strong scaling, as requested, although cells rises with p (10 p)"
    assert decide_scaling(found, Scaling.WEAK).reason == "weak scaling, as requested"


def test_the_parameter_that_counts_locations_is_kept_whatever_it_is_called():
    runs = [
        MeasuredRun(
            (10.0 * p, float(p)), 1, reduce_profile(make_profile({"time": {("main",): [1.0] * p}}), ["time"])
        )
        for p in P
    ]
    found = align(["cells", "jobsize"], runs)
    assert found.parameters == ("jobsize",)
    assert isinstance(found.parameters[0], ProcessCount)
    assert process_parameter(found) == "jobsize"
    assert found.notices == ("cells rises with jobsize (10 jobsize): weak scaling",)


def series(values, **parameters):
    names, columns = tuple(parameters), np.array(list(parameters.values()), dtype=np.float64).T
    order = np.lexsort(columns.T[::-1])
    return MeasuredSeries(
        source="made",
        parameters=names,
        points=columns[order],
        callpaths=(("main",),),
        metrics=(Metric("time", ""),),
        values={"time": np.array(values, dtype=np.float64)[order][None, :, None]},
    )


def test_series_are_treated_alike_by_the_names_of_their_parameters():
    weak = experiment_from_series(series([20, 21, 22, 24], p=P, cells=[10, 20, 40, 80], n=[3] * 4))
    assert weak.parameters == ("p",)
    assert weak.notices == ("n = 3 in all runs", "cells rises with p (10 p): weak scaling")
    assert decide_scaling(weak).scaling is Scaling.WEAK
    nodes = experiment_from_series(series([8, 4, 2, 1], nodes=[1, 2, 3, 4], p=[48, 96, 144, 192]))
    assert nodes.parameters == ("p",)
    sizes = experiment_from_series(series([8, 9, 10, 11], n=P, m=[10, 20, 40, 80]))
    assert sizes.parameters == ("n", "m")


def test_a_value_of_what_is_left_out_must_be_the_one_it_has():
    found = study(n=lambda p: 32, cells=lambda p: 10 * p)
    assert found.left_out.contradiction("n", 32.0) == ""
    assert found.left_out.contradiction("n", 33.0) == "n is 32 in all runs, not 33"
    assert found.left_out.contradiction("cells", 640.0) == "cells follows from the other parameters"


COUNTS = (
    "p",
    "np",
    "nodes",
    "MPI",
    "ranks",
    "n_threads",
    "GPUs",
    "cores",
    "jobsize",
    "num_tasks",
    "mpi.world.size",
)
NO_COUNTS = ("n", "size", "bytes", "atoms", "ppn", "cells", "s", "px", "steps", "problem_size")


@pytest.mark.parametrize("name", COUNTS)
def test_names_that_count_processes(name):
    assert counts_processes(name)


@pytest.mark.parametrize("name", NO_COUNTS)
def test_names_that_do_not(name):
    assert not counts_processes(name)
    assert counts_processes(ProcessCount(name))


def test_what_is_counted_by_its_name():
    found = {
        name: unit_counted(name) for name in ("nodes", "n_nodes", "Knoten", "gpus", "num_gpus", "p", "cells")
    }
    assert found == {
        **dict.fromkeys(("nodes", "n_nodes", "Knoten"), "node"),
        **dict.fromkeys(("gpus", "num_gpus"), "GPU"),
        **dict.fromkeys(("p", "cells"), "core"),
    }


def test_counts_of_parts_and_other_sizes():
    assert all(
        map(
            counts_parts, ("atoms", "cells", "n_cells", "num_atoms", "Number of Elements", "k-points", "zone")
        )
    )
    assert not any(map(counts_parts, ("n", "nx", "size", "steps", "p", "seed", "order")))
    assert all(map(states_size, ("atoms", "n", "problem_size", "N", "nx", "basis_functions")))
    assert not any(map(states_size, ("steps", "threads", "NB", "seed", "version", "px")))
