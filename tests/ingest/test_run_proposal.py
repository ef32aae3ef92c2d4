"""Parameters guessed from names, processes and times."""

import pytest

from ingest.inferred_runs import DescribedRun, propose


def runs(*described):
    """Runs of (name, processes, threads), written one after the other."""
    return [
        DescribedRun(name=name, processes=processes, threads=threads, written=float(i))
        for i, (name, processes, threads) in enumerate(described)
    ]


@pytest.mark.parametrize(
    ("described", "parameters", "repetitions"),
    [
        (
            [
                ("scorep-20260101_1200_12345", 4, 1),
                ("scorep-20260101_1159_99999", 4, 1),
                ("scorep-20260102_0000_1", 8, 1),
            ],
            {"p": (4, 4, 8)},
            (2, 1, 1),
        ),
        ([("scorep_hpcg_4_sum", 4, 1), ("scorep_hpcg_8_sum", 8, 1)], {"p": (4, 8)}, (1, 1)),
        (
            [
                ("scorep_lulesh_8x1_sum", 8, 1),
                ("scorep_lulesh_8x2_sum", 8, 2),
                ("scorep_lulesh_27x1_sum", 27, 1),
            ],
            {"p": (8, 8, 27), "t": (1, 2, 1)},
            (1, 1, 1),
        ),
        ([("hpcg_1", 1, 1), ("hpcg_2", 1, 1), ("hpcg_3", 2, 1)], {"p": (1, 1, 2)}, (1, 2, 1)),
        ([("hpcg_16", 1, 1), ("hpcg_32", 1, 1)], {"n": (16, 32)}, (1, 1)),
        (
            [("hpcg_size_16", 1, 1), ("hpcg_size_32", 4, 1), ("hpcg_size_16", 4, 1)],
            {"p": (1, 4, 4), "size": (16, 32, 16)},
            (1, 1, 1),
        ),
        ([("app.p1.r1", 1, 1), ("app.p2.r1", 2, 1), ("app.p16.r1", 8, 1)], {"p": (1, 2, 8)}, (1, 1, 1)),
        ([("a.p4", 1, 1), ("a.p8", 1, 1)], {"p": (4, 8)}, (1, 1)),
        ([("run1/n16", 1, 1), ("run2/n16", 1, 1), ("run3/n32", 1, 1)], {"n": (16, 16, 32)}, (1, 2, 1)),
        ([("job_12345678", 1, 1), ("job_12345699", 2, 1)], {"p": (1, 2)}, (1, 1)),
        ([("a_12345678", 1, 1), ("a_12345699", 1, 1)], {"p": (1, 1)}, (1, 2)),
        ([("scorep_hpcg_16_sum", 1, 1), ("scorep_hpcg_32_sum", 1, 1)], {"n": (16, 32)}, (1, 1)),
        ([("one", 4, 1), ("two", 4, 1)], {"p": (4, 4)}, (1, 2)),
    ],
)  # fmt: skip
def test_parameters_and_repetitions(described, parameters, repetitions):
    found = propose(runs(*described))
    assert (dict(found.parameters), found.repetitions) == (parameters, repetitions)


def test_every_guess_is_said():
    remarks = " | ".join(propose(runs(("hpcg_1", 1, 1), ("hpcg_2", 1, 1), ("hpcg_3", 2, 1))).remarks)
    assert "p is the number of processes in the profile" in remarks
    assert "the numbers in the names (1 to 3) count the runs" in remarks
    assert "repetitions are numbered in the order of time" in remarks
    nothing = propose(runs(("one", 4, 1), ("two", 4, 1))).remarks
    assert "write what varied" in nothing[0]


def test_what_follows_from_the_processes_is_left_out_and_said():
    found = propose(runs(("a_nodes_1", 4, 1), ("b_nodes_1", 8, 1), ("c_nodes_2", 16, 1)))
    assert list(found.parameters) == ["p"]
    assert any("nodes in the names (1 to 2) follows from p: left out" in remark for remark in found.remarks)


def test_metadata_are_taken_as_they_are():
    found = propose(runs(("a", 1, 1), ("b", 1, 1)), {"jobsize": (8.0, 27.0)})
    assert dict(found.parameters) == {"jobsize": (8.0, 27.0)}
