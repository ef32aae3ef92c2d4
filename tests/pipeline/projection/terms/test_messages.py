"""Messages and allreduces: published networks, and least squares by hand."""

import numpy as np
import pytest

from ingest.errors import ModelError
from ingest.units import BYTES
from pipeline.projection.expressions.evaluation import broken_limits, predict
from pipeline.projection.expressions.symbolic_model import bind, maximum, substitute, symbol
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.terms.allreduces import allreduce, fit_allreduce
from pipeline.projection.terms.messages import fit_latency_bandwidth, fit_loggp, latency_bandwidth, loggp
from tests.pipeline.projection.fitting.by_hand import best_line, parameters_of

MIB = 2.0**20
# Paper 004, section III.C: POWER5+, microseconds and microseconds a byte.
INTRA = {"L": 2.7, "small.o": 3.5, "small.G": 0.00068, "large.o": 33.5, "large.G": 0.00045}
INTER = {"L": 5.8, "small.o": 14, "small.G": 0.0013, "large.o": 40, "large.G": 0.0011}


def link(name, microseconds, congestion):
    values = {f"{name}.{key}": value * 1e-6 for key, value in microseconds.items()}
    return bind(loggp(name), {**values, f"{name}.switch": 32768, f"{name}.congestion": congestion})


def seconds(model, **at):
    return predict({"t": model}, at)["t"].value


def test_loggp_message_times_of_power5():
    # Computed from the published table with the published formulas, microseconds.
    sizes = [1, 64, 1024, 32768, 65536, 65538, 131072, 1048576]
    intra, inter = link("intra", INTRA, 2), link("inter", INTER, 8)
    half = symbol("x", BYTES) / 2
    mixed = maximum(substitute(inter, {"x": half}), substitute(intra, {"x": half}))
    expected_intra = [9.7, 9.78568, 11.09128, 54.26312, 128.6815, 128.6833, 187.6639, 1013.4175]
    expected_inter = [33.8, 34.4552, 44.4392, 374.5768, 662.508, 662.5256, 1239.2248, 9313.26]
    expected_mixed = [33.7948, 34.1224, 39.1144, 204.1832, 374.5768, 374.1584, 662.508, 4699.5256]
    assert seconds(intra, x=sizes) * 1e6 == pytest.approx(expected_intra, rel=1e-9)
    assert seconds(inter, x=sizes) * 1e6 == pytest.approx(expected_inter, rel=1e-9)
    assert seconds(mixed, x=sizes) * 1e6 == pytest.approx(expected_mixed, rel=1e-9)


def test_effective_bandwidth_of_power5_is_227_megabytes_not_mebibytes():
    asymptote = 2 / (8 * 0.0011e-6)
    assert asymptote == pytest.approx(227.27e6, rel=1e-4)
    assert asymptote / MIB == pytest.approx(216.7, abs=0.05)
    half = symbol("x", BYTES) / 2
    at_64_kib = 65536 / seconds(substitute(link("inter", INTER, 8), {"x": half}), x=65536)[0] / MIB
    assert at_64_kib == pytest.approx(166.9, abs=0.05)


def test_effective_message_and_tree():
    wire = bind(latency_bandwidth("net"), {"net.latency": 12.1e-6, "net.bandwidth": 167 * MIB})
    assert seconds(wire, x=[0, 167 * MIB]) == pytest.approx([12.1e-6, 1 + 12.1e-6])
    tree = bind(allreduce("red"), {"red.c": 0.0, "red.d": 3.65e-6, "red.base": 2})
    assert seconds(tree, P=1024) * 1e6 == pytest.approx([36.5])
    natural = bind(allreduce("red"), {"red.c": 0.0, "red.d": 3.65e-6, "red.base": np.e})
    assert seconds(natural, P=1024) * 1e6 == pytest.approx([25.3], abs=0.05)


def test_the_published_network_is_found_again():
    random = np.random.default_rng(1)
    sizes = np.repeat(np.geomspace(64, 4 * MIB, 17), 3)
    times = (12.1e-6 + sizes / (167 * MIB)) * (1 + 0.03 * random.standard_normal(len(sizes)))
    found = fit_latency_bandwidth("net", Measurements({"x": sizes}, times))
    values = [p.value for p in parameters_of(found)]
    assert values == pytest.approx([12.1e-6, 167 * MIB], rel=0.03)
    assert all(p.lower < t < p.upper for p, t in zip(parameters_of(found), [12.1e-6, 167 * MIB], strict=True))
    assert not found.quality.lack.poor


def test_a_message_fit_is_least_squares_in_latency_and_time_per_byte():
    random = np.random.default_rng(4)
    sizes = np.geomspace(100, 1e6, 12)
    times = 12e-6 + sizes / 1.7e8 + 1e-6 * random.standard_normal(12)
    design = np.column_stack([np.ones(12), sizes])
    for weights in ("relative", "equal"):
        best = best_line(design, times, weights)
        found = fit_latency_bandwidth("net", Measurements({"x": sizes}, times, weights))
        assert [p.value for p in parameters_of(found)] == pytest.approx([best[0], 1 / best[1]], rel=1e-6)
        residual = (design @ best - times) / (design @ best if weights == "relative" else 1)
        assert found.quality.sigma == pytest.approx(np.sqrt(np.sum(residual**2) / 10))


def test_a_latency_below_zero_is_zero():
    sizes = np.geomspace(1e3, 1e6, 8)
    found = fit_latency_bandwidth("net", Measurements({"x": sizes}, sizes / 1e9 - 5e-7, "equal"))
    assert parameters_of(found)[0].value == pytest.approx(0.0, abs=1e-15)
    rising = fit_latency_bandwidth("net", Measurements({"x": sizes}, 2e-3 - sizes / 1e9, "equal"))
    assert parameters_of(rising)[1].value > 1e17  # no time per byte at all


def test_message_fits_carry_their_limits_and_doubts():
    sizes = np.repeat(np.geomspace(1e3, 1e6, 3), 2)
    times = (1e-5 + sizes / 1e9) * np.tile([0.98, 1.02], 3)
    found = fit_latency_bandwidth("net", Measurements({"x": sizes}, times))
    assert broken_limits({"t": found.model}, {"x": 1e7}) == (
        "net was fitted for x from 1000 to 1e+06, here 1e+07",
    )
    assert all(p.identified for p in parameters_of(found))
    # Three points less two parameters leave one degree of freedom, two points none.
    assert np.isfinite(found.quality.lack.probability)
    assert np.isnan(
        fit_latency_bandwidth("net", Measurements({"x": sizes[:4]}, times[:4])).quality.lack.probability
    )
    two_speeds = np.where(sizes < 1e4, 1e-5, 1e-1)
    assert fit_latency_bandwidth("net", Measurements({"x": sizes}, two_speeds)).quality.lack.poor


def test_one_size_cannot_distinguish_latency_from_bandwidth():
    times = np.array([1.0, 1.01, 0.99, 1.02]) * 1e-5
    found = fit_latency_bandwidth("net", Measurements({"x": np.full(4, 1024.0)}, times))
    assert not any(p.identified for p in parameters_of(found))


def test_the_switch_is_sought_beyond_the_first_weights_that_agree_with_a_curve():
    """From the weights of this noise alone, the search ends at 16384, a less likely curve."""
    sizes, noise = 2.0 ** np.arange(23), 1 + 0.3 * np.random.default_rng(27).standard_normal(23)
    times = np.where(sizes <= 4096, 2.7e-6 + 0.5e-9 * sizes, 7e-6 + 0.09e-9 * sizes) * np.maximum(noise, 0.02)
    found = fit_loggp("link", Measurements({"x": sizes}, times))
    assert parameters_of(found)[-1].value == 4096


def test_an_allreduce_whose_algorithm_changes_does_not_fit():
    processes = np.array([24.0, 48, 96, 192, 384, 768, 1536])
    good = fit_allreduce("red", Measurements({"P": processes}, 4e-6 + 1.5e-6 * np.log2(processes)))
    assert not good.quality.lack.poor
    assert [p.value for p in parameters_of(good)] == pytest.approx([4e-6, 1.5e-6])
    jump = np.array([6.0, 7.5, 9, 10.3, 11.6, 59.9, 70]) * 1e-6
    bad = fit_allreduce("red", Measurements({"P": processes}, jump))
    assert bad.quality.lack.poor
    assert min(p.value for p in parameters_of(bad)) >= 0


def test_the_allreduce_has_the_base_and_the_weights_given():
    random = np.random.default_rng(2)
    processes = 2.0 ** np.arange(4, 12)
    times = 4e-6 + 8e-6 * np.log2(processes) + 1e-7 * random.standard_normal(8)
    for weights in ("relative", "equal"):
        best = best_line(np.column_stack([np.ones(8), np.log10(processes)]), times, weights)
        found = fit_allreduce("red", Measurements({"P": processes}, times, weights), base=10.0)
        assert [p.value for p in parameters_of(found)] == pytest.approx(best, rel=1e-6)
    falling = fit_allreduce("red", Measurements({"P": processes}, 2e-4 - 1e-5 * np.log2(processes)))
    assert parameters_of(falling)[1].value == pytest.approx(0.0, abs=1e-12)


def test_loggp_by_hand():
    values = {"L": 1.0, "small.o": 2.0, "small.G": 0.5, "large.o": 7.0, "large.G": 0.25}
    model = bind(
        loggp("net"),
        {**{f"net.{k}": v for k, v in values.items()}, "net.switch": 10.0, "net.congestion": 3.0},
    )
    # L + 2 o + (x - 1) k G
    assert seconds(model, x=[1, 10, 11]).tolist() == [5.0, 1 + 4 + 9 * 1.5, 1 + 14 + 10 * 0.75]
    assert str(model.dimension) == "s"


def test_both_protocols_and_their_switch_are_found():
    random = np.random.default_rng(2)
    sizes = np.repeat(2.0 ** np.arange(23), 2)
    small, large = 2.7e-6 + (sizes - 1) * 0.5e-9, 9e-6 + (sizes - 1) * 0.09e-9
    times = np.where(sizes <= 4096, small, large) * (1 + 0.02 * random.standard_normal(len(sizes)))
    found = fit_loggp("net", Measurements({"x": sizes}, times))
    values = {p.name.removeprefix("net."): p.value for p in parameters_of(found)}
    assert values["switch"] == 4096
    assert values["L"] == pytest.approx(2.7e-6, rel=0.02)
    assert values["small.o"] == 0.0
    assert values["large.o"] == pytest.approx((9e-6 - 2.7e-6) / 2, rel=0.1)
    assert values["small.G"] == pytest.approx(0.5e-9, rel=0.1)
    assert values["large.G"] == pytest.approx(0.09e-9, rel=0.03)
    assert all(p.identified for p in parameters_of(found))
    assert seconds(found.model, x=1e6) == pytest.approx([9e-6 + 0.09e-3], rel=0.03)
    crowded = fit_loggp("net", Measurements({"x": sizes}, times), congestion=8).model
    assert seconds(crowded, x=1e6) == pytest.approx([9e-6 + 8 * 0.09e-3], rel=0.03)


def test_a_protocol_with_a_shorter_start_leaves_no_negative_overhead():
    sizes = 2.0 ** np.arange(20)
    times = np.where(sizes <= 1024, 9e-6 + (sizes - 1) * 1e-9, 4e-6 + (sizes - 1) * 0.1e-9)
    values = {p.name: p.value for p in parameters_of(fit_loggp("net", Measurements({"x": sizes}, times)))}
    assert values["net.L"] == pytest.approx(4e-6)
    assert values["net.small.o"] == pytest.approx(2.5e-6)
    assert values["net.large.o"] == pytest.approx(0.0, abs=1e-12)


def test_a_single_protocol_has_no_switch():
    sizes = 2.0 ** np.arange(23)
    random = np.random.default_rng(4)
    times = (3e-6 + sizes * 0.1e-9) * (1 + 0.02 * random.standard_normal(len(sizes)))
    found = fit_loggp("net", Measurements({"x": sizes}, times))
    assert [p.name for p in parameters_of(found) if not p.identified] == ["net.switch"]
    with pytest.raises(ModelError, match="two protocols need at least four different sizes"):
        fit_loggp("net", Measurements({"x": np.repeat([1.0, 8, 64], 3)}, np.full(9, 1e-6)))
