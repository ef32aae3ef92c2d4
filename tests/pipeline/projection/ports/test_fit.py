"""The fitted port model: symbolic equals numeric, intervals cover, projection from the mini-app, the term."""

import numpy as np
import pytest

from ingest.errors import InputError, ModelError, UsageError
from pipeline.projection.files import Table, shipped
from pipeline.projection.ports.fit import fit_ports, from_mini, port_cycles
from pipeline.projection.ports.port_map import read_port_map
from pipeline.projection.ports.schedule import cycles
from pipeline.projection.ports.term import port_term
from pipeline.projection.predict import broken_limits, predict
from tests.pipeline.projection.ports.simulated import GOLDEN, TRUE, USUAL, simulated_counts


def _inputs(portmap, counts):
    return {f"n.{kind}": counts[..., k] for k, kind in enumerate(portmap.classes)}


def _measured(rng, counts, noise):
    return cycles(GOLDEN, counts, TRUE) * (1 + noise * rng.standard_normal(len(counts)))


@pytest.mark.parametrize("name", shipped("port map"))
def test_symbolic_equals_numeric(name):
    portmap, rng = read_port_map(name), np.random.default_rng(0)
    counts = rng.uniform(0, 50, (5, len(portmap.classes)))
    cpi = rng.uniform(1, 9, len(portmap.classes))
    model = port_cycles("k", portmap)
    at = {
        **_inputs(portmap, counts),
        **{f"k.cpi.{kind}": v for kind, v in zip(portmap.classes, cpi, strict=True)},
    }
    found = predict({"cycles": model}, at)["cycles"].value
    np.testing.assert_allclose(found, cycles(portmap, counts, cpi), rtol=1e-12)


def test_the_fitted_model_predicts_at_the_estimate():
    rng = np.random.default_rng(1)
    counts = simulated_counts(rng, 13)
    fit = fit_ports("k", GOLDEN, counts[:12], _measured(rng, counts[:12], 0.02), draws=100)
    found = predict({"c": fit.fit.model}, _inputs(GOLDEN, counts[12:]))["c"]
    np.testing.assert_allclose(found.value, cycles(GOLDEN, counts[12:], fit.estimate.cpi), rtol=1e-9)
    assert (found.lower < found.value).all()
    assert (found.value < found.upper).all()
    found = {p.name.removeprefix("k.cpi."): p for p in fit.fit.parameters}
    assert set(found) == set(GOLDEN.classes)
    assert found["div"].identified
    assert found["div"].lower < TRUE[0] < found["div"].upper
    assert not found["shuffle"].identified
    assert found["shuffle"].upper == np.inf


def test_ninety_percent_intervals_cover():
    """Measurements of kernels that were not fitted fall inside nine times in ten, projected either way."""
    rng = np.random.default_rng(2)
    direct, by_mini = [], []
    for _ in range(12):
        counts = simulated_counts(rng, 52)
        measured = _measured(rng, counts, 0.03)
        fit = fit_ports("k", GOLDEN, counts[:12], measured[:12], draws=200)
        mini = from_mini("k", fit, measured[0], dict(zip(GOLDEN.classes, counts[0], strict=True)))
        found = predict({"direct": fit.fit.model, "mini": mini}, _inputs(GOLDEN, counts[12:]))
        inside = {name: (p.lower <= measured[12:]) & (measured[12:] <= p.upper) for name, p in found.items()}
        direct.append(inside["direct"])
        by_mini.append(inside["mini"])
    assert 0.85 <= np.mean(direct) <= 0.97
    assert 0.85 <= np.mean(by_mini) <= 0.97


def test_wild_measurements_give_wide_intervals_and_no_warnings():
    rng = np.random.default_rng(7)
    counts = simulated_counts(rng, 8)
    measured = cycles(GOLDEN, counts, TRUE) * rng.uniform(0.2, 5.0, 8)
    fit = fit_ports("k", GOLDEN, counts, measured, draws=200)
    found = predict({"c": fit.fit.model}, _inputs(GOLDEN, counts))["c"]
    assert (found.upper - found.lower > found.value).all()
    assert (found.lower >= 0).all()


def test_an_open_class_widens_only_what_it_can_limit():
    """Loads never bind among the variants: a target of many loads is uncertain, one of divisions is not."""
    rng = np.random.default_rng(3)
    counts = simulated_counts(rng, 14)
    counts[:, 6] = np.round(counts[:, 6] * 0.1)
    fit = fit_ports("k", GOLDEN, counts, _measured(rng, counts, 0.01), draws=200)
    loads, divisions = np.zeros(8), np.zeros(8)
    loads[6], divisions[0] = 100.0, 20.0
    found = predict({"c": fit.fit.model}, _inputs(GOLDEN, np.stack([loads, divisions])))["c"]
    relative = (found.upper - found.lower) / found.value
    assert not fit.estimate.identified[6]
    assert relative[0] > 1.0
    assert relative[1] < 0.2


def test_leaving_the_measured_mix_is_told():
    rng = np.random.default_rng(4)
    counts = simulated_counts(rng, 12)
    fit = fit_ports("k", GOLDEN, counts, _measured(rng, counts, 0.02), draws=50)
    far = 2 * USUAL
    assert broken_limits({"c": fit.fit.model}, _inputs(GOLDEN, 2 * counts)) == ()
    far[3] = 30.0
    told = broken_limits({"c": fit.fit.model}, _inputs(GOLDEN, far[None]))
    assert len(told) == 1
    assert told[0].startswith("k was fitted to shares of shuffle instructions")
    assert told[0].endswith(f"0 to 0, here {30 / far.sum():.4g}")


def test_projecting_the_mini_to_itself_gives_its_measurement():
    rng = np.random.default_rng(5)
    counts = simulated_counts(rng, 12)
    measured = _measured(rng, counts, 0.04)
    fit = fit_ports("k", GOLDEN, counts, measured, draws=50)
    model = from_mini("k", fit, measured[3], dict(zip(GOLDEN.classes, counts[3], strict=True)))
    assert predict({"c": model}, _inputs(GOLDEN, counts[3:4]))["c"].value == pytest.approx(measured[3])


def _write_variants(path, rng):
    counts = simulated_counts(rng, 12)
    lines = [",".join(["variant", "instructions", *GOLDEN.classes, "cycles"])]
    for k, (row, value) in enumerate(zip(counts, _measured(rng, counts, 0.02), strict=True)):
        lines.append(",".join(map(str, [f"v{k}", row.sum(), *row, value])))
    path.write_text("\n".join(lines))


def test_term_of_an_application_file(tmp_path):
    _write_variants(tmp_path / "variants.csv", np.random.default_rng(6))
    (tmp_path / "target.s").write_text("f:\n.L2:\n\tdivsd %xmm1, %xmm0\n\taddq $1, %rax\n\tjne .L2\n\tret\n")
    table = {"model": "ports", "map": "golden-cove", "data": "variants.csv"}
    direct = port_term(Table({**table, "target": {"div": 10}}, tmp_path / "app.toml"), "flux")
    assert predict({"c": direct}, {})["c"].value == pytest.approx(65.0, rel=0.05)
    counted = {"assembly": "target.s", "function": "f", "iterations": 2, "mini": "v0"}
    projected = port_term(Table({**table, **counted}, tmp_path / "app.toml"), "flux")
    assert projected.inputs == ()
    with pytest.raises(InputError, match=r"app.toml: the target is missing or there are two"):
        port_term(Table(table, tmp_path / "app.toml"), "flux")
    with pytest.raises(InputError, match=r"app.toml: no variant 'v99'"):
        port_term(Table({**table, "target": {"div": 1}, "mini": "v99"}, tmp_path / "app.toml"), "flux")
    with pytest.raises(UsageError, match="no instruction class 'fma'"):
        port_term(Table({**table, "target": {"fma": 1}}, tmp_path / "app.toml"), "flux")
    with pytest.raises(InputError, match=r"app.toml: \[target\]: div = 'many'; give a number"):
        port_term(Table({**table, "target": {"div": "many"}}, tmp_path / "app.toml"), "flux")
    few = "\n".join((tmp_path / "variants.csv").read_text().splitlines()[:5])
    (tmp_path / "few.csv").write_text(few)
    with pytest.raises(ModelError, match=r"app.toml: 4 variants cannot determine"):
        port_term(Table({**table, "data": "few.csv", "target": {"div": 1}}, tmp_path / "app.toml"), "flux")
