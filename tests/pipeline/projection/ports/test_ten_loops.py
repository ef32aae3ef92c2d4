"""Ten loops on every processor: the shipped tables give the cycles that llvm-mca states.

The cycles of llvm-mca 19.1.7 are in ``loops/llvm-mca.csv``; an installed llvm-mca is asked for them again.
"""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.projection.ports.assembly import functions_in, loop_bodies
from pipeline.projection.ports.llvm_mca import find_llvm_mca, simulate_loop, too_old
from pipeline.projection.ports.loop_estimate import estimate_loop
from pipeline.projection.ports.processors import processors

pytestmark = pytest.mark.slow

LOOPS = Path(__file__).parent / "loops"
TOLERANCE = 0.1
OWN = {one.model: one for one in processors() if one.model == one.llvm}


def stated():
    with (LOOPS / "llvm-mca.csv").open() as file:
        cycles = {}
        for row in csv.DictReader(file):
            cycles.setdefault((row["model"], row["listing"]), {})[row["loop"]] = float(row["cycles"])
    return cycles


STATED = stated()


def loop_of(listing, name):
    instructions = functions_in((LOOPS / f"{listing}.s").read_text())[name]
    body = loop_bodies(instructions)[0]
    return instructions[body.start : body.stop]


def test_every_processor_has_a_model_that_is_compared():
    assert {one.model for one in processors()} == {model for model, _ in STATED}
    assert all(len(loops) == 10 for loops in STATED.values())


@pytest.mark.parametrize(("model", "listing"), STATED)
def test_at_least_nine_of_ten_loops_are_within_ten_percent(model, listing):
    processor = replace(OWN[model], slow=())  # what LLVM's model leaves out is not compared
    off = {}
    for name, cycles in STATED[model, listing].items():
        ours = estimate_loop(processor, loop_of(listing, name), None).cycles
        if abs(ours / cycles - 1) > TOLERANCE:
            off[name] = (round(ours, 2), cycles)
    assert len(off) <= 1, off


@pytest.mark.parametrize("model", sorted(OWN))
def test_llvm_mca_still_states_these_cycles(model):
    tool = find_llvm_mca()
    if tool is None or too_old(tool, OWN[model]) or tool.major < 19:
        pytest.skip("llvm-mca 19 or newer is not installed")
    for listing in {found for m, found in STATED if m == model}:
        for name in ("daxpy", "flux"):
            cycles = simulate_loop(tool, OWN[model], loop_of(listing, name)).cycles
            assert cycles == pytest.approx(STATED[model, listing][name], rel=0.01), (listing, name)
