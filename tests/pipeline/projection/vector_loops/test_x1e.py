"""The published figures of the Cray X1E and HYCOM, from the shipped files. Table numbers are paper 002's."""

import numpy as np
import pytest

from pipeline.projection.applications.application import load_application
from pipeline.projection.applications.composition import compose
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import Model, constant
from pipeline.projection.expressions.toml_tables import find, read_toml
from pipeline.projection.machines.machine_values import load_machine, machine_names
from pipeline.projection.vector_loops.vector_loop import (
    STRATEGIES,
    Conventions,
    VectorLoop,
    bandwidth_table,
    loop_time,
    nearest_localities,
)
from tests.pipeline.projection.stored import no_models
from tests.pipeline.projection.vector_loops.x1e import NAMES, VALUES, X1E

# Tables 2, 3 and 4, GB/s: temporal locality, MV score, then SL 0, 1, 2.
TABLES = {
    0: {"00": (0.2, 0.3, 0.4), "10": (0.8, 1.2, 1.6), "01": (2.5, 4.0, 6.0), "11": (10.0, 16.0, 24.0)},
    1: {"00": (0.3, 0.4, 0.6), "10": (1.2, 1.6, 2.4), "01": (3.0, 5.0, 7.0), "11": (12.0, 20.0, 28.0)},
    2: {"00": (0.4, 0.6, 0.8), "10": (1.6, 2.4, 3.2), "01": (3.5, 6.0, 8.25), "11": (14.0, 24.0, 34.0)},
}
# Table 5: loop, MV, observed GB/s, SL, TL.
LOOPS = [
    (0, "11", 14.0, 0, 2),
    (1, "11", 14.0, 0, 2),
    (2, "10", 0.8, 0, 0),
    (3, "10", 0.8, 0, 0),
    (4, "11", 14.0, 0, 2),
    (5, "11", 16.0, 1, 0),
    (6, "11", 14.0, 0, 2),
    (7, "11", 12.0, 0, 1),
    (8, "11", 34.0, 2, 2),
    (9, "01", 3.0, 2, 2),
    (10, "11", 10.0, 0, 0),
    (11, "11", 28.0, 2, 1),
    (12, "11", 28.0, 2, 1),
    (13, "11", 20.0, 1, 1),
    (14, "11", 24.0, 1, 2),
    (15, "11", 28.0, 2, 1),
    (16, "01", 3.5, 0, 2),
    (17, "01", 2.5, 0, 0),
]
# Formula vectors: MV, AVL, the cell (SL, TL) of the bandwidth, T_v, T_s, T. Where vectorised: VFLOPS 1e9,
# VLOADS 8e8, VSTORES 2e8; in all: SFLOPS 1e6, SLOADS 3e6, SSTORES 1e6.
VECTORS = [
    ("11", 32, (2, 0), 0.7222222222222222, 0.001775811209439528, 0.7239980334316617),
    ("11", 64, (2, 0), 0.38888888888888884, 0.001775811209439528, 0.3906647000983284),
    ("11", 64, (0, 2), 0.626984126984127, 0.0027281921618204806, 0.6297123191459475),
    ("01", 50, (0, 2), 3.147936507936508, 0.010912768647281922, 3.15884927658379),
    ("10", 64, (0, 0), 0.0, 0.04044247787610619, 0.04044247787610619),
    ("00", 64, (0, 0), 0.0, 0.16176991150442477, 0.16176991150442477),
]


def _loop(score: str, length: float, spatial: int, temporal: int, name: str = "loop") -> VectorLoop:
    scalar = {"scalar_flops": constant(1e6), "scalar_loads": constant(3e6), "scalar_stores": constant(1e6)}
    if score[1] == "0":
        return VectorLoop(name=name, score=score, spatial=spatial, temporal=temporal, **scalar)
    vector = {"vector_flops": constant(1e9), "vector_loads": constant(8e8), "vector_stores": constant(2e8)}
    return VectorLoop(
        name=name,
        score=score,
        spatial=spatial,
        temporal=temporal,
        **vector,
        **scalar,
        vector_length=constant(length),
    )


def _value(model: Model) -> float:
    return float(predict({"t": model}, {})["t"].value[0])


@pytest.mark.parametrize("temporal", [0, 1, 2])
def test_bandwidth_tables(temporal):
    for score, row in TABLES[temporal].items():
        np.testing.assert_allclose(bandwidth_table(X1E.values, score)[temporal], np.array(row) * 1e9)


def test_the_current_processor_has_all_cells():
    zen4 = load_machine("zen4-vm")
    for score in TABLES[0]:
        table = bandwidth_table(zen4.values, score)
        assert (table > 0).all()
        assert (np.diff(table, axis=1) > 0).all()
    at = {"i": 1500, "j": 1100, "k": 26, "msps": 24, "tiles": 6, "timesteps": 48}
    composed = compose(load_application("hycom"), machine_names(zen4, "mach", no_models), no_models)
    found = predict({"t": composed.total}, {**at, "flops": 20, "loads": 8, "stores": 2})["t"]
    assert 0 < found.lower[0] < found.value[0] < found.upper[0]


def test_multistreaming_is_four_times_except_one_cell():
    """Four processors stream. 34.0 / 8.25 = 4.12 is the only exception: Table 5 prints 8.5 for that peak."""
    for slow, fast in (("00", "10"), ("01", "11")):
        ratio = bandwidth_table(X1E.values, fast) / bandwidth_table(X1E.values, slow)
        exception = np.zeros((3, 3), dtype=bool)
        exception[2, 2] = slow == "01"
        np.testing.assert_allclose(ratio[~exception], 4.0)
        np.testing.assert_allclose(ratio[exception], 34.0 / 8.25)


def test_peaks_follow_from_the_clocks():
    """4 processors x 2 pipes x 1.13 GHz x 2 = 18.08; 2 x 1.13 x 2 = 4.52; 4 x 0.565 = 2.26 Gflop/s."""
    found = {name: X1E.values[f"peak.{name}"].value / 1e9 for name in ("vector.m1", "vector.m0", "scalar.m1")}
    assert found["vector.m1"] == pytest.approx(18.08, rel=0.005)
    assert found["vector.m0"] == pytest.approx(4.52, rel=0.005)
    assert found["scalar.m1"] == pytest.approx(2.26)
    assert X1E.values["peak.scalar.m0"].value * 4 == pytest.approx(2.26e9)


@pytest.mark.parametrize(("score", "length", "cell", "vector", "scalar", "total"), VECTORS)
def test_formula_vectors(score, length, cell, vector, scalar, total):
    time = loop_time(_loop(score, length, *cell), VALUES)
    assert _value(time.vector) == pytest.approx(vector, rel=1e-12)
    assert _value(time.scalar) == pytest.approx(scalar, rel=1e-12)
    assert _value(time.total) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(("number", "score", "observed", "spatial", "temporal"), LOOPS)
def test_localities_of_table_5(number, score, observed, spatial, temporal):
    """The table read backwards gives 17 of 18 assignments; loop 9 is printed with another cell's levels."""
    found = nearest_localities(bandwidth_table(X1E.values, score), observed * 1e9)
    cells = {(cell.spatial, cell.temporal) for cell in found}
    if number == 9:
        assert cells == {(0, 1)}
        assert TABLES[2]["01"][2] == 8.25
    else:
        assert (spatial, temporal) in cells
        assert found[0].bandwidth == pytest.approx(observed * 1e9)
    assert len(cells) == (2 if number == 14 else 1)


def test_shares_of_peak_in_the_text():
    column = bandwidth_table(X1E.values, "11")
    assert 24e9 / column.max() == pytest.approx(0.706, abs=5e-4)
    assert 28e9 / column.max() == pytest.approx(0.824, abs=5e-4)


def test_shipped_hycom_has_the_loops_of_table_5():
    terms = read_toml(find("application", "hycom")).content["terms"]
    found = [(n, *(terms[f"loop{n}"][key] for key in ("mv", "sl", "tl"))) for n in range(18)]
    assert found == [(n, mv, sl, tl) for n, mv, _, sl, tl in LOOPS]
    assert len(terms) == 18


def test_shipped_hycom_is_projected():
    """Loop 0 by hand: 10 loads of 8 B for each point at 14 GB/s, vectors of 250 / ceil(250 / 64) elements."""
    composed = compose(load_application("hycom"), NAMES, no_models)
    at = {"i": 1500, "j": 1100, "k": 26, "msps": 24, "tiles": 6, "timesteps": 48, "flops": 0, "loads": 10}
    found = predict({"loop0": composed.parts[("loop0",)], "total": composed.total}, {**at, "stores": 0})
    points = 1500 * 1100 * 26 / 24
    assert found["loop0"].value == pytest.approx(48 * points * 10 * 8 / 14e9 * 64 / (250 / 4))
    assert len(composed.parts) == 18
    assert found["total"].value > found["loop0"].value


def _strategies(loop: VectorLoop) -> dict[str, float]:
    return {s: _value(loop_time(loop, VALUES, Conventions(s)).total) for s in STRATEGIES}


def test_strategies_agree_where_the_paper_says_so():
    """Loops 2 and 3 (MV 10, lowest locality): three strategies are one, the fourth has a quarter of it."""
    found = _strategies(_loop("10", 64, 0, 0))
    assert found["pred"] == found["pred_novl"] == found["pred_lb"]
    compute = 1e6 / 2.26e9
    assert found["pred_hb"] - compute == pytest.approx((found["pred"] - compute) / 4)


def test_short_vectors_cost_what_they_leave_empty():
    """Loop 14 (AVL 32): its vector memory part is twice that of full vectors."""
    loop = _loop("11", 32, 1, 2)
    part = {s: _value(loop_time(loop, VALUES, Conventions(s)).vector_memory) for s in STRATEGIES}
    assert part["pred"] == pytest.approx(2 * part["pred_novl"])
    assert part["pred_lb"] / part["pred"] == pytest.approx(24 / 10 * 32 / 64)
    assert part["pred_hb"] < part["pred_novl"] < part["pred_lb"]


def test_loop_15_lowest_bandwidth_against_prediction():
    for length in (20, 64):
        loop = _loop("11", length, 2, 1)
        part = {s: _value(loop_time(loop, VALUES, Conventions(s)).vector_memory) for s in STRATEGIES}
        assert part["pred_lb"] / part["pred"] == pytest.approx(2.8 * length / 64)


def test_hydra_shares_add_up():
    """Table 1 of the paper on MG-CFD: 100 %, of which the two flux routines are 46.5 %, "almost half"."""
    composed = compose(load_application("hydra"), {}, no_models)
    at = {"T_ref": 100.0, "vflux": 1.0, "iflux": 1.0, "rest": 1.0}
    found = predict({"total": composed.total, "flux": composed.parts[("flux",)]}, at)
    assert found["total"].value == pytest.approx(100.0)
    assert found["flux"].value == pytest.approx(46.5)
