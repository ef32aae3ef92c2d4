"""What is said of a study on two machines."""

from dataclasses import replace

import pytest

from pipeline.columns.two_machines import (
    Faster,
    KernelWay,
    StudyOnMachine,
    StudyOnTwoMachines,
    efficiency_sentence,
    limit_sentences,
    speed_sentence,
    times_table,
)
from pipeline.projection.study.kernel_table import Way
from tests.documents import as_runtime, as_summary


def figure(value, lower, upper):
    return {"value": value, "lower": lower, "upper": upper}


def both(summary, **known):
    sides = [StudyOnMachine(machine=side, name="", cores=1.0, summary=summary) for side in ("from", "on")]
    nothing = {"faster_by": (), "kernels": (), "regions": (), "assumptions": ()}
    return StudyOnTwoMachines(here=sides[0], there=sides[1], **{**nothing, **known})


def scale(p, wall, efficiency=None, weak=None):
    return {
        "point": {"p": p},
        "measured": p < 100,
        "wall_seconds": wall,
        "efficiency": efficiency,
        "weak_efficiency": weak,
    }


def test_the_efficiency_at_the_last_scale_has_its_interval():
    first, wall = scale(64, figure(2.0, 1.0, 3.0), figure(1.0, 1.0, 1.0)), figure(1.0, 0.5, 2.0)
    last = scale(128, wall, figure(0.5, 0.25, 0.75))
    said = "At p = 128 the efficiency is 50.0 % (25 to 75 %)."
    assert efficiency_sentence(as_runtime({"at": [first, last]})) == said
    assert efficiency_sentence(as_runtime({"at": [scale(128, wall, None, last["efficiency"])]})) == said
    assert efficiency_sentence(as_runtime({"at": [scale(128, wall)]})) == ""


def test_an_efficiency_of_runs_that_were_not_repeated_has_no_interval():
    scales = [scale(64, figure(2.0, None, None)), scale(96, figure(1.5, None, None), figure(0.5, None, None))]
    assert efficiency_sentence(as_runtime({"at": scales})) == "At p = 96 the efficiency is 50.0 %."


def test_an_interval_that_says_nothing_is_not_printed_as_one():
    scales = [scale(64, figure(2.0, 1.0, 3.0)), scale(128, figure(40.8, 8.06, 1.11e6))]
    gains = [Faster(value=1.0, lower=0.9, upper=1.1, by={})] * 2
    table = times_table(both(as_summary({"runtime": {"at": scales}}), faster_by=tuple(gains)))
    intervals = [cells.texts for cells in table.columns if cells.heading == "90 % interval"]
    assert intervals == [("1.0 .. 3.0", "over a factor of 1000")] * 2
    assert table.columns[0].texts == ("p = 64", "p = 128 (predicted)")
    ends = [cells.values for cells in table.columns if cells.name == "wall_seconds_upper"]
    assert ends == [[3.0, 1.11e6]] * 2  # programs have the numbers


@pytest.mark.parametrize(
    ("value", "lower", "upper", "said"),
    [
        (
            0.97,
            0.8,
            1.3,
            "about as fast as on from: 10.9 s against 10.7 s at p = 8 (0.80 to 1.3 times as fast).",
        ),
        (
            1.5,
            0.8,
            2.8,
            "perhaps 1.5 times faster than on from: 10.9 s against 10.7 s at p = 8 (0.80 to 2.8 times).",
        ),
        (2.5, 2.0, 4.0, "2.5 times faster than on from: 10.9 s against 10.7 s at p = 8 (2.0 to 4.0 times)."),
        (0.5, 0.25, 0.8, "2 times slower than on from: 10.9 s against 10.7 s at p = 8 (1.2 to 4.0 times)."),
    ],
)
def test_the_first_sentence_says_which_machine_is_faster_at_the_target(value, lower, upper, said):
    gains = (
        Faster(value=value, lower=lower, upper=upper, by={}),
        Faster(value=9.0, lower=8.0, upper=9.9, by={}),
    )
    sides = [
        as_summary(
            {
                "runtime": {"at": [scale(8, figure(wall, 1.0, 20.0)), scale(16, figure(1.0, 1.0, 1.0))]},
                "targets": [{"at": {"p": 8}}],
            }
        )
        for wall in (10.7, 10.9)
    ]
    study = both(sides[0], faster_by=gains)
    study = replace(study, there=replace(study.there, summary=sides[1]))
    assert speed_sentence(study) == f"On on {said}"


def test_what_limits_names_the_sign_it_follows():
    limits = {"limits": {"clock": 1.0}, "limits_here": {"clock": 1.0}, "limits_there": {"clock": 1.0}}
    rows = [
        KernelWay(callpath=("main", name), way=Way.COMPUTES, tested=False, sign=sign, **limits)
        for name, sign in (("a", None), ("b", None), ("spmv", "the name says sparse or vector algebra"))
    ]
    assert list(limit_sentences(both({}, regions=tuple(rows)))) == [
        "2 regions (a, ...): limited on from by clock 100 %; on on by clock 100 %.",
        "spmv: limited on from by clock 100 %; on on by clock 100 %; the name says sparse or vector algebra.",
    ]
