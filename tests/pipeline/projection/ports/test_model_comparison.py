"""The four models on measured variants, strong scaling over threads, counters of two codes side by side."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError, ModelError
from pipeline.projection.csv_columns import read_columns
from pipeline.projection.model import symbol
from pipeline.projection.ports.counter_comparison import (
    CounterRuns,
    compare_counters,
    counter_correlations,
    counter_runs_in,
    efficiency_loss,
)
from pipeline.projection.ports.model_comparison import (
    by_difference,
    compare_models,
    constant_ratio,
    equal_ipc,
)
from pipeline.projection.ports.port_map import read_port_map
from pipeline.projection.ports.threads import (
    ThreadCounts,
    busiest_thread,
    strong_scaling,
    thread_counts_in,
)
from pipeline.projection.ports.variants import variants_in

MEASURED = Path(__file__).parents[4] / "sample_profiles" / "mg-cfd-variants" / "variants.csv"


@pytest.fixture(scope="module", params=["golden-cove", "skylake-x"])
def comparison(request):
    portmap = read_port_map(request.param)
    groups = {
        isa: variants_in(read_columns(MEASURED), portmap, where={"isa": isa}) for isa in ("SSE4.2", "AVX2")
    }
    return compare_models(portmap, groups, "base")


def test_measured_variants_left_out_in_turn(comparison):
    """One port map for both instruction sets: at most 7.5 % in the mean; equal IPC gives 12.4 and 15.1 %."""
    for isa, ipc in (("SSE4.2", 0.124), ("AVX2", 0.151)):
        summary = comparison.summary(isa)
        assert summary["equal IPC"][0] == pytest.approx(ipc, abs=5e-4)
        assert summary["contention"][0] <= 0.075
        assert summary["contention"][2] <= 0.18


def test_contention_is_best_and_superscalar_worst_as_in_the_paper(comparison):
    """The order of Table 3, except that a constant ratio does well where only the instruction set changes."""
    mean = {model: values[0] for model, values in comparison.summary().items()}
    assert min(mean, key=mean.get) == "contention"
    assert mean["superscalar"] > mean["equal IPC"]


def test_constant_ratio_is_unknown_where_it_was_measured(comparison):
    assert "constant ratio" not in comparison.summary("SSE4.2")
    assert "constant ratio" in comparison.summary("AVX2")
    assert len(comparison.targets) == 16


def test_the_equations():
    skylake = read_port_map("skylake-x")
    assert constant_ratio(100.0, 0.8) == 80.0
    assert equal_ipc(100.0, 30.0, 60.0) == 50.0
    target, mini, cpi = np.zeros(8), np.zeros(8), np.ones(8)
    mini[0], target[7] = 10.0, 4.0
    assert by_difference(skylake, 25.0, target, mini, cpi) == 19.0


def test_bad_variants_are_told(tmp_path):
    skylake = read_port_map("skylake-x")
    with pytest.raises(InputError, match="variant 'base' is there twice"):
        variants_in(read_columns(MEASURED), skylake)
    with pytest.raises(InputError, match="no column 'predicate'"):
        variants_in(read_columns(MEASURED), read_port_map("neoverse-v2"), where={"isa": "AVX2"})
    few = tmp_path / "few.csv"
    few.write_text("\n".join(MEASURED.read_text().splitlines()[:6]))
    with pytest.raises(ModelError, match="cannot determine"):
        compare_models(skylake, {"SSE4.2": variants_in(read_columns(few), skylake)}, "base")


def _node(threads, dt_cycles):
    count = len(threads)
    return ThreadCounts(
        threads=np.array(threads),
        dt_cycles=np.array(dt_cycles, dtype=float),
        dt_hz=np.full(count, 2.0e9),
        hz=np.full(count, 2.5e9),
        iterations=busiest_thread(1001, np.array(threads)),
    )


def test_strong_scaling_by_hand():
    """50 cycles by the ports; memory: 30 cycles at 2 GHz are 37.5 at 2.5 GHz, 60 are 75."""
    node = _node([1, 4], [30, 60])
    found = strong_scaling(symbol("n.div") * 5, {"n.div": 10.0}, node)
    np.testing.assert_allclose(found.memory, [37.5, 75.0])
    assert found.memory_bound.tolist() == [False, True]
    np.testing.assert_allclose(found.seconds.value, [50 * 1001 / 2.5e9, 75 * 251 / 2.5e9])
    np.testing.assert_allclose(found.compute.value, [50.0, 50.0])


def test_simd_takes_a_full_instruction_for_the_rest():
    assert busiest_thread(1001, np.array([1, 4]), lanes=4).tolist() == [251, 63]


def test_thread_counts_from_csv(tmp_path):
    path = tmp_path / "node.csv"
    path.write_text(
        "threads,dt_cycles,dt_hz [GHz],hz [GHz],iterations\n1,30,2.0,2.5,1001\n4,60,2.0,2.5,251\n"
    )
    read, made = thread_counts_in(read_columns(path)), _node([1, 4], [30, 60])
    for name in ("threads", "dt_cycles", "dt_hz", "hz", "iterations"):
        np.testing.assert_allclose(getattr(read, name), getattr(made, name))
    path.write_text(path.read_text().replace("60", "0"))
    with pytest.raises(InputError, match="all values have to be positive"):
        thread_counts_in(read_columns(path))


def _runs(names, rows, threads=(1, 2, 4, 8), seconds=(8.0, 4.2, 2.6, 2.0)):
    return CounterRuns(np.array(threads), np.array(seconds), names, np.array(rows, dtype=float))


def test_efficiency_loss():
    assert efficiency_loss(np.array([2, 4]), np.array([4.0, 2.5])).tolist() == pytest.approx([0.0, 0.2])


def test_counters_side_by_side():
    """What grows with the loss correlates fully, what falls fully negatively, a constant not at all."""
    loss = efficiency_loss(np.array([1, 2, 4, 8]), np.array([8.0, 4.2, 2.6, 2.0]))
    mini = _runs(("L1_DCM", "FP_OPS", "BR_INS"), [3 + loss, 5 * loss, np.ones(4)])
    target = _runs(("FP_OPS", "L1_DCM", "TLB_DM"), [7 * loss, -loss, loss])
    np.testing.assert_allclose(counter_correlations(mini)[:2], 1.0)
    first, second = compare_counters(mini, target)
    assert (first.name, second.name) == ("L1_DCM", "FP_OPS")
    assert first.difference == pytest.approx(2.0)
    assert not first.alike
    assert not first.strong
    assert second.alike
    assert second.strong
    assert np.isnan(counter_correlations(mini)[2])


def test_repetitions_are_averaged():
    rng = np.random.default_rng(0)
    values = rng.uniform(1, 2, 8)
    twice = _runs(("A",), [values], (1, 2, 4, 8) * 2, (8.0, 4.2, 2.6, 2.0) * 2)
    once = _runs(("A",), [values.reshape(2, 4).mean(axis=0)])
    np.testing.assert_allclose(counter_correlations(twice), counter_correlations(once))


def test_counters_from_csv(tmp_path):
    path = tmp_path / "mini.csv"
    path.write_text("threads,time [s],PAPI_L1_DCM\n1,8.0,10\n2,4.2,12\n4,2.6,19\n")
    read = counter_runs_in(read_columns(path))
    assert read.names == ("PAPI_L1_DCM",)
    assert read.seconds.tolist() == [8.0, 4.2, 2.6]
    with pytest.raises(InputError, match="no counter in common"):
        compare_counters(read, _runs(("A",), [[1, 2, 3, 4]]))
    with pytest.raises(
        InputError, match="counters at 2 thread counts cannot be correlated; measure at least 3"
    ):
        counter_correlations(_runs(("A",), [[1, 2]], (1, 2), (2.0, 1.0)))
    path.write_text("threads,time [s]\n1,8.0\n")
    with pytest.raises(InputError, match="no counter columns"):
        counter_runs_in(read_columns(path))
