"""Loop descriptions, conventions, sensitivities, intervals, compilers' reports and the term of a file."""

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.application import compose, load_application
from pipeline.projection.binding import bind
from pipeline.projection.machine import load_machine, machine_names
from pipeline.projection.model import ceiling, constant, symbol
from pipeline.projection.predict import predict
from pipeline.projection.quantity import Quantity
from pipeline.projection.units import BANDWIDTH, FLOP, TIME
from pipeline.projection.vector_loops.formula import Conventions, loop_time
from pipeline.projection.vector_loops.locality import nearest_localities
from pipeline.projection.vector_loops.loop import VectorLoop, average_vector_length
from pipeline.projection.vector_loops.machine import bandwidth_table, cell, free_values, machine_values
from pipeline.projection.vector_loops.measured import read_loop_times, strategy_errors
from pipeline.projection.vector_loops.sensitivity import sensitivities
from pipeline.projection.vector_loops.term import vector_loop_term

X1E = load_machine("x1e")
NAMES = machine_names(X1E, "mach")
VALUES = machine_values(NAMES)
LOOP = VectorLoop(
    name="loop",
    score="11",
    spatial=0,
    temporal=2,
    vector_flops=constant(2) * symbol("n"),
    vector_loads=symbol("n"),
    scalar_loads=constant(1e6),
    vector_length=average_vector_length(symbol("n"), constant(64)),
)


def _at(model, **inputs):
    return float(predict({"t": model}, inputs)["t"].value[0])


def test_average_vector_length():
    length = average_vector_length(symbol("n"), constant(64))
    assert [_at(length, n=n) for n in (64, 65, 100, 32, 640)] == pytest.approx([64, 32.5, 50, 32, 64])


def test_conventions_change_what_they_say():
    time = loop_time(LOOP, VALUES)
    slow = loop_time(LOOP, VALUES, Conventions(scalar_bandwidth="scalar"))
    assert _at(slow.scalar_memory) == pytest.approx(_at(time.scalar_memory) * 14 / 1.6)
    assert _at(slow.vector_memory, n=640.0) == _at(time.vector_memory, n=640.0)
    counted = loop_time(LOOP, VALUES, Conventions(references="instructions"))
    assert _at(counted.vector_memory, n=640.0) == pytest.approx(64 * _at(time.vector_memory, n=640.0))
    overlapped = loop_time(LOOP, VALUES, Conventions(overlap=True))
    both = [_at(overlapped.vector_memory, n=640.0), _at(overlapped.vector_compute, n=640.0)]
    assert _at(overlapped.vector, n=640.0) == max(both)
    assert _at(time.vector, n=640.0) == sum(both)


def test_time_is_in_seconds_whatever_the_unit_of_flops():
    flops = VectorLoop(name="loop", score="01", spatial=0, temporal=0, vector_flops=constant(4.5e9, FLOP))
    assert loop_time(flops, free_values()).total.dimension == TIME
    assert _at(loop_time(flops, VALUES).total) == pytest.approx(1.0)


def test_machine_can_be_bound_later():
    model = loop_time(LOOP, free_values()).total
    later = bind(model, {f"mach.{name}": quantity for name, quantity in X1E.values.items()})
    assert _at(later, n=1000.0) == pytest.approx(_at(loop_time(LOOP, VALUES).total, n=1000.0))


def test_sensitivities_by_hand():
    """T = n 8 / BW 64 / AVL + 2 n / F + 1e6 8 / BW; between steps of ceil, AVL is proportional to n."""
    total = loop_time(LOOP, VALUES).total
    found = {s.name: s for s in sensitivities(total, {"n": 1e6 + 0.5})}
    n, bandwidth, peak = 1e6 + 0.5, 14e9, 18e9
    memory = 8 / bandwidth * (64 * np.ceil(n / 64) + 1e6)
    assert found["n"].derivative == pytest.approx(2 / peak)
    assert found["mach.bandwidth.tl2.mv11.sl0"].derivative == pytest.approx(-memory / bandwidth)
    assert found["mach.element"].elasticity == pytest.approx(memory / (memory + 2 * n / peak))
    assert found["mach.peak.vector.m1"].elasticity == pytest.approx(-found["n"].elasticity)


@pytest.mark.parametrize("name", ["n", "m"])
def test_sensitivities_equal_finite_differences(name):
    """With maxima, minima and steps: the derivative by m is that of a constant, ceil(2.5)."""
    conventions = Conventions(strategy="pred_lb", overlap=True)
    model = loop_time(LOOP, VALUES, conventions).total * ceiling(symbol("m")) + symbol("n") * constant(
        1e-9, TIME
    )
    at, step = {"n": 5000.0, "m": 2.5}, 1e-3
    found = {s.name: s.derivative for s in sensitivities(model, at)}[name]
    up, down = (_at(model, **{**at, name: at[name] + move}) for move in (step, -step))
    assert found == pytest.approx((up - down) / (2 * step), rel=1e-6)


def test_sensitivities_want_all_inputs():
    with pytest.raises(UsageError, match="no value for n"):
        sensitivities(loop_time(LOOP, VALUES).total, {})


def test_ninety_percent_intervals_cover():
    """Bandwidths known to 15 %, peaks to 5 %: times on machines drawn so fall inside nine times in ten."""
    rng = np.random.default_rng(0)
    spread = {"bandwidth": 0.15, "peak": 0.05, "element": 0.0, "vector_length": 0.0}
    model = loop_time(LOOP, free_values()).total
    stated = {
        f"mach.{name}": Quantity(value=q.value, dimension=q.dimension, relative_sd=spread[name.split(".")[0]])
        for name, q in X1E.values.items()
    }
    found = predict({"t": bind(model, stated)}, {"n": 1e7})["t"]
    drawn = {
        name: q.value * np.exp(np.sqrt(np.log1p(q.relative_sd**2)) * rng.standard_normal(2000))
        for name, q in stated.items()
        if name in model.symbols
    }
    truth = predict({"t": model}, {**drawn, "n": np.full(2000, 1e7)})["t"].value
    assert 0.85 <= np.mean((found.lower <= truth) & (truth <= found.upper)) <= 0.97


def test_strategy_errors_are_positive_where_the_prediction_is_short(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("loop,time [ms]\nloop,1.0\nother,2.0\n")
    errors = strategy_errors([LOOP], VALUES, {"n": 1e5}, read_loop_times(path))
    np.testing.assert_allclose(errors.error, 1 - errors.predicted / 1e-3)
    assert errors.error[3, 0] > 0 > errors.error[2, 0] - 1
    with pytest.raises(InputError, match="no measured time for loop"):
        strategy_errors([LOOP], VALUES, {"n": 1e5}, {"other": 1.0})
    path.write_text("loop,time [ms]\nloop,0\n")
    with pytest.raises(InputError, match="times have to be positive"):
        read_loop_times(path)


def test_nearest_locality_is_by_ratio():
    column = bandwidth_table(X1E.values, "11")
    (found,) = nearest_localities(column, 11.5e9)
    assert (found.spatial, found.temporal, found.bandwidth) == (0, 1, 12e9)
    with pytest.raises(UsageError, match="give a positive number"):
        nearest_localities(column, 0.0)


def test_wrong_loops_are_told():
    with pytest.raises(UsageError, match="MV score '2'; one of 00, 01, 10, 11"):
        VectorLoop(name="l", score="2", spatial=0, temporal=0)
    with pytest.raises(UsageError, match="levels are 0, 1 and 2"):
        VectorLoop(name="l", score="11", spatial=3, temporal=0)
    with pytest.raises(
        UsageError, match="not vectorised, yet it has vector operations; count them as scalar"
    ):
        loop_time(VectorLoop(name="l", score="10", spatial=0, temporal=0, vector_loads=constant(1)), VALUES)
    with pytest.raises(UsageError, match="floating-point operations in B/s"):
        loop_time(
            VectorLoop(name="l", score="01", spatial=0, temporal=0, vector_flops=symbol("x", BANDWIDTH)),
            VALUES,
        )
    with pytest.raises(UsageError, match=r"does not state 'bandwidth.tl0.mv01.sl0'"):
        loop_time(
            VectorLoop(name="l", score="01", spatial=0, temporal=0, vector_loads=constant(1)),
            machine_values({}),
        )
    with pytest.raises(UsageError, match="does not state 'bandwidth"):
        bandwidth_table({}, "11")


APPLICATION = """\
machine = "x1e"
[inputs]
n = { meaning = "points" }
[terms.sweep]
model = "vector_loop"
mv = "11"
sl = 0
tl = 2
vflops = "2 * n"
vloads = "n"
sloads = 1e6
trip = "n"
[parts]
sweep = "sweep()"
"""


def test_term_in_an_application_file(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text(APPLICATION)
    composed = compose(load_application(path), NAMES, {})
    assert _at(composed.total, n=1000.0) == pytest.approx(_at(loop_time(LOOP, VALUES).total, n=1000.0))


TABLE = {"model": "vector_loop", "mv": "01", "sl": 1, "tl": 2, "vloads": "n", "avl": 32}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"mv": "x"}, "MV score 'x'"),
        ({"sl": 5}, "'sl' is missing or no level; write sl = 0, 1 or 2"),
        ({"vload": "n"}, "unknown key 'vload'; did you mean 'vloads'"),
        ({"vloads": "m"}, "unknown name 'm'"),
        ({"strategy": "best"}, "strategy = 'best'; choose one of pred, pred_novl"),
        ({"vflops": "mach.element"}, "floating-point operations in B"),
    ],
)
def test_wrong_terms_are_told_where_they_stand(tmp_path, change, told):
    names = {**NAMES, "n": symbol("n")}
    with pytest.raises((InputError, UsageError)) as caught:
        vector_loop_term({**TABLE, **change}, "sweep", "app.toml: [terms.sweep]", tmp_path, names)
    assert str(caught.value).startswith("app.toml: [terms.sweep]")
    assert told in str(caught.value)


def test_term_with_the_compilers_report(tmp_path):
    (tmp_path / "build.log").write_text(
        "src/sweep.c:12:16: optimized: loop vectorized using 32 byte vectors\n"
    )
    (tmp_path / "sweep.c").write_text("\n" * 9 + "#pragma omp parallel for schedule(static)\n")
    names = {**NAMES, "n": symbol("n")}
    table = {key: value for key, value in TABLE.items() if key != "mv"} | {"report": "build.log"}
    stated = {**TABLE, "mv": "11"}
    read = {**table, "lines": "sweep.c:10-20", "source": "sweep.c"}
    times = [_at(vector_loop_term(t, "s", "a", tmp_path, names)[1], n=1e6) for t in (stated, read)]
    assert times[0] == times[1]
    with pytest.raises(InputError, match="'lines' has to name file and lines"):
        vector_loop_term({**table, "lines": "sweep.c"}, "s", "a", tmp_path, names)


def test_every_cell_has_a_name_of_its_own():
    names = {cell(mv, sl, tl) for mv in ("00", "01", "10", "11") for sl in range(3) for tl in range(3)}
    assert len(names) == 36
    assert names <= set(X1E.values)
